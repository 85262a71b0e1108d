"""Justifications by their definition: all sets of asserted facts, the smallest first."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tests.oracles.rules.datalog import Program, always

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.oracles.rules.formulas import Fact


def justifications(program: Program, base: Collection[Fact], fact: Fact) -> set[frozenset[Fact]]:
    """The minimal subsets of ``base`` from which ``fact`` follows.

    A negation is true of what is not in the whole model of ``base``.
    """
    derived, _ = program.least_model(base)
    model = {*base, *derived}
    found: set[frozenset[Fact]] = set()
    ordered = sorted(base)
    for size in range(len(ordered) + 1):
        for some in map(frozenset, combinations(ordered, size)):
            if not any(one <= some for one in found) and follows(program, some, model, fact):
                found.add(some)
    return found


def follows(program: Program, base: Collection[Fact], model: Collection[Fact], fact: Fact) -> bool:
    """Whether ``fact`` follows from ``base``, what is not in ``model`` being absent."""
    least = set(base)
    while fact not in least:
        runs = program.consequences(always(least), negated=always(model))
        new = {run.fact for run in runs} - least
        if not new:
            return False
        least |= new
    return True
