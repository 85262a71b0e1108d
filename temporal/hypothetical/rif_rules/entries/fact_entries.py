"""The entries of facts: rows of evidence that wait for the same, and which of them are minimal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Column, Rows, concat
from temporal.hypothetical.live_entries import BITS
from temporal.hypothetical.rif_rules.entries.certain_answers import CertainAnswers
from temporal.hypothetical.rif_rules.entries.evidence_reader import Mask
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
