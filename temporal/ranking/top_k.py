"""A cap: at most so many entries are held.

At the end of each moment those with the highest confidence stay; of equal ones those that come
first by text. The others are *dropped*. What is dropped is told no more, unless it gains evidence:
then it is another entry, and may be among the best. Whoever offers entries goes on following what
is dropped, so an answer is certain when all its facts have come.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable
from fractions import Fraction
from heapq import heappop, heappush
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from rete.arrays.delta import POS_INF

DROPPED_PREFIX: Final = "dropped: more than "
"""So begins the reason why an answer ends whose entries were dropped."""


def dropped_reason(most: int) -> str:
    """The whole reason."""
    return f"{DROPPED_PREFIX}{most}"


K = TypeVar("K", bound=Hashable)
L = TypeVar("L")
OrderText: TypeAlias = tuple[object, ...]
"""What orders entries of the same confidence."""
RiskFunction: TypeAlias = Callable[[L, int], tuple[Fraction, int]]
"""The risk of what waits for something, at a moment, and when that changes; see `prospects`."""


class _RankedEntry(NamedTuple, Generic[K, L]):
    """What is known of an entry.

    Attributes:
        rank: its risk, and its text: what is less is better.
        lacking: what it waits for.
        until: when its confidence changes.
    """

    rank: tuple[Fraction, OrderText, K]
    lacking: L
    until: int


class TopK(Generic[K, L]):
    """What is held, by key.

    At each moment some are removed, it is advanced to it, some are offered, and it is settled what
    is dropped. Confidences change with time, each at times of its own; these are kept in order, so
    that a moment costs what changes at it: the logarithm of all that is held, for each.

    Attributes:
        most: how many entries, at most.
        dropped: how many were, so far.
    """

    __slots__ = (
        "_changing",
        "_grade",
        "_held",
        "_lost",
        "_moments",
        "_order",
        "dropped",
        "most",
    )

    def __init__(self, most: int, grade: RiskFunction[L]) -> None:
        self.most, self._grade = most, grade
        self.dropped = 0
        self._held: dict[K, _RankedEntry[K, L]] = {}
        self._order: list[tuple[Fraction, OrderText, K]] = []
        self._changing: dict[int, dict[K, None]] = {}
        self._moments: list[int] = []
        self._lost: list[K] = []

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: K) -> bool:
        return key in self._held

    def advance(self, tau: int) -> None:
        """Let what is held have the confidences of a moment."""
        due: list[K] = []
        while self._moments and self._moments[0] <= tau:
            due += self._changing.pop(heappop(self._moments))
        for key in due:
            held = self._held[key]
            self.remove(key)
            self._hold(self._graded(key, held.rank[1], held.lacking, tau))

    def offer(self, key: K, text: OrderText, lacking: L, tau: int) -> None:
        """An entry that begins at a moment to which it was advanced, and is not held.

        ``text`` orders entries of the same confidence; those of two keys are different.
        """
        found = self._graded(key, text, lacking, tau)
        if len(self._order) >= self.most and self._order[self.most - 1] < found.rank:
            self._lost.append(key)
        else:
            self._hold(found)

    def settle(self) -> list[K]:
        """Drop what is too much, at the end of a moment."""
        lost = [*self._lost, *(key for *_, key in self._order[self.most :])]
        for key in lost:
            self.remove(key)
        self.dropped += len(lost)
        self._lost = []
        return lost

    def remove(self, key: K) -> bool:
        """Hold an entry no longer; whether it was held."""
        held = self._held.pop(key, None)
        if held is None:
            return False
        del self._order[bisect_left(self._order, held.rank)]
        if held.until in self._changing:
            self._changing[held.until].pop(key, None)
        return True

    def _graded(self, key: K, text: OrderText, lacking: L, tau: int) -> _RankedEntry[K, L]:
        risk, until = self._grade(lacking, tau)
        return _RankedEntry((risk, text, key), lacking, until)

    def _hold(self, held: _RankedEntry[K, L]) -> None:
        insort(self._order, held.rank)
        key, until = held.rank[-1], held.until
        self._held[key] = held
        if until < POS_INF:
            if until not in self._changing:
                self._changing[until] = {}
                heappush(self._moments, until)
            self._changing[until][key] = None
