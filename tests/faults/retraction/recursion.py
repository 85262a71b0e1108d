"""Faults in recursive components."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete import kernels
from rete.arrays.delta import UNKNOWN_LEVEL, Rows
from rete.graph.streams import Component, FactTable, InnerReaders, Stream
from rete.network import components
from rete.network.layers import Layers
from rete.provenance.backward_evaluation import SupportBasis
from rete.retraction import derivation_search, suspect_flow
from rete.retraction.dependents import DependentPrograms
from rete.retraction.proof_programs import ProgramWriter
from rete.retraction.rule_bodies import BodyAtom
from rete.retraction.subsumption import TableRule
from rete.retraction.support_levels import SupportLevels
from rete.retraction.view_maintenance import ViewMaintenance
from rete.storage.stem import Stem
from tests.faults.detection import Fault


def recursion_overlooked() -> AbstractContextManager[object]:
    """Every component is dealt with as if nothing in it fed itself."""
    right = Component.__init__

    def init(component: Component, *, recursive: bool) -> None:
        right(component, recursive=recursive and False)

    return patch.object(Component, "__init__", init)


def no_rederivation() -> AbstractContextManager[object]:
    """All suspects are lost."""
    return patch.object(SupportLevels, "_rederive", lambda *_: None)


def _with_levels(more: int) -> AbstractContextManager[object]:
    right = derivation_search.DerivationSearch.derivable

    def derivable(
        here: derivation_search.DerivationSearch,
        table: FactTable,
        facts: Rows,
        basis: SupportBasis,
        others: list[Rows],
    ) -> Iterator[Rows]:
        higher = facts.copy()
        place = table.relation.arity
        higher[:, place] = np.minimum(higher[:, place] + more, UNKNOWN_LEVEL)
        return right(here, table, higher, basis, others)

    return patch.object(derivation_search.DerivationSearch, "derivable", derivable)


def no_suspects() -> AbstractContextManager[object]:
    """What has any derivation left stays, from itself too."""
    return _with_levels(UNKNOWN_LEVEL >> 1)


def same_level_is_enough() -> AbstractContextManager[object]:
    """A derivation from facts of the same level holds a fact up."""
    return _with_levels(1)


def all_that_is_due_stands() -> AbstractContextManager[object]:
    """Where a kernel settles a component, it is given nothing that is due."""
    right = kernels.settle

    def settle(tables: Any, due: Any, bound: int) -> Any:
        return right(tables, [(rows[:0], index) for rows, index in due], bound)

    return patch.object(kernels, "settle", settle)


def suspects_have_no_dependents() -> AbstractContextManager[object]:
    """A kernel examines what is due, and nothing that depends on it."""
    return patch.object(
        DependentPrograms, "arguments", lambda here: (here.code, here.begins[:0], [], here.begins)
    )


def lost_twice_with_one_fact() -> AbstractContextManager[object]:
    """A derivation from one fact as two of its atoms counts as two when that is a suspect.

    Random stories hardly ever come to that; `test_recursive_support` of `rete.retraction` has one
    that does.
    """
    right = ProgramWriter._step

    def step(here: ProgramWriter, atom: BodyAtom, *rest: Any) -> list[int]:
        return right(here, replace(atom, apart=False), *rest)

    return patch.object(ProgramWriter, "_step", step)


def longer_bodies_are_covered() -> AbstractContextManager[object]:
    """A body of fewer atoms gives all that one of more does."""
    return patch.object(
        TableRule, "covers", lambda here, other: len(here.body.atoms) < len(other.body.atoms)
    )


def other_components_are_settled() -> AbstractContextManager[object]:
    """A fact of a recursive component holds, though what it depends on is lost in another."""
    return patch.object(Layers, "may_be_suspect", lambda *_: False)


def grown_rows_keep_their_level() -> AbstractContextManager[object]:
    """A row that grew by another derivation has still the level of its first."""
    right = Stem.absorb

    def absorb(stem: Stem, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        stem._make_room(len(delta), bound)
        before = None if stem.levels is None else stem.levels[: stem.n].copy()
        gains = right(stem, delta, bound, level)
        if before is not None and stem.levels is not None:
            stem.levels[: len(before)] = before
        return gains

    return patch.object(Stem, "absorb", absorb)


def overdeleted_facts_are_not_examined() -> AbstractContextManager[object]:
    """Optimistically overdeleted facts are lost, when that ends before all are reached."""
    right = SupportLevels._overdelete_first

    def overdelete_first(levels: SupportLevels, most: int) -> bool:
        done = right(levels, most)
        if not done:
            levels._waiting.take(UNKNOWN_LEVEL + 1)
        return done

    return patch.object(SupportLevels, "_overdelete_first", overdelete_first)


def all_that_flowed_is_lost() -> AbstractContextManager[object]:
    """Rows that may have other derivations go with the one that is lost."""
    return patch.object(ViewMaintenance, "_are_lost", lambda *_: True)


@contextmanager
def outer_readers_are_not_notified() -> Iterator[None]:
    """Another component is not notified of what a stream without SteM loses."""
    right = components.inner_readers

    def inner_readers(component: Component, stream: Stream) -> InnerReaders:
        return right(component, stream)._replace(has_outer_readers=False)

    with (
        patch.object(components, "inner_readers", inner_readers),
        patch.object(suspect_flow, "inner_readers", inner_readers),
    ):
        yield


def nothing_waits() -> AbstractContextManager[object]:
    """Nothing is thought to wait in a component while it is settled what that loses.

    Random stories hardly ever come to that; `test_conditions` of `retraction_examples` has
    one that does.
    """
    return patch.object(Component, "has_pending", False)


FAULTS: Final[tuple[Fault, ...]] = (
    recursion_overlooked,
    no_rederivation,
    no_suspects,
    same_level_is_enough,
    all_that_is_due_stands,
    suspects_have_no_dependents,
    longer_bodies_are_covered,
    other_components_are_settled,
    grown_rows_keep_their_level,
    overdeleted_facts_are_not_examined,
    all_that_flowed_is_lost,
    outer_readers_are_not_notified,
)
