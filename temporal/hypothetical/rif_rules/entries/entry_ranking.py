"""The most probable entries, where there is a cap, and the confidences of rows.

The confidence is the probability that all arrives that a row waits for. An entry may have several
rows of evidence, which last for longer or less; the greatest of their confidences is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, TopK
from temporal.hypothetical.rif_rules.arrival_chances import UnitProspects
from temporal.hypothetical.rif_rules.entries.evidence_reader import ShapeColumns
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore

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
    """The confidences of entries, and which of them are held under a cap.

    Attributes:
        kept: what is held, by the numbers of entries; None: all.
    """

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
