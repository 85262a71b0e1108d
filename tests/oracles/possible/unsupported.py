"""What completes a fact without evidence: all units of a derivation, for a head at any tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.oracles.possible.derivations import Derivation
from tests.oracles.possible.matching import passes
from tests.oracles.possible.worlds import (
    Binding,
    Hypotheses,
    Hypothesis,
    Triple,
    last_stamp,
    unify,
)

_Goal = tuple[Triple, int | None, bool]
"""A triple, its last stamp of use for a head at 0, and whether it is of use with no other."""


def completes(derivation: Derivation, fact: Triple, missing: Hypotheses) -> bool:
    """Does a part of ``missing`` complete ``fact``, with nothing that must hold besides?

    Where the times of what is missing are known, it does so for a head at one tick.
    """
    given = unify(derivation.head, fact, {})
    if derivation.held or given is None:
        return False
    goals = [
        (triple, last_stamp(unit.path, 0), all(r.punctual for _, r in unit.path))
        for unit in derivation.units
        for triple in unit.triples
    ]
    return _are_among(derivation, goals, missing, given, {}, None)


def _are_among(
    derivation: Derivation,
    goals: Sequence[_Goal],
    missing: Hypotheses,
    given: Binding,
    taken: Mapping[Hypothesis, int | None],
    tick: int | None,
) -> bool:
    """Are ``goals`` among what is missing, and tests passed? No hypothesis is of two distances."""
    if not goals:
        full = dict(given)
        return all(passes(test, full) for test in derivation.tests)
    (goal, far, punctual), *rest = goals
    for each in missing:
        triple, kind, stamp = each
        found = unify(goal, triple, given)
        if found is None or taken.get(each, far) != far:
            continue
        head = tick
        if kind == "at" and punctual:
            assert far is not None
            head = stamp - far
            if tick not in {None, head}:
                continue
        if _are_among(derivation, rest, missing, found, {**taken, each: far}, head):
            return True
    return False
