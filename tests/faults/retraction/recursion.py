"""Faults in recursive components."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete import kernels
from rete.arrays.delta import ROUND_BITS, UNKNOWN_LEVEL, Rows
from rete.graph.streams import Component, FactTable, InnerReaders, Stream
from rete.network import components
from rete.network.layers import Layers
from rete.retraction.delete_rederive import DeleteRederive
from rete.retraction.proof_programs import ProgramWriter
from rete.retraction.rule_bodies import BodyAtom
from rete.retraction.table_programs import DependentPrograms
from rete.storage.stem import Stem
from tests.faults.detection import Fault


def recursion_overlooked() -> AbstractContextManager[object]:
    """Every component is dealt with as if nothing in it fed itself."""
    right = Component.__init__

    def init(component: Component, *, recursive: bool) -> None:
        right(component, recursive=recursive and False)

    return patch.object(Component, "__init__", init)


def no_rederivation() -> AbstractContextManager[object]:
    """All that Delete/Rederive deletes stays so."""
    return patch.object(DeleteRederive, "_rederive", lambda *_: None)


def rounds_share_levels() -> AbstractContextManager[object]:
    """Two rounds of derivation have the same level."""
    right = FactTable.absorb

    def absorb(here: FactTable, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        return right(here, bound, level >> (ROUND_BITS + 1) << (ROUND_BITS + 1))

    return patch.object(FactTable, "absorb", absorb)


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


def other_components_are_settled() -> AbstractContextManager[object]:
    """A fact of a recursive component holds, though what it depends on is lost in another."""
    return patch.object(Layers, "may_be_suspect", lambda *_: False)


def grown_rows_keep_their_level() -> AbstractContextManager[object]:
    """A row that grew by another derivation has still the level of its first."""
    right = Stem.absorb

    def absorb(stem: Stem, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        if not stem.leveled:
            return right(stem, delta, bound, level)
        stem.leveled = False
        gains = right(stem, delta, bound, level)
        stem.leveled = True
        stem.store.set_levels(np.arange(stem.before, stem.end), level)
        return gains

    return patch.object(Stem, "absorb", absorb)


def outer_readers_are_not_notified() -> AbstractContextManager[object]:
    """Another component is not notified of what a stream without SteM loses."""
    right = components.inner_readers

    def inner_readers(component: Component, stream: Stream) -> InnerReaders:
        return right(component, stream)._replace(has_outer_readers=False)

    return patch.object(components, "inner_readers", inner_readers)


def nothing_waits() -> AbstractContextManager[object]:
    """Nothing is thought to wait in a component while it is settled what that loses.

    Random stories hardly ever come to that; `test_conditions` of `retraction_examples` has
    one that does.
    """
    return patch.object(Component, "has_pending", False)


FAULTS: Final[tuple[Fault, ...]] = (
    recursion_overlooked,
    no_rederivation,
    rounds_share_levels,
    all_that_is_due_stands,
    suspects_have_no_dependents,
    other_components_are_settled,
    grown_rows_keep_their_level,
    outer_readers_are_not_notified,
)
