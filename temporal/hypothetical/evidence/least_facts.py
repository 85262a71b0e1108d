"""Least facts: all that is needed of a hypothesis some of whose variables matter nowhere else.

If neither the answer nor another hypothesis has some variables of a hypothesis, entries that differ
in them alone have the same answer and the same hypotheses. Of their evidence the least is reported,
so a fact adds nothing once there is another one that agrees with it otherwise, and is less: by
time, then text. Without this all facts for which something *exists* would meet all others; and
where an answer may wait for any time, each would be an entry for ever.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, concat, empty
from rete.graph.streams import FactTable
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.hypothetical.live_entries import LiveEntries
from temporal.hypothetical.row_order import text_ranks
from temporal.hypothetical.syntax.term_text import TermTexts, TextForm


class NeededColumns(NamedTuple):
    """The columns of a relation, and which of them matter.

    The columns that matter stand first, then those that do not: the objects in the order of the
    text, and the time before them if it does not matter.

    Attributes:
        key_width: how many columns matter.
        timed: whether the first of the others is the time.
        object_columns: the columns that are ids of object terms.
    """

    key_width: int
    timed: bool
    object_columns: tuple[int, ...]


class LeastFactTable(FactTable):
    """A table that gains the rows that are less than all before that agree on what matters."""

    def __init__(self, relation: Relation, needed: NeededColumns, terms: Dictionary) -> None:
        super().__init__(relation, instances=False, answers=False)
        self._needed, self._terms = needed, terms
        self._texts = TermTexts(terms)
        self._least = LiveEntries(relation.arity, needed.key_width)

    def absorb(self, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:  # noqa: ARG002 - as of any table
        """Of what is pending, all that a batch has, the rows that are less."""
        width, key_width, least = self.relation.arity, self._needed.key_width, self._least
        least.kill(least.due(bound))
        pending, self.pending = self.pending, []
        if not pending:
            return empty(width)
        rows = concat([rows for _, rows in pending])
        firsts, groups = self._terms.distinct(np.ascontiguousarray(rows[:, :key_width]))
        positions = least.find(rows[firsts, :key_width])
        known = np.flatnonzero(positions >= 0)
        old = least.at(positions[known])[:, :width]
        groups = np.append(known, groups)
        ranks = self._ranks(np.append(old[:, key_width:], rows[:, key_width:-2], axis=0))
        at = np.append(np.full(len(known), bound), rows[:, -2])
        order = np.lexsort((ranks, at, groups))
        groups, ranks = groups[order], ranks[order]
        best = _running(groups, ranks)
        news = np.append(True, (groups[1:] != groups[:-1]) | (best[1:] < best[:-1]))
        news &= order >= len(known)
        gains: Rows = rows[order[news] - len(known)]
        # Of several in one batch the last is the least.
        groups = groups[news]
        last = np.flatnonzero(np.append(groups[1:] != groups[:-1], True)[: len(groups)])
        kept, chosen = gains[last], groups[last]
        zeros = np.zeros(len(kept), np.int64)
        least.put(positions[chosen], kept[:, :width], zeros, zeros, kept[:, -1])
        return gains

    def object_ids(self) -> Rows:
        """The ids that it remembers."""
        ids: Rows = self._least.rows[:, list(self._needed.object_columns)]
        return ids

    def _ranks(self, columns: Rows) -> Column:
        """The ranks of rows by the columns that do not matter."""
        keys = [self._order(column) for column in columns.T[int(self._needed.timed) :]]
        if self._needed.timed:
            keys.insert(0, columns[:, 0])
        if len(keys) == 1:
            return np.unique(keys[0], return_inverse=True)[1]
        return np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()

    def _order(self, ids: Column) -> Column:
        """The ranks of object terms by text, with the comma behind it."""
        distinct, which = np.unique(ids, return_inverse=True)
        texts = [f"{text}," for text in self._texts.column(distinct, TextForm.PLAIN)]
        return text_ranks(texts)[which]


def _running(groups: Column, ranks: Column) -> Column:
    """Per row the least rank of its group so far; rows of a group stand together."""
    step = int(ranks.max()) + 1
    # What is of a later group is less than all before it.
    least: Column = np.minimum.accumulate(ranks - groups * step) + groups * step
    return least
