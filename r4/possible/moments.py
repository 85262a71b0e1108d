"""Moments: what is possible is told once for all that arrives while one stamp is the largest."""

from __future__ import annotations

from collections.abc import Sequence

from r4.possible.foresight import Foresight
from r4.possible.told import Possible, Told
from r4.time import NEG_INF, Tick


class Moments:
    """Tells what is possible when the largest stamp grows, and at the end.

    The state that is told is that before the element with which it grows.

    Attributes:
        at: the largest stamp so far; `NEG_INF` before the first.
    """

    def __init__(self, foresight: Foresight) -> None:
        self._foresight = foresight
        self._lines: Sequence[Tick] = ()
        self.at = NEG_INF

    def reach(self, last: Tick, lines: Sequence[Tick]) -> list[Told]:
        """What comes has the largest stamp ``last``: what is to be said of before.

        Elements were late below ``lines`` so far.
        """
        if last <= self.at:
            return []
        if self.at > NEG_INF:
            self._lines = lines
        told = self.close()
        self.at = last
        return told

    def completed(self, lines: Sequence[Tick]) -> None:
        """An element is complete; others are late below ``lines`` from now on."""
        self._lines = lines

    def close(self) -> list[Told]:
        """What is to be said of all so far."""
        if self.at == NEG_INF:
            return []
        self._foresight.settle(self._lines)
        return self._foresight.tell(self.at)

    def drain(self) -> list[Told]:
        """The input has ended, and what is open ends with it."""
        return self._foresight.drain(self.at)

    @property
    def dropped(self) -> int:
        """How many sets of hypotheses were, as there were too many."""
        return self._foresight.dropped

    def possible(self) -> list[Possible]:
        """What is possible by all so far."""
        if self._lines:
            self._foresight.settle(self._lines)
        return self._foresight.possible(self.at)
