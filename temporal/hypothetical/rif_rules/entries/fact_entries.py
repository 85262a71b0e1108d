"""The entries of facts: rows of evidence that wait for the same, and which of them are minimal.

A fact that is derived at the frontier or later is certain, and has no entry that is minimal. Where
there is a cap the most probable entries are held. The confidence is the probability that all
arrives that a row waits for. An entry may have several rows of evidence, which last for longer or
less; the greatest of their confidences is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from sortedcontainers import SortedDict

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import always, join_rows
from temporal.hypothetical.live_entries import BITS
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, TopK
from temporal.hypothetical.rif_rules.arrival_chances import UnitProspects
from temporal.hypothetical.rif_rules.entries.evidence_reader import (
    Mask,
    ShapeColumns,
    are_among,
    tick_ends,
)
from temporal.hypothetical.rif_rules.entries.evidence_store import (
    ENTRY,
    HELD,
    MINIMAL,
    NEW,
    EvidenceStore,
    FactEvidence,
)
from temporal.hypothetical.rif_rules.entries.hypothesis_sets import HypothesisSets
from temporal.hypothetical.rif_rules.entries.subsumption import Comparison


@dataclass(frozen=True, slots=True)
class FactEntries:
    """The entries of some facts.

    A row that was not minimal stays so while the entries are there that were, so it is left out
    unless one of those went, or may be needless without evidence by now. Then all rows of the fact
    are compared. Of a fact that is certain no entry is minimal, so only the rows of those that were
    are there.

    Attributes:
        facts: (n, width) the facts.
        certain: (n,) whether they are derived at the frontier or later.
        positions: (l,) the positions of the live rows that are compared.
        rows: these, then the minimal ones that went since the last report.
        fact: per row the place of its fact.
        entry: per row the place of its entry.
        numbers: per entry its number; 0: it was never reported.
        minimal: per entry whether it is minimal now, of a fact that is not certain.
        was_minimal, was_held: per entry the same when last reported, and whether it was held then.
    """

    facts: Rows
    certain: Mask
    positions: Column
    rows: Rows
    fact: Column
    entry: Column
    numbers: Column
    minimal: Mask
    was_minimal: Mask
    was_held: Mask

    @classmethod
    def of(
        cls,
        evidence: FactEvidence,
        store: EvidenceStore,
        certain: CertainAnswers,
        comparison: Comparison,
        hypothetical: HypothesisSets,
    ) -> FactEntries:
        """The entries of facts, by ``evidence``; all facts that lost a row are among them."""
        facts, fact, positions = evidence
        is_certain, bits = certain.hold(facts), store.live.column(BITS, positions)
        was_minimal, is_new = bits & MINIMAL > 0, bits & NEW > 0
        known = np.zeros(len(facts), np.bool_)
        known[fact[was_minimal]] = True
        if store.lost:
            lost = concat(store.lost)
            which = store.terms.distinct(np.concatenate([facts, store.facts_of(lost)]))[1]
            which = which[len(facts) :]
            entries = store.live.column(ENTRY, positions[was_minimal])
            known[which[~np.isin(lost[:, ENTRY], entries)]] = False
        alive = ~is_certain[fact]
        if hypothetical.changed:
            known &= ~are_among(facts, concat(hypothetical.changed), store.terms)
        some = was_minimal | ((~known[fact] | is_new) & alive)
        if np.count_nonzero(some) < len(some):
            fact, positions, alive = fact[some], positions[some], alive[some]
        rows = store.live.at(positions)
        if store.lost:
            fact, rows = np.append(fact, which), np.concatenate([rows, lost])
            alive = np.append(alive, np.zeros(len(lost), np.bool_))
        read = store.kinds(rows), store.values(rows), store.last(rows)
        entry, minimal = comparison.of(*read, fact, alive)
        minimal[entry[hypothetical.complete(rows, alive)]] = False
        numbers, bits = np.zeros((2, len(minimal)), np.int64)
        np.maximum.at(numbers, entry, rows[:, ENTRY])
        np.bitwise_or.at(bits, entry, rows[:, BITS])
        return cls(
            *(facts, is_certain, positions, rows, fact, entry, numbers, minimal),
            *(bits & MINIMAL > 0, bits & HELD > 0),
        )

    @property
    def eligible(self) -> Mask:
        """Which entries may be held under a cap: those that were held, or not minimal before."""
        return self.minimal & (self.was_held | ~self.was_minimal)

    def live(self, entries: Mask) -> Column:
        """The places of the live rows of some entries."""
        return entries[self.entry[: len(self.positions)]].nonzero()[0]

    def have(self, entries: Mask) -> Mask:
        """Which facts have a live row of some entries."""
        out = np.zeros(len(self.facts), np.bool_)
        out[self.fact[self.live(entries)]] = True
        return out

    def mark(self, store: EvidenceStore, held: Mask) -> None:
        """Note for the next report which entries are minimal, and which are ``held``."""
        bits = MINIMAL * self.minimal + HELD * held
        entry = self.entry[: len(self.positions)]
        store.live.mark(self.positions, bits[entry], self.numbers[entry])


class CertainInstances(NamedTuple):
    """Certain instances, (n, width), and the places of their facts; a ground fact is its own."""

    fact: Column
    instances: Rows

    def among(self, facts: Rows) -> tuple[Column, Column]:
        """The pairs of a fact, and of a place in ``facts`` where an instance of it stands."""
        on = range(facts.shape[1])
        mine, theirs = always(self.instances, self.fact), always(facts, np.arange(len(facts)))
        pairs = join_rows(mine, on, theirs, on, (len(on), ~len(on)))
        return pairs[:, 0], pairs[:, 1]


class CertainAnswers:
    """The certain answers, from the tables of the networks; the ``frontier`` is in cells."""

    def __init__(self, layers: Layers, store: EvidenceStore) -> None:
        self._layers, self._facts, self._terms = layers, store.facts, store.terms
        self._tables: dict[int, list[FactTable]] = {}
        self._ending: SortedDict[int, list[Rows]] = SortedDict()
        self.frontier = NEG_INF

    def hold(self, facts: Rows) -> Mask:
        """Which facts are derived at the frontier or later; none with free variables is.

        That they end, if they do, is noted.
        """
        out = np.zeros(len(facts), np.bool_)
        for number in {*facts[:, 0].tolist()}:
            some = (facts[:, 0] == number).nonzero()[0]
            args = self._facts.args(number, facts[some])
            if found := [rows[:, :-2] for _, rows in self._found(number, args)]:
                out[some] = are_among(args, concat(found), self._terms)
        return out

    def rule(self, fact: Rows) -> int:
        """The rule with the least number that derives a fact that holds, (1, width)."""
        number = int(fact[0, 0])
        found = self._found(number, self._facts.args(number, fact))
        return min(int(table.rule_at(rows).min()) for table, rows in found)

    def instances(self, facts: Rows, gained: Rows) -> CertainInstances:
        """The instances of ``facts`` with free variables among ``gained`` facts that hold.

        These have their intervals; they were gained for a tick at the frontier or later.
        """
        late = gained[tick_ends(gained)[1] >= self.frontier, :-2]
        late = late[self._terms.distinct(np.ascontiguousarray(late))[0]]
        late = late[self.hold(late)]
        of, places = np.concatenate([np.empty((0, 2), np.int64), *_instances(facts, late)]).T
        return CertainInstances(of, late[places])

    def ended(self) -> Iterator[Rows]:
        """The facts whose noted end the frontier has reached."""
        while self._ending and self._ending.peekitem(0)[0] <= self.frontier:
            yield from self._ending.popitem(0)[1]

    def _found(self, number: int, args: Rows) -> Iterator[tuple[FactSet, Rows]]:
        """Per table its rows of facts with these arguments, at the frontier or later."""
        if number not in self._tables:
            relation = self._facts.relations[number]
            tables = self._layers.tables
            self._tables[number] = [each for each in tables if each.relation == relation]
        queried = np.empty((len(args), args.shape[1] + 2), np.int64)
        queried[:, :-2], queried[:, -2], queried[:, -1] = args, self.frontier, POS_INF
        for table in self._tables[number]:
            rows = table.answer_facts.facts.meet(queried, NEG_INF)
            if len(rows):
                self._note(number, rows)
                yield table.answer_facts, rows

    def _note(self, number: int, rows: Rows) -> None:
        ends = rows[:, -1]
        for end in np.unique(ends[ends < POS_INF]).tolist():
            facts = self._facts.rows(number, rows[ends == end, :-2])
            self._ending.setdefault(end, []).append(facts)


def _instances(facts: Rows, gained: Rows) -> Iterator[Rows]:
    """Pairs of a place in ``facts`` and one in ``gained``, by the places of free variables."""
    patterns = facts.clip(max=0)
    forms, which = np.unique(patterns, axis=0, return_inverse=True)
    for number, form in enumerate(forms.tolist()):
        if not any(form):
            continue
        mine = np.flatnonzero(which.ravel() == number)
        theirs = np.ones(len(gained), np.bool_)
        first: dict[int, int] = {}
        for column, free in enumerate(form):
            if free:
                theirs &= gained[:, first.setdefault(free, column)] == gained[:, column]
        on = [column for column, free in enumerate(form) if not free]
        chosen = np.flatnonzero(theirs)
        sides = CertainInstances(mine, facts[mine][:, on]).among(gained[chosen][:, on])
        yield np.column_stack([sides[0], chosen[sides[1]]])


AwaitedUnits: TypeAlias = tuple[AwaitedArrivals, ...]
"""The arrivals that the rows of an entry wait for, each set once."""


class RankedEntry(NamedTuple):
    """An entry that competes for a place.

    Attributes:
        place: tells it from the others.
        text: orders entries of the same confidence.
        fact: (1, width).
    """

    place: int
    number: int
    text: OrderText
    fact: Rows
    awaited: AwaitedUnits

    def joined(self, other: RankedEntry) -> RankedEntry:
        """The entry with another of its rows."""
        awaited = tuple(dict.fromkeys((*self.awaited, *other.awaited)))
        return self._replace(text=min(self.text, other.text), awaited=awaited)


class EntryRanking:
    """The confidences of entries, and the numbers of those ``kept`` under a cap; None: of all."""

    def __init__(self, store: EvidenceStore, prospects: UnitProspects, most: int | None) -> None:
        self._store = store
        self.prospects = prospects
        self.kept: TopK[int, AwaitedUnits] | None = None
        if most is not None:
            self.kept = TopK(most, self.grade)
        self._facts: dict[int, Rows] = {}

    def awaited(self, rows: Rows) -> list[AwaitedArrivals]:
        """The arrivals that rows wait for: units due at their last stamps of use, each once."""
        out: list[AwaitedArrivals] = []
        lasts = self._store.last(rows)
        for row, last in zip(rows, lasts, strict=True):
            reader = self._store.readers[row[0]]
            (values,) = self._store.values(row[None]).tolist()
            found: dict[object, tuple[int, int | None]] = {}
            for unit in reader.awaited:
                until = int(ShapeColumns.until(last, unit.reach[0]))
                due = None if until >= POS_INF else until >> 1
                triples = frozenset(tuple(values[p] for p in places) for places in unit.triples)
                found[triples, due] = unit.prospect, due
            out.append(tuple(found.values()))
        return out

    def risks(self, rows: Rows, at: int) -> list[Fraction]:
        """Per row the probability that not all comes that it waits for."""
        if not self.prospects.has_chances:
            return [Fraction(0)] * len(rows)
        return [self.prospects.grade(each, at)[0] for each in self.awaited(rows)]

    def grade(self, each: Iterable[AwaitedArrivals], at: int) -> tuple[Fraction, int]:
        """The least of the risks of rows, and when one of them changes; see `RiskTable.grade`."""
        found = [self.prospects.grade(lacking, at) for lacking in each]
        return min(one for one, _ in found), min(until for _, until in found)

    def settle(self, offered: Sequence[RankedEntry], left: Iterable[int], at: int) -> list[Rows]:
        """Hold the best, without those that ``left``; the facts, (1, width), of those dropped.

        What is offered is not among these, nor what left, unless it is offered again.
        """
        assert self.kept is not None
        gone = [*left]
        new = [(at, each.number, (*each.text, each.number), each.awaited) for each in offered]
        found = self.kept.settle(new, [(at, number) for number in gone])
        for number in gone:
            self._facts.pop(number, None)
        self._facts |= {offered[place].number: offered[place].fact for place in found.begun}
        return [self._facts.pop(number) for _, number in found.dropped]

    def best(self, offered: Sequence[RankedEntry], at: int) -> list[int]:
        """The places of the entries that would be held if these were all."""
        assert self.kept is not None
        rivals = [(self.grade(each.awaited, at)[0], each.text, each.place) for each in offered]
        return [place for *_, place in sorted(rivals)[: self.kept.most]]

    def holds(self, entries: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which entries are held."""
        assert self.kept is not None
        return np.array([entry in self.kept for entry in entries.tolist()], np.bool_)
