"""Faults to be planted in retraction, each a small mistake that one can make there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

import numpy as np

from r4.answers import Ledger
from r4.engine import Core
from rete import founding
from rete.asserted import Asserted
from rete.components import Component
from rete.delta import NEG_INF, Column, Rows, empty
from rete.dictionary import Dictionary
from rete.layers import Layers
from rete.maintenance import Maintenance
from rete.nodes.base import Stream
from rete.nodes.join import Gate
from rete.nodes.terminal import FactTable
from rete.plan import Relation

Fault = Callable[[], AbstractContextManager[object]]


def lost_sign() -> AbstractContextManager[object]:
    """What is asserted no longer is told to nobody."""
    return patch.object(Maintenance, "withdraw", lambda *_: None)


def derived_facts_keep_what_they_gave() -> AbstractContextManager[object]:
    """Only what follows in one step from what is taken back goes with it."""

    def lost(_: Layers, __: FactTable, ___: Rows) -> Iterator[tuple[Stream, Rows]]:
        return iter(())

    return patch.object(Layers, "lost", lost)


def no_rederivation() -> AbstractContextManager[object]:
    """What was deleted in a recursive component stays so."""
    return patch.object(Maintenance, "_rederive", lambda *_: None)


def no_overdeletion() -> AbstractContextManager[object]:
    """In a recursive component what has any derivation left stays, from itself too."""

    def founded(here: Maintenance, table: FactTable, pieces: Rows) -> list[tuple[int, Rows]]:
        if not len(pieces):
            return []
        return here._supports.of_facts(table, pieces)

    return patch.object(Maintenance, "_founded", founded)


def same_level_is_enough() -> AbstractContextManager[object]:
    """A derivation from facts of the same level holds a fact up."""
    right = founding.Foundations.founded

    def founded(
        here: founding.Foundations, table: FactTable, facts: Rows
    ) -> Iterator[tuple[int, Rows]]:
        higher = facts.copy()
        higher[:, table.relation.arity] += 1
        return right(here, table, higher)

    return patch.object(founding.Foundations, "founded", founded)


def other_names_go_too() -> AbstractContextManager[object]:
    """A triple is taken back of all names."""
    right = Asserted.take_rows

    def take_rows(here: Asserted, relation: Relation, rows: Rows, since: int) -> Rows:
        stem = here._stems.get(relation)
        if stem is None or not len(rows):
            return right(here, relation, rows, since)
        names = np.unique(stem.content()[:, relation.arity])
        every = np.repeat(rows, len(names), axis=0)
        every[:, -1] = np.tile(names, len(rows))
        return right(here, relation, np.ascontiguousarray(every), since)

    return patch.object(Asserted, "take_rows", take_rows)


def later_elements_stay() -> AbstractContextManager[object]:
    """Of a name only what has begun is taken back."""
    right = Asserted._taken

    def taken(here: Asserted, relation: Relation, rows: Rows, since: int) -> Rows:
        return right(here, relation, rows[rows[:, -2] <= since], since)

    return patch.object(Asserted, "_taken", taken)


def forgotten_by_rule() -> AbstractContextManager[object]:
    """A rule goes on to be said to give what it gave."""
    return patch.object(FactTable, "drop", lambda *_: None)


def cut_a_tick_late() -> AbstractContextManager[object]:
    """What is taken back holds for one instant more."""
    right = Asserted._taken

    def taken(here: Asserted, relation: Relation, rows: Rows, since: int) -> Rows:
        return right(here, relation, rows, since if since == NEG_INF else since + 2)

    return patch.object(Asserted, "_taken", taken)


def gate_closes_nothing() -> AbstractContextManager[object]:
    """What begins to hold does not end what rested on its absence."""
    return patch.object(Gate, "closes", lambda gate, _: empty(len(gate._keep)))


def gate_opens_nothing() -> AbstractContextManager[object]:
    """What holds no longer lets nothing pass."""
    return patch.object(Gate, "opens", lambda gate, _: empty(gate._left.width))


def end_forgotten() -> AbstractContextManager[object]:
    """That an answer ends where something is taken back is not said."""
    return patch.object(Ledger, "lose", lambda *_: None)


def removed_before_its_partners_are_told() -> AbstractContextManager[object]:
    """A row is gone before it is joined with what goes with it."""

    def lose(here: Maintenance, stream: Stream, lost: Rows) -> None:
        assert stream.stem is not None
        if len(lost):
            stream.stem.remove(lost, here.bound)
            here._spread(stream, lost)

    return patch.object(Maintenance, "_lose", lose)


def first_derivation_only() -> AbstractContextManager[object]:
    """Outside of recursion what loses one derivation is lost."""

    def unsupported(_: Maintenance, rows: Rows, __: Rows) -> Rows:
        return rows

    return patch.object(Maintenance, "_unsupported", unsupported)


def terms_stay() -> AbstractContextManager[object]:
    """What was needed until long after it was taken back is kept as long."""
    return patch.object(Dictionary, "untouch", lambda _: None)


def terms_of_stems_forgotten() -> AbstractContextManager[object]:
    """Only what is asserted needs its terms."""

    def held(core: Core) -> Iterable[Rows]:
        assert core.layers.asserts is not None
        return [stem.content() for stem in core.layers.asserts.stems]

    return patch.object(Core, "_held", held)


def names_forgotten() -> AbstractContextManager[object]:
    """An element has the name of the first one of its batch."""
    right = Core._push

    def push(core: Core, rows: Rows, lo: Column, hi: Column, names: Column | None = None) -> None:
        right(core, rows, lo, hi, names if names is None else np.full(len(names), names[:1]))

    return patch.object(Core, "_push", push)


def recursion_overlooked() -> AbstractContextManager[object]:
    """Every component is dealt with as if nothing in it fed itself."""
    right = Component.__init__

    def init(component: Component, *, recursive: bool) -> None:
        right(component, recursive=recursive and False)

    return patch.object(Component, "__init__", init)


FAULTS: Final[tuple[Fault, ...]] = (
    lost_sign,
    derived_facts_keep_what_they_gave,
    no_rederivation,
    no_overdeletion,
    same_level_is_enough,
    other_names_go_too,
    later_elements_stay,
    forgotten_by_rule,
    cut_a_tick_late,
    gate_closes_nothing,
    gate_opens_nothing,
    end_forgotten,
    removed_before_its_partners_are_told,
    first_derivation_only,
    terms_stay,
    terms_of_stems_forgotten,
    names_forgotten,
    recursion_overlooked,
)
