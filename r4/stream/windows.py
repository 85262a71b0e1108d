"""Windows of sources and of predicates: how long triples of elements without an end hold.

The window of the source comes before that of the predicate, and both before that of the rules. An
element with an end of its own holds up to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.stream.elements.segmentation import PREDICATE
from r4.time.ticks import NO_END, Tick
from rete.arrays.delta import Column, Rows
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows that options give, in ticks.

    Attributes:
        others: In place of the window of the rules; None: that counts.
        sources: By the names of sources, in their order.
        predicates: By the IRIs of predicates, in their order.
    """

    others: Tick | None = None
    sources: tuple[tuple[str, Tick], ...] = ()
    predicates: tuple[tuple[str, Tick], ...] = ()

    @classmethod
    def of(
        cls, others: Tick | None, sources: Mapping[str, Tick], predicates: Mapping[str, Tick]
    ) -> Windows:
        """From mappings, whose order makes no difference."""
        return cls(others, tuple(sorted(sources.items())), tuple(sorted(predicates.items())))

    @property
    def lengths(self) -> frozenset[Tick]:
        """The lengths of those of sources and predicates."""
        return frozenset(ticks for _, ticks in (*self.sources, *self.predicates))


NO_WINDOWS: Final = Windows()
"""The window of the rules counts for all."""


class PredicateWindows:
    """The windows of predicates, by ids, which are pinned."""

    __slots__ = ("_ticks",)

    def __init__(self, windows: Windows, terms: Dictionary) -> None:
        ids = terms.encode_many([f"<{iri}>" for iri, _ in windows.predicates])
        terms.pin(ids)
        self._ticks = [
            (predicate, ticks)
            for predicate, (_, ticks) in zip(ids.tolist(), windows.predicates, strict=True)
        ]

    def ends(self, triples: Rows, start: Column, end: Column) -> Column:
        """When triples, (n, 3), end that begin at ``start``; `NO_END` where nothing says it.

        ``end`` says it already for some. All are ticks.
        """
        for predicate, ticks in self._ticks:
            own = (triples[:, PREDICATE] == predicate) & (end == NO_END)
            end = np.where(own, start + ticks, end)
        return end
