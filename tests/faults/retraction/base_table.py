"""Faults in what is asserted, and in what is told."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from r4.answers.ledger import Ledger
from r4.engine.assertions import Assertions
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.storage.base_table import BaseTable
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from tests.faults.detection import Fault


def other_names_go_too() -> AbstractContextManager[object]:
    """A triple is taken back of all names."""
    right = BaseTable.retract_rows

    def retract_rows(
        here: BaseTable,
        relation: Relation,
        rows: Rows,
        since: int,
        to: int | None = None,
        **more: Any,
    ) -> Rows:
        stem = here._stems.get(relation)
        if stem is None or not len(rows):
            return right(here, relation, rows, since, to, **more)
        names = np.unique(stem.content()[:, relation.arity])
        every = np.repeat(rows, len(names), axis=0)
        every[:, -1] = np.tile(names, len(rows))
        return right(here, relation, np.ascontiguousarray(every), since, to, **more)

    return patch.object(BaseTable, "retract_rows", retract_rows)


def later_elements_stay() -> AbstractContextManager[object]:
    """Of a name only what has begun is taken back."""
    right = BaseTable._retract

    def taken(here: BaseTable, relation: Relation, rows: Rows, since: int, to: int | None) -> Rows:
        return right(here, relation, rows[rows[:, -2] <= since], since, to)

    return patch.object(BaseTable, "_retract", taken)


def cut_a_tick_late() -> AbstractContextManager[object]:
    """What is taken back holds for one instant more."""
    right = BaseTable._retract

    def taken(here: BaseTable, relation: Relation, rows: Rows, since: int, to: int | None) -> Rows:
        return right(here, relation, rows, since if since == NEG_INF else since + 2, to)

    return patch.object(BaseTable, "_retract", taken)


def names_forgotten() -> AbstractContextManager[object]:
    """An element has the name of the first one of its batch."""
    right = Assertions.triples

    def triples(
        here: Assertions, rows: Rows, lo: Column, hi: Column, names: Column | None = None
    ) -> None:
        right(here, rows, lo, hi, names if names is None else np.full(len(names), names[:1]))

    return patch.object(Assertions, "triples", triples)


def terms_stay() -> AbstractContextManager[object]:
    """What was needed until long after it was taken back is kept as long."""
    return patch.object(Dictionary, "untouch", lambda _: None)


def terms_of_stems_forgotten() -> AbstractContextManager[object]:
    """Only what is asserted needs its terms."""

    def held(layers: Layers) -> Iterable[Rows]:
        assert layers.base_table is not None
        return list(layers.base_table.rows())

    return patch.object(Layers, "remembered", held)


def end_forgotten() -> AbstractContextManager[object]:
    """That an answer ends where something is taken back is not said."""
    return patch.object(Ledger, "lose", lambda *_: None)


def asserted_by_others_ignored() -> AbstractContextManager[object]:
    """What one element asserts no longer is lost, though another asserts it."""
    right = BaseTable._retract

    def taken(here: BaseTable, relation: Relation, rows: Rows, since: int, to: int | None) -> Rows:
        cut = rows[rows[:, -1] > since]
        np.maximum(cut[:, -2], since, out=cut[:, -2])
        right(here, relation, rows, since, to)
        return np.ascontiguousarray(np.delete(cut, relation.arity, axis=1))

    return patch.object(BaseTable, "_retract", taken)


def asserted_facts_go_with_their_derivation() -> AbstractContextManager[object]:
    """What is derived no longer is lost, though it is asserted."""
    return patch.object(BaseTable, "not_asserted", lambda _, __, facts: facts)


def not_cut_at_the_frontier() -> AbstractContextManager[object]:
    """What is taken back was never said: what held before is gone, too."""
    right = BaseTable._retract

    def taken(here: BaseTable, relation: Relation, rows: Rows, since: int, to: int | None) -> Rows:
        return right(here, relation, rows[rows[:, -1] > since], NEG_INF, to)

    return patch.object(BaseTable, "_retract", taken)


def start_forgotten() -> AbstractContextManager[object]:
    """That an answer begins anew where what is lost ended is not said."""
    right = Ledger.lose

    def lose(ledger: Ledger, table: FactTable, lost: Rows) -> None:
        endless = lost.copy()
        endless[:, -1] = POS_INF
        right(ledger, table, endless)

    return patch.object(Ledger, "lose", lose)


def start_told_again() -> AbstractContextManager[object]:
    """What is lost and found again is told as if it had not begun before."""
    right = Ledger.gain

    def gain(ledger: Ledger, table: FactTable, gains: Rows) -> None:
        ledger._regains = False
        right(ledger, table, gains)

    return patch.object(Ledger, "gain", gain)


FAULTS: Final[tuple[Fault, ...]] = (
    other_names_go_too,
    later_elements_stay,
    cut_a_tick_late,
    names_forgotten,
    terms_stay,
    terms_of_stems_forgotten,
    end_forgotten,
    asserted_by_others_ignored,
    asserted_facts_go_with_their_derivation,
    not_cut_at_the_frontier,
    start_forgotten,
    start_told_again,
)
