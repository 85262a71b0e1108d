"""The watermark of several sources, called the frontier, and how late elements may be.

An element may be late by the largest delay that applies to it: that of its source, and those of the
predicates of its triples. The frontier of a source is its largest stamp less the largest delay that
could apply to one of its elements; so no instant is closed that an element in time may still touch.
Where predicates have delays, there is one such late bound for each delay, and an element is late if
it lies below its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from r4.stream.elements.judged_elements import SIZE, SOURCE, TICK, JudgedElements
from r4.stream.elements.segmentation import PREDICATE
from r4.stream.source import Source, StreamOptions
from r4.time.ticks import NEG_INF, POS_INF, Tick
from rete.arrays.delta import Column
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True, slots=True)
class FrontierMoves:
    """How time moved while n elements were read.

    Attributes:
        before: (n + 1,) the frontier before each element, and after the last.
        after: (n,) the frontier after each element, its source counting even where it ends with it.
            So it is known as soon as the element is.
    """

    before: Column
    after: Column


class Frontier:
    """The watermark: up to where time has moved. No later element in time lies before it.

    It is the least over the sources that count of the largest stamp read less the delay of that
    source; a source without a stamp yet holds it at minus infinity; one that has ended, or is
    idle, does not count. It never moves back; where no source counts it stays.

    Attributes:
        at: The frontier; `NEG_INF` while there is none.
        last: The largest stamp read; `NEG_INF` before the first.
        holding: The source that holds it back: the first of those with the least; -1: none counts.
        behind: (k,) the most ticks that each source, while it counted and had a stamp, was behind
            the largest stamp; 0 where there is only one.
    """

    __slots__ = ("_delays", "_latest", "at", "behind", "holding", "last")

    def __init__(self, delays: Sequence[Tick]) -> None:
        self.at: Tick = NEG_INF
        self.last: Tick = NEG_INF
        self.holding = 0 if delays else -1
        self.behind: Column = np.zeros(len(delays), np.int64)
        self._delays = np.array(delays, np.int64)
        self._latest: Column = np.full(len(delays), NEG_INF, np.int64)

    def saved(self) -> State:
        """How far time has moved."""
        return {
            "at": self.at,
            "last": self.last,
            "holding": self.holding,
            "behind": self.behind,
            "latest": self._latest,
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved of a frontier of as many sources."""
        self.at, self.last = given.integer("at", NEG_INF), given.integer("last", NEG_INF)
        self.holding = given.integer("holding", -1, len(self._latest) - 1)
        self.behind = given.array("behind", np.int64, len(self._latest))
        self._latest = given.array("latest", np.int64, len(self._latest))

    def advance(self, source: Column, tick: Column, until: Column) -> FrontierMoves:
        """Read elements.

        Args:
            source: (n,) the source of each element.
            tick: (n,) its stamp, `NEG_INF` where it has none.
            until: (k,) how many of the elements there are when a source stops to count; more than n
                if it does not.

        Costs O(n log n + k).
        """
        if len(until) == 1:
            counting, ended = self._of_one(tick, int(until[0]))
        else:
            counting, ended = self._of_several(source, tick, until)
        final = np.where(until > len(tick), self._less_delay(self._latest, self._delays), POS_INF)
        self.holding = int(final.argmin()) if final.min(initial=POS_INF) < POS_INF else -1
        counting[counting == POS_INF] = NEG_INF
        ended[ended == POS_INF] = NEG_INF
        found = np.maximum(counting, ended, out=ended)
        found[0] = max(int(found[0]), self.at)
        np.maximum.accumulate(found, out=found)
        self.at = int(found[-1])
        self.last = int(self._latest.max(initial=NEG_INF))
        return FrontierMoves(found, np.maximum(found[:-1], counting[1:]))

    def _of_one(self, tick: Column, end: int) -> tuple[Column, Column]:
        """As `_of_several`, where there is one source."""
        seen = np.maximum.accumulate(np.append(self._latest, tick))
        self._latest[0] = seen[-1]
        ended = self._less_delay(seen, self._delays)
        counting = ended.copy()
        counting[end + 1 :] = POS_INF
        ended[end:] = POS_INF
        return counting, ended

    def _of_several(self, source: Column, tick: Column, until: Column) -> tuple[Column, Column]:
        """To what sources hold the frontier before each element and after the last, (n + 1,) each.

        In the first a source counts where it ends, too, in the second it does not; `POS_INF` where
        none counts. What a source holds it to never falls. So the least at a place is the least of
        all that is entered there or behind it, if each value is entered at the last place that has
        it.
        """
        size = len(tick)
        order = np.argsort(source, kind="stable")
        largest = np.maximum.accumulate(np.append(self.last, tick))
        numbers, begins = np.unique(source[order], return_index=True)
        is_silent = np.ones(len(until), np.bool_)
        is_silent[numbers] = False
        silent = is_silent.nonzero()[0]
        owners, values, places = [silent], [self._latest[silent]], [np.full(len(silent), size)]
        ends = np.append(begins, size)[1:]
        for number, begin, end in zip(
            numbers.tolist(), begins.tolist(), ends.tolist(), strict=True
        ):
            own = order[begin:end]
            seen = np.maximum.accumulate(np.append(self._latest[number], tick[own]))
            self._latest[number] = seen[-1]
            owners.append(np.full(len(seen), number))
            values.append(seen)
            places.append(np.append(own, size))
        owner, value, place = map(np.concatenate, (owners, values, places))
        end = until[owner]
        counts = end > 0
        has_lag = counts & (value > NEG_INF)
        lag = largest[np.minimum(place, end)[has_lag]] - value[has_lag]
        np.maximum.at(self.behind, owner[has_lag], lag)
        least = self._less_delay(value, self._delays[owner])
        counting = np.full(size + 1, POS_INF, np.int64)
        ended = counting.copy()
        np.minimum.at(counting, np.minimum(place, end), least)
        np.minimum.at(ended, np.minimum(place, end - 1)[counts], least[counts])
        for found in (counting, ended):
            np.minimum.accumulate(found[::-1], out=found[::-1])
        return counting, ended

    def _less_delay(self, tick: Column, delay: Column) -> Column:
        return np.where(tick > NEG_INF, tick - delay, NEG_INF)

    def reach(self, tick: Tick, until: Column) -> None:
        """Every source has come to ``tick`` at least, as by an empty element of each.

        So time moves even where all sources are idle. ``until``: (k,) as of `advance`, 0 for a
        source that does not count.
        """
        np.maximum(self._latest, tick, out=self._latest)
        nothing = np.empty(0, np.int64)
        self.advance(nothing, nothing, until)


class AllowedLateness:
    """The frontier, and for each element the late bound that it is judged by.

    Attributes:
        frontier: The lowest late bound.
    """

    __slots__ = ("_levels", "_of_predicate", "_others", "frontier")

    def __init__(self, delays: Sequence[Tick], of_predicates: Mapping[int, Tick]) -> None:
        """Begin, with the delays by source, and by the id of a predicate, which is pinned."""
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
        """The lateness that the options of a run allow."""
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
        """Read merged elements: how time moves for each late bound, and the bound of each element.

        The frontier is the last. ``ends`` as of `Frontier.advance`.
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
        delay = np.zeros(len(elements.triples), np.int64)
        for predicate, ticks in self._of_predicate.items():
            delay[elements.triples[:, PREDICATE] == predicate] = ticks
        owner = np.repeat(np.arange(len(elements)), elements.table[:, SIZE])
        most = np.zeros(len(elements), np.int64)
        np.maximum.at(most, owner, delay)
        return np.searchsorted(self._levels, most)
