"""Allowed lateness: how late elements may be, by default, by source, or by predicate.

An element may be late by the largest delay that applies to it: that of its source, and those of the
predicates of its triples. The frontier of a source is its largest stamp less the largest delay that
could apply to one of its elements; so no instant is closed that an element in time may still touch.
Where predicates have delays, there is one such late bound for each delay, and an element is late if
it lies below its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from r4.stream.elements.judged_elements import SIZE, SOURCE, TICK, JudgedElements
from r4.stream.elements.segmentation import PREDICATE
from r4.stream.source import Source, StreamOptions
from r4.stream.watermark import Frontier, FrontierMoves
from r4.time.ticks import Tick
from rete.arrays.delta import Column
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary


class AllowedLateness:
    """The frontier, and for each element the late bound that it is judged by.

    Attributes:
        frontier: The lowest late bound.
    """

    __slots__ = ("_levels", "_of_predicate", "_others", "frontier")

    def __init__(self, delays: Sequence[Tick], of_predicates: Mapping[int, Tick]) -> None:
        """Begin.

        Args:
            delays: By source.
            of_predicates: By id, which is pinned.
        """
        levels = sorted({0, *of_predicates.values()})
        *others, largest = [Frontier([max(level, own) for own in delays]) for level in levels]
        self.frontier = largest
        self._others = others
        self._levels = np.array(levels, np.int64)
        self._of_predicate = dict(of_predicates)

    @classmethod
    def of(
        cls, sources: Sequence[Source], options: StreamOptions, dictionary: Dictionary
    ) -> AllowedLateness:
        """That of a run."""
        ids = dictionary.encode_many([f"<{iri}>" for iri in options.predicate_delays])
        dictionary.pin(ids)
        own = options.delays_of([source.name for source in sources])
        return cls(own, dict(zip(ids.tolist(), options.predicate_delays.values(), strict=True)))

    def saved(self) -> State:
        """How far time has moved, for each late bound."""
        return {"lines": [bound.saved() for bound in (*self._others, self.frontier)]}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved of the same delays."""
        bounds = (*self._others, self.frontier)
        for bound, part in zip(bounds, given.parts("lines", len(bounds)), strict=True):
            bound.restore(part)

    def advance(
        self, elements: JudgedElements, ends: Column
    ) -> tuple[tuple[FrontierMoves, ...], Column]:
        """Read merged elements: how time moves, and the late bound of each.

        How it moves for each late bound, the frontier last.

        Args:
            elements: The elements, by their stamps.
            ends: (k,) how many of them there are when each source ends; see `Frontier.advance`.
        """
        bounds = (*self._others, self.frontier)
        source, tick = elements.table[:, SOURCE], elements.table[:, TICK]
        moves = tuple(bound.advance(source, tick, ends) for bound in bounds)
        before = [each.before[:-1] for each in moves]
        if len(bounds) == 1:
            return moves, before[0]
        level = self._level(elements)
        return moves, np.stack(before)[level, np.arange(len(level))]

    def reach(self, tick: Tick, ends: Column) -> tuple[tuple[Tick, ...], tuple[Tick, ...]]:
        """Move every source to ``tick`` at least: the late bounds before, and after.

        ``ends`` as of `Frontier.reach`; the frontier is the last.
        """
        bounds = (*self._others, self.frontier)
        before = tuple(bound.at for bound in bounds)
        for bound in bounds:
            bound.reach(tick, ends)
        return before, tuple(bound.at for bound in bounds)

    def _level(self, elements: JudgedElements) -> Column:
        """The number of the late bound that each element is judged by."""
        delay = np.zeros(len(elements.triples), np.int64)
        for predicate, ticks in self._of_predicate.items():
            delay[elements.triples[:, PREDICATE] == predicate] = ticks
        owner = np.repeat(np.arange(len(elements)), elements.table[:, SIZE])
        most = np.zeros(len(elements), np.int64)
        np.maximum.at(most, owner, delay)
        return np.searchsorted(self._levels, most)
