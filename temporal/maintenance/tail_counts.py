"""The tails of all atoms on each side of the data, counted: how the whole model goes on.

The least period of the model is the least common multiple of those of its atoms, and it begins to
repeat where the last of them does. So it is enough to count how many atoms have which period, and
how many begin to repeat in which cell: an update takes the tails of changed atoms out and puts in
the new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from sortedcontainers import SortedDict

from rete.arrays.delta import Cells, Rows, columns
from rete.kernels import concatenate, project
from rete.storage.row_algebra import positions
from temporal.maintenance.fact_changes import AtomRows
from temporal.mtl.ast import PredicateKey
from temporal.periods.atom_tails import common_period, split_constant_tail, split_tail
from temporal.periods.change_points import number_rows, order_changes
from temporal.periods.tails import Tail, find_constant_tail, find_tail
from temporal.periods.unfolding import reflect, reflect_end
from temporal.periods.windows import Repetition, Ruler, place_windows

_FEW: Final = 64
"""Of up to so many rows it takes less time to look at one after the other."""
_WINDOW: Final = 1
"""A window has so many cells more than its width."""


class TailCounts:
    """The tails of all atoms, to the right of the data; the left side is the mirror image.

    Attributes:
        tail: that of the whole model.
        base: tails begin in this cell at the earliest; the data do not end behind it, unless some
            have come since.
    """

    __slots__ = ("_holding", "_onsets", "_periods", "base", "tail")

    def __init__(self, facts: Iterable[Rows], first: int, tail: Tail) -> None:
        """Count them, in a model whose tail is known; ``first`` is the first cell behind the data.

        ``facts`` are maximal rows, by predicate, known as far as the tail has repeated once.
        """
        self.base = first
        self.tail = tail
        self._periods: dict[int, int] = {}
        self._onsets: SortedDict[int, int] = SortedDict()
        self._holding = 0
        self._count([rows[rows[:, -1] > first] for rows in facts], tail, 1)

    def update(self, rows: Sequence[AtomRows], first: int, stop: int, width: int) -> bool:
        """Change the tails of some atoms; whether the tail of the model is known with that.

        If it is not, the counts are of no use any more.

        Args:
            rows: maximal ones of the atoms from `base` to ``stop``, by predicate, as they were and
                as they are now; none of other atoms have changed there.
            first: the first cell behind the data, not before `base`.
            stop: the cell up to which all is known.
            width: windows are so many cells long, and one more.
        """
        self._count([each.before for each in rows], self.tail, -1)
        if not rows:
            self.tail = self._tail(first)
            length = max(self.tail.period, 2) + width + _WINDOW
            return self.tail.onset + length <= stop
        after = [each.after for each in rows]
        found = self._find_tail(after, max(first, self._last_onset), stop, width)
        if found is None:
            return False
        self._count(after, found, 1)
        self.tail = self._tail(first)
        return True

    def _find_tail(self, rows: Sequence[Rows], settled: int, stop: int, width: int) -> Tail | None:
        """The tail of some atoms, from where the others have settled; see `find_tail`."""
        rest = common_period(list(self._periods))
        if _are_few(rows):
            times = [(row[-2], row[-1]) for part in rows for row in part.tolist()]
            found = find_constant_tail(times, self.base, stop, width, settled, rest)
            if found is not None:
                return found
        numbered, _ = number_atoms(rows)
        return find_tail(order_changes(numbered, self.base, stop), width, settled, rest)

    def _tail(self, first: int) -> Tail:
        period = common_period(list(self._periods))
        onset = max(first, self._last_onset)
        return Tail(onset, period, is_empty=not self._holding)

    @property
    def _last_onset(self) -> int:
        return int(self._onsets.peekitem()[0]) if self._onsets else self.base

    def _count(self, rows: Sequence[Rows], tail: Tail, sign: int) -> None:
        """Count atoms in, or out, all of which repeat as ``tail`` says."""
        first, onset = self.base, max(tail.onset, self.base)
        if not tail.period and _are_few(rows):
            onsets, holding = split_constant_tail(rows, first, onset)
        else:
            numbered, count = number_atoms(rows)
            found = split_tail(numbered, count, first, onset, tail.period)
            _add(self._periods, found.period[found.period > 0].tolist(), sign)
            onsets = found.onset[found.onset > first].tolist()
            holding = int(np.count_nonzero(found.holds))
        _add(self._onsets, onsets, sign)
        self._holding += sign * holding


def _are_few(rows: Sequence[Rows]) -> bool:
    return sum(map(len, rows)) <= _FEW


def _add(counts: MutableMapping[int, int], numbers: Iterable[int], sign: int) -> None:
    """Each of ``numbers`` occurs once more, or less."""
    for number in numbers:
        left = counts.get(number, 0) + sign
        if left:
            counts[number] = left
        else:
            del counts[number]


def number_atoms(found: Sequence[Rows]) -> tuple[Rows, int]:
    """Rows of some predicates with the number of their atom alone, and how many atoms there are."""
    width = max([rows.shape[1] - 2 for rows in found], default=0)
    parts = [np.empty((0, width + 3), np.int64)]
    for place, rows in enumerate(found):
        terms = range(rows.shape[1] - 2)
        taken = positions((~1, *terms, *(~0 for _ in range(len(terms), width))))
        parts.append(project(rows, taken, columns([0, place])))
    rows = concatenate(parts)
    numbered = np.empty((len(rows), 3), np.int64)
    (numbered[:, 0],) = number_rows(rows[:, :-2])
    numbered[:, 1:] = rows[:, -2:]
    return numbered, int(numbered[:, 0].max(initial=-1)) + 1


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
        past = [AtomRows(*map(reflect, rows)) for rows in left.values()]
        if not self._past.update(past, mirrored.first, reflect_end(known[0]), ruler.width):
            return False
        if not self._right.update([*right.values()], ruler.first, known[1], ruler.width):
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
