"""What rows of evidence stand for, in ids and cells: a fact, its evidence, what is missing."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Cells, Column, Rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness, UnitProspects
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import EvidenceShape, Places

Mask = npt.NDArray[np.bool_]


class AwaitedUnit(NamedTuple):
    """A unit that is missing.

    Attributes:
        triples: what it would assert.
        reach: between which distances it may lie before the head, in cells, half-open.
        bound: the number of its late bound.
        prospect: the number of its prospect.
    """

    triples: tuple[Places, ...]
    reach: Cells
    bound: int
    prospect: int

    def until(self, last: Column) -> Column:
        """The last stamps, in cells, with which it is of use to rows that hold to ``last``."""
        return np.where(last >= POS_INF, POS_INF, (last - self.reach[0]) & ~1)


class TimeKind(Enum):
    """What is known of the time of a hypothesis."""

    ANY = 0
    """It has free variables, or is a test."""
    SPREAD = 1
    """It lies in a range of times."""
    KNOWN = 2
    """It is a stamp."""


def tick_ends(rows: Rows) -> tuple[Column, Column]:
    """The first and the last tick of each row, in cells; `NEG_INF` as the last: it has none."""
    first = (rows[:, -2] + 1) & ~1
    last = np.where(rows[:, -1] >= POS_INF, POS_INF, (rows[:, -1] - 1) & ~1)
    return first, np.where(last >= first, last, NEG_INF)


class EvidenceReader:
    """Reads the rows of one relation.

    Attributes:
        number: its place among all readers.
        shape: what its rows stand for.
        awaited: the units that are missing.
        tail: the constants, then the free variables of its rows, as -1, -2 ….
    """

    __slots__ = ("awaited", "number", "shape", "tail")

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
        self.tail: tuple[int, ...] = (*ids.tolist(), *range(-1, -1 - len(shape.free), -1))
        bounds = [
            delays.bound([one.predicate for one in each.conditions]) for each in shape.missing
        ]
        self.awaited = tuple(
            AwaitedUnit(each.triples, each.reach, bound, prospects.of_unit(each.conditions, bound))
            for each, bound in zip(shape.missing, bounds, strict=True)
        )

    @property
    def width(self) -> int:
        """How many ids a row has."""
        return self.shape.relation.arity

    def values(self, ids: Rows) -> Rows:
        """The ids of rows with the tail behind them, (n, places)."""
        out = np.empty((len(ids), self.width + len(self.tail)), np.int64)
        out[:, : self.width] = ids[:, : self.width]
        out[:, self.width :] = self.tail
        return out

    def kind(self, places: Places, unit: AwaitedUnit, *, point: bool) -> TimeKind:
        """What is known of the time of a triple of ``unit``, if rows hold at one tick, or not."""
        free = (place >= self.width and self.tail[place - self.width] < 0 for place in places)
        if self.shape.evidence and any(free):
            return TimeKind.ANY
        lo, hi = unit.reach
        return TimeKind.KNOWN if point and hi == lo + 1 and not lo & 1 else TimeKind.SPREAD

    def ends(self, last: Column, bounds: int) -> Rows:
        """Per late bound the cell at which rows can be completed no more, (n, bounds)."""
        out = np.full((len(last), bounds), POS_INF, np.int64)
        for unit in self.awaited:
            until = unit.until(last)
            end = np.where(until >= POS_INF, POS_INF, until + 1)
            np.minimum(out[:, unit.bound], end, out=out[:, unit.bound])
        return out
