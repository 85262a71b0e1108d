"""The progress of time in a core: what is closed, what is final, how far there is to derive."""

from __future__ import annotations

import math
from typing import Final

from rete.arrays.delta import NEG_INF, POS_INF

_FAR: Final = 2**61 - 1
"""After every finite tick, and its cell still a finite one."""
_AHEAD: Final = 2**61
"""The largest lag, in cells: nothing is final before the end."""


class TimeProgress:
    """The frontier, and what follows from it.

    Attributes:
        frontier: instants before it are closed; `NEG_INF` before the first.
        first: the least stamp; `POS_INF` before there is one.
        last: the largest stamp; `NEG_INF` before the first.
        final: the cell before which all answers are final.
        ended: whether the input has ended, so that all is final that is closed.
        beyond: how many cells past all stamps facts without end are derived.
    """

    __slots__ = ("_lag", "beyond", "ended", "final", "first", "frontier", "last")

    def __init__(self) -> None:
        self.frontier = self.last = self.final = NEG_INF
        self.first = POS_INF
        self.ended = False
        self.beyond = 2
        self._lag = 0

    def begin(self, stamp: int) -> None:
        """Time begins with a stamp, unless it has begun."""
        if self.first == POS_INF and stamp > NEG_INF:
            self.first = stamp

    @property
    def lag(self) -> int:
        """How many cells after an instant is closed its answers are final."""
        return self._lag

    @lag.setter
    def lag(self, cells: int) -> None:
        self._lag = min(cells, _AHEAD)

    @property
    def lookahead(self) -> float:
        """How many ticks after an instant its answers are final; infinity: at the end."""
        return math.inf if self._lag >= _AHEAD else self._lag // 2

    @property
    def final_tick(self) -> int:
        """The tick before which all answers are final; `NEG_INF` before the first."""
        return self.final // 2 if self.final > NEG_INF else NEG_INF

    @property
    def cell(self) -> int:
        """The cell of the frontier."""
        return 2 * self.frontier if self.frontier > NEG_INF else NEG_INF

    def horizon(self, until: int) -> int:
        """The cell up to which facts without end are derived, at least up to the tick ``until``.

        Before time has begun it is the first one: what follows from static data alone holds there.
        """
        ticks = max(self.frontier, self.last, until)
        far = 2 * ticks + self._lag + self.beyond
        return min(far, POS_INF) if ticks > NEG_INF else NEG_INF + 1

    def known_before(self, frontier: int) -> int:
        """The cell before which all facts are known that answers before ``frontier`` rest on.

        Once the input has ended, they are known as far as operators look ahead.
        """
        return min(2 * frontier + (self._lag if self.ended else 0), POS_INF)

    def final_after(self, frontier: int) -> int:
        """The cell before which all is final once all instants before ``frontier`` are closed."""
        return 2 * max(frontier, self.frontier) - (0 if self.ended else self._lag)

    def settle(self, cell: int) -> None:
        """All before ``cell`` is final, whatever the lag will be."""
        self.final = max(self.final, cell)

    def close(self, frontier: int) -> bool:
        """Close all instants before ``frontier``; whether more is final than before."""
        self.frontier = max(self.frontier, frontier)
        cell = 2 * self.frontier - (0 if self.ended else self._lag)
        if cell <= self.final:
            return False
        self.final = cell
        return True

    def restore(self, frontier: int, final: int) -> None:
        """Go on from where all instants before ``frontier`` were closed."""
        self.frontier, self.final = frontier, final


def closing_frontier(last: int, drain: int | None) -> int:
    """The frontier at the end of input: after all time, or ``drain`` ticks after the last stamp."""
    return (_FAR if drain is None else min(last + drain, _FAR)) + 1


LATEST_FRONTIER: Final = _FAR + 1
"""No frontier is after it."""
