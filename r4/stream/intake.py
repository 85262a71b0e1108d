"""The intake: merges sources, moves the frontier, admits elements and cuts them into batches.

Reads no more than it must: the next element is known once every source that could still deliver an
earlier one has something buffered. What is complete by then is handed over as a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from r4.errors import BadData, Counters, Flaw, Sample
from r4.stream.allowed_lateness import AllowedLateness
from r4.stream.batch import Batch
from r4.stream.batching import cut_batches
from r4.stream.idleness import IdleTimeout, IdleTracker
from r4.stream.judged_elements import (
    BAD,
    ELEMENT,
    END,
    FLAW,
    LATE,
    PLACE,
    PLAIN,
    RETRACTED,
    ROUNDED,
    SOURCE,
    TICK,
    VALID_END,
    VALID_START,
    VERDICT,
    JudgedElements,
)
from r4.stream.merge import merge_next, source_ends
from r4.stream.source import Source, StreamOptions
from r4.stream.source_buffer import SourceBuffer
from r4.stream.watermark import FrontierMoves
from r4.time.ticks import NEG_INF, POS_INF, Kind, Tick
from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.terms.dictionary import Dictionary


class LateSink(Protocol):
    """Where late elements go."""

    def put(self, elements: JudgedElements) -> None:
        """Take late elements."""


class Intake:
    """The streams of a run as batches; an iterable that is consumed once.

    Where a source raises an exception in place of a chunk the iteration ends with that; a new
    iteration goes on from there. What is buffered in between can be saved.

    Attributes:
        counters: What was read, and what was wrong with it.
        kind: What the stamps are; `Kind.NONE` before the first good element.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        sources: Sequence[Source],
        dictionary: Dictionary,
        options: StreamOptions,
        *,
        counters: Counters | None = None,
        late: LateSink | None = None,
        idle_timeout: IdleTimeout | None = None,
    ) -> None:
        """Begin to read.

        Args:
            sources: In the order in which ties are broken.
            dictionary: Of all ids.
            options: How they are read.
            counters: Those of an earlier run, to be continued.
            late: Where late elements go.
            idle_timeout: When idle sources stop to count; None: never.
        """
        self.counters = Counters() if counters is None else counters
        self.kind = Kind.NONE
        self._options = options
        self._late = late
        self._buffers = [
            SourceBuffer(number, source, dictionary, options)
            for number, source in enumerate(sources)
        ]
        self._idleness = None if idle_timeout is None else IdleTracker(self._buffers, idle_timeout)
        self._lateness = AllowedLateness.of(sources, options, dictionary)
        self._emitted = NEG_INF, NEG_INF
        self._least_stamp: Tick = POS_INF
        self._has_element = False

    @property
    def frontier(self) -> Tick:
        """See `Batch.frontier`."""
        return self._lateness.frontier.at

    @property
    def last(self) -> Tick:
        """See `Batch.last`."""
        return self._lateness.frontier.last

    def __iter__(self) -> Iterator[Batch]:
        """The batches.

        Raises:
            BadData: At the first bad datum, in strict mode, after what came before it.
            SourceLost: The system stops delivering a source, after what came before it.
        """
        idleness = self._idleness
        while any(not buffer.exhausted for buffer in self._buffers):
            if idleness is not None:
                idleness.wake()
            reading = [
                i for i, buffer in enumerate(self._buffers) if not (buffer.exhausted or buffer.idle)
            ]
            if not reading:
                # All sources that could still deliver are idle, so what is buffered comes now.
                yield from self._hand_over(merge_next(self._buffers, POS_INF, len(self._buffers)))
                continue
            least = min(reading, key=lambda i: (self._buffers[i].high, i))
            buffer = self._buffers[least]
            if buffer.waiting:
                yield from self._hand_over(merge_next(self._buffers, buffer.high, least))
                continue
            if idleness is not None and not idleness.may_read(least):
                yield from self._hand_over(merge_next(self._buffers, NEG_INF, -1))
                continue
            self._read(least)
            if idleness is not None:
                idleness.mark_active(least)
            if buffer.exhausted:
                # No element comes, but the frontier may move: it has one source less.
                yield from self._hand_over(merge_next(self._buffers, NEG_INF, -1))
        yield from self._hand_over(merge_next(self._buffers, POS_INF, len(self._buffers)))

    @property
    def holding(self) -> str | None:
        """The source that holds the frontier back; None: there is no other, or none counts."""
        number = self._lateness.frontier.holding
        alone = len(self._buffers) < 2 or number < 0  # noqa: PLR2004 (one against another)
        return None if alone else self._buffers[number].source.name

    @property
    def furthest_behind(self) -> tuple[str, Tick] | None:
        """The source farthest behind the largest stamp, and by how many ticks; None: none was."""
        behind = self._lateness.frontier.behind
        number = int(behind.argmax()) if len(behind) else 0
        if not len(behind) or not behind[number]:
            return None
        return self._buffers[number].source.name, int(behind[number])

    @property
    def needed_ids(self) -> tuple[Rows | Column, ...]:
        """Ids that are buffered, in arrays of any shape: a sweep must keep them."""
        return tuple(ids for buffer in self._buffers for ids in buffer.needed_ids)

    def saved(self) -> State:
        """What is buffered, how far time has moved, the counters; not how far sources were read."""
        return {
            "kind": self.kind,
            "told": list(self._emitted),
            "least": self._least_stamp,
            "begun": self._has_element,
            "lateness": self._lateness.saved(),
            "counters": self.counters.saved(),
            "feeds": [buffer.saved() for buffer in self._buffers],
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved of an intake of as many sources and the same options."""
        self.kind = Kind(given.integer("kind", 0, max(Kind)))
        frontier, last = given.integers("told", 2)
        self._emitted = frontier, last
        self._least_stamp = given.integer("least")
        self._has_element = given.flag("begun")
        self._lateness.restore(given.part("lateness"))
        self.counters.restore(given.part("counters"))
        parts = given.parts("feeds", len(self._buffers))
        for buffer, part in zip(self._buffers, parts, strict=True):
            buffer.restore(part, alive)

    def close(self) -> None:
        """Close all sources."""
        for buffer in self._buffers:
            buffer.source.close()

    def _read(self, number: int) -> None:
        buffer = self._buffers[number]
        self.counters.quads += buffer.read()
        if self.kind == Kind.NONE:
            # Sources are read in their order until one has an element, which is the first of all.
            self.kind = buffer.first_kind()
        buffer.settle(self.kind)

    def _hand_over(self, merged: JudgedElements) -> Iterator[Batch]:
        """Merged elements as batches; in strict mode up to the first bad datum, which is raised."""
        ends = source_ends(self._buffers, merged)
        bad = np.flatnonzero(merged.where(BAD))
        if not len(bad) or not self._options.strict:
            self._count_bad(merged, bad)
            yield from self._batches(merged, ends)
            return
        yield from self._batches(merged.split(int(bad[0]))[0], ends)
        raise BadData(self._sample(merged.table[bad[0]]))

    def _batches(self, elements: JudgedElements, ends: Column) -> Iterator[Batch]:
        """Merged elements as batches. ``ends`` as of `source_ends`."""
        last = self.last
        moves = self._admit(elements, ends)
        self._count(elements)
        for batch in cut_batches(elements, moves, last, self._options, self.needed_ids):
            now = batch.frontier, batch.last
            wanted = batch.completes and (self._options.each or self._options.late_bounds)
            if len(batch.rows) or batch.is_retraction or wanted or now != self._emitted:
                self._emitted = max(self._emitted, now)
                yield batch

    def _admit(self, elements: JudgedElements, ends: Column) -> tuple[FrontierMoves, ...]:
        """Admit merged elements, in place: set valid times, mark those below their late bound.

        Time moves on; the result is how it does, for each late bound, the frontier last.
        """
        table = elements.table
        tick = table[:, TICK]
        moves, bound = self._lateness.advance(elements, ends)
        frontier = moves[-1].before[:-1]
        element = elements.where(ELEMENT)
        late = element & (tick < bound)
        good = element & ~late
        # While the frontier is at minus infinity, a triple holds from the least stamp read.
        least = np.minimum.accumulate(
            np.append(self._least_stamp, np.where(element, tick, POS_INF))
        )
        self._least_stamp = int(least[-1])
        table[late, VERDICT], table[late, FLAW] = LATE, Flaw.LATE
        table[:, VALID_START] = np.where(
            good, tick, np.where(frontier > NEG_INF, frontier, least[:-1])
        )
        table[:, VALID_END] = np.where(good, table[:, END], POS_INF)
        if not self._has_element:
            first = np.flatnonzero(good)
            self._has_element = len(first) > 0
            table[: int(first[0]) if self._has_element else len(table), VALID_START] = NEG_INF
        return moves

    def _count(self, elements: JudgedElements) -> None:
        """Count what was admitted, and hand the late elements to their sink."""
        counters, table = self.counters, elements.table
        good, late, plain = map(elements.where, (ELEMENT, LATE, PLAIN))
        static = int(np.count_nonzero(table[plain, VALID_START] == NEG_INF))
        counters.static += static
        counters.background += int(np.count_nonzero(plain)) - static
        counters.elements += int(np.count_nonzero(good))
        counters.retractions += int(np.count_nonzero(table[good, RETRACTED]))
        counters.rounded += int(table[good | late, ROUNDED].sum())
        if late.any():
            counters.late += int(np.count_nonzero(late))
            self._show(Flaw.LATE, table[late])
            if self._late is not None:
                self._late.put(elements.select(late))

    def _count_bad(self, elements: JudgedElements, bad: Column) -> None:
        """Count the bad data that stand at places ``bad``."""
        flaws = elements.table[bad, FLAW]
        for flaw in np.unique(flaws).tolist():
            among = bad[flaws == flaw]
            self.counters.bad[Flaw(flaw).code] += len(among)
            self._show(Flaw(flaw), elements.table[among])

    def _show(self, flaw: Flaw, table: Rows) -> None:
        """Keep samples of a flaw, as long as there is room."""
        for row in table:
            if not self.counters.wants(flaw.code):
                return
            self.counters.show(self._sample(row))

    def _sample(self, row: Column) -> Sample:
        """The flaw of a row of `JudgedElements.table` as it is shown.

        The buffer of its source must not have been read since.
        """
        buffer = self._buffers[int(row[SOURCE])]
        return buffer.sample(Flaw(row[FLAW]), int(row[PLACE]))
