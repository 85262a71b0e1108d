"""Entries of answers that may have several at a time: which become reports.

A state of an entry holds from a moment to a moment. So the changes of a batch are intervals, which
are joined, however many moments the batch spans:

1. An answer is certain from the first moment at which nothing is missing. Its entries end then.
2. A set of hypotheses is needless while another of the same answer is a part of it. It stays so
   until it ends: the other one gets smaller, or ends by a hypothesis that both have. So only what
   is minimal is kept, and reported when it begins. A set of which a part is enough without evidence
   is needless from its begin. One with free variables may be a part, whatever they stand for
   (`schematic_parts`).
3. Too many sets are cut (`rival_states`).
4. An answer is withdrawn when the union of the intervals of its sets ends, unless it is certain;
   one with free variables not before its instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows, columns
from rete.storage.row_algebra import coalesce, join_rows
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.live_entries import BITS, LiveEntries, first_rows
from temporal.hypothetical.output.answer_lines import TOO_MANY, ReportedRows
from temporal.hypothetical.output.entry_columns import NO_ATOM, EntryColumns
from temporal.hypothetical.output.line_templates import AnswerStatus
from temporal.hypothetical.output.rival_states import (
    BEFORE,
    KeptRivals,
    Mask,
    RivalStates,
    kept_until,
    set_keys,
)
from temporal.hypothetical.output.schematic_parts import (
    SchematicParts,
    is_within,
)


class RivalEntries:
    """The minimal entries of all answers.

    Until ``latest`` after the time of an answer, 0 if it has none, input may still complete it;
    None: for ever. ``kept`` cuts what is too many.
    """

    def __init__(
        self, entry_columns: EntryColumns, latest: int | None, kept: KeptRivals | None
    ) -> None:
        self._columns, self._terms, self._latest = entry_columns, entry_columns.terms, latest
        self.kept = kept
        width, whole = entry_columns.width, entry_columns.width + entry_columns.answer_width
        self._width = width
        self._held = LiveEntries(whole, width, group=range(width, whole))
        self._confirmed = LiveEntries(entry_columns.answer_width)
        self._instances = InstanceCounts(entry_columns.shapes, has_time=entry_columns.has_time)
        self._schematic = SchematicParts(entry_columns)

    def settle(self, begun: EntryStates, ended: EntryStates, frontier: int) -> ReportedRows:
        """The reports of the changes of all tables until ``frontier``."""
        answers = self._columns.answers(np.concatenate([begun.entries, ended.entries]))
        count = self._columns.most_atoms
        if not len(answers):
            self._forget(frontier)
            return ReportedRows.withdrawn(begun, begun.at, count, 2 * count)
        firsts, which = self._terms.distinct(answers)
        answers = answers[firsts]
        of, positions = self._held.matches(answers, group=True)
        known = self._held.at(positions)
        rows = EntryStates(
            np.concatenate([known[:, : self._width], begun.entries]),
            np.concatenate([known[:, BITS], begun.bits]),
            np.concatenate([np.full(len(of), BEFORE), begun.at]),
        )
        answer = np.concatenate([of, which[: len(begun.at)]])
        is_known = self._confirmed.find(answers) >= 0
        ranks, records = self._columns.ranks(rows.entries)
        end, missed = self._ends(rows, ended)
        states = RivalStates.of(rows, ranks, end, answer, np.where(missed, ranks, NO_ATOM))
        certain, whole = self._certain(states, is_known)
        until = self._minimal_until(states, certain)
        states.missed[until < end] = NO_ATOM
        self._held.kill(positions[until[: len(of)] < POS_INF])
        new = np.flatnonzero((until == POS_INF) & (rows.at > BEFORE))
        values = np.concatenate([rows.entries[new], answers[answer[new]]], axis=1)
        self._held.put(np.full(len(new), -1), values, rows.bits[new], 0, POS_INF)
        states = states._replace(until=until).only(np.flatnonzero(until > rows.at))
        cut = np.zeros(len(states.at), np.bool_)
        if self.kept is not None:
            until, cut, dropped = kept_until(self._columns, self.kept, states, answers, records)
            states.missed[until < states.until] = NO_ATOM
            states = states._replace(until=until)
            if dropped:
                others = np.array([*dropped], np.int64)
                others_until = columns(dropped.values())
                states = states.joined(self._cut_states(others, others_until, len(answers)))
                cut = np.append(cut, np.ones(len(others), np.bool_))
                answers = np.concatenate([answers, others])
                certain = np.append(certain, np.full(len(others), POS_INF))
        supported = self._told(states)
        withdrawn = self._withdrawn(states, cut, answers, certain)
        self._confirm(answers, certain)
        self._forget(frontier)
        parts = [
            whole.reported(AnswerStatus.ANSWER),
            supported.reported(AnswerStatus.SUPPORTED),
            ReportedRows.withdrawn(*withdrawn, count, 2 * count),
        ]
        return ReportedRows.joined(parts)

    def live(self) -> ReportedRows:
        """The sets that are held, each with its least evidence."""
        known = self._held.rows
        rows = EntryStates(known[:, : self._width], known[:, BITS], known[:, -2])
        answers = known[:, self._width : BITS]
        ranks, records = self._columns.ranks(rows.entries)
        states = RivalStates.of(rows, ranks, known[:, -1], known[:, -2], ranks)
        if self.kept is not None:
            best, keys = self.kept, set_keys(self._columns, states, answers, records)
            some = np.flatnonzero([key in best for key, _ in keys])
            states, answers = states.only(some), answers[some]
        least = self._columns.least[states.entries[:, 0]]
        group = self._terms.distinct(np.column_stack([answers, states.awaited, least]))[1]
        some = first_rows(group, states.arrived.T)
        found = states.only(some).reported(AnswerStatus.SUPPORTED)
        return found._replace(lists=np.column_stack([states.awaited[some], least[some]]))

    def left(self) -> EntryStates:
        """A row of each answer that is open."""
        entries = self.live().rows.entries
        keys = map(tuple, self._columns.answers(entries).tolist())
        found = dict(zip(keys, entries.tolist(), strict=True))
        return self._columns.rows_of([*self._instances.open(found).values()])

    @property
    def object_ids(self) -> Column:
        """The ids of what is remembered beside live entries."""
        ended = self._columns.rows_of([entry for entry, _ in self._instances.ended.values()])
        answers = self._columns.answers(ended.entries)
        return np.append(
            self._columns.ids(ended.entries),
            self._columns.answer_ids(self._confirmed.rows[:, : answers.shape[1]]),
        )

    def _cut_states(self, answers: Rows, until: Column, first: int) -> RivalStates:
        """A state of each of some answers, whose numbers begin with ``first``."""
        of, positions = self._held.matches(answers, group=True)
        rows = self._held.at(positions[first_rows(of, [positions])])
        known = EntryStates(rows[:, : self._width], rows[:, BITS], np.full(len(rows), BEFORE))
        none = np.full((len(rows), self._columns.most_atoms), NO_ATOM)
        return RivalStates.of(known, none, until, first + np.arange(len(rows)), none)

    def _ends(self, rows: EntryStates, ended: EntryStates) -> tuple[Column, Mask]:
        """When each state ends, and by which hypotheses, if by some: (n,), (n, k)."""
        firsts, numbers = self._terms.distinct(np.concatenate([rows.entries, ended.entries]))
        own, gone = numbers[: len(rows.at)], numbers[len(rows.at) :]
        last, bits = np.full(len(firsts), POS_INF), np.zeros(len(firsts), np.int64)
        last[gone], bits[gone] = ended.at, ended.bits
        end = last[own]
        order = np.lexsort((rows.at, own))
        follows = np.flatnonzero(own[order[1:]] == own[order[:-1]])
        is_last = end < POS_INF
        is_last[order[follows]] = False
        end[order[follows]] = rows.at[order[follows + 1]]
        missed = np.zeros((len(end), self._columns.most_atoms), np.bool_)
        for number in {*rows.entries[is_last, 0].tolist()}:
            some = (is_last & (rows.entries[:, 0] == number)).nonzero()[0]
            values = self._columns.values(rows.entries[some], number)
            late = self._columns.tables[number].deadlines.of(values) <= end[some, None]
            place = np.arange(late.shape[1])
            missed[some, : late.shape[1]] = late & (bits[own[some], None] >> place & 1 == 0)
        return end, missed

    @staticmethod
    def _certain(states: RivalStates, is_known: Mask) -> tuple[Column, RivalStates]:
        """From when each answer is certain, -1 if it ``is_known``; and by which states."""
        at, answer = states.at, states.answer
        certain = np.where(is_known, BEFORE, POS_INF)
        whole = np.flatnonzero((states.awaited == NO_ATOM).all(axis=1))
        np.minimum.at(certain, answer[whole], at[whole])
        whole = whole[at[whole] == certain[answer[whole]]]
        return certain, states.only(whole[first_rows(answer[whole], states.arrived[whole].T)])

    def _minimal_until(self, states: RivalStates, certain: Column) -> Column:
        """Until when each state is minimal; where it never is, its begin."""
        at, answer, awaited = states.at, states.answer, states.awaited
        is_open = (at < certain[answer]) & (awaited != NO_ATOM).any(axis=1)
        is_open &= ~self._schematic.have_needless_evidence(states)
        end = np.where(is_open, np.minimum(states.until, certain[answer]), at)
        until = end.copy()
        some = np.flatnonzero(end > at)
        some = some[np.bincount(answer[some], minlength=1)[answer[some]] > 1]
        if not len(some):
            return until
        other, since = self._schematic.needless(states, some, end)
        np.minimum.at(until, other, since)
        row, place = np.nonzero(awaited[some])
        own = some[row]
        needed = np.column_stack([answer[own], awaited[own, place], own, at[own], end[own]])
        # A part has its rarest atom in common with a set, so few pairs are compared.
        atom = self._terms.distinct(np.ascontiguousarray(needed[:, :2]))[1]
        fewer = needed[first_rows(row, [np.bincount(atom)[atom]])]
        other, one, since, _ = join_rows(needed, (0, 1), fewer, (0, 1), (2, ~2)).T
        sizes = (awaited != NO_ATOM).sum(axis=1)
        tables = states.entries[:, 0]
        is_part = is_within(awaited[one], awaited[other]) & (sizes[one] < sizes[other])
        is_part &= self._columns.has_least[tables[one], tables[other]]
        np.minimum.at(until, other[is_part], since[is_part])
        return until

    def _told(self, states: RivalStates) -> RivalStates:
        """The states that are reported: the first of each set of atoms, if it is kept."""
        if not np.count_nonzero(states.at > BEFORE):
            return states.only(states.answer[:0])
        keys = np.column_stack([states.answer, states.awaited])
        firsts, group = self._terms.distinct(keys)
        first = np.full(len(firsts), POS_INF)
        np.minimum.at(first, group, states.at)
        is_new = (states.at > BEFORE) & (states.at == first[group])
        some = np.flatnonzero(is_new & (states.until > states.at))
        return states.only(some[first_rows(group[some], states.arrived[some].T)])

    def _withdrawn(
        self, states: RivalStates, cut: Mask, answers: Rows, certain: Column
    ) -> tuple[EntryStates, Column]:
        """A row of each answer that is withdrawn, and the hypothesis that is why, or `TOO_MANY`."""
        has_span = states.until > states.at
        spans = coalesce(np.column_stack([states.answer, states.at, states.until])[has_span])
        ends = spans[(spans[:, 2] < POS_INF) & (spans[:, 2] != certain[spans[:, 0]])][:, ::2]
        if not len(ends) and not self._columns.shapes:
            return EntryStates(states.entries[:0], ends[:, 0], ends[:, 1]), ends[:, 0]
        keys = np.concatenate([ends, np.column_stack([states.answer, states.until])])
        group = self._terms.distinct(keys)[1]
        place = np.full(len(keys), -1)
        place[group[: len(ends)]] = np.arange(len(ends))
        of = place[group[len(ends) :]]
        row, reason = np.nonzero((states.missed != NO_ATOM) & ~cut[:, None])
        rank = states.missed[row, reason]
        other = np.flatnonzero(cut | has_span)
        row, reason = np.append(row, other), np.append(reason, np.full(len(other), TOO_MANY))
        rank = np.append(rank, np.where(cut[other], NO_ATOM, POS_INF))
        some = np.flatnonzero(of[row] >= 0)
        some = some[first_rows(of[row[some]], [rank[some]])]
        entries, reason, at = states.entries[row[some]], reason[some], ends[:, 1]
        if self._columns.shapes:
            names = [*map(tuple, answers.tolist())]
            whys = zip(ends.tolist(), entries.tolist(), reason.tolist(), strict=True)
            found = [
                *self._instances.closed(
                    [(names[one], since, until) for one, since, until in spans.tolist()],
                    zip(certain.tolist(), names, strict=True),
                    {(names[one], tau): (entry, why) for (one, tau), entry, why in whys},
                )
            ]
            at = columns(tau for tau, _ in found)
            entries = self._columns.rows_of([entry for _, (entry, _) in found]).entries
            reason = columns(why for _, (_, why) in found)
        return EntryStates(entries, 0 * at, at), reason

    def _confirm(self, answers: Rows, certain: Column) -> None:
        """Note which answers are certain, for as long as input could complete them again."""
        new = ((certain > BEFORE) & (certain < POS_INF)).nonzero()[0]
        if not len(new):
            return
        until = np.full(len(new), POS_INF)
        if self._latest is not None:
            until = answers[new, -1] * self._columns.has_time + self._latest
        self._confirmed.put(np.full(len(new), -1), answers[new], 0, 0, until)

    def _forget(self, frontier: int) -> None:
        done = self._confirmed.due(frontier)
        if not len(done):
            return
        self._instances.release(self._confirmed.at(done)[:, : self._columns.answer_width])
        self._confirmed.kill(done)


AnswerKey: TypeAlias = tuple[int, ...]
"""A row of `EntryColumns.answers`: free variables are negative numbers."""
EndedEntry: TypeAlias = tuple[list[int], int]
"""The entry with which an answer ended, and why."""


class InstanceCounts:
    """How many instances of each answer with free variables have entries, or are certain.

    Args:
        shapes: those of all answers with free variables: these where they stand, else 0.
        has_time: whether the query has a time variable, the last of an answer.

    Attributes:
        ended: answers that have no entries any more, but instances that have.
    """

    def __init__(self, shapes: Sequence[AnswerKey], *, has_time: bool) -> None:
        self._shapes, self._has_time = shapes, has_time
        self._own: set[AnswerKey] = set()
        self._waiting: Counter[AnswerKey] = Counter()
        self._certain: Counter[AnswerKey] = Counter()
        self.ended: dict[AnswerKey, EndedEntry] = {}

    def generals(self, answer: AnswerKey) -> Iterator[AnswerKey]:
        """The answers, other than itself, that it is an instance of."""
        for shape in self._shapes:
            values: dict[int, int] = {}
            pairs = list(zip(shape, answer, strict=True))
            if all(not free or values.setdefault(free, own) == own for free, own in pairs):
                general = tuple(free or own for free, own in pairs)
                if general != answer:
                    yield general

    def closed(
        self,
        spans: Iterable[tuple[AnswerKey, int, int]],
        certain: Iterable[tuple[int, AnswerKey]],
        why: Mapping[tuple[AnswerKey, int], EndedEntry],
    ) -> Iterator[tuple[int, EndedEntry]]:
        """When answers are withdrawn, and with which entries.

        Args:
            spans: when each answer has entries; it had them before if that begins before 0.
            certain: from when each answer is certain.
            why: per answer and end of a span that is not certain then, how it ended.
        """
        changes = [(tau, 1, answer) for answer, *span in spans for tau in span]
        changes += [(tau, 0, answer) for tau, answer in certain]
        known = sorted(each for each in changes if 0 <= each[0] < POS_INF)
        for tau, some in groupby(known, itemgetter(0)):
            touched: dict[AnswerKey, None] = {}
            for _, is_span, answer in some:
                if not is_span:
                    self._count(self._certain, answer, 1)
                    self.ended.pop(answer, None)
                    continue
                ends = answer in self._own
                (self._own.remove if ends else self._own.add)(answer)
                self._count(self._waiting, answer, -1 if ends else 1)
                if (answer, tau) in why:
                    self.ended[answer] = why[answer, tau]
                touched |= dict.fromkeys((answer, *self.generals(answer)))
            for answer in touched:
                if answer in self.ended and answer not in self._own and not self._waiting[answer]:
                    entry = self.ended.pop(answer)
                    if not self._certain[answer]:
                        yield tau, entry

    def open(self, entries: Mapping[AnswerKey, list[int]]) -> dict[AnswerKey, list[int]]:
        """An entry of each answer that is open, with those that have ``entries``."""
        found = {answer: entry for answer, (entry, _) in self.ended.items()} | dict(entries)
        return {answer: entry for answer, entry in found.items() if not self._certain[answer]}

    def release(self, answers: Rows) -> None:
        """Answers are certain no longer: no input completes them again.

        That they were is not forgotten where a time is free.
        """
        for answer in map(tuple, answers.tolist() if self._shapes else []):
            self._count(self._certain, answer, -1)

    def _count(self, counter: Counter[AnswerKey], answer: AnswerKey, by: int) -> None:
        for general in self.generals(answer):
            is_kept = self._has_time and general[-1] < 0 and counter is self._certain
            if by > 0 or not is_kept:
                counter[general] += by
                if not counter[general]:
                    del counter[general]
