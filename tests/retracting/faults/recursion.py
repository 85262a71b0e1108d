"""Faults in recursive components."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from rete import components, flow, founding, kernels
from rete.bodies import Atom
from rete.delta import Rows
from rete.doubts import Doubts
from rete.heads import Head
from rete.layers import Layers
from rete.maintenance import Maintenance
from rete.nodes.base import Component, FactTable, InnerReaders, Stream
from rete.programs import Programs
from rete.rests import Rests
from rete.stem import UNKNOWN, Stem
from rete.support import Basis
from tests.planted import Fault


def recursion_overlooked() -> AbstractContextManager[object]:
    """Every component is dealt with as if nothing in it fed itself."""
    right = Component.__init__

    def init(component: Component, *, recursive: bool) -> None:
        right(component, recursive=recursive and False)

    return patch.object(Component, "__init__", init)


def no_rederivation() -> AbstractContextManager[object]:
    """What is in doubt is lost."""
    return patch.object(Doubts, "_found", lambda *_: None)


def _with_levels(more: int) -> AbstractContextManager[object]:
    right = founding.Foundations.founded

    def founded(
        here: founding.Foundations,
        table: FactTable,
        facts: Rows,
        basis: Basis,
        others: list[Rows],
    ) -> Iterator[Rows]:
        higher = facts.copy()
        place = table.relation.arity
        higher[:, place] = np.minimum(higher[:, place] + more, UNKNOWN)
        return right(here, table, higher, basis, others)

    return patch.object(founding.Foundations, "founded", founded)


def no_doubt() -> AbstractContextManager[object]:
    """What has any derivation left stays, from itself too."""
    return _with_levels(UNKNOWN >> 1)


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
    return patch.object(Rests, "asks", lambda here: (here.code, here.begins[:0], [], here.begins))


def lost_twice_with_one_fact() -> AbstractContextManager[object]:
    """A derivation from one fact as two of its atoms counts as two when that is in doubt.

    Random stories hardly ever come to that; `test_ways` of `tests/test_retraction_cases` has one
    that does.
    """
    right = Programs._step

    def step(here: Programs, atom: Atom, *rest: Any) -> list[int]:
        return right(here, replace(atom, apart=False), *rest)

    return patch.object(Programs, "_step", step)


def longer_bodies_are_covered() -> AbstractContextManager[object]:
    """A body of fewer atoms gives all that one of more does."""
    return patch.object(
        Head, "covers", lambda here, other: len(here.body.atoms) < len(other.body.atoms)
    )


def other_components_are_certain() -> AbstractContextManager[object]:
    """What a recursive component says holds, though it rests on what another one lost."""
    return patch.object(Layers, "in_doubt", lambda *_: False)


def grown_rows_keep_their_level() -> AbstractContextManager[object]:
    """A row that grew by another derivation has still the level of its first."""
    right = Stem.absorb

    def absorb(stem: Stem, delta: Rows, bound: int, level: int = UNKNOWN) -> Rows:
        stem._make_room(len(delta), bound)
        before = None if stem.levels is None else stem.levels[: stem.n].copy()
        gains = right(stem, delta, bound, level)
        if before is not None and stem.levels is not None:
            stem.levels[: len(before)] = before
        return gains

    return patch.object(Stem, "absorb", absorb)


def what_a_rush_doubted_is_not_asked() -> AbstractContextManager[object]:
    """What was in doubt unasked is lost, when the rush ends before all is in doubt."""
    right = Doubts._rush

    def rush(doubts: Doubts, most: int) -> bool:
        done = right(doubts, most)
        if not done:
            doubts._waiting.take(UNKNOWN + 1)
        return done

    return patch.object(Doubts, "_rush", rush)


def all_that_flowed_is_lost() -> AbstractContextManager[object]:
    """Rows that may have other derivations go with the one that is lost."""
    return patch.object(Maintenance, "_are_lost", lambda *_: True)


@contextmanager
def readers_beyond_are_not_told() -> Iterator[None]:
    """Another component is not told what a stream without SteM loses."""
    right = components.inner_readers

    def inner_readers(component: Component, stream: Stream) -> InnerReaders:
        return right(component, stream)._replace(beyond=False)

    with (
        patch.object(components, "inner_readers", inner_readers),
        patch.object(flow, "inner_readers", inner_readers),
    ):
        yield


def nothing_waits() -> AbstractContextManager[object]:
    """Nothing is thought to wait in a component while it is settled what that loses.

    Random stories hardly ever come to that; `test_conditions` of `tests/test_retraction_cases` has
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
