"""Masks: which hypotheses, arrived together, show an entry.

The paper keeps an entry for every subset of hypotheses that may be matched ahead of the others, and
there are 2^n of them. But where a hypothesis has no variable that the others do not bind already,
it is not matched, it has arrived or not: an entry without it is not minimal from then on. So
entries are kept by what they *bind*. For each set of variables that some hypotheses have together,
a `VariableBinding` has the hypotheses that are ground under it, and an entry is a row of values
with those that have arrived, one bit each. The smallest sets of hypotheses that bind all must be
joined, and each of them with one more. Where all hypotheses have the same variables, nothing is
joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, variables_of
from temporal.hypothetical.syntax.errors import TooManyHypotheses

MAX_HYPOTHESES: Final = 62
"""So many have a bit each in a number."""
MAX_MASKS: Final = 4096
"""Sets of hypotheses that are joined for one schematic answer, at most."""


@dataclass(frozen=True, slots=True)
class VariableBinding:
    """The entries of a schematic answer in which the same variables are bound.

    Attributes:
        names: the variables, objects before times, each by name.
        members: the bits of the hypotheses that are ground then.
        masks: the bits of hypotheses that, arrived together, show an entry, or more of it.
    """

    names: tuple[SortedVariable, ...]
    members: int
    masks: tuple[int, ...]


def find_bindings(hypotheses: Sequence[TemporalAtom]) -> tuple[VariableBinding, ...]:
    """All sets of variables that matched hypotheses may bind, in order.

    Raises:
        TooManyHypotheses: there are more sets than `MAX_MASKS`.
    """
    if len(hypotheses) > MAX_HYPOTHESES:
        message = f"an answer needs {len(hypotheses)} input atoms, more than {MAX_HYPOTHESES}"
        raise TooManyHypotheses(message)
    own = [variables_of(atom) for atom in hypotheses]
    bound: set[frozenset[SortedVariable]] = set()
    for names in own:
        bound |= {names, *(names | other for other in bound)}
        _check(len(bound))
    mask_count = 0
    found = []
    for names in sorted(bound, key=lambda names: (len(names), sorted(names))):
        masks = _masks(names, own)
        mask_count += len(masks)
        _check(mask_count)
        members = sum(1 << i for i, own_names in enumerate(own) if own_names <= names)
        found.append(VariableBinding(tuple(sorted(names)), members, masks))
    return tuple(found)


def _masks(
    names: frozenset[SortedVariable], own: Sequence[frozenset[SortedVariable]]
) -> tuple[int, ...]:
    """The smallest sets that bind ``names``, and each with one more of those that are ground.

    Not with one that such a set shows, together with some of the others.
    """
    members = [(1 << i, own_names) for i, own_names in enumerate(own) if own_names <= names]
    covers = list(_covers(names, members))
    found = dict.fromkeys(covers)
    for bit, _ in members:
        with_bit = [cover for cover in covers if cover & bit]
        for cover in covers:
            more = cover | bit
            if not any(other & more == other for other in with_bit):
                found[more] = None
        _check(len(found))
    return tuple(sorted(found))


def _covers(
    names: frozenset[SortedVariable], members: Sequence[tuple[int, frozenset[SortedVariable]]]
) -> Iterator[int]:
    """The smallest sets of ``members``, not empty, whose variables are ``names``."""
    if not names:
        yield from (bit for bit, _ in members)
        return
    found: set[int] = set()
    open_ = [(0, names)]
    seen: set[int] = set()
    while open_:
        mask, unbound = open_.pop()
        if mask in seen:
            continue
        seen.add(mask)
        _check(len(seen))
        if not unbound:
            found.add(mask)
            continue
        name = min(unbound)
        open_ += ((mask | bit, unbound - own) for bit, own in members if name in own)
    for mask in found:
        if not any(other != mask and other & mask == other for other in found):
            yield mask


def _check(number: int) -> None:
    if number > MAX_MASKS:
        message = f"more than {MAX_MASKS} sets of input atoms may come first for one answer"
        raise TooManyHypotheses(message)
