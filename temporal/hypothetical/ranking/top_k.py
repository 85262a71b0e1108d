"""Top-k: at most k entries are kept, those with the highest confidence as it changes with time.

At the end of each moment those with the highest confidence stay; of equal ones those that come
first by text. The others are *dropped*. A dropped entry is reported no more, unless it gains
evidence: then it is another entry, and may be among the best. The caller follows dropped entries,
too: they make others needless as before, and an answer is certain when all its facts have arrived.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from heapq import heappop, heappush
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from rete.arrays.delta import POS_INF

END_OF_INPUT: Final = "end of input"
"""The reason why all ends that is still open."""
DROPPED_PREFIX: Final = "dropped: more than "
"""The begin of the reason why an answer ends whose entries were dropped."""


def dropped_reason(most: int) -> str:
    """The whole reason why an answer ends whose entries were dropped."""
    return f"{DROPPED_PREFIX}{most}"


K = TypeVar("K", bound=Hashable)
L = TypeVar("L")
OrderText: TypeAlias = tuple[object, ...]
"""The order of entries of the same confidence."""
RiskFunction: TypeAlias = Callable[[L, int], tuple[Fraction, int]]
"""The risk of what is awaited, at a moment, and when that changes; see `RiskTable.grade`."""
BegunSet: TypeAlias = tuple[int, K, OrderText, L]
"""When a set begins; its key, by which it replaces a set that is kept; what orders those of the
same confidence; and what it awaits: if that is nothing, it needs no place."""


class KeptChanges(NamedTuple, Generic[K]):
    """The changes of sets in a batch.

    Attributes:
        begun: the places of those that begin and are kept, or await nothing.
        ended: the places of those that end and were kept.
        dropped: when which were dropped that had been kept before, in order.
    """

    begun: list[int]
    ended: list[int]
    dropped: list[tuple[int, K]]


class _RankedEntry(NamedTuple, Generic[K, L]):
    """An entry: its rank, of which the least is the best, and when its confidence changes."""

    rank: tuple[Fraction, OrderText, K]
    awaited: L
    until: int


class TopK(Generic[K, L]):
    """The entries that are kept, by key.

    Confidences change with time, each at times of its own; these are kept in order, so that a
    moment costs the logarithm of the number of entries, for each that changes.
    """

    def __init__(self, most: int, grade: RiskFunction[L]) -> None:
        self.most, self._grade = most, grade
        self.dropped = 0
        self._kept: dict[K, _RankedEntry[K, L]] = {}
        self._order: list[tuple[Fraction, OrderText, K]] = []
        self._changing: dict[int, dict[K, None]] = {}
        self._moments: list[int] = []
        self._dropped_now: list[K] = []

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[K]:
        return iter(self._kept)

    def __contains__(self, key: K) -> bool:
        return key in self._kept

    def settle(
        self, begun: Iterable[BegunSet[K, L]], ended: Iterable[tuple[int, K]]
    ) -> KeptChanges[K]:
        """Take in the sets of a batch that begin, and the moments and keys of those that end."""
        found = KeptChanges[K]([], [], [])
        begins: defaultdict[int, list[tuple[int, K, OrderText, L]]]
        begins, ends = defaultdict(list), defaultdict[int, list[tuple[int, K]]](list)
        for place, (tau, key, text, awaited) in enumerate(begun):
            begins[tau].append((place, key, text, awaited))
        for place, (tau, key) in enumerate(ended):
            ends[tau].append((place, key))
        for tau in sorted({*begins, *ends}):
            found.ended.extend(place for place, key in ends.get(tau, ()) if self._remove(key))
            some = begins.get(tau, ())
            known = {key for _, key, _, _ in some if self._remove(key)}
            self._advance(tau)
            new: dict[K, int] = {}
            for place, key, text, awaited in some:
                if awaited:
                    self.offer(key, text, awaited, tau)
                    new[key] = place
                else:
                    found.begun.append(place)
            for key in self._drop():
                if new.pop(key, None) is None or key in known:
                    found.dropped.append((tau, key))
            found.begun.extend(new.values())
        return found

    def offer(self, key: K, text: OrderText, awaited: L, tau: int) -> None:
        """Add an entry that begins at ``tau``, to which it was advanced, and is not kept yet.

        ``text`` orders entries of the same confidence; those of two keys are different.
        """
        found = self._ranked(key, text, awaited, tau)
        if len(self._order) >= self.most and self._order[self.most - 1] < found.rank:
            self._dropped_now.append(key)
        else:
            self._keep(found)

    def _advance(self, tau: int) -> None:
        """Give the entries the confidences of a moment."""
        due: list[K] = []
        while self._moments and self._moments[0] <= tau:
            due += self._changing.pop(heappop(self._moments))
        for key in due:
            entry = self._kept[key]
            self._remove(key)
            self._keep(self._ranked(key, entry.rank[1], entry.awaited, tau))

    def _drop(self) -> list[K]:
        """Drop the entries beyond the k best, at the end of a moment; their keys."""
        dropped_now = [*self._dropped_now, *(key for *_, key in self._order[self.most :])]
        for key in dropped_now:
            self._remove(key)
        self.dropped += len(dropped_now)
        self._dropped_now = []
        return dropped_now

    def _remove(self, key: K) -> bool:
        """Remove an entry; whether it was kept."""
        entry = self._kept.pop(key, None)
        if entry is None:
            return False
        del self._order[bisect_left(self._order, entry.rank)]
        if entry.until in self._changing:
            self._changing[entry.until].pop(key, None)
        return True

    def _ranked(self, key: K, text: OrderText, awaited: L, tau: int) -> _RankedEntry[K, L]:
        risk, until = self._grade(awaited, tau)
        return _RankedEntry((risk, text, key), awaited, until)

    def _keep(self, entry: _RankedEntry[K, L]) -> None:
        insort(self._order, entry.rank)
        key, until = entry.rank[-1], entry.until
        self._kept[key] = entry
        if until < POS_INF:
            if until not in self._changing:
                self._changing[until] = {}
                heappush(self._moments, until)
            self._changing[until][key] = None
