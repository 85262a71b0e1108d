"""The queue by valid time: it tells when so much has ended that to forget it pays."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF, Column

_RUN: Final = 1 << 10
"""Rows of an entry: those that came after each other, up to the greatest of their ends."""
_LEAST: Final = 1 << 15
"""Fewer rows that ended are not worth a look at all that are kept."""


class ValidTimeQueue:
    """Rows that came, by when they end [CoDeR: the window of a SteM is a queue by valid time].

    Nothing of a row is kept, so an entry costs nothing a row. What holds for ever is not counted.

    Attributes:
        valid: how many rows have not ended.
        ended: how many have, since `forgotten`.
        first: the cell at which the first of those end that `is_due` does not count as ended.
    """

    __slots__ = ("_end", "_entries", "_rows", "ended", "first", "valid")

    def __init__(self) -> None:
        self._entries: list[tuple[int, int]] = []
        self._end, self._rows = NEG_INF, 0
        self.valid = self.ended = 0
        self.first = POS_INF

    def add(self, ends: Column) -> None:
        """Rows came that end at these cells, (n,). O(n), and O(log entries) for `_RUN` rows."""
        if not len(ends):
            return
        last = int(ends.max())
        if last >= POS_INF:
            ends = ends[ends < POS_INF]
            last = int(ends.max(initial=NEG_INF))
        self._end = max(self._end, last)
        self._rows += len(ends)
        self.valid += len(ends)
        if self._rows >= _RUN:
            self._push()

    def _push(self) -> None:
        heappush(self._entries, (self._end, self._rows))
        self._end, self._rows = NEG_INF, 0
        self.first = self._entries[0][0]

    def note(self, end: int) -> None:
        """A row came that ends at this cell: as `add` for one."""
        if end < POS_INF:
            self._end = max(self._end, end)
            self._rows += 1
            self.valid += 1
            if self._rows >= _RUN:
                self._push()

    def is_due(self, bound: int, beside: int = 0) -> bool:
        """Whether more rows ended before the cell ``bound`` than did not: then forget them.

        And more than ``beside``, if to forget them costs that much in any case.
        """
        while self._entries and self._entries[0][0] <= bound:
            rows = heappop(self._entries)[1]
            self.valid -= rows
            self.ended += rows
        self.first = self._entries[0][0] if self._entries else POS_INF
        return self.ended > max(self.valid, _LEAST, beside)

    def forgotten(self) -> None:
        """What has ended is kept no longer."""
        self.ended = 0
