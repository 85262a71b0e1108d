"""How a model goes on to both sides of its data, kept while atoms change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rete.arrays.delta import Rows
from temporal.maintenance.fact_changes import AtomRows
from temporal.maintenance.tail_counts import TailCounts
from temporal.mtl.ast import PredicateKey
from temporal.periods.period_search import Cells
from temporal.periods.tails import Tail
from temporal.periods.unfolding import reflect, reflect_end
from temporal.periods.windows import Repetition, Ruler, place_windows


class Sides(NamedTuple):
    """The repetitions of a model."""

    left: Repetition
    right: Repetition


class ModelTails:
    """The tails of all atoms on both sides; ``sides`` are the repetitions of the model."""

    __slots__ = ("_mirrored", "_past", "_right", "_ruler", "_tails", "sides")

    def __init__(self, facts: Mapping[PredicateKey, Rows], ruler: Ruler, sides: Sides) -> None:
        """Count the tails of a model. O(n log n) in the rows that reach beyond the data."""
        self.sides = sides
        # What the sides are placed for, once they are.
        self._ruler, self._mirrored = ruler, ruler.mirrored()
        self._tails: tuple[Tail, Tail] | None = None
        first = self._mirrored.first
        past = [reflect(rows[rows[:, -2] < 1 - first]) for rows in facts.values()]
        self._past = TailCounts(past, first, _tail_of(sides.left.mirrored()))
        self._right = TailCounts(facts.values(), ruler.first, _tail_of(sides.right))

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

        If not, the tails are to be counted anew. ``left`` and ``right`` are the rows in the cells
        `beyond` of the atoms that changed there. ``ruler`` is that of the new data; all is known in
        the cells ``known``.
        """
        if ruler is not self._ruler:
            self._ruler, self._mirrored, self._tails = ruler, ruler.mirrored(), None
        mirrored = self._mirrored
        if ruler.first < self._right.base or mirrored.first < self._past.base:
            return False  # the data have become shorter: what was among them is beyond them now
        before = [reflect(rows.before) for rows in left.values()]
        after = [reflect(rows.after) for rows in left.values()]
        end = reflect_end(known[0])
        if not self._past.update(before, after, mirrored.first, end, ruler.width):
            return False
        before = [rows.before for rows in right.values()]
        after = [rows.after for rows in right.values()]
        if not self._right.update(before, after, ruler.first, known[1], ruler.width):
            return False
        tails = self._past.tail, self._right.tail
        if tails != self._tails:
            self._tails = tails
            self.sides = Sides(
                place_windows(self._past.tail, mirrored).mirrored(),
                place_windows(self._right.tail, ruler),
            )
        return True


def _tail_of(side: Repetition) -> Tail:
    """The tail that was found, to the right."""
    onset, end = side.source
    return Tail(onset, 0 if side.is_constant else end - onset, side.is_empty)
