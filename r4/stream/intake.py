"""The intake: merges sources, moves the frontier, admits elements and cuts them into batches.

The next element is known once every source that could still deliver an earlier one has something
buffered. What is known is handed over as a batch; when nothing is, the schedule says what happens
next (`r4.stream.schedule`). All else follows from the bytes of the sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from r4.errors import BadData, Counters, Flaw
from r4.stream.batch import Batch, NeededIds
from r4.stream.batching import cut_batches
from r4.stream.elements.judged_elements import (
    BAD,
    ELEMENT,
    END,
    FLAW,
    LATE,
    NAME,
    NO_ELEMENTS,
    PLAIN,
    RETRACTED,
    ROUNDED,
    SIZE,
    SOURCE,
    TICK,
    VALID_END,
    VALID_START,
    VERDICT,
    JudgedElements,
)
from r4.stream.elements.stamp_places import StampPlaces
from r4.stream.elements.time_predicates import TimePredicates
from r4.stream.flaw_samples import FlawSamples
from r4.stream.input_events import (
    ChangeReferences,
    CompleteElement,
    EndInput,
    InputEvent,
    MarkIdle,
    MoveClock,
    ReadSource,
)
from r4.stream.schedule import Schedule, SourceOrder
from r4.stream.source import Source, StreamOptions
from r4.stream.source_buffer import MergeOrder, SourceBuffer, judge_whole
from r4.stream.watermark import AllowedLateness, FrontierMoves
from r4.stream.windows import PredicateWindows
from r4.time.ticks import NEG_INF, NO_END, POS_INF, Kind, StampFormat, Tick
from r4.time.zone_shift import zone_shift
from rete.arrays.delta import Column, Rows, distinct
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
        left_open: How many elements were not complete when the schedule ended the input.
        time_predicates: Those of the data before the first good element, and of bad ones.
        stamp_places: Where the stamps stand of elements without one.
        has_triples: Whether an element had triples, as far as is known: not of what was restored.
        late_shifts: Minutes by which late elements were behind the clock, if these may be a
            difference of zones, else 0; likewise.
        late_sources: The numbers of sources that had late elements; likewise.
        least: The least stamp read so far; `POS_INF` before the first.
        first: The least of those that moved time: of late elements not.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        sources: Sequence[Source],
        dictionary: Dictionary,
        options: StreamOptions,
        *,
        counters: Counters | None = None,
        late: LateSink | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        """Begin to read ``sources``, in the order of which ties are broken.

        ``counters`` of an earlier run are continued. Without a ``schedule`` the source is read that
        everything waits for.
        """
        self.counters = Counters() if counters is None else counters
        is_dated = options.wall or options.dated
        self._clock = StampFormat(options.scale, Kind.DATE_TIME if is_dated else Kind.NONE)
        self.left_open = 0
        self.time_predicates = TimePredicates()
        self.stamp_places = StampPlaces(dictionary, options.vocabulary(dictionary).start)
        self.has_triples = False
        self.late_shifts: set[int] = set()
        self.late_sources: set[int] = set()
        self._dictionary = dictionary
        self._options = options
        self._late = late
        self._buffers = [
            SourceBuffer(number, source, dictionary, options)
            for number, source in enumerate(sources)
        ]
        self._order = MergeOrder(self._buffers)
        self._unjudged: list[int] = []
        self._schedule: Schedule = SourceOrder() if schedule is None else schedule
        self._lateness = AllowedLateness.of(sources, options, dictionary)
        self._samples = FlawSamples(
            *(self.counters, self._buffers, dictionary, options),
            clock=self._clock,
            lateness=self._lateness,
        )
        self._predicate_windows = PredicateWindows(options.windows, dictionary)
        own = dict(options.windows.sources)
        self._source_windows = np.array([own.get(each.name, NO_END) for each in sources], np.int64)
        self._emitted = NEG_INF, NEG_INF
        self.least: Tick = POS_INF
        self.first: Tick = POS_INF
        self._has_element = False

    @property
    def sources(self) -> list[Source]:
        """What is read."""
        return [buffer.source for buffer in self._buffers]

    @property
    def kind(self) -> Kind:
        """What the stamps are; `Kind.NONE` before the first good element."""
        return self._clock.kind or Kind.NONE

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
        order = self._order
        while not order.has_ended:
            least = order.awaited()
            if self._unjudged and not order.is_untouched(least):
                yield from self._judge_whole()
                continue
            if order.waits:
                yield from self._hand_over_all()
                continue
            merged = NO_ELEMENTS if self._unjudged else order.take_before(least)
            if len(merged):
                yield from self._hand_over(merged)
            else:
                yield from self._follow(self._schedule.next_event(self._buffers, least))
        yield from self._judge_whole()
        yield from self._hand_over_all()

    def follow(self, schedule: Schedule) -> None:
        """From now on ``schedule`` says what happens next."""
        self._schedule = schedule

    def _follow(self, event: InputEvent) -> Iterator[Batch]:
        if not isinstance(event, ReadSource) or self._buffers[event.number].waiting:
            yield from self._judge_whole()
        match event:
            case ReadSource(number, at):
                yield from self._leave_out(self._take_in(number, at))
                return
            case CompleteElement(number, at):
                self._buffers[number].complete(at)
                self._settle(number)
            case MarkIdle(number, idle):
                self._buffers[number].idle = idle
                self._order.note(number)
            case MoveClock(to):
                yield from self._hand_over_all()
                yield from self._move_clock(to)
                return
            case ChangeReferences():
                yield replace(self._empty_batch, references=event)
                return
            case EndInput():
                self._end_input()
                return
        yield from self._leave_out([number])

    def _leave_out(self, numbers: Sequence[int]) -> Iterator[Batch]:
        """Move the frontier, if one of these sources does not count any more: no element comes."""
        buffers = [self._buffers[number] for number in numbers]
        if any((each.exhausted or each.idle) and not each.waiting for each in buffers):
            by_element = self._options.each or self._options.late_bounds
            yield from self._hand_over(NO_ELEMENTS) if by_element else self._move_frontier()

    def _end_input(self) -> None:
        for number, each in enumerate(self._buffers):
            if not each.exhausted:
                self.left_open += each.end()
                if each.is_held:
                    self._settle(number)
                self._order.note(number)

    def _judge_whole(self) -> Iterator[Batch]:
        """Judge the documents that were read whole one after the other."""
        yield from self._leave_out(self._settle_whole())

    def _settle_whole(self) -> Sequence[int]:
        """The same; the frontier stays. Gives the numbers of their sources."""
        numbers, self._unjudged = self._unjudged, []
        judge_whole([self._buffers[number] for number in numbers])
        for number in numbers:
            self._settle(number)
        return numbers

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
    def needed_ids(self) -> NeededIds:
        """Ids that are buffered: a sweep must keep them."""
        return NeededIds(lambda: (ids for each in self._buffers for ids in each.needed_ids))

    def saved(self) -> State:
        """What is buffered, how far time has moved, the counters; not how far sources were read."""
        self._settle_whole()
        return {
            "kind": self.kind,
            "told": list(self._emitted),
            "least": self.least,
            "first": self.first,
            "begun": self._has_element,
            "lateness": self._lateness.saved(),
            "counters": self.counters.saved(),
            "feeds": [buffer.saved() for buffer in self._buffers],
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved of an intake of as many sources and the same options."""
        self._clock.kind = Kind(given.integer("kind", 0, max(Kind)))
        frontier, last = given.integers("told", 2)
        self._emitted = frontier, last
        self.least = given.integer("least")
        self.first = given.integer("first")
        self._has_element = self.has_triples = given.flag("begun")
        self._lateness.restore(given.part("lateness"))
        self.counters.restore(given.part("counters"))
        parts = given.parts("feeds", len(self._buffers))
        for buffer, part in zip(self._buffers, parts, strict=True):
            buffer.restore(part, alive)
        self._order = MergeOrder(self._buffers)

    def close(self) -> None:
        """Close all sources."""
        for buffer in self._buffers:
            buffer.source.close()

    def _take_in(self, number: int, at: Tick | None) -> Sequence[int]:
        """Read on; the sources of what is judged with that."""
        buffer = self._buffers[number]
        self.counters.quads += buffer.read(at)
        for note in buffer.notes:
            self.counters.show(note)
        if buffer.unjudged is not None:
            self._unjudged.append(number)
            self._order.note(number)
            return ()
        earlier = self._settle_whole()
        self._settle(number)
        return (*earlier, number)

    def _settle(self, number: int) -> None:
        buffer = self._buffers[number]
        if self.kind == Kind.NONE:
            # Sources are read in their order until one has an element, which is the first of all.
            self._clock.kind = buffer.first_kind()
        buffer.settle(self.kind)
        self._order.note(number)

    def _move_clock(self, to: Tick) -> Iterator[Batch]:
        """Move time as far as an empty element of every source with that stamp would."""
        self._order.reach(to)
        self._has_element = True
        self.least = min(self.least, to)
        self.first = min(self.first, to)
        yield from self._move_frontier(to)

    def _move_frontier(self, to: Tick = NEG_INF) -> Iterator[Batch]:
        """Move it as far as it comes without elements, all sources being at ``to`` at least."""
        before, after = self._lateness.reach(to, self._order.ends(NO_ELEMENTS))
        now = self.frontier, self.last
        if now != self._emitted:
            self._emitted = now
            bounds = (before, after) if self._options.late_bounds else ((), ())
            yield replace(self._empty_batch, late_before=bounds[0], late_after=bounds[1])

    @property
    def _empty_batch(self) -> Batch:
        rows, none = NO_ELEMENTS.triples, NO_ELEMENTS.triples[:, 0]
        now = self.frontier, self.last
        return Batch(rows, none, none, *now, self.needed_ids, first=self.first)

    def _hand_over_all(self) -> Iterator[Batch]:
        """All that is buffered, whatever sources may deliver before it."""
        yield from self._hand_over(self._order.take_all())

    def _hand_over(self, merged: JudgedElements) -> Iterator[Batch]:
        """Merged elements as batches; in strict mode up to the first bad datum, which is raised."""
        ends = self._order.ends(merged)
        bad = np.flatnonzero(merged.where(BAD))
        self.stamp_places.note(merged, bad)
        if len(bad) or not (self._has_element or merged.where(ELEMENT).any()):
            owner = np.repeat(merged.table[:, NAME], merged.table[:, SIZE])
            self.time_predicates.note(merged.triples, self._dictionary, owner)
        if not len(bad) or not self._options.strict:
            self._count_bad(merged, bad)
            yield from self._batches(merged, ends)
            return
        yield from self._batches(merged.split(int(bad[0]))[0], ends)
        raise BadData(self._samples.sample(merged.table[bad[0]]))

    def _batches(self, elements: JudgedElements, ends: Column) -> Iterator[Batch]:
        """Merged elements as batches. ``ends`` as of `source_ends`."""
        last = self.last
        self._samples.warn_of_unix_time(elements)
        self._samples.warn_of_jump(elements, last, self.least)
        moves = self._admit(elements, ends)
        self._count(elements)
        stamps = self.first, last
        cut = elements, moves, stamps, self._options, self.needed_ids, self._predicate_windows
        for batch in cut_batches(*cut):
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
        least = np.minimum.accumulate(np.append(self.least, np.where(element, tick, POS_INF)))
        self.least = int(least[-1])
        self.first = min([self.first, *tick[good].tolist()])
        table[late, VERDICT], table[late, FLAW] = LATE, Flaw.LATE
        table[:, VALID_START] = np.where(
            good, tick, np.where(frontier > NEG_INF, frontier, least[:-1])
        )
        table[:, VALID_END] = np.where(good, self._ends(table), POS_INF)
        table[late, END] = bound[late]
        if not self._has_element:
            first = np.flatnonzero(good)
            self._has_element = len(first) > 0
            table[: int(first[0]) if self._has_element else len(table), VALID_START] = NEG_INF
        return moves

    def _ends(self, table: Rows) -> Column:
        """When elements end; `NO_END` where neither they nor their sources say it."""
        end = table[:, END]
        if not self._options.windows.sources:
            return end
        window = self._source_windows[table[:, SOURCE]]
        open_ended = (end == NO_END) & (window != NO_END)
        return np.where(open_ended, table[:, TICK] + window, end)

    def _count(self, elements: JudgedElements) -> None:
        """Count what was admitted, and hand the late elements to their sink."""
        counters, table = self.counters, elements.table
        good, late, plain = map(elements.where, (ELEMENT, LATE, PLAIN))
        if self._options.arrival:
            self._samples.warn_of_no_graph(table, plain)
        static = int(np.count_nonzero(table[plain, VALID_START] == NEG_INF))
        counters.static += static
        counters.background += int(np.count_nonzero(plain)) - static
        counters.elements += int(np.count_nonzero(good))
        counters.retractions += int(np.count_nonzero(table[good, RETRACTED]))
        counters.rounded += int(table[good | late, ROUNDED].sum())
        self.has_triples = self.has_triples or bool(table[good | late, SIZE].any())
        if late.any():
            counters.late += int(np.count_nonzero(late))
            self._note_shifts(table[late, TICK])
            self.late_sources.update(distinct(table[late, SOURCE]).tolist())
            self._samples.show(Flaw.LATE, table[late])
            if self._late is not None:
                self._late.put(elements.select(late))

    def _note_shifts(self, late: Column) -> None:
        """Note whether late stamps may be of another zone; only a clock can tell."""
        if self._options.wall and len(self.late_shifts) <= 1:
            scale = self._options.scale
            farthest = {int(late.min()), int(late.max())}
            self.late_shifts |= {zone_shift(tick - self.last, scale) for tick in farthest}

    def _count_bad(self, elements: JudgedElements, bad: Column) -> None:
        flaws = elements.table[bad, FLAW]
        for flaw in distinct(flaws).tolist():
            among = bad[flaws == flaw]
            self.counters.bad[Flaw(flaw).code] += len(among)
            self._samples.show(Flaw(flaw), elements.table[among])
