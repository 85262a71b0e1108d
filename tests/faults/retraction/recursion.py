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
from rete.network import components
from rete.network.layers import Layers
from rete.nodes.graph import Component, FactTable, InnerReaders, Stream
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
    """What is in doubt is lost."""
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


def no_doubt() -> AbstractContextManager[object]:
    """What has any derivation left stays, from itself too."""
    return _with_levels(UNKNOWN_LEVEL >> 1)


def same_level_is_enough() -> AbstractContextManager[object]:
    """A derivation from facts of the same level holds a fact up."""
    return _with_levels(1)


def all_that_is_due_stands() -> AbstractContextManager[object]:
    """Where a kernel asks all questions, it is told of none."""
    right = kernels.settle

    def settle(tables: Any, due: Any, bound: int) -> Any:
        return right(tables, [(rows[:0], index) for rows, index in due], bound)

    return patch.object(kernels, "settle", settle)


def nothing_rests_on_what_is_in_doubt() -> AbstractContextManager[object]:
    """A kernel asks about what is due, and nothing else."""
    return patch.object(
        DependentPrograms, "arguments", lambda here: (here.code, here.begins[:0], [], here.begins)
    )


def lost_twice_with_one_fact() -> AbstractContextManager[object]:
    """A derivation from one fact as two of its atoms counts as two when that is in doubt.

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


def other_components_are_certain() -> AbstractContextManager[object]:
    """What a recursive component says holds, though it rests on what another one lost."""
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


def what_a_rush_doubted_is_not_asked() -> AbstractContextManager[object]:
    """What was in doubt unasked is lost, when the rush ends before all is in doubt."""
    right = SupportLevels._overdelete_first

    def rush(doubts: SupportLevels, most: int) -> bool:
        done = right(doubts, most)
        if not done:
            doubts._waiting.take(UNKNOWN_LEVEL + 1)
        return done

    return patch.object(SupportLevels, "_overdelete_first", rush)


def all_that_flowed_is_lost() -> AbstractContextManager[object]:
    """Rows that may have other derivations go with the one that is lost."""
    return patch.object(ViewMaintenance, "_are_lost", lambda *_: True)


@contextmanager
def readers_beyond_are_not_told() -> Iterator[None]:
    """Another component is not told what a stream without SteM loses."""
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
    no_doubt,
    same_level_is_enough,
    all_that_is_due_stands,
    nothing_rests_on_what_is_in_doubt,
    longer_bodies_are_covered,
    other_components_are_certain,
    grown_rows_keep_their_level,
    what_a_rush_doubted_is_not_asked,
    all_that_flowed_is_lost,
    readers_beyond_are_not_told,
)
