"""The intake: sources merged into one stream, the frontier, what is late and what is bad.

Reads no more than it must: the next item is known once every source that could still deliver an
earlier one has something waiting. What is complete by then is handed over as a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from r4.errors import BadData, Counters, Flaw
from r4.stream.allowed_lateness import AllowedLateness
from r4.stream.batch import Batch
from r4.stream.batching import Admission, cut_batches
from r4.stream.elements import Column, Rows
from r4.stream.idleness import IdleTimeout, IdleTracker
from r4.stream.judged_elements import (
    BAD,
    ELEMENT,
    END,
    FLAW,
    PLACE,
    PLAIN,
    ROUNDED,
    SIZE,
    TAKEN,
    TICK,
    WHAT,
)
from r4.stream.merge import MergedElements, merge_next
from r4.stream.source import Source, StreamOptions
from r4.stream.source_buffer import SourceBuffer
from r4.time.ticks import NEG_INF, POS_INF, Kind, Tick
from rete.arrays.state_codec import Mask, State, StateReader
from rete.terms.dictionary import Dictionary


class LateSink(Protocol):
    """Where late elements go."""

    def put(self, table: Rows, triples: Rows, taken: Rows) -> None:
        """Take late elements: rows of `Items.table`, and what is theirs of `Items`."""


class Intake:
    """The streams of a run as batches; an iterable that is consumed once.

    Where a source raises something in place of a chunk the iteration ends with that; it can be
    begun again, and then goes on from there. What waits until then can be saved.

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
        silence: IdleTimeout | None = None,
    ) -> None:
        """Begin to read.

        Args:
            sources: In the order in which ties are broken.
            dictionary: Of all ids.
            options: How they are read.
            counters: What was read, to be gone on with.
            late: Where late elements go.
            silence: When silent sources stop to count; None: never.
        """
        self.counters = Counters() if counters is None else counters
        self.kind = Kind.NONE
        self._options = options
        self._late = late
        self._feeds = [SourceBuffer(source, dictionary, options) for source in sources]
        self._patience = None if silence is None else IdleTracker(self._feeds, silence)
        self._lateness = AllowedLateness.of(sources, options, dictionary)
        self._told = NEG_INF, NEG_INF
        self._least: Tick = POS_INF
        self._begun = False

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
        patience = self._patience
        while any(not feed.exhausted for feed in self._feeds):
            if patience is not None:
                patience.wake()
            reading = [i for i, feed in enumerate(self._feeds) if not (feed.exhausted or feed.idle)]
            if not reading:
                # All that still could come is silent, so what waits comes now.
                yield from self._hand_over(merge_next(self._feeds, POS_INF, len(self._feeds)))
                continue
            least = min(reading, key=lambda i: (self._feeds[i].high, i))
            feed = self._feeds[least]
            if feed.waiting:
                yield from self._hand_over(merge_next(self._feeds, feed.high, least))
                continue
            if patience is not None and not patience.may_read(least):
                yield from self._hand_over(merge_next(self._feeds, NEG_INF, -1))
                continue
            self._read(least)
            if patience is not None:
                patience.heard(least)
            if feed.exhausted:
                # Nobody comes, but the frontier may move: it has one source less.
                yield from self._hand_over(merge_next(self._feeds, NEG_INF, -1))
        yield from self._hand_over(merge_next(self._feeds, POS_INF, len(self._feeds)))

    @property
    def holding(self) -> str | None:
        """The source that holds the frontier back; None: there is no other, or none counts."""
        number = self._lateness.frontier.holding
        alone = len(self._feeds) < 2 or number < 0  # noqa: PLR2004 (one against another)
        return None if alone else self._feeds[number].source.name

    @property
    def furthest_behind(self) -> tuple[str, Tick] | None:
        """The source that time had to wait for longest, and for how many ticks; None: for none."""
        behind = self._lateness.frontier.behind
        number = int(behind.argmax()) if len(behind) else 0
        if not len(behind) or not behind[number]:
            return None
        return self._feeds[number].source.name, int(behind[number])

    @property
    def held(self) -> tuple[Rows | Column, ...]:
        """Ids that wait here, in arrays of any shape."""
        return tuple(ids for feed in self._feeds for ids in feed.held)

    def saved(self) -> State:
        """What waits, how far time has moved, and what was counted; not where sources stand."""
        return {
            "kind": self.kind,
            "told": list(self._told),
            "least": self._least,
            "begun": self._begun,
            "lateness": self._lateness.saved(),
            "counters": self.counters.saved(),
            "feeds": [feed.saved() for feed in self._feeds],
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved of an intake of as many sources and the same options."""
        self.kind = Kind(given.integer("kind", 0, max(Kind)))
        frontier, last = given.integers("told", 2)
        self._told = frontier, last
        self._least = given.integer("least")
        self._begun = given.flag("begun")
        self._lateness.restore(given.part("lateness"))
        self.counters.restore(given.part("counters"))
        parts = given.parts("feeds", len(self._feeds))
        for feed, part in zip(self._feeds, parts, strict=True):
            feed.restore(part, alive)

    def close(self) -> None:
        """Let go of all sources."""
        for feed in self._feeds:
            feed.source.close()

    def _read(self, number: int) -> None:
        feed = self._feeds[number]
        self.counters.quads += feed.read()
        if self.kind == Kind.NONE:
            # Sources are read in their order until one has an element: that is the first of all.
            self.kind = feed.first_kind()
        feed.settle(self.kind)

    def _hand_over(self, turn: MergedElements) -> Iterator[Batch]:
        bad = np.flatnonzero(turn.table[:, WHAT] == BAD)
        if not len(bad) or not self._options.strict:
            self._count_bad(turn, bad)
            yield from self._batches(turn)
            return
        yield from self._batches(turn.first(int(bad[0])))
        flaw, place = turn.table[bad[0], [FLAW, PLACE]].tolist()
        raise BadData(turn.origins[int(turn.source[bad[0]])].sample(Flaw(flaw), place))

    def _batches(self, turn: MergedElements) -> Iterator[Batch]:
        """The items of a turn as batches."""
        last = self.last
        sifted = self._sift(turn)
        self._count(turn, sifted)
        for batch in cut_batches(turn, sifted, last, self._options, self.held):
            now = batch.frontier, batch.last
            ends = batch.completes and (self._options.each or self._options.lines)
            if len(batch.rows) or batch.takes_back or ends or now != self._told:
                self._told = max(self._told, now)
                yield batch

    def _sift(self, turn: MergedElements) -> Admission:
        """Tell late from good, and give every item its time; time moves on."""
        what, tick = turn.table[:, WHAT], turn.table[:, TICK]
        moved, line = self._lateness.advance(turn, tick)
        frontier = moved[-1].before[:-1]
        element = what == ELEMENT
        late = element & (tick < line)
        good, plain = element & ~late, what == PLAIN
        static = 0
        if not self._begun:
            begins = np.flatnonzero(good)
            self._begun = len(begins) > 0
            static = int(begins[0]) if self._begun else len(what)
        # While the frontier is at minus infinity, a triple holds from the least stamp read.
        least = np.minimum.accumulate(np.append(self._least, np.where(element, tick, POS_INF)))
        self._least = int(least[-1])
        start = np.where(good, tick, np.where(frontier > NEG_INF, frontier, least[:-1]))
        start[:static] = NEG_INF
        end = np.where(good, turn.table[:, END], POS_INF)
        return Admission(good, late, plain, start, end, static, moved)

    def _count(self, turn: MergedElements, sifted: Admission) -> None:
        counters = self.counters
        static = int(np.count_nonzero(sifted.plain[: sifted.static]))
        counters.static += static
        counters.background += int(np.count_nonzero(sifted.plain)) - static
        counters.elements += int(np.count_nonzero(sifted.good))
        counters.retractions += int(np.count_nonzero(turn.table[sifted.good, TAKEN]))
        counters.rounded += int(turn.table[sifted.good | sifted.late, ROUNDED].sum())
        late = np.flatnonzero(sifted.late)
        if not len(late):
            return
        counters.late += len(late)
        self._show(turn, Flaw.LATE, late)
        if self._late is not None:
            of_late = np.repeat(sifted.late, turn.table[:, SIZE])
            taken = np.repeat(sifted.late, turn.table[:, TAKEN])
            self._late.put(turn.table[late], turn.triples[of_late], turn.taken[taken])

    def _count_bad(self, turn: MergedElements, bad: Column) -> None:
        flaws = turn.table[bad, FLAW]
        for flaw in np.unique(flaws).tolist():
            among = bad[flaws == flaw]
            self.counters.bad[Flaw(flaw).code] += len(among)
            self._show(turn, Flaw(flaw), among)

    def _show(self, turn: MergedElements, flaw: Flaw, items: Column) -> None:
        """Keep samples of a flaw, as long as there is room."""
        for item in items.tolist():
            if not self.counters.wants(flaw.code):
                return
            origin = turn.origins[int(turn.source[item])]
            self.counters.show(origin.sample(flaw, int(turn.table[item, PLACE])))
