"""From what became of facts to reports: which rows of evidence are shown, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rete.arrays.delta import Column, Rows, concat
from temporal.hypothetical.live_entries import first_rows, ranks_of
from temporal.hypothetical.rif_rules.entries.evidence_reader import are_among
from temporal.hypothetical.rif_rules.entries.fact_entries import EntryRanking, RankedEntry
from temporal.hypothetical.rif_rules.reports.row_lists import RowLister, RowLists
from temporal.hypothetical.rif_rules.reports.status_reports import (
    NO_REASON,
    NOT_ARRIVED,
    RETRACTED,
    TEXT,
    AnswerFact,
    Status,
    StatusReports,
)


@dataclass(frozen=True, slots=True)
class FactChanges:
    """Facts that have come to a status; a fact with several new entries is there for each.

    Attributes:
        status: (n,) of each its `Status`.
        facts: (n, width) the facts.
        readers: (n,) of the evidence with which each was last reported as supported.
        rules: (n,) that of each, if no row says it; 0: that of the reader.
        kinds: (n,) the kind of the reason of each, if no row says another.
        rows: (m, ...) rows of evidence that may be shown, or that went.
        of: (m,) the place of the fact of each.
        entry: (m,) a number of the entry of each, of those of its fact.
    """

    status: Column
    facts: Rows
    readers: Column
    rules: Column
    kinds: Column
    rows: Rows
    of: Column
    entry: Column

    def __len__(self) -> int:
        return len(self.facts)

    @classmethod
    def joined(cls, parts: Sequence[FactChanges]) -> FactChanges:
        """The changes of all ``parts``."""
        some = [part for part in parts if len(part)] or [*parts[:1]]
        if len(some) == 1:
            return some[0]
        starts = np.cumsum([0, *map(len, some)]).tolist()
        of = [start + part.of for start, part in zip(starts, some, strict=False)]
        found = (
            (*part.columns, part.rows, of, part.entry) for part, of in zip(some, of, strict=True)
        )
        return cls(*map(np.concatenate, zip(*found, strict=True)))

    @property
    def columns(self) -> tuple[Column | Rows, ...]:
        """The columns that each fact has."""
        return self.status, self.facts, self.readers, self.rules, self.kinds

    @property
    def groups(self) -> Column:
        """Per row a number of its entry; those of the facts ascend."""
        groups: Column = self.of * (1 + self.entry.max(initial=0)) + self.entry
        return groups

    def only(self, some: Column) -> FactChanges:
        """The changes with these rows alone."""
        rows, of, entry = self.rows.take(some, axis=0), self.of[some], self.entry[some]
        return replace(self, rows=rows, of=of, entry=entry)


@dataclass(frozen=True, slots=True)
class StampChanges:
    """The changes of a stamp, before any text is read.

    Attributes:
        at: the largest stamp.
        changes: the facts, with the row that is shown of each entry, in the order of the facts.
        spans: when the evidence of these rows holds, as of `RowLister.spans`.
        late_bounds: in cells; elements are late below them.
        retracted: (n, 3) triples that are asserted no longer.
    """

    at: int
    changes: FactChanges
    spans: Rows
    late_bounds: Column
    retracted: Rows
    confidences: Sequence[Fraction] | None


class ReportWriter:
    """Makes reports: first what is reported at each stamp, then those of many stamps at once."""

    def __init__(
        self, lister: RowLister, ranking: EntryRanking, labels: Sequence[str | int]
    ) -> None:
        self._lister, self._ranking, self._labels = lister, ranking, labels
        self._store, self._shapes = lister.store, lister.store.shapes
        self._rules = self._shapes.rules

    def changes(self, at: int, parts: Sequence[FactChanges], retracted: Rows) -> StampChanges:
        """The changes of a stamp, the largest one; ``retracted``, (n, 3), is asserted no longer.

        ``parts`` are facts of new entries, with the rows of these; facts that are certain now, with
        rows of whole derivations; facts of which no entry is held: where none is possible, with
        lost rows.
        """
        changes = self._shown(self._rivals(FactChanges.joined(parts), at))
        confidences = None
        if self._ranking.prospects.has_chances:
            risks = iter(self._ranking.risks(self.supported(changes), at))
            confidences = [
                1 - next(risks) if each == Status.SUPPORTED else Fraction(each == Status.CONFIRMED)
                for each in changes.status.tolist()
            ]
        spans, late_bounds = self._lister.spans(changes.rows), self._store.late_bounds
        return StampChanges(at, changes, spans, late_bounds, retracted, confidences)

    @staticmethod
    def supported(changes: FactChanges) -> Rows:
        """The rows that are shown of what is supported, in order."""
        return changes.rows.compress(changes.status[changes.of] == Status.SUPPORTED, axis=0)

    def reports(self, stamps: Sequence[StampChanges], text: str) -> StatusReports:
        """The reports of stamps; ``text`` is why facts without lost rows are withdrawn."""
        changes = FactChanges.joined([each.changes for each in stamps])
        status, facts, of = changes.status, changes.facts, changes.of
        number = np.repeat(np.arange(len(stamps)), [len(each.changes) for each in stamps])
        rows = np.concatenate([changes.rows, self._store.nothing])
        spans = [each.spans for each in stamps]
        spans.append(np.zeros((1, *spans[0].shape[1:]), np.int64))
        ranked = np.maximum(facts[:, 1:], 0), *(each.retracted for each in stamps)
        lists = self._lister.of(rows, np.concatenate(spans), ranked)
        rules = np.where(changes.rules > 0, changes.rules, self._rules[changes.readers])
        is_lost = status == Status.WITHDRAWN
        reasons = np.full((len(facts), 4), NO_REASON, np.int64)
        reasons[:, 0] = changes.kinds
        if np.count_nonzero(is_lost):
            why, rules = self._reasons(stamps, changes, rules, lists)
            reasons[is_lost] = why[is_lost]
        place = np.full(len(facts), len(rows) - 1)
        place[of] = np.arange(len(of))
        place[is_lost] = len(rows) - 1
        readers = rows[place, 0]
        rules = np.where(readers >= 0, self._rules[readers], rules)
        named = self._shapes.named(
            np.where(status == Status.SUPPORTED, readers, changes.readers), facts
        )
        named[:, 1:] = lists.ranks.of(named[:, 1:])
        confidences = None
        if self._ranking.prospects.has_chances:
            confidences = [one for each in stamps for one in each.confidences or ()]
        at = np.array([each.at for each in stamps], np.int64)[number]
        found = StatusReports(
            *(at, status, self._store.facts.relations, named, lists.at(place), reasons, text),
            *(rules, self._labels, confidences),
        )
        return found.sorted()

    def ranked(self, rows: Rows, entry: Column, numbers: Column) -> list[RankedEntry]:
        """The entries of rows, with the texts by which those of the same confidence are ordered."""
        named = self._shapes.named(rows[:, 0], self._store.facts_of(rows))
        lists = self._lister.of(rows, None, [named[:, 1:]])
        named[:, 1:] = lists.ranks.of(named[:, 1:])
        awaited = self._ranking.awaited(rows)
        found: dict[int, RankedEntry] = {}
        relations, texts = self._store.facts.relations, lists.ranks.texts
        for number, place in enumerate(entry.tolist()):
            relation = relations[named[number, 0]]
            args = texts[named[number, 1 : 1 + relation.arity]].tolist()
            count = lists.missing.counts[number]
            missing = {tuple(t) for t in texts[lists.missing.terms[number, :count]].tolist()}
            times = lists.missing.times[number, :count]
            known = tuple(times[times[:, 1] & 1 == 0, 0].tolist())
            key = AnswerFact(relation, tuple(args)).key
            text = key, tuple(sorted(missing)), lists.tests[number], known
            fact = self._store.facts_of(rows[[number]])
            own = RankedEntry(place, int(numbers[place]), text, fact, (awaited[number],))
            found[place] = own if place not in found else found[place].joined(own)
        return [*found.values()]

    def _reasons(
        self, stamps: Sequence[StampChanges], changes: FactChanges, given: Column, lists: RowLists
    ) -> tuple[Rows, Column]:
        """Why facts are withdrawn, and the rules that it is about: (n, 4), (n,).

        The first hypothesis, by the time until which it could come, that can come no more; else the
        first evidence, by text, that was retracted; else, without another reason, the first
        evidence. A reason is its kind and the ranks of the triple; ``given`` are the rules of facts
        without any.
        """
        lost = (changes.status == Status.WITHDRAWN)[changes.of].nonzero()[0]
        facts, rules = changes.of[lost], self._rules[changes.rows[lost, 0]]
        out, of = np.full((len(given), 4), TEXT, np.int64), given.copy()
        out[:, 0] = changes.kinds
        number = np.repeat(np.arange(len(stamps)), [len(each.changes) for each in stamps])[facts]
        late_bounds = np.array([each.late_bounds for each in stamps])[number]
        missing, evidence = lists.missing.at(lost), lists.evidence.at(lost)
        until, bound = np.moveaxis(missing.times, -1, 0)
        place = np.arange(until.shape[1])
        numbers = np.arange(len(lost))[:, None]
        expired = (place < missing.counts[:, None]) & (until < late_bounds[numbers, bound >> 1])
        row, place = np.nonzero(expired)
        found = missing.terms[row, place]
        _choose(out, of, NOT_ARRIVED, facts[row], [until[row, place], *found.T, rules[row]])
        row, place = np.nonzero(evidence.terms[:, :, 0] * (out[facts, 0] != NOT_ARRIVED)[:, None])
        found = evidence.terms[row, place]
        when = np.repeat(np.arange(len(stamps)), [len(each.retracted) for each in stamps])
        gone = lists.ranks.of(concat([each.retracted for each in stamps]))
        rows, others = np.column_stack([number[row], found]), np.column_stack([when, gone])
        was_retracted = are_among(rows, others, self._store.terms)
        has_retracted = np.zeros(len(facts), np.bool_)
        has_retracted[row[was_retracted]] = True
        some = was_retracted | (~has_retracted[row] & (changes.kinds[facts[row]] == TEXT))
        _choose(out, of, RETRACTED, facts[row[some]], [*found[some].T, rules[row[some]]])
        return out, of

    def _rivals(self, changes: FactChanges, at: int) -> FactChanges:
        """The changes with the rows of each entry that can come true for longest.

        If it is supported, of those that have the least risk ``at`` a stamp.
        """
        if len(changes.of) <= 1:
            return changes
        numbers = [-self._store.deadlines(changes.rows)]
        if self._ranking.prospects.has_chances:
            is_open = changes.status[changes.of] == Status.SUPPORTED
            risks = np.zeros(len(changes.of), np.int64)
            risks[is_open] = ranks_of(self._ranking.risks(changes.rows[is_open], at))
            numbers.insert(0, risks)
        groups = changes.groups
        best = first_rows(groups, numbers)
        own = best[np.searchsorted(groups[best], groups)]
        return changes.only(np.all([each == each[own] for each in numbers], axis=0).nonzero()[0])

    def _shown(self, rivals: FactChanges) -> FactChanges:
        """The changes with the row of each entry whose evidence is the least by text."""
        groups = rivals.groups
        _, shown, of, counts = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        several = (counts[of] > 1).nonzero()[0]
        if len(several):
            rows = rivals.rows.take(several, axis=0)
            keys = [*self._lister.evidence(rows).keys(by_time=False), *rows.T]
            first = several[first_rows(groups[several], keys)]
            shown[of[first]] = first
        return rivals.only(shown)


def _choose(out: Rows, of: Column, kind: int, facts: Column, keys: Sequence[Column]) -> None:
    """Give each fact its first triple by ``keys``, whose last ones are the triple and its rule."""
    if not len(facts):
        return
    chosen = first_rows(facts, keys)
    out[facts[chosen], 0] = kind
    out[facts[chosen], 1:] = np.column_stack(keys[-4:-1])[chosen]
    of[facts[chosen]] = keys[-1][chosen]
