"""Faults in how derivations are found by programs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete import kernels
from rete.arrays.delta import POS_INF
from rete.graph.streams import Component, Stream, Terminal
from rete.kernels.support.pure_search import IndexedRows
from rete.kernels.support.pure_suspects import SUSPECT_LEVEL
from rete.retraction import rule_bodies
from rete.retraction.proof_programs import MissingConstants
from rete.retraction.table_programs import DerivationPrograms
from rete.retraction.view_maintenance import ViewMaintenance
from tests.faults.detection import Fault


def part_of_the_time_is_enough() -> AbstractContextManager[object]:
    """A derivation that holds for a while, or on conditions, holds a fact up."""
    right = kernels.settle

    def settle(tables: Any, due: Any, bound: int) -> Any:
        count, kept, found = right(tables, due, bound)
        return (
            count,
            kept,
            [(np.setdiff1d(lost, undecided), undecided[:0]) for lost, undecided in found],
        )

    return patch.object(kernels, "settle", settle)


def what_is_unsure_is_not_looked_at() -> AbstractContextManager[object]:
    """A derivation that holds for a while, or on conditions, is none."""
    right = kernels.settle

    def settle(tables: Any, due: Any, bound: int) -> Any:
        count, kept, found = right(tables, due, bound)
        return count, kept, [(lost, undecided[:0]) for lost, undecided in found]

    return patch.object(kernels, "settle", settle)


def _with_sources(change: Callable[[IndexedRows], IndexedRows]) -> AbstractContextManager[object]:
    right = DerivationPrograms.sources

    def sources(here: DerivationPrograms) -> list[IndexedRows]:
        return [change(source) for source in right(here)]

    return patch.object(DerivationPrograms, "sources", sources)


def _copied(index: kernels.Index, until: int | None = None) -> kernels.Index:
    """The same index of a store with the same living rows, which may end otherwise."""
    rows = index.store.rows(0, index.store.end, living=True)
    if until is not None:
        rows[:, -1] = until
    store = kernels.FactStore(index.store.width)
    store.fill(rows, index.store.living_levels())
    return store.index(index.cols)


def facts_of_the_component_derive_nothing() -> AbstractContextManager[object]:
    """A fact that lost a derivation has no other one from facts of its component."""

    def unproven(source: IndexedRows) -> IndexedRows:
        index, leveled = source
        if not leveled:
            return source
        changed = _copied(index)
        store = changed.store
        store.set_levels(np.arange(store.first, store.end), SUSPECT_LEVEL)
        return changed, True

    return _with_sources(unproven)


def ended_rows_prove() -> AbstractContextManager[object]:
    """A row that ended is taken for one that goes on."""

    def longer(source: IndexedRows) -> IndexedRows:
        index, leveled = source
        return _copied(index, until=POS_INF), leveled

    return _with_sources(longer)


def levels_of_rows_do_not_count() -> AbstractContextManager[object]:
    """All that a derivation is made of is taken for asserted."""
    return _with_sources(lambda of: (of[0], False))


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

    return patch.object(rule_bodies, "body_of", body)


def another_rule_is_as_good() -> AbstractContextManager[object]:
    """A rule goes on to give what another one gives."""
    return patch.object(ViewMaintenance, "_no_longer_derived", lambda _, __, facts, ___: facts[:0])


def one_derivation_by_a_rule() -> AbstractContextManager[object]:
    """A rule that lost a derivation of what another one gives has no other."""
    return patch.object(ViewMaintenance, "_no_longer_derived", lambda _, __, facts, ___: facts)


def what_was_absent_never_comes() -> AbstractContextManager[object]:
    """Rules that wanted a term which nothing had are left out for good."""
    return patch.object(MissingConstants, "have_come", lambda _: False)


FAULTS: Final[tuple[Fault, ...]] = (
    part_of_the_time_is_enough,
    what_is_unsure_is_not_looked_at,
    facts_of_the_component_derive_nothing,
    ended_rows_prove,
    levels_of_rows_do_not_count,
    another_rule_is_as_good,
    one_derivation_by_a_rule,
    what_was_absent_never_comes,
)
