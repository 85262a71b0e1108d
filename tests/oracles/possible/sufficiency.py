"""What completes a fact without evidence: all units of a derivation, for a head at some tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.oracles.possible.derivations import Derivation
from tests.oracles.possible.matching import matches, passes
from tests.oracles.possible.worlds import (
    Binding,
    Hypotheses,
    Hypothesis,
    Path,
    Triple,
    last_stamp,
    seen_from,
    unify,
)

_Goal = tuple[Triple, int | None, bool, Path]
"""A triple, its last stamp of use for a head at 0, whether it is of use with no other, its path."""


def completes(
    derivation: Derivation,
    fact: Triple,
    missing: Hypotheses,
    holds: Mapping[Triple, frozenset[int]],
    ticks: frozenset[int],
) -> bool:
    """Does a part of ``missing`` complete ``fact``, with what must hold besides among ``holds``?

    It does so for a head at one of ``ticks``, in cells, for which its units may come. Where the
    times of what is missing are known, that tick follows from them.
    """
    given = unify(derivation.head, fact, {})
    if given is None:
        return False
    goals = [
        (triple, last_stamp(unit.path, 0), all(r.punctual for _, r in unit.path), unit.path)
        for unit in derivation.units
        for triple in unit.triples
    ]
    for found, cells in _among(goals, missing, given, {}, ticks):
        for binding, _ in matches(derivation.held, holds, found, cells):
            full = dict(binding)
            if all(passes(test, full) for test in derivation.tests):
                return True
    return False


def _among(
    goals: Sequence[_Goal],
    missing: Hypotheses,
    given: Binding,
    taken: Mapping[Hypothesis, int | None],
    when: frozenset[int],
) -> Iterator[tuple[Binding, frozenset[int]]]:
    """With which bindings ``goals`` are among what is missing, and for heads at which cells.

    No hypothesis is of two distances.
    """
    if not goals:
        yield given, when
        return
    (goal, far, punctual, path), *rest = goals
    for each in missing:
        triple, kind, stamp = each
        found = unify(goal, triple, given)
        if found is None or taken.get(each, far) != far:
            continue
        cells = when
        if kind == "at" and punctual:
            assert far is not None
            cells &= {2 * (stamp - far)}
        elif kind == "at":
            cells &= seen_from(stamp, path)
        if cells:
            yield from _among(rest, missing, found, {**taken, each: far}, cells)
