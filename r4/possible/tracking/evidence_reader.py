"""Reading rows of evidence: what a row of a shape tells, in ids and cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from r4.possible.arrival_chances import UnitLateness, UnitProspects
from r4.possible.rewriting.evidence_rules import EvidenceShape, Places
from r4.possible.tracking.subsumption import TRIPLE, Hypotheses, Values
from r4.time.ticks import Tick
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.planning.plan import Relation
from rete.terms.dictionary import Dictionary
from temporal.ranking.arrival_probability import AwaitedArrivals


class AwaitedUnit(NamedTuple):
    """A unit that is missing.

    Attributes:
        triples: what it would assert.
        nearest: the least distance before the head at which it may lie, in cells.
        line: the number of the line that it is late below.
        prospect: the number of its prospect.
    """

    triples: tuple[Places, ...]
    nearest: int
    line: int
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
        shape: what its rows tell.
        wanted: the units that are missing.
        limits: per line that they wait for the greatest of their nearest distances.
    """

    __slots__ = ("_tail", "limits", "number", "shape", "wanted")

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
        lines = [delays.line([one.predicate for one in each.asked]) for each in shape.missing]
        self.wanted = tuple(
            AwaitedUnit(each.triples, each.nearest, line, prospects.of_unit(each.asked, line))
            for each, line in zip(shape.missing, lines, strict=True)
        )
        self.limits: dict[int, int] = {}
        for each in self.wanted:
            self.limits[each.line] = max(self.limits.get(each.line, each.nearest), each.nearest)

    def open(self, last: Column, lines: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which rows, by their last ticks, can still be completed; ``lines`` are in cells."""
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = last > NEG_INF
        for line, nearest in self.limits.items():
            found &= (last >= POS_INF) | ((last - nearest) & ~1 >= lines[line])
        return found

    def expiries(self, last: int) -> Iterator[tuple[int, int]]:
        """Per line that it waits for, up to which cell the line may come; none if there is none."""
        if last < POS_INF:
            for line, nearest in self.limits.items():
                yield line, (last - nearest) & ~1

    def fact(self, row: Values) -> tuple[Relation, Values]:
        """What may be an answer."""
        return self.shape.head, self._values(row, self.shape.fact)

    def hypotheses(self, row: Values) -> Hypotheses:
        """What is missing: triples, and tests that wait."""
        triples = (
            (TRIPLE, self._values(row, each)) for unit in self.wanted for each in unit.triples
        )
        tests = ((each.form, self._values(row, each.args)) for each in self.shape.tests)
        return frozenset((*triples, *tests))

    def evidence(self, row: Values) -> list[Values]:
        """The triples that are there."""
        return [self._values(row, each) for each in self.shape.evidence]

    def missing(self, row: Values) -> Iterator[tuple[AwaitedUnit, list[Values]]]:
        """The units that are missing, with their triples."""
        for unit in self.wanted:
            yield unit, [self._values(row, each) for each in unit.triples]

    def lacking(self, row: Values, last: int) -> AwaitedArrivals:
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
