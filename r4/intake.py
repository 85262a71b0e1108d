"""The intake: sources merged into one stream, the frontier, what is late and what is bad.

Reads no more than it must: the next item is known once every source that could still deliver an
earlier one has something waiting. What is complete by then is handed over as a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from r4.elements import Column, Mask, Rows
from r4.faults import BadData, Counters, Flaw
from r4.feed import Feed
from r4.frontier import Frontier
from r4.items import BAD, ELEMENT, END, FLAW, PLACE, PLAIN, ROUNDED, SIZE, TICK, WHAT
from r4.streams import Batch, Source, StreamOptions
from r4.time import NEG_INF, POS_INF, Kind, Tick
from r4.turns import Turn, next_turn
from rete.dictionary import Dictionary


class LateSink(Protocol):
    """Where late elements go."""

    def put(self, table: Rows, triples: Rows) -> None:
        """Take late elements: rows of `Items.table`, and their triples one after the other."""


@dataclass(frozen=True, slots=True)
class _Sifted:
    """The items of a turn, judged by the frontier; columns are (n,).

    Attributes:
        good: Elements in time.
        late: Elements below the frontier.
        plain: Default-graph triples.
        start, end: When the triples of an item hold.
        static: How many items stand before the first good element ever.
    """

    good: Mask
    late: Mask
    plain: Mask
    start: Column
    end: Column
    static: int


class Intake:
    """The streams of a run as batches; an iterable that is consumed once.

    Attributes:
        counters: What was read, and what was wrong with it.
        kind: What the stamps are; `Kind.NONE` before the first good element.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        dictionary: Dictionary,
        options: StreamOptions,
        *,
        counters: Counters | None = None,
        late: LateSink | None = None,
    ) -> None:
        self.counters = Counters() if counters is None else counters
        self.kind = Kind.NONE
        self._options = options
        self._late = late
        self._feeds = [Feed(source, dictionary, options) for source in sources]
        self._frontier = Frontier(len(sources), options.delay)
        self._least: Tick = POS_INF
        self._begun = False

    @property
    def frontier(self) -> Tick:
        """See `Batch.frontier`."""
        return self._frontier.at

    @property
    def last(self) -> Tick:
        """See `Batch.last`."""
        return self._frontier.last

    def __iter__(self) -> Iterator[Batch]:
        """The batches.

        Raises:
            BadData: At the first bad datum, in strict mode, after what came before it.
            SourceLost: The system stops delivering a source, after what came before it.
        """
        while reading := [i for i, feed in enumerate(self._feeds) if not feed.exhausted]:
            least = min(reading, key=lambda i: (self._feeds[i].high, i))
            feed = self._feeds[least]
            if feed.waiting:
                yield from self._hand_over(next_turn(self._feeds, feed.high, least))
                continue
            self._read(least)
            if feed.exhausted:
                # Nobody comes, but the frontier may move: it has one source less.
                yield from self._hand_over(next_turn(self._feeds, NEG_INF, -1))
        yield from self._hand_over(next_turn(self._feeds, POS_INF, len(self._feeds)))

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

    def _hand_over(self, turn: Turn) -> Iterator[Batch]:
        bad = np.flatnonzero(turn.table[:, WHAT] == BAD)
        if not len(bad) or not self._options.strict:
            self._count_bad(turn, bad)
            yield from self._batches(turn)
            return
        yield from self._batches(turn.first(int(bad[0])))
        flaw, place = turn.table[bad[0], [FLAW, PLACE]].tolist()
        raise BadData(turn.origins[int(turn.source[bad[0]])].sample(Flaw(flaw), place))

    def _batches(self, turn: Turn) -> Iterator[Batch]:
        """The static triples of a turn as a batch, and what follows them as another."""
        before = self.frontier, self.last
        sifted = self._sift(turn)
        self._count(turn, sifted)
        sizes = turn.table[:, SIZE]
        cut = int(sizes[: sifted.static].sum())
        kept = np.repeat((sifted.good & (sifted.start < sifted.end)) | sifted.plain, sizes)
        start, end = np.repeat(sifted.start, sizes), np.repeat(sifted.end, sizes)
        rows = turn.triples
        held = tuple(ids for feed in self._feeds for ids in feed.held)
        if kept[:cut].any():
            chosen = np.flatnonzero(kept[:cut])
            always = start[chosen], end[chosen]
            yield Batch(rows[chosen], *always, NEG_INF, NEG_INF, (*held, rows[cut:]))
        if not kept[cut:].all():
            chosen = cut + np.flatnonzero(kept[cut:])
            rows, start, end = rows[chosen], start[chosen], end[chosen]
        elif cut:
            rows, start, end = rows[cut:], start[cut:], end[cut:]
        if len(rows) or before != (self.frontier, self.last):
            yield Batch(rows, start, end, self.frontier, self.last, held)

    def _sift(self, turn: Turn) -> _Sifted:
        """Tell late from good, and give every item its time; time moves on."""
        what, tick = turn.table[:, WHAT], turn.table[:, TICK]
        frontier = self._frontier.advance(turn.source, tick, turn.until)[:-1]
        element = what == ELEMENT
        late = element & (tick < frontier)
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
        return _Sifted(good, late, plain, start, end, static)

    def _count(self, turn: Turn, sifted: _Sifted) -> None:
        counters = self.counters
        static = int(np.count_nonzero(sifted.plain[: sifted.static]))
        counters.static += static
        counters.background += int(np.count_nonzero(sifted.plain)) - static
        counters.elements += int(np.count_nonzero(sifted.good))
        counters.rounded += int(turn.table[sifted.good | sifted.late, ROUNDED].sum())
        late = np.flatnonzero(sifted.late)
        if not len(late):
            return
        counters.late += len(late)
        self._show(turn, Flaw.LATE, late)
        if self._late is not None:
            of_late = np.repeat(sifted.late, turn.table[:, SIZE])
            self._late.put(turn.table[late], turn.triples[of_late])

    def _count_bad(self, turn: Turn, bad: Column) -> None:
        flaws = turn.table[bad, FLAW]
        for flaw in np.unique(flaws).tolist():
            among = bad[flaws == flaw]
            self.counters.bad[Flaw(flaw).code] += len(among)
            self._show(turn, Flaw(flaw), among)

    def _show(self, turn: Turn, flaw: Flaw, items: Column) -> None:
        """Keep samples of a flaw, as long as there is room."""
        for item in items.tolist():
            if not self.counters.wants(flaw.code):
                return
            origin = turn.origins[int(turn.source[item])]
            self.counters.show(origin.sample(flaw, int(turn.table[item, PLACE])))
