"""From what became of facts to reports: which rows of evidence are shown, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows, columns
from temporal.hypothetical.rif_rules.entries.entry_ranking import EntryRanking, RankedEntry
from temporal.hypothetical.rif_rules.entries.evidence_reader import Mask
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore
from temporal.hypothetical.rif_rules.reports.possible_answers import AnswerFact, Status
from temporal.hypothetical.rif_rules.reports.row_lists import RowLister, RowLists
from temporal.hypothetical.rif_rules.reports.status_reports import NO_REASON, StatusReports
from temporal.hypothetical.rif_rules.reports.withdrawals import withdrawal_reasons

_NO_READER: Final = -1


@dataclass(frozen=True, slots=True)
class FactChanges:
    """Facts that have come to a status; a fact with several new entries is there for each.

    Attributes:
        facts: (n, width) the facts.
        readers: (n,) of the evidence with which each was last reported as supported.
        rules: (n,) that of each, if no row says it; 0: that of the reader.
        rows: (m, ...) rows of evidence that may be shown, or that went.
        of: (m,) the place of the fact of each.
        entry: (m,) a number of the entry of each.
    """

    facts: Rows
    readers: Column
    rules: Column
    rows: Rows
    of: Column
    entry: Column

    def __len__(self) -> int:
        return len(self.facts)

    def rivals(self, numbers: Sequence[Column]) -> FactChanges:
        """With those rows only of which no other of the same entry has lesser ``numbers``."""
        order, first = self._ordered(numbers)
        best = order[first][np.cumsum(first) - 1]
        some = order[np.all([each[order] == each[best] for each in numbers], axis=0)]
        return replace(self, rows=self.rows[some], of=self.of[some], entry=self.entry[some])

    def chosen(self, numbers: Sequence[Column]) -> Column:
        """The places of the first row of each entry by ``numbers``, then by its ids."""
        order, first = self._ordered([*numbers, *self.rows.T])
        return order[first]

    def _ordered(self, numbers: Sequence[Column]) -> tuple[Column, Mask]:
        """The places of rows by entry, then by ``numbers``; which are the first of an entry."""
        order = np.lexsort((*reversed(numbers), self.entry, self.of))
        other = (np.diff(self.of[order]) | np.diff(self.entry[order])) != 0
        return order, np.append(True, other)[: len(order)]


class ReportWriter:
    """Makes reports.

    Args:
        store: the evidence.
        lister: lists what rows stand for.
        ranking: the confidences of rows.
        labels: of the rules.
    """

    def __init__(
        self,
        store: EvidenceStore,
        lister: RowLister,
        ranking: EntryRanking,
        labels: Sequence[str | int],
    ) -> None:
        self._store, self._lister, self._ranking, self._labels = store, lister, ranking, labels
        self._rules = np.array([0, *(reader.shape.rule for reader in store.readers)])[1:]

    def reports(  # noqa: PLR0913, PLR0917 - all that is reported
        self,
        at: int,
        supported: FactChanges,
        confirmed: FactChanges,
        withdrawn: FactChanges,
        text: str,
        retracted: Rows,
    ) -> tuple[StatusReports, Rows]:
        """The reports of a time, and the row that is shown of each entry that is supported.

        Args:
            at: the largest stamp.
            supported: facts of new entries, with the rows of these.
            confirmed: facts that are certain now, with rows of whole derivations.
            withdrawn: facts of which no entry is held; where none is possible, with lost rows.
            text: why those without such rows are withdrawn.
            retracted: (n, 3) triples that are asserted no longer.
        """
        changes = {Status.SUPPORTED: self._rivals(supported, at)}
        others = {Status.CONFIRMED: confirmed, Status.WITHDRAWN: withdrawn}
        changes |= {status: self._rivals(each) for status, each in others.items() if each}
        nothing = np.full((1, supported.rows.shape[1]), POS_INF, np.int64)
        nothing[0, 0] = _NO_READER
        rows = np.concatenate([*(each.rows for each in changes.values()), nothing])
        facts = np.concatenate([each.facts for each in changes.values()])
        lists = self._lister.of(rows, (facts[:, 1:].clip(min=0), retracted))
        reasons = np.full((len(facts), 4), NO_REASON, np.int64)
        shown, rules, readers, start = [], [], [], 0
        for status, each in changes.items():
            best = start + self._best(lists, each, start)
            place = np.full(len(each.facts), len(rows) - 1)
            rule = np.where(each.rules > 0, each.rules, self._rules[each.readers])
            if status is Status.WITHDRAWN:
                why, rule = withdrawal_reasons(
                    *(lists.at(best), each.of[best - start], self._rules[rows[best, 0]], rule),
                    *(self._store.late_bounds, lists.ranks.of(retracted)),
                )
                reasons[len(facts) - len(each) :] = why
            else:
                place[each.of[best - start]] = best
                has_row = rows[place, 0] >= 0
                rule = np.where(has_row, self._rules[rows[place, 0]], rule)
            own = status is Status.SUPPORTED
            readers.append(rows[place, 0] if own else each.readers)
            shown.append(place)
            rules.append(rule)
            start += len(each.rows)
        confidences = None
        if self._ranking.prospects.has_chances:
            confidences = [1 - risk for risk in self._ranking.risks(rows[shown[0]], at)]
            confidences += [Fraction(1)] * len(confirmed) + [Fraction(0)] * len(withdrawn)
        named = self._named(facts, np.concatenate(readers))
        named[:, 1:] = lists.ranks.of(named[:, 1:])
        found = StatusReports(
            *(at, np.repeat([*changes], [*map(len, shown)]), self._store.facts.relations, named),
            *(lists.at(np.concatenate(shown)), reasons, text, np.concatenate(rules)),
            *(self._labels, confidences),
        )
        return found.sorted(), rows[shown[0]]

    def ranked(self, rows: Rows, entry: Column, numbers: Column) -> list[RankedEntry]:
        """The entries of rows, with the texts by which those of the same confidence are ordered."""
        named = self._named(self._store.facts_of(rows), rows[:, 0])
        lists = self._lister.of(rows, [named[:, 1:]])
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

    def _named(self, facts: Rows, readers: Column) -> Rows:
        """Facts with numbers of names for free variables; those of ``readers``."""
        out = np.where(self._store.facts.free(facts), facts, facts.clip(min=0))
        for number in np.flatnonzero(np.bincount(readers)).tolist():
            some = np.flatnonzero(readers == number)
            out[some, 1:] = self._lister.named(self._store.readers[number], out[some, 1:])
        return out

    def _rivals(self, changes: FactChanges, at: int | None = None) -> FactChanges:
        """With the rows of each entry that have the least risk ``at`` a stamp, if one is given.

        Of such with those that can come true for longest.
        """
        if len(changes.of) <= 1:
            return changes
        numbers = [-self._store.deadlines(changes.rows)]
        if at is not None and self._ranking.prospects.has_chances:
            numbers.insert(0, ranked(self._ranking.risks(changes.rows, at)))
        return changes.rivals(numbers)

    @staticmethod
    def _best(lists: RowLists, changes: FactChanges, start: int) -> Column:
        """Per entry the row that is shown; those of ``changes`` are in ``lists`` from ``start`` on.

        Of rivals its evidence is the least by text.
        """
        some = np.arange(start, start + len(changes.of))
        if len(some) <= 1:
            return some - start
        return changes.chosen([*lists.evidence.at(some).keys(by_time=False)])


def ranked(risks: Sequence[Fraction]) -> Column:
    """The places of risks in their order, equal ones alike."""
    places = {risk: place for place, risk in enumerate(sorted({*risks}))}
    return columns(places[risk] for risk in risks)
