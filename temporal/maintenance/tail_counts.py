"""The tails of all atoms on one side of the data, counted: the tail of the whole model.

The least period of the model is the least common multiple of those of its atoms, and it begins to
repeat where the last of them does. So it is enough to count how many atoms have which period, and
how many begin to repeat in which cell: an update takes the tails of changed atoms out and puts in
the new ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, MutableMapping
from typing import Final, TypeVar

import numpy as np
from sortedcontainers import SortedDict

from rete.arrays.delta import Column, Rows
from temporal.periods.atom_tails import common_period, split_tail
from temporal.periods.change_points import order_changes
from temporal.periods.coalescing import number_rows
from temporal.periods.tails import Tail, find_tail

K = TypeVar("K", bound=Hashable)

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

    def __init__(self, facts: Mapping[K, Rows], first: int, tail: Tail) -> None:
        """Count them, in a model whose tail is known.

        Args:
            facts: maximal rows, known as far as the tail has repeated once.
            first: the first cell behind the data.
            tail: that of the model.
        """
        self.base = first
        self.tail = tail
        self._periods: dict[int, int] = {}
        self._onsets: SortedDict[int, int] = SortedDict()
        self._holding = 0
        rows, count = number_atoms(facts, first)
        self._count(rows, count, tail, 1)

    def update(  # noqa: PLR0913, PLR0917 - what changed, and what it is compared with
        self, before: Rows, after: Rows, count: int, first: int, stop: int, width: int
    ) -> bool:
        """Change the tails of some atoms; whether the tail of the model is known with that.

        If it is not, the counts are of no use any more.

        Args:
            before: (n, 3) rows of ``count`` numbered atoms from `base` to ``stop``, as they were.
            after: as they are now; none of other atoms have changed there.
            count: how many atoms.
            first: the first cell behind the data, not before `base`.
            stop: the cell up to which all is known.
            width: windows are so many cells long, and one more.
        """
        self._count(before, count, self.tail, -1)
        if not count:
            self.tail = self._tail(first)
            length = max(self.tail.period, 2) + width + _WINDOW
            return self.tail.onset + length <= stop
        rest = common_period(list(self._periods))
        settled = max(first, self._last_onset)
        found = find_tail(order_changes(after, self.base, stop), width, settled, rest)
        if found is None:
            return False
        self._count(after, count, found, 1)
        self.tail = self._tail(first)
        return True

    def _tail(self, first: int) -> Tail:
        period = common_period(list(self._periods))
        onset = max(first, self._last_onset)
        return Tail(onset, period, is_empty=not self._holding)

    @property
    def _last_onset(self) -> int:
        return int(self._onsets.peekitem()[0]) if self._onsets else self.base

    def _count(self, rows: Rows, count: int, tail: Tail, sign: int) -> None:
        """Count atoms in, or out, all of which repeat as ``tail`` says."""
        if not count:
            return
        found = split_tail(rows, count, self.base, max(tail.onset, self.base), tail.period)
        if tail.period:
            _add(self._periods, found.period[found.period > 0], sign)
        _add(self._onsets, found.onset[found.onset > self.base], sign)
        self._holding += sign * int(np.count_nonzero(found.holds))


def _add(counts: MutableMapping[int, int], numbers: Column, sign: int) -> None:
    """Each of ``numbers`` occurs once more, or less."""
    for number in numbers.tolist():
        left = counts.get(number, 0) + sign
        if left:
            counts[number] = left
        else:
            del counts[number]


def number_atoms(facts: Mapping[K, Rows], first: int) -> tuple[Rows, int]:
    """Rows behind ``first`` with the number of their atom alone, and how many atoms there are."""
    found: list[Rows] = [np.empty((0, 3), np.int64)]
    count = 0
    for rows in facts.values():
        inside = rows[rows[:, -1] > first]
        if len(inside):
            (number,) = number_rows(inside[:, :-2])
            found.append(np.column_stack([number + count, inside[:, -2:]]))
            count += int(number.max()) + 1
    return np.concatenate(found), count
