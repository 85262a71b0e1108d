"""Changes that are to come, in Python: as `rete.kernels.bags._timeline`, readable."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

import numpy as np

from rete.arrays.delta import Rows

CELL, GROUP, VALUE, ORDER, SIGN = range(5)
"""The columns of a change: at which cell, to which group, the ids of the member and of that by
which it is ordered (0: nothing), 1 if it comes and -1 if it goes."""


class Timeline:
    """Changes of groups, by cell; and the numbers of groups, given out here.

    A change costs the logarithm of those that wait, in the compiled twin next to nothing if it is
    the last of those that come, or of those that go.
    """

    __slots__ = ("_closed", "_free", "_heap", "_numbers", "_waiting")

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, int, int, int]] = []
        self._numbers = count()
        self._waiting: list[int] = []  # by group
        self._closed: set[int] = set()
        self._free: list[int] = []

    def open(self) -> int:
        """The number of a new group: the one that became free last, or else the next."""
        if self._free:
            return self._free.pop()
        self._waiting.append(0)
        return len(self._waiting) - 1

    def close(self, group: int) -> None:
        """What waits of the group does not come any more; then its number is free."""
        if self._waiting[group]:
            self._closed.add(group)
        else:
            self._free.append(group)

    def waiting(self, group: int) -> int:
        """How many changes of the group wait."""
        return self._waiting[group]

    def add(self, changes: Rows) -> None:
        """Let changes wait, (n, 5) as above."""
        for cell, group, value, order, sign in changes.tolist():
            self._waiting[group] += 1
            heappush(self._heap, (cell, -sign, next(self._numbers), group, value, order))

    def take(self, until: int) -> Rows:
        """The changes before the cell ``until``, (n, 5), by group and cell.

        Of those at one cell the ones that come stand first, in the order in which they were added.
        """
        found: list[tuple[int, int, int, int, int]] = []
        while self._heap and self._heap[0][0] < until:
            cell, sign, _, group, value, order = heappop(self._heap)
            self._waiting[group] -= 1
            if group not in self._closed:
                found.append((cell, group, value, order, -sign))
            elif not self._waiting[group]:
                self._closed.remove(group)
                self._free.append(group)
        changes = np.array(found, np.int64).reshape(len(found), 5)
        return changes[np.argsort(changes[:, GROUP], kind="stable")]
