"""What an entry waits for, and when one set of hypotheses makes another needless.

A *value* is the id of a term, or a negative number: a free variable of the entry. An atom is a tag,
which is empty for triples and else the form of a test, and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

Values: TypeAlias = tuple[int, ...]
HypothesisAtom: TypeAlias = tuple[str, Values]
Hypotheses: TypeAlias = frozenset[HypothesisAtom]

TRIPLE: Final = ""
"""The tag of triples."""


Mark: TypeAlias = tuple[str, int, int]
"""A value that is no free variable of its own: the tag and the place of its atom, and it."""
Form: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""Hypotheses without the names of free variables that the fact does not have."""


def marks(hypotheses: Hypotheses, fixed: int) -> frozenset[Mark]:
    """What every set that ``hypotheses`` subsume has, too; ``fixed`` as of `subsumes`."""
    return frozenset(
        (tag, place, value)
        for tag, values in hypotheses
        for place, value in enumerate(values)
        if value >= -fixed
    )


def canonical_form(hypotheses: Hypotheses, fixed: int) -> Form:
    """A form that is equal for hypotheses that differ by the names of free variables alone."""
    free = -fixed - 1
    return tuple(sorted((tag, tuple(max(v, free) for v in values)) for tag, values in hypotheses))


def subsumes(one: Hypotheses, other: Hypotheses, fixed: int) -> bool:
    """Is ``one``, for some values of its free variables, a part of ``other``?

    Free variables from -1 to ``-fixed`` are those of the fact, and mean the same in both. Costs a
    search with backtracking, whose first choices are the atoms with the fewest ways to match.
    """
    start = {-number: -number for number in range(1, fixed + 1)}
    free = [atom for atom in one if atom not in other or any(v < -fixed for v in atom[1])]
    if not free:
        return True
    by_tag: dict[tuple[str, int], list[Values]] = {}
    for tag, values in other:
        by_tag.setdefault((tag, len(values)), []).append(values)
    free.sort(key=lambda atom: sum(value < -fixed for value in atom[1]))
    return _match(free, by_tag, start)


def _match(
    atoms: list[HypothesisAtom],
    by_tag: Mapping[tuple[str, int], list[Values]],
    binding: Mapping[int, int],
) -> bool:
    if not atoms:
        return True
    (tag, values), *rest = atoms
    for candidate in by_tag.get((tag, len(values)), ()):
        found = _extend(values, candidate, binding)
        if found is not None and _match(rest, by_tag, found):
            return True
    return False


def _extend(values: Values, to: Values, binding: Mapping[int, int]) -> Mapping[int, int] | None:
    """``binding`` extended so that ``values`` become ``to``; None: nothing does that."""
    found = dict(binding)
    for value, target in zip(values, to, strict=True):
        if value >= 0:
            if value != target:
                return None
        elif found.setdefault(value, target) != target:
            return None
    return found
