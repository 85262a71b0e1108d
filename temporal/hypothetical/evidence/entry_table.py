"""The tables of a query: of entries, and of the least of the facts that only have to exist.

A table of entries has per values of the bound variables which hypotheses have arrived. It is a
table of the network. Its masks derive rows of values, valid from their arrival on; it
unites them to entries: the same values with the bits of what has arrived, valid from the last
arrival to the deadline, which is the first moment at which a hypothesis that has not arrived
is no longer possible. An entry of which all has arrived stays until none of its facts can come
again. All of a batch is taken in at once, however many arrivals it spans, and what ends is found by
its deadline: so the cost is that of what arrives, and idle entries cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import POS_INF, UNKNOWN_LEVEL, Column, Rows, columns, concat, empty
from rete.graph.streams import FactTable
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.evidence.instance_lookup import Deadlines
from temporal.hypothetical.live_entries import BITS, LiveEntries, text_ranks
from temporal.hypothetical.syntax.ast import SchematicAnswer, SortedVariable
from temporal.hypothetical.syntax.atom_parser import TermTexts, TextForm


class EntryStates(NamedTuple):
    """Entries at some moments.

    Attributes:
        entries: (n, width) the values of the bound variables; where tables stand together, the
            number of the table before them, and 0 behind.
        bits: (n,) the hypotheses that have arrived.
    """

    entries: Rows
    bits: Column
    at: Column

    def only(self, rows: Column) -> EntryStates:
        """The states at some positions, or of a mask."""
        return EntryStates(*(column[rows] for column in self))

    @classmethod
    def joined(cls, parts: Sequence[EntryStates]) -> EntryStates:
        """The states of all ``parts``."""
        return parts[0] if len(parts) == 1 else cls(*map(np.concatenate, zip(*parts, strict=True)))


class EntryTable(FactTable):
    """The entries of a schematic answer in which the variables ``names`` are bound.

    Attributes:
        entries: the live ones, also those of which all has arrived.
        all_bits: the bits of all hypotheses.
    """

    def __init__(
        self,
        relation: Relation,
        schematic: SchematicAnswer,
        names: tuple[SortedVariable, ...],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        super().__init__(relation, instances=False, answers=False)
        self.schematic, self.names, self.terms = schematic, names, terms
        self.entries = LiveEntries(relation.arity)
        self._each_bit = 1 << np.arange(len(schematic.hypotheses))
        self.all_bits = (1 << len(schematic.hypotheses)) - 1
        self.deadlines = Deadlines(schematic.hypotheses, names, delays, terms)
        self._unsettled: list[tuple[int, Rows]] = []
        self._frontier = -1

    def absorb(self, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:  # noqa: ARG002 - as of any table
        """Keep what is pending for `settle`: it is complete when nothing is pending anywhere."""
        self._unsettled += self.pending
        self.pending = []
        return empty(self.relation.arity)

    def waiting(self) -> EntryStates:
        """The entries that wait for something, from when they do."""
        rows = self.entries.rows
        rows = rows[rows[:, BITS] != self.all_bits]
        return EntryStates(rows[:, :BITS], rows[:, BITS], rows[:, -2])

    def object_ids(self) -> Rows:
        """The ids that its entries mention."""
        return self.entries.rows[
            :, [column for column, name in enumerate(self.names) if not name[0]]
        ]

    def settle(self, frontier: int) -> tuple[EntryStates, EntryStates]:
        """Take in what arrived until ``frontier``; the changes of entries since the last time.

        States that began, each in place of the one before of the same values; and entries whose
        deadline passed, at that, with what had arrived by then, or came then.
        """
        entries, before = self.entries, self._frontier
        self._frontier = frontier
        due = entries.due(frontier)
        unsettled, self._unsettled = self._unsettled, []
        if not unsettled:
            old = self._states(due)
            if not len(due):
                return old, old
            entries.kill(due)
            return old.only(columns([])), old.only(old.bits != self.all_bits)
        values, positions, (groups, bits, at) = self._unite(unsettled)
        deadlines = self.deadlines.of(values)
        late = np.where(bits[:, None] & self._each_bit, POS_INF, deadlines[groups])
        ends = late.min(axis=1, initial=POS_INF)
        alive = at < ends
        last = np.ones(len(groups), np.bool_)
        np.not_equal(groups[1:], groups[:-1], out=last[:-1])
        follows = ~last
        follows[:-1] &= alive[1:]
        waits = bits != self.all_bits
        begins = alive & (at > before)
        expired = alive & waits & ~follows & (ends <= frontier)
        begun = EntryStates(values[groups[begins]], bits[begins], at[begins])
        gone = expired.nonzero()[0]
        then = np.minimum(gone + 1, len(groups) - 1)
        arrives_at_end = ~last[gone] & (at[then] == ends[gone])
        arrived = np.where(arrives_at_end, bits[then], bits[gone])
        ended = EntryStates(values[groups[gone]], arrived, ends[gone])
        # Facts of what is complete may come again as long as they are in time.
        final = last.nonzero()[0]
        until = np.where(waits[final], ends[final], self._last(deadlines) + 1)
        stay = alive[final] & (until > frontier)
        kept = final[stay]
        entries.kill(positions[~stay & (positions >= 0)])
        untouched = due
        if len(due):
            place = np.minimum(np.searchsorted(due, positions), len(due) - 1)
            is_touched = np.zeros(len(due), np.bool_)
            is_touched[place[due[place] == positions]] = True
            untouched = due[~is_touched]
        old = self._states(untouched)
        entries.kill(untouched)
        entries.put(positions[stay], values[stay], bits[kept], at[kept], until[stay])
        return begun, EntryStates.joined([ended, old.only(old.bits != self.all_bits)])

    def _unite(
        self, unsettled: list[tuple[int, Rows]]
    ) -> tuple[Rows, Column, tuple[Column, Column, Column]]:
        """Arrivals and live entries united, by values.

        Returns the distinct values, the positions of their live entries, and the states: the number
        of the values, bits, and from when, ordered by the first and the last.
        """
        arrivals = np.concatenate([rows for _, rows in unsettled])
        masks = np.repeat([mask for mask, _ in unsettled], [len(rows) for _, rows in unsettled])
        width = self.relation.arity
        firsts, groups = self.terms.distinct(np.ascontiguousarray(arrivals[:, :width]))
        values = arrivals[firsts, :width]
        positions = self.entries.find(values)
        known = (positions >= 0).nonzero()[0]
        old = self.entries.at(positions[known])
        groups = np.concatenate([groups, known])
        bits = np.concatenate([masks, old[:, BITS]])
        at = np.concatenate([arrivals[:, -2], old[:, -2]])
        order = np.lexsort((at, groups))
        groups, at = groups[order], at[order]
        bits = _running_bits(groups, bits[order])
        # Of what comes at one moment the last has all; what adds nothing is no state.
        last = np.ones(len(groups), np.bool_)
        last[:-1] = (groups[1:] != groups[:-1]) | (at[1:] != at[:-1])
        groups, bits, at = groups[last], bits[last], at[last]
        news = np.ones(len(groups), np.bool_)
        news[1:] = (groups[1:] != groups[:-1]) | (bits[1:] != bits[:-1])
        return values, positions, (groups[news], bits[news], at[news])

    @staticmethod
    def _last(deadlines: Rows) -> Column:
        """The last moments at which any hypothesis may arrive."""
        last: Column = deadlines.max(axis=1)
        return np.minimum(last, POS_INF - 1)

    def _states(self, positions: Column) -> EntryStates:
        rows = self.entries.at(positions)
        return EntryStates(rows[:, :BITS], rows[:, BITS], rows[:, -1])


def _running_bits(groups: Column, bits: Column) -> Column:
    """Per row the union of the bits of its group so far; rows of a group stand together."""
    numbers = np.arange(len(groups))
    begins = np.ones(len(groups), np.bool_)
    np.not_equal(groups[1:], groups[:-1], out=begins[1:])
    if begins.all():
        return bits
    starts = np.maximum.accumulate(np.where(begins, numbers, 0))
    out = np.zeros_like(bits)
    every = int(np.bitwise_or.reduce(bits))
    for position in range(every.bit_length()):
        if every >> position & 1:
            latest = np.maximum.accumulate(np.where(bits >> position & 1, numbers, -1))
            out |= (latest >= starts).astype(np.int64) << position
    return out


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
    """A table that gains the rows that are less than all before that agree on what matters.

    If neither the answer nor another hypothesis has some variables of a hypothesis, entries that
    differ in them alone have the same answer and the same hypotheses. Of their evidence the least
    is reported, so a fact adds nothing once there is another one that agrees with it otherwise, and
    is less: by time, then text. Without this all facts for which something *exists* would meet all
    others; and where an answer may wait for any time, each would be an entry for ever.
    """

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
