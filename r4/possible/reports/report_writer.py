"""From what became of facts to reports: which rows of evidence are shown, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.possible.entries.entry_ranking import EntryRanking, RankedEntry
from r4.possible.entries.evidence_store import EvidenceStore
from r4.possible.reports.possible_answers import AnswerFact, Status
from r4.possible.reports.row_lists import RowLister, RowLists
from r4.possible.reports.status_reports import CONFIDENCE, NO_REASON, TEXT, StatusReports
from r4.possible.reports.withdrawals import withdrawal_reasons
from r4.time.ticks import Tick
from rete.arrays.delta import Column, Rows

_NO_READER: Final = -1


@dataclass(frozen=True, slots=True)
class FactChanges:
    """What became of some facts.

    Attributes:
        facts: (n, width) the facts.
        readers: (n,) of the evidence with which each was last reported as supported.
        rows: (m, …) rows of evidence that may be shown.
        of: (m,) the place of the fact of each.
        entry: (m,) the place of the entry of each.
        rules: (n,) rules that derive the facts, if no row does; 0: that of the reader.
    """

    facts: Rows
    readers: Column
    rows: Rows
    of: Column
    entry: Column
    rules: Column


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

    def reports(  # noqa: PLR0913 - all that is reported
        self,
        at: Tick,
        *,
        supported: tuple[Rows, Column],
        confirmed: FactChanges,
        withdrawn: FactChanges,
        dropped: FactChanges,
        text: str,
        retracted: Rows,
    ) -> tuple[StatusReports, Rows]:
        """The reports of a time, and the row that is shown for each entry that is supported.

        Args:
            at: the largest stamp.
            supported: rows of new entries, and the place of the entry of each.
            confirmed: facts that are certain now, with rows of whole derivations.
            withdrawn: facts that are possible no more, with the rows that went of their entries.
            dropped: facts of which no entry is held, though some are possible.
            text: why these were dropped.
            retracted: (n, 3) triples that are asserted no longer.
        """
        ends = (confirmed, withdrawn, dropped)
        nothing = np.full((1, confirmed.rows.shape[1]), _NO_READER, np.int64)
        rows = np.concatenate([supported[0], *(each.rows for each in ends), nothing])
        named = [self._named(self._store.facts_of(supported[0]), supported[0][:, 0])]
        named += [self._named(each.facts, each.readers) for each in ends]
        lists = self._lister.of(rows, [*(each[:, 1:] for each in named), retracted])
        risks = self._ranking.risks(supported[0], at)
        starts = np.cumsum([0, len(supported[0]), len(confirmed.rows), len(withdrawn.rows)])
        entries = self._best(lists, rows, supported[1], supported[1], starts[0], risks)
        certain = self._best(lists, rows, confirmed.of, confirmed.of, starts[1])
        ended = self._best(lists, rows, withdrawn.of, withdrawn.entry, starts[2])
        places = [np.full(len(each.facts), len(rows) - 1) for each in ends]
        places[0][confirmed.of[certain - starts[1]]] = certain
        reasons, rules = withdrawal_reasons(
            lists.at(ended),
            withdrawn.of[ended - starts[2]],
            self._rules[rows[ended, 0]],
            self._store.late_bounds,
            lists.ranks.of(retracted),
        )
        given = [np.where(places[0] < len(rows) - 1, 0, confirmed.rules), rules, dropped.rules]
        rules = np.concatenate([rows[entries, 0], *(each.readers for each in ends)])
        shown = np.concatenate([entries, *places])
        rules = self._rules[np.where(rows[shown, 0] >= 0, rows[shown, 0], rules)]
        own = np.concatenate([np.zeros(len(entries), np.int64), *given])
        named[0] = named[0][entries]
        counts = [len(each) for each in named]
        status = [Status.SUPPORTED, Status.CONFIRMED, Status.WITHDRAWN, Status.WITHDRAWN]
        why = np.full((sum(counts), 4), NO_REASON, np.int64)
        why[counts[0] + counts[1] : sum(counts[:3])] = reasons
        why[sum(counts[:3]) :, 0] = TEXT
        confidences = None
        if self._ranking.prospects.has_chances:
            confidences = [1 - risks[place] for place in entries.tolist()]
            for each, count in zip(status[1:], counts[1:], strict=True):
                confidences += [CONFIDENCE[each]] * count
        facts = np.concatenate(named)
        facts[:, 1:] = lists.ranks.of(facts[:, 1:])
        found = StatusReports(
            *(at, np.repeat(status, counts), self._store.facts.relations, facts, lists.at(shown)),
            *(why, text, np.where(own > 0, own, rules), self._labels, confidences),
        )
        return found.sorted(), rows[entries]

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

    def _best(  # noqa: PLR0913, PLR0917 - what it chooses by
        self,
        lists: RowLists,
        rows: Rows,
        of: Column,
        entry: Column,
        start: int,
        risks: Sequence[object] | None = None,
    ) -> Column:
        """Per entry of a fact the row that is shown, of those from ``start`` on.

        It has the least risk; of such it can come true for longest; of such its evidence is the
        least by text.
        """
        some = np.arange(start, start + len(of))
        keys = [of, entry]
        if risks and self._ranking.prospects.has_chances:
            ranks = {risk: rank for rank, risk in enumerate(sorted({*risks}))}  # type: ignore[type-var]
            keys.append(np.array([ranks[risk] for risk in risks], np.int64))
        keys.append(-lists.deadlines[some])
        keys += lists.evidence.at(some).keys(by_time=False)
        keys += [*rows[some].T]
        order = np.lexsort(tuple(reversed(keys)))
        firsts = np.append(True, (np.diff(of[order]) != 0) | (np.diff(entry[order]) != 0))
        found: Column = some[order[firsts[: len(order)]]]
        return found
