"""Confidences: how probable it is that all arrives that an entry awaits.

The product of the prospects of its hypotheses. That is exact if facts arrive independently of one
another, and a hypothesis with variables that are not bound is one instance of it, the most probable
one.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from math import prod

import numpy as np

from rete.arrays.delta import Column, columns
from temporal.hypothetical.arrival.chances import Chances, prospect_of
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.evidence.entry_table import EntryStates, EntryTable
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.ranking.arrival_probability import (
    NOT_YET_DUE,
    AwaitedArrivals,
    RiskTable,
)
from temporal.hypothetical.syntax.ast import TemporalAtom


class ArrivalProspects(RiskTable):
    """The prospects of all atoms of a query.

    Attributes:
        delays: how late atoms may be.
    """

    __slots__ = ("_chances", "delays")

    def __init__(self, chances: Chances | None, delays: DelayBounds) -> None:
        super().__init__(has_chances=chances is not None)
        self._chances, self.delays = chances or Chances(), delays

    def of(self, atom: TemporalAtom) -> int:
        """The number of the prospect of an atom."""
        return self.number(prospect_of(atom, self._chances, self.delays))

    def depends(self, predicate: str) -> bool:
        """May instances of a predicate have different prospects?"""
        likely = self._chances
        has_chance = likely.default is not None or bool(likely.args_of(predicate))
        return likely.depends(predicate) or (has_chance and self.delays.depends(predicate))


class EntryConfidences:
    """The confidences of the entries of a table.

    Attributes:
        lookups: per hypothesis the number of its prospect.
    """

    __slots__ = ("_prospects", "_terms", "lookups")

    def __init__(self, table: EntryTable, prospects: ArrivalProspects) -> None:
        self._prospects, self._terms = prospects, table.terms
        self.lookups = [
            InstanceLookup(atom, table.names, prospects, table.terms)
            for atom in table.schematic.hypotheses
        ]

    def of(self, entries: EntryStates) -> tuple[list[Fraction], Column]:
        """Some confidences, ascending, and which of them each entry has at its moment."""
        factors = [Fraction(1)]
        ids = np.zeros((len(entries.at), len(self.lookups)), np.int64)
        if not ids.size:
            return factors, columns([0] * len(ids))
        for position, lookup in enumerate(self.lookups):
            numbers, times = lookup.of(entries.values), lookup.times(entries.values)
            awaited = entries.bits >> position & 1 == 0
            seen = np.full(len(ids), NOT_YET_DUE) if times is None else entries.at - times
            for number in np.unique(numbers[awaited]).tolist():
                rows = awaited & (numbers == number)
                prospect = self._prospects.listed[number]
                steps = np.searchsorted(columns(prospect.starts), seen[rows], "right")
                ids[rows, position] = len(factors) + steps
                factors += prospect.values
        firsts, which = self._terms.distinct(ids)
        products = [prod(factors[one] for one in row) for row in ids[firsts].tolist()]
        found = sorted(set(products))
        ranks = {each: rank for rank, each in enumerate(found)}
        return found, columns([ranks[each] for each in products])[which]

    def awaited(self, entries: EntryStates) -> list[AwaitedArrivals]:
        """The arrivals that each entry awaits."""
        parts: list[Iterable[tuple[int, int | None]]] = []
        for lookup in self.lookups:
            times = lookup.times(entries.values)
            listed = repeat(None) if times is None else times.tolist()
            parts.append(zip(lookup.of(entries.values).tolist(), listed, strict=False))
        return [
            [one for position, one in enumerate(row) if not bits >> position & 1]
            for bits, row in zip(entries.bits.tolist(), zip(*parts, strict=True), strict=True)
        ]

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for lookup in self.lookups:
            lookup.forget()
