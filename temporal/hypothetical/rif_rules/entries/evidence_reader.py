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

    def free(self, place: int) -> int:
        """The free variable at a place, a negative number; 0: there is none."""
        return 0 if place < self.width else min(self.tail[place - self.width], 0)

    def kind(self, places: Places, unit: AwaitedUnit, *, point: bool) -> TimeKind:
        """What is known of the time of a triple of ``unit``, if rows hold at one tick, or not."""
        if self.shape.evidence and any(map(self.free, places)):
            return TimeKind.ANY
        lo, hi = unit.reach
        return TimeKind.KNOWN if point and hi == lo + 1 and not lo & 1 else TimeKind.SPREAD
