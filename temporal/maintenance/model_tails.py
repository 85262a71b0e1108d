"""How a model goes on to both sides of its data, kept while atoms change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import Rows, columns
from rete.kernels import concatenate, project
from rete.storage.row_algebra import positions
from temporal.maintenance.fact_changes import AtomRows
from temporal.maintenance.tail_counts import TailCounts
from temporal.mtl.ast import PredicateKey
from temporal.periods.coalescing import number_rows
from temporal.periods.period_search import Cells
from temporal.periods.tails import Tail
from temporal.periods.unfolding import reflect, reflect_end
from temporal.periods.windows import Repetition, Ruler, place_windows


class Sides(NamedTuple):
    """The repetitions of a model."""

    left: Repetition
    right: Repetition


class ModelTails:
    """The tails of all atoms on both sides.

    Attributes:
        sides: the repetitions of the model.
    """

    __slots__ = ("_past", "_right", "_ruler", "_tails", "sides")

    def __init__(self, facts: Mapping[PredicateKey, Rows], ruler: Ruler, sides: Sides) -> None:
        """Count the tails of a model. O(n log n) in the rows that reach beyond the data."""
        self.sides = sides
        # What the sides are placed for.
        self._ruler: Ruler | None = None
        self._tails: tuple[Tail, Tail] | None = None
        first = ruler.mirrored().first
        past = {key: reflect(rows[rows[:, -2] < 1 - first]) for key, rows in facts.items()}
        self._past = TailCounts(past, first, _tail_of(sides.left.mirrored()))
        self._right = TailCounts(facts, ruler.first, _tail_of(sides.right))

    def beyond(self, known: Cells) -> tuple[Cells, Cells]:
        """The cells on both sides that are counted, as far as they are known."""
        return (known[0], 1 - self._past.base), (self._right.base, known[1])

    def update(
        self,
        left: Mapping[PredicateKey, AtomRows],
        right: Mapping[PredicateKey, AtomRows],
        ruler: Ruler,
        known: Cells,
    ) -> bool:
        """Follow a change; whether it is known how the model goes on then.

        If not, the tails are to be counted anew.

        Args:
            left: the rows in the cells `beyond`, on the left, of the atoms that changed there.
            right: the same on the right.
            ruler: that of the new data.
            known: the cells in which all is known.
        """
        mirrored = ruler.mirrored()
        if ruler.first < self._right.base or mirrored.first < self._past.base:
            return False  # the data have become shorter: what was among them is beyond them now
        past = [AtomRows(reflect(rows.before), reflect(rows.after)) for rows in left.values()]
        rest = mirrored.first, reflect_end(known[0]), ruler.width
        if not self._past.update(*_numbered(past), *rest):
            return False
        rest = ruler.first, known[1], ruler.width
        if not self._right.update(*_numbered(list(right.values())), *rest):
            return False
        tails = self._past.tail, self._right.tail
        if ruler is not self._ruler or tails != self._tails:
            self._ruler, self._tails = ruler, tails
            self.sides = Sides(
                place_windows(self._past.tail, mirrored).mirrored(),
                place_windows(self._right.tail, ruler),
            )
        return True


def _tail_of(side: Repetition) -> Tail:
    """The tail that was found, to the right."""
    onset, end = side.source
    return Tail(onset, 0 if side.is_constant else end - onset, side.is_empty)


def _numbered(found: Sequence[AtomRows]) -> tuple[Rows, Rows, int]:
    """Rows before and after with the number of their atom alone, and how many atoms there are."""
    if not found:
        return np.empty((0, 3), np.int64), np.empty((0, 3), np.int64), 0
    width = max([each.after.shape[1] - 2 for each in found])
    before, after = [], []
    for place, each in enumerate(found):
        terms = range(each.after.shape[1] - 2)
        taken = positions((~1, *terms, *(~0 for _ in range(len(terms), width))))
        constants = columns([0, place])
        before.append(project(each.before, taken, constants))
        after.append(project(each.after, taken, constants))
    rows = concatenate(before + after)
    numbered = np.empty((len(rows), 3), np.int64)
    (numbered[:, 0],) = number_rows(rows[:, :-2])
    numbered[:, 1:] = rows[:, -2:]
    middle = sum(map(len, before))
    return numbered[:middle], numbered[middle:], int(numbered[:, 0].max(initial=-1)) + 1
