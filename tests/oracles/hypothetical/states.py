"""The states S_τ of schematic supported answers, by Definition 6 of [CruzFilipe22], literally.

Local mgus (Definition 5) are found as Lemma 1 says: they are what is computed at the nodes of all
SLD-trees for the hypotheses and the slice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from tests.oracles.hypothetical.definitions import Delta, DomainTooBig, Fact, Facts
from tests.oracles.hypothetical.resolution import Pattern, Schema, Var

Sigma: TypeAlias = Mapping[Var, "str | int"]
"""A substitution of constants and numbers."""

MOST = 2_000
"""With more entries than this a case is too big."""


@dataclass(frozen=True, slots=True)
class Entry:
    """⟨θ, E, H⟩, with θ applied to the query.

    Attributes:
        least: the smallest number that each time variable may be.
    """

    answer: Pattern
    evidence: Facts
    hypotheses: frozenset[Pattern]
    least: frozenset[tuple[Var, int]]


def start(schemata: Iterable[Schema]) -> frozenset[Entry]:
    """The state before any data."""
    return frozenset(
        Entry(one.answer, frozenset(), frozenset(one.hypotheses), frozenset(one.least.items()))
        for one in schemata
    )


def step(state: Iterable[Entry], new: Collection[Fact], tau: int, delta: Delta) -> frozenset[Entry]:
    """The next state; ``new`` has arrived at ``tau`` and not before.

    Raises:
        TooBig: there are too many entries.
    """
    found = set()
    for entry in state:
        for sigma in local_mgus(sorted(entry.hypotheses, key=str), new, {}):
            if any(int(sigma.get(var, number)) < number for var, number in entry.least):
                continue
            after = {applied(one, sigma) for one in entry.hypotheses}
            taken = frozenset(fact for one in after if (fact := ground(one)) and fact in new)
            left = frozenset(one for one in after if ground(one) not in taken)
            if all(is_potentially_future(one, tau, delta) for one in left):
                least = frozenset(pair for pair in entry.least if pair[0] not in sigma)
                answer = applied(entry.answer, sigma)
                found.add(Entry(answer, entry.evidence | taken, left, least))
        if len(found) > MOST:
            raise DomainTooBig(tau)
    return frozenset(found)


def local_mgus(hypotheses: list[Pattern], facts: Collection[Fact], sigma: Sigma) -> Iterator[Sigma]:
    """What is computed at the nodes: each hypothesis is left, or made one of the facts."""
    if not hypotheses:
        yield sigma
        return
    first, *rest = hypotheses
    yield from local_mgus(rest, facts, sigma)
    for fact in facts:
        found = _matched(first, fact, sigma)
        if found is not None:
            yield from local_mgus(rest, facts, found)


def _matched(one: Pattern, fact: Fact, sigma: Sigma) -> Sigma | None:
    if one.predicate != fact[0]:
        return None
    found = dict(sigma)
    for arg, value in zip(one.args, fact[1], strict=True):
        if (found.setdefault(arg, value) if isinstance(arg, Var) else arg) != value:
            return None
    at = fact[2] - one.offset
    if one.base is None:
        return None if at else found
    return found if found.setdefault(one.base, at) == at else None


def applied(one: Pattern, sigma: Sigma) -> Pattern:
    """An atom under a substitution."""
    args = tuple(
        str(sigma[arg]) if isinstance(arg, Var) and arg in sigma else arg for arg in one.args
    )
    if one.base is None or one.base not in sigma:
        return one._replace(args=args)
    return Pattern(one.predicate, args, None, int(sigma[one.base]) + one.offset)


def ground(one: Pattern) -> Fact | None:
    """The fact that an atom is; None: it has variables."""
    if one.variables:
        return None
    return one.predicate, tuple(map(str, one.args)), one.offset


def is_potentially_future(one: Pattern, tau: int, delta: Delta) -> bool:
    """Definition 3."""
    return one.base is not None or tau < one.offset + delay(one, delta)


@cache
def delay(one: Pattern, delta: Delta) -> int:
    """δ of an atom: the largest of its ground instances.

    Constants that no pattern of δ names are all alike, so one for each variable is enough.
    """
    free = sorted({arg for arg in one.args if isinstance(arg, Var)})
    constants = [*sorted(delta.constants()), *(f"another {number}" for number in range(len(free)))]
    bindings: list[dict[str | Var, str]] = [{}]
    for var in free:
        bindings = [{**each, var: value} for each in bindings for value in constants]
    return max(
        delta.of(one.predicate, tuple(each.get(arg, str(arg)) for arg in one.args))
        for each in bindings
    )
