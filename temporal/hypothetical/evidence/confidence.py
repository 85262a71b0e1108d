"""Confidences: how probable it is that all arrives that an entry awaits.

The product of the prospects of its hypotheses. That is exact if facts arrive independently of one
another, and a hypothesis with variables that are not bound is one instance of it, the most probable
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import repeat
from math import prod
from typing import Final

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.chances import Chances, prospect_of
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.evidence.entry_table import EntryStates
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.ranking.arrival_probability import (
    NOT_YET_DUE,
    AwaitedArrivals,
    RiskTable,
)
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, time_column

_ONE: Final = Fraction(1)


class ArrivalProspects(RiskTable):
    """The prospects of all atoms of a query.

    Attributes:
        are_reported: whether chances are given, so that lines have confidences.
        delays: how late atoms may be.
    """

    __slots__ = ("_chances", "are_reported", "delays")

    def __init__(self, chances: Chances | None, delays: DelayBounds) -> None:
        super().__init__()
        self.are_reported = chances is not None
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
    """The confidences of the entries of a schematic answer in which some variables are bound."""

    __slots__ = ("_lookups", "_prospects", "_terms", "_times")

    def __init__(
        self,
        hypotheses: Sequence[TemporalAtom],
        names: Sequence[SortedVariable],
        prospects: ArrivalProspects,
        terms: Dictionary,
    ) -> None:
        self._prospects, self._terms = prospects, terms
        self._lookups = [
            InstanceLookup(
                atom, names, prospects.of, terms, depends=prospects.depends(atom.predicate)
            )
            for atom in hypotheses
        ]
        self._times = [(atom.time, time_column(atom, names)) for atom in hypotheses]

    def numbers(self, values: Rows) -> Rows:
        """The number of the prospect of each hypothesis, (n, hypotheses), for values (n, names)."""
        out = np.empty((len(values), len(self._lookups)), np.int64)
        for position, lookup in enumerate(self._lookups):
            out[:, position] = lookup.of(values)
        return out

    def of(self, entries: EntryStates) -> tuple[list[Fraction], Column]:
        """Some confidences, ascending, and which of them each entry has at its moment."""
        factors = [_ONE]
        ids = np.zeros((len(entries.at), len(self._lookups)), np.int64)
        if not ids.size:
            return factors, columns([0] * len(ids))
        for position, numbers in enumerate(self.numbers(entries.values).T):
            awaited = entries.bits >> position & 1 == 0
            time = self.time(position, entries.values)
            seen = np.full(len(ids), NOT_YET_DUE) if time is None else entries.at - time
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
        for position, numbers in enumerate(self.numbers(entries.values).T.tolist()):
            time = self.time(position, entries.values)
            times = repeat(None) if time is None else time.tolist()
            parts.append(zip(numbers, times, strict=False))
        return [
            [one for position, one in enumerate(row) if not bits >> position & 1]
            for bits, row in zip(entries.bits.tolist(), zip(*parts, strict=True), strict=True)
        ]

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for lookup in self._lookups:
            lookup.forget()

    def time(self, position: int, values: Rows) -> Column | None:
        """The time of a hypothesis in each entry, if it is known."""
        time, column = self._times[position]
        if time.variable is None:
            return np.full(len(values), time.offset)
        return None if column < 0 else values[:, column] + time.offset
