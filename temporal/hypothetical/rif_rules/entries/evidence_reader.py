"""The meaning of rows of evidence, in ids and cells: a fact, its evidence, what is missing.

A reader knows it for one relation. `ShapeColumns` has it in columns, so that rows of many relations
are read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Cells, Column, Rows
from rete.terms.dictionary import Dictionary, constant
from temporal.hypothetical.rif_rules.arrival_chances import UnitProspects
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import EvidenceShape, Places

Mask = npt.NDArray[np.bool_]


class AwaitedUnit(NamedTuple):
    """A missing unit, as a `MissingUnit`, with the numbers of its late bound and its prospect."""

    triples: tuple[Places, ...]
    reach: Cells
    bound: int
    prospect: int


class TimeKind(Enum):
    """The knowledge about the time of a hypothesis."""

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
        tail: the constants, then the free variables of its rows, as -1, -2 ….
    """

    __slots__ = ("awaited", "number", "shape", "tail")

    def __init__(
        self, number: int, shape: EvidenceShape, terms: Dictionary, prospects: UnitProspects
    ) -> None:
        """Begin; the constants of the shape are pinned."""
        self.number = number
        self.shape = shape
        constants = (constant(each, terms) for each in shape.constants)
        self.tail: tuple[int, ...] = (*constants, *range(-1, -1 - len(shape.free), -1))
        self.awaited = tuple(
            AwaitedUnit(each.triples, each.reach, *prospects.of_unit(each.conditions))
            for each in shape.missing
        )

    @property
    def width(self) -> int:
        """How many ids a row has."""
        return self.shape.relation.arity

    def free(self, place: int) -> int:
        """The free variable at a place, a negative number; 0: there is none."""
        return 0 if place < self.width else min(self.tail[place - self.width], 0)

    def kind(self, places: Places, unit: AwaitedUnit, *, point: bool) -> TimeKind:
        """The knowledge about the time of a triple of ``unit``; ``point``: rows hold at a tick."""
        if self.shape.evidence and any(map(self.free, places)):
            return TimeKind.ANY
        lo, hi = unit.reach
        return TimeKind.KNOWN if point and hi == lo + 1 and not lo & 1 else TimeKind.SPREAD


Table: TypeAlias = npt.NDArray[np.int64]
"""Numbers of any shape."""


class ShapeColumns:
    """The shapes of readers, by number; behind them one of nothing, of the number -1.

    A row has ``width`` values: those of its reader, then 0, which is no term. Places are padded
    with that of the last one.

    Attributes:
        width: how many values a row has.
        ids: how many of them, from the first, may be those of the network.
        names: the names of free variables, which stand as -1, -2 … for the first, the second ….
        tails: (r, width) the constants and the free variables, where they stand.
        rules: (r,) the rules of the heads.
        facts: (r, arity) the places of the arguments of the head.
        free: (r, arity) -1, -2 … where these are the first, the second … free variable; else 0.
        evidence: (r, k, 3) the places of the triples that are there.
        uses: (r, k, 2) between which distances before the head these are used, in cells.
        missing: (r, m, 3) the places of the triples that are not there.
        nearest: (r, m) the least distance before the head of each, in cells.
        bounds: (r, m) the number of its late bound.
        known: (r, m) 1 if no other stamp would do, provided that the row holds at one tick.
    """

    def __init__(self, readers: Sequence[EvidenceReader], bounds: int) -> None:
        """Begin with ``readers``, and the number of late bounds."""
        shapes = [reader.shape for reader in readers]
        lacking = [[(t, u) for u in each.awaited for t in u.triples] for each in readers]
        self.ids = max((reader.width for reader in readers), default=0)
        self.width = 1 + max((each.width + len(each.tail) for each in readers), default=0)
        none = self.width - 1
        self.names = [*dict.fromkeys(name for shape in shapes for name in shape.free)]
        numbers = {name: -number for number, name in enumerate(self.names, 1)}
        own = [[numbers[name] for name in shape.free] for shape in shapes]
        tails = [
            (*(0,) * reader.width, *reader.tail[: len(reader.tail) - len(free)], *free)
            for reader, free in zip(readers, own, strict=True)
        ]
        self.tails = padded_table(tails, self.width, 0)
        self.rules = np.array([*(shape.rule for shape in shapes), 0], np.int64)
        self.facts = padded_table([shape.fact for shape in shapes], 0, none)
        self.free = padded_table([[*map(each.free, each.shape.fact)] for each in readers], 0, 0)
        self.evidence = padded_table(
            [[e.places for e in shape.evidence] for shape in shapes], 0, none, 3
        )
        self.uses = padded_table([[e.reach for e in shape.evidence] for shape in shapes], 0, 0, 2)
        self.missing = padded_table(
            [[triple for triple, _ in each] for each in lacking], 0, none, 3
        )
        self.nearest = padded_table([[unit.reach[0] for _, unit in each] for each in lacking], 0, 0)
        self.bounds = padded_table([[unit.bound for _, unit in each] for each in lacking], 0, 0)
        kinds = [
            [reader.kind(*each, point=True) is TimeKind.KNOWN for each in some]
            for reader, some in zip(readers, lacking, strict=True)
        ]
        self.known = padded_table(kinds, 0, 0)
        self._farthest = np.full((len(shapes) + 1, bounds), NEG_INF, np.int64)
        for number, reader in enumerate(readers):
            for unit in reader.awaited:
                self._farthest[number, unit.bound] = max(
                    self._farthest[number, unit.bound], unit.reach[0]
                )
        self._own_names = padded_table([(0, *each) for each in own], 1, 0)

    def named(self, numbers: Column, facts: Rows) -> Rows:
        """Facts of heads, their free variables as rows have them."""
        is_free = facts < 0
        if not np.count_nonzero(is_free):
            return facts.copy()
        return np.where(is_free, self._own_names[numbers[:, None], -facts * is_free], facts)

    @staticmethod
    def until(last: Table, nearest: Table) -> Table:
        """The last stamps, in cells, of use ``nearest`` before the ticks to which rows hold."""
        return np.where(last >= POS_INF, POS_INF, (last - nearest) & ~1)

    def ends(self, numbers: Column, last: Column) -> Rows:
        """Per late bound the cell at which rows can be completed no more, (n, bounds)."""
        farthest = self._farthest.take(numbers, axis=0)
        ends = self.until(last[:, None], farthest) + 1
        return np.where((farthest == NEG_INF) | (ends > POS_INF), POS_INF, ends)


def at_places(values: Rows, places: Table, rows: Column | None = None) -> Table:
    """The values at places, (n, ...), of each row, or of each one of ``rows``, (n,)."""
    rows = np.arange(len(values)) if rows is None else rows
    found: Table = values[rows.reshape(-1, *(1,) * (places.ndim - 1)), places]
    return found


def are_among(rows: Rows, others: Rows, terms: Dictionary) -> Mask:
    """Which rows are among others."""
    which = terms.distinct(np.concatenate([rows, others]))[1]
    found = np.zeros(len(which), np.bool_)
    found[which[len(rows) :]] = True
    among: Mask = found[which[: len(rows)]]
    return among


def padded_table(parts: Sequence[Sequence[Any]], least: int, fill: int, *shape: int) -> Table:
    """Lists one below the other, all of one length, and one of ``fill`` alone behind them."""
    longest = max(least, *map(len, parts), 0)
    out = np.full((len(parts) + 1, longest, *shape), fill, np.int64)
    for row, part in zip(out, parts, strict=False):
        if len(part):
            row[: len(part)] = part
    return out
