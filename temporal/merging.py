"""Union and difference of endless models, as sets in time.

What [DRedMTL26, Implementation of Periodic Operators] does by extending and aligning periods.
Both are written out as far as the common turn of their periods, the least common multiple, and a
little more; there rows are united, or taken away. Beyond, the result repeats with that turn; its
least period may be less, and is found as that of any model (`temporal.tails`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import lcm
from typing import TypeAlias, TypeVar

import numpy as np

from rete.delta import Rows
from rete.unions import lacking
from temporal.changes import Facts, changes
from temporal.coalescing import coalesce
from temporal.endless import Endless
from temporal.mirror import reflect
from temporal.tails import find_tail
from temporal.windows import Frame, Repeat, placed

K = TypeVar("K", bound=Hashable)
Operation: TypeAlias = Callable[[Rows, Rows], Rows]


def union(one: Endless[K], other: Endless[K], frame: Frame) -> Endless[K]:
    """What holds in one of them.

    ``frame`` says where windows may lie: beside the data of both. O(n log n) in the rows of a
    common turn, which may be as long as the product of the periods.
    """
    return _merged(one, other, frame, lambda a, b: coalesce(np.concatenate([a, b])))


def difference(one: Endless[K], other: Endless[K], frame: Frame) -> Endless[K]:
    """What holds in ``one`` and not in ``other``; see `union`."""
    return _merged(one, other, frame, lacking)


def _merged(one: Endless[K], other: Endless[K], frame: Frame, operation: Operation) -> Endless[K]:
    past = frame.mirrored()
    ahead = _Common(frame, one.right, other.right)
    back = _Common(past, one.left.mirrored(), other.left.mirrored())
    stretch = 1 - back.stop, ahead.stop
    parts = dict(one.unfold(*stretch)), dict(other.unfold(*stretch))
    nothing = {key: rows[:0] for part in parts for key, rows in part.items()}
    facts = {
        key: operation(parts[0].get(key, empty), parts[1].get(key, empty))
        for key, empty in nothing.items()
    }
    mirrored = {key: reflect(rows) for key, rows in facts.items()}
    return Endless.of(facts, back.found(mirrored).mirrored(), ahead.found(facts))


class _Common:
    """The right side of two models: where both repeat, and after how many cells together."""

    __slots__ = ("_frame", "_onset", "_turn", "stop")

    def __init__(self, frame: Frame, one: Repeat, other: Repeat) -> None:
        turns = [
            2 if side.is_constant else side.source[1] - side.source[0] for side in (one, other)
        ]
        self._frame = frame
        self._turn = lcm(*turns)
        self._onset = max(one.source[0], other.source[0], frame.first)
        self.stop = self._onset + 3 * self._turn + 3

    def found(self, facts: Facts[K]) -> Repeat:
        """How the result goes on, from its rows as far as ``stop``."""
        tail = find_tail(changes(facts, self._frame.first, self.stop), self._turn, self._onset)
        assert tail is not None  # a turn lies there twice
        return placed(tail, self._frame)
