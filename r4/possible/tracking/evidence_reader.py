"""What a row of evidence stands for, in ids and cells: a fact, its evidence, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from r4.possible.arrival_chances import UnitLateness, UnitProspects
from r4.possible.rewriting.evidence_rules import EvidenceShape, Places
from r4.possible.tracking.subsumption import TRIPLE, Hypotheses, Values
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.ranking.arrival_probability import AwaitedArrivals


class AwaitedUnit(NamedTuple):
    """A unit that is missing.

    Attributes:
        triples: what it would assert.
        nearest: the least distance before the head at which it may lie, in cells.
        bound: the number of its late bound.
        prospect: the number of its prospect.
    """

    triples: tuple[Places, ...]
    nearest: int
    bound: int
    prospect: int

    def until(self, last: int) -> int:
        """The last stamp, in cells, with which it would be of use to rows that hold to ``last``."""
        return POS_INF if last >= POS_INF else (last - self.nearest) & ~1


def last_ticks(rows: Rows) -> Column:
    """The last tick of each row, in cells; `NEG_INF` of one without a tick."""
    ticks = np.where(rows[:, -1] >= POS_INF, POS_INF, (rows[:, -1] - 1) & ~1)
    return np.where(ticks >= rows[:, -2], ticks, NEG_INF)


class EvidenceReader:
    """Reads the rows of one relation.

    Attributes:
        number: its place among all readers.
        shape: what its rows stand for.
        awaited: the units that are missing.
        limits: per late bound of these the greatest of their nearest distances.
    """

    __slots__ = ("_tail", "awaited", "limits", "number", "shape")

    def __init__(
        self,
        number: int,
        shape: EvidenceShape,
        terms: Dictionary,
        delays: UnitLateness,
        prospects: UnitProspects,
    ) -> None:
        """Begin; the constants of the shape are pinned."""
        ids = terms.encode_many(shape.constants)
        terms.pin(ids)
        self.number = number
        self.shape = shape
        self._tail = (*ids.tolist(), *range(-1, -1 - len(shape.free), -1))
        bounds = [
            delays.bound([one.predicate for one in each.conditions]) for each in shape.missing
        ]
        self.awaited = tuple(
            AwaitedUnit(
                each.triples, each.nearest, bound, prospects.of_unit(each.conditions, bound)
            )
            for each, bound in zip(shape.missing, bounds, strict=True)
        )
        self.limits: dict[int, int] = {}
        for each in self.awaited:
            self.limits[each.bound] = max(self.limits.get(each.bound, each.nearest), each.nearest)

    def open(self, last: Column, bounds: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which rows, by their last ticks, can still be completed; ``bounds`` are in cells."""
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = last > NEG_INF
        for bound, nearest in self.limits.items():
            found &= (last >= POS_INF) | ((last - nearest) & ~1 >= bounds[bound])
        return found

    def expiries(self, last: int) -> Iterator[tuple[int, int]]:
        """Per late bound of a missing unit, the cell that it may reach; none if there is none."""
        if last < POS_INF:
            for bound, nearest in self.limits.items():
                yield bound, (last - nearest) & ~1

    def fact(self, row: Values) -> tuple[Relation, Values]:
        """The fact that may become an answer."""
        return self.shape.head, self._values(row, self.shape.fact)

    def hypotheses(self, row: Values) -> Hypotheses:
        """What is missing: triples, and tests that wait."""
        triples = (
            (TRIPLE, self._values(row, each)) for unit in self.awaited for each in unit.triples
        )
        tests = ((each.form, self._values(row, each.args)) for each in self.shape.tests)
        return frozenset((*triples, *tests))

    def evidence(self, row: Values) -> list[Values]:
        """The triples that are there."""
        return [self._values(row, each) for each in self.shape.evidence]

    def missing(self, row: Values) -> Iterator[tuple[AwaitedUnit, list[Values]]]:
        """The units that are missing, with their triples."""
        for unit in self.awaited:
            yield unit, [self._values(row, each) for each in unit.triples]

    def awaited_arrivals(self, row: Values, last: int) -> AwaitedArrivals:
        """The units that are missing, due at their last stamps of use; equal ones are one."""
        found: dict[object, tuple[int, Tick | None]] = {}
        for unit, triples in self.missing(row):
            until = unit.until(last)
            due = None if until >= POS_INF else until >> 1
            found[frozenset(triples), due] = unit.prospect, due
        return tuple(found.values())

    def tests(self, row: Values) -> Iterator[tuple[int, Values]]:
        """The tests that wait, by their places, with the values of their variables."""
        for place, each in enumerate(self.shape.tests):
            yield place, self._values(row, each.args)

    def _values(self, row: Values, places: Places) -> Values:
        values = row + self._tail
        return tuple(values[place] for place in places)
