"""Faults in how derivations are found by programs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Rows
from rete.graph.streams import Component, Stream, Terminal
from rete.retraction import rule_bodies, subsumption
from rete.retraction.derivability import Derivability, DerivationPrograms
from rete.retraction.derivation_search import DerivationSearch
from rete.retraction.missing_constants import MissingConstants
from tests.faults.detection import Fault


def part_of_the_time_is_enough() -> AbstractContextManager[object]:
    """A derivation that holds for a while, or on conditions, holds a fact up."""
    right = DerivationPrograms.prove

    def prove(here: DerivationPrograms, facts: Rows, *, known_levels_only: bool) -> Derivability:
        found = right(here, facts, known_levels_only=known_levels_only)
        found.level[(found.level < 0) & (found.unsure > 0)] = 0
        return found

    return patch.object(DerivationPrograms, "prove", prove)


def what_is_unsure_is_not_looked_at() -> AbstractContextManager[object]:
    """A derivation that holds for a while, or on conditions, is none."""
    right = DerivationPrograms.prove

    def prove(here: DerivationPrograms, facts: Rows, *, known_levels_only: bool) -> Derivability:
        found = right(here, facts, known_levels_only=known_levels_only)
        found.unsure[:] = 0
        return found

    return patch.object(DerivationPrograms, "prove", prove)


def higher_derivations_are_forgotten() -> AbstractContextManager[object]:
    """What may depend on facts of higher levels is not examined again in their turn."""
    right = DerivationPrograms.prove

    def prove(here: DerivationPrograms, facts: Rows, *, known_levels_only: bool) -> Derivability:
        found = right(here, facts, known_levels_only=known_levels_only)
        found.later[:] = UNKNOWN_LEVEL
        return found

    return patch.object(DerivationPrograms, "prove", prove)


def ended_rows_prove() -> AbstractContextManager[object]:
    """A row that ended is taken for one that goes on."""
    right = kernels.prove

    def prove(facts: Rows, code: object, begins: object, sources: object, *rest: object) -> None:
        longer = []
        for rows, n, index, levels in sources:  # type: ignore[attr-defined]
            changed = rows.copy()
            changed[:n, -1][rows[:n, -1] > NEG_INF] = POS_INF
            longer.append((changed, n, index, levels))
        right(facts, code, begins, longer, *rest)  # type: ignore[arg-type]

    return patch.object(kernels, "prove", prove)


def levels_of_rows_do_not_count() -> AbstractContextManager[object]:
    """All that a derivation is made of is taken for asserted."""
    right = kernels.prove

    def prove(facts: Rows, code: object, begins: object, sources: object, *rest: object) -> None:
        flat = [(rows, n, index, None) for rows, n, index, _ in sources]  # type: ignore[attr-defined]
        right(facts, code, begins, flat, *rest)  # type: ignore[arg-type]

    return patch.object(kernels, "prove", prove)


def conditions_are_met() -> AbstractContextManager[object]:
    """What a program does not say of a body is taken for true.

    Random stories hardly ever come to that; `test_conditions` of `retraction_examples` has
    one that does.
    """
    right = rule_bodies.body_of

    def body(stream: Stream, terminal: Terminal, component: Component) -> rule_bodies.RuleBody:
        found = right(stream, terminal, component)
        found.is_partial = False
        found.tests.clear()
        return found

    return patch.object(subsumption, "body_of", body)


def equal_levels_are_below() -> AbstractContextManager[object]:
    """A program may use rows of the level that a derivation is to stay below."""
    right = DerivationPrograms.prove

    def prove(here: DerivationPrograms, facts: Rows, *, known_levels_only: bool) -> Derivability:
        higher = facts.copy()
        higher[:, -3] = np.minimum(higher[:, -3], UNKNOWN_LEVEL) + 1
        return right(here, higher, known_levels_only=known_levels_only)

    return patch.object(DerivationPrograms, "prove", prove)


def another_rule_is_as_good() -> AbstractContextManager[object]:
    """A rule goes on to give what another one gives."""
    return patch.object(DerivationSearch, "no_longer_derived", lambda _, __, facts, ___: facts[:0])


def one_derivation_by_a_rule() -> AbstractContextManager[object]:
    """A rule that lost a derivation of what another one gives has no other."""
    return patch.object(DerivationSearch, "no_longer_derived", lambda _, __, facts, ___: facts)


def what_was_absent_never_comes() -> AbstractContextManager[object]:
    """Rules that wanted a term which nothing had are left out for good."""
    return patch.object(MissingConstants, "have_come", lambda _: False)


FAULTS: Final[tuple[Fault, ...]] = (
    part_of_the_time_is_enough,
    what_is_unsure_is_not_looked_at,
    higher_derivations_are_forgotten,
    ended_rows_prove,
    levels_of_rows_do_not_count,
    equal_levels_are_below,
    another_rule_is_as_good,
    what_was_absent_never_comes,
    one_derivation_by_a_rule,
)
