"""The entries of facts: rows of evidence that wait for the same, and which of them are minimal.

A fact that is derived at the frontier or later is certain, and has no entry that is minimal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sortedcontainers import SortedDict

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat
from rete.graph.streams import FactTable
from rete.network.layers import Layers
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import always, join_rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.live_entries import BITS
from temporal.hypothetical.rif_rules.entries.evidence_reader import Mask, tick_ends
from temporal.hypothetical.rif_rules.entries.evidence_store import (
    ENTRY,
    HELD,
    MINIMAL,
    NEW,
    EvidenceStore,
    FactEvidence,
    FactRows,
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
            which = store.terms.distinct(np.concatenate([facts, store.facts_of(lost)]))[1][
                len(facts) :
            ]
            entries = store.live.column(ENTRY, positions[was_minimal])
            known[which[~np.isin(lost[:, ENTRY], entries)]] = False
        alive = ~is_certain[fact]
        if hypothetical.changed:
            again = store.terms.distinct(np.concatenate([facts, *hypothetical.changed]))[1][
                len(facts) :
            ]
            known[again[again < len(facts)]] = False
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
    """The certain answers, from the tables of the networks.

    Attributes:
        frontier: in cells.
    """

    def __init__(self, layers: Layers, facts: FactRows, terms: Dictionary) -> None:
        self._layers = layers
        self._facts = facts
        self._terms = terms
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
            found = [args, *(rows[:, :-2] for _, rows in self._found(number, args))]
            if len(found) > 1:
                which = self._terms.distinct(np.concatenate(found))[1]
                found_ones = np.zeros(len(which), np.bool_)
                found_ones[which[len(args) :]] = True
                out[some] = found_ones[which[: len(args)]]
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
