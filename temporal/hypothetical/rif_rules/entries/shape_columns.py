"""What the rows of all readers stand for, in columns: so rows of many shapes are read at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, TimeKind

Table: TypeAlias = npt.NDArray[np.int64]
"""Numbers of any shape."""


class ShapeColumns:
    """The shapes of readers, by number; behind them one of nothing, of the number -1.

    A row has ``width`` values: those of its reader, then 0, which is no term. Places are padded
    with that of the last one.

    Attributes:
        width: how many values a row has.
        ids: how many of them, from the first, may be those of the network.
        tails: (r, width) the constants and the free variables, where they stand.
        rules: (r,) the rules of the heads.
        facts: (r, arity) the places of the arguments of the head.
        evidence: (r, k, 3) the places of the triples that are there.
        uses: (r, k, 2) between which distances before the head these are used, in cells.
        missing: (r, m, 3) the places of the triples that are not there.
        nearest: (r, m) the least distance before the head of each, in cells.
        bounds: (r, m) the number of its late bound.
        known: (r, m) 1 if no other stamp would do, provided that the row holds at one tick.
        names: the names of free variables.
    """

    def __init__(self, readers: Sequence[EvidenceReader], bounds: int) -> None:
        """Those of ``readers``, with so many late bounds."""
        shapes = [reader.shape for reader in readers]
        lacking = [[(t, u) for u in each.awaited for t in u.triples] for each in readers]
        self.ids = max((reader.width for reader in readers), default=0)
        self.width = 1 + max((each.width + len(each.tail) for each in readers), default=0)
        none = self.width - 1
        self.tails = _table([(0,) * each.width + each.tail for each in readers], self.width, 0)
        self.rules = np.array([*(shape.rule for shape in shapes), 0], np.int64)
        self.facts = _table([shape.fact for shape in shapes], 0, none)
        self.evidence = _table([[e.places for e in shape.evidence] for shape in shapes], 0, none, 3)
        self.uses = _table([[e.reach for e in shape.evidence] for shape in shapes], 0, 0, 2)
        self.missing = _table([[triple for triple, _ in each] for each in lacking], 0, none, 3)
        self.nearest = _table([[unit.reach[0] for _, unit in each] for each in lacking], 0, 0)
        self.bounds = _table([[unit.bound for _, unit in each] for each in lacking], 0, 0)
        kinds = [
            [reader.kind(*each, point=True) is TimeKind.KNOWN for each in some]
            for reader, some in zip(readers, lacking, strict=True)
        ]
        self.known = _table(kinds, 0, 0)
        self._farthest = np.full((len(shapes) + 1, bounds), NEG_INF, np.int64)
        for number, reader in enumerate(readers):
            for unit in reader.awaited:
                self._farthest[number, unit.bound] = max(
                    self._farthest[number, unit.bound], unit.reach[0]
                )
        self.names = [*dict.fromkeys(name for shape in shapes for name in shape.free)]
        numbers = {name: -number for number, name in enumerate(self.names, 1)}
        self._names = _table([(0, *(numbers[n] for n in shape.free)) for shape in shapes], 1, 0)

    def named(self, numbers: Column, values: Rows) -> Rows:
        """Values of readers, with -1, -2 … for `names` instead of the free variables of each."""
        names = self._names[numbers[:, None], (-values).clip(0, self._names.shape[1] - 1)]
        return np.where(values < 0, names, values)

    @staticmethod
    def until(last: Table, nearest: Table) -> Table:
        """The last stamps, in cells, of use ``nearest`` before the ticks to which rows hold."""
        return np.where(last >= POS_INF, POS_INF, (last - nearest) & ~1)

    def ends(self, numbers: Column, last: Column) -> Rows:
        """Per late bound the cell at which rows can be completed no more, (n, bounds)."""
        farthest = self._farthest[numbers]
        ends = self.until(last[:, None], farthest) + 1
        return np.where((farthest == NEG_INF) | (ends > POS_INF), POS_INF, ends)


def at_places(values: Rows, places: Table) -> Table:
    """What stands in each row at its places, (n, ...)."""
    rows = np.arange(len(values)).reshape(-1, *(1,) * (places.ndim - 1))
    found: Table = values[rows, places]
    return found


def _table(parts: Sequence[Sequence[Any]], least: int, fill: int, *shape: int) -> Table:
    """Lists one below the other, all of one length, and one of ``fill`` alone behind them."""
    longest = max(least, *map(len, parts), 0)
    out = np.full((len(parts) + 1, longest, *shape), fill, np.int64)
    for row, part in zip(out, parts, strict=False):
        if len(part):
            row[: len(part)] = part
    return out
