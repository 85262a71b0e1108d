"""At most k sets of hypotheses: which of those that begin are kept, and which are dropped when.

A set that is dropped is no less a hypothetical answer: it makes others needless as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from temporal.hypothetical.ranking.top_k import OrderText, RiskFunction, TopK

K = TypeVar("K", bound=Hashable)
L = TypeVar("L")
BegunSet: TypeAlias = tuple[int, K, OrderText, L]
"""When a set begins; its key, by which it replaces a set that is kept; what orders those of the
same confidence; and what it awaits: if that is nothing, it needs no place."""


class KeptChanges(NamedTuple, Generic[K]):
    """What became of sets in a batch.

    Attributes:
        begun: the places of those that begin and are kept, or await nothing.
        ended: the places of those that end and were kept.
        dropped: when which were dropped that had been kept before, in order.
    """

    begun: list[int]
    ended: list[int]
    dropped: list[tuple[int, K]]


class KeptSets(Generic[K, L]):
    """The sets that are kept.

    Attributes:
        best: these, by key.
    """

    __slots__ = ("best",)

    def __init__(self, most: int, grade: RiskFunction[L]) -> None:
        self.best: TopK[K, L] = TopK(most, grade)

    def settle(
        self, begun: Iterable[BegunSet[K, L]], ended: Iterable[tuple[int, K]]
    ) -> KeptChanges[K]:
        """Take in the sets of a batch that begin, and the moments and keys of those that end."""
        best, found = self.best, KeptChanges[K]([], [], [])
        begins: defaultdict[int, list[tuple[int, K, OrderText, L]]]
        begins, ends = defaultdict(list), defaultdict[int, list[tuple[int, K]]](list)
        for place, (tau, key, text, awaited) in enumerate(begun):
            begins[tau].append((place, key, text, awaited))
        for place, (tau, key) in enumerate(ended):
            ends[tau].append((place, key))
        for tau in sorted({*begins, *ends}):
            found.ended.extend(place for place, key in ends.get(tau, ()) if best.remove(key))
            some = begins.get(tau, ())
            known = {key for _, key, _, _ in some if best.remove(key)}
            best.advance(tau)
            new: dict[K, int] = {}
            for place, key, text, awaited in some:
                if awaited:
                    best.offer(key, text, awaited, tau)
                    new[key] = place
                else:
                    found.begun.append(place)
            for key in best.settle():
                if new.pop(key, None) is None or key in known:
                    found.dropped.append((tau, key))
            found.begun.extend(new.values())
        return found
