"""The frontier of several sources, item by item."""

from __future__ import annotations

import numpy as np

from r4.elements import Column
from r4.time import NEG_INF, POS_INF, Tick


class Frontier:
    """Up to where time has moved: no later element in time lies before it.

    It is the least over the sources that count of the largest stamp read less the delay; a source
    without a stamp yet holds it at minus infinity, one that has ended no longer counts. It never
    moves back; where no source counts any more it stays.

    Attributes:
        at: The frontier; `NEG_INF` while there is none.
        last: The largest stamp read; `NEG_INF` before the first.
    """

    __slots__ = ("_delay", "_latest", "at", "last")

    def __init__(self, sources: int, delay: Tick) -> None:
        self.at: Tick = NEG_INF
        self.last: Tick = NEG_INF
        self._delay = delay
        self._latest: Column = np.full(sources, NEG_INF, np.int64)

    def advance(self, source: Column, tick: Column, until: Column) -> Column:
        """Read items: the frontier before each, and after the last, (n + 1,).

        Args:
            source: (n,) the source of each item.
            tick: (n,) its stamp, `NEG_INF` where it has none.
            until: (k,) how many of the items there are when a source has ended; more than n if it
                has not.

        Costs O(n k).
        """
        counting = np.full(len(tick) + 1, POS_INF, np.int64)
        ended = counting.copy()
        for number, end in enumerate(until.tolist()):
            seen = np.empty_like(counting)
            seen[0] = self._latest[number]
            seen[1:] = tick if len(until) == 1 else np.where(source == number, tick, NEG_INF)
            np.maximum.accumulate(seen, out=seen)
            self._latest[number] = seen[-1]
            seen[seen > NEG_INF] -= self._delay
            # The last element of a source counts before the source ends with it.
            seen[end + 1 :] = POS_INF
            np.minimum(counting, seen, out=counting)
            seen[end:] = POS_INF
            np.minimum(ended, seen, out=ended)
        counting[counting == POS_INF] = NEG_INF
        ended[ended == POS_INF] = NEG_INF
        found = np.maximum(counting, ended, out=ended)
        found[0] = max(int(found[0]), self.at)
        np.maximum.accumulate(found, out=found)
        self.at = int(found[-1])
        self.last = int(self._latest.max(initial=NEG_INF))
        return found
