"""The recorder: a schedule that gives recorded events again, then records new ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from r4.rdf.files import Payload
from r4.run.ports import ReplayEnded, RunStopped
from r4.sources.formats import RdfSource
from r4.state.errors import DamagedState
from r4.state.journal.journal import Journal
from r4.state.journal.records import EngineCall, EventEntry, NewPipe, Read
from r4.stream.input_events import EndInput, InputEvent, MoveClock, ReadSource
from r4.stream.schedule import Schedule
from r4.stream.source_buffer import SourceBuffer
from r4.time.ticks import NEG_INF, Tick


class InputRecorder:
    """Between the intake and the schedule that looks at clocks.

    An event is recorded with what it reads, once it has read, and before anything is told that
    depends on it: see `commit`.

    Attributes:
        moved_to: where the clock has moved time.
        ended: the numbers of the sources whose end was read, and not recorded before.
    """

    def __init__(
        self,
        sources: Sequence[RdfSource],
        recorded: Iterator[EventEntry],
        live: Callable[[Tick], Schedule] | None,
        *,
        before_live: Callable[[], None],
        between: Callable[[], None],
    ) -> None:
        """Begin with ``recorded``.

        Args:
            sources: those of the run.
            recorded: events that happen again.
            live: makes the schedule of new events, from where the clock has moved time; None:
                there are no new ones.
            before_live: called once all recorded events have happened again.
            between: called before each event, when nothing that was read is left.
        """
        self.moved_to: Tick = NEG_INF
        self.ended: set[int] = set()
        self._sources = sources
        # At each event these alone are asked: a run may have thousands of files.
        self._sent = [each for each in sources if not each.is_rereadable]
        self._recorded: Iterator[EventEntry] | None = recorded
        self._make = live
        self._before_live = before_live
        self._between = between
        self._stops: Callable[[], bool] = lambda: False
        self._schedule: Schedule | None = None
        self._plan: deque[Read] = deque()
        self._journal: Journal | None = None
        self._event: InputEvent | None = None
        self._reads: list[Read] = []
        for number, source in enumerate(sources):
            source.listen(_Tap(self, number))

    def record_to(self, journal: Journal, stops: Callable[[], bool]) -> None:
        """Record new events there; ``stops`` says at the end of a pipe if a signal ends the run."""
        self._journal, self._stops = journal, stops

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        """The next event.

        Raises:
            DamagedState: what is recorded is not of a run.
            RunStopped: there is none, as the run is to end.
            ReplayEnded: there is none, as no new ones are wanted.
        """
        self.flush()
        self._between()
        while self._recorded is not None:
            entry = next(self._recorded, None)
            if entry is None:
                self._recorded = None
                self._before_live()
            elif isinstance(entry.event, NewPipe):
                self._sources[entry.event.number].forget_pending()
            elif isinstance(entry.event, EngineCall):
                message = "the journal has calls of an engine"
                raise DamagedState(message)
            else:
                self._plan = deque(entry.reads)
                return self._noted(entry.event)
        if self._make is None:
            raise ReplayEnded
        if any(each.is_unacknowledged and not is_heard(each) for each in self._sent):
            self.commit()  # as it may be waited for within a read
        if self._schedule is None:
            self._schedule = self._make(self.moved_to)
        event = self._schedule.next_event(sources, least)
        if isinstance(event, EndInput):
            raise RunStopped
        self._event = self._noted(event)
        return event

    def flush(self) -> None:
        """Write the event that happens to the journal, with what it has read."""
        if self._event is not None and self._journal is not None:
            entry = EventEntry(self._event, tuple(self._reads))
            self._journal.append(entry, needed=self._is_needed(self._event))
        self._event, self._reads = None, []

    def note_new_pipe(self, number: int) -> None:
        """Record that a source goes on with another pipe."""
        assert self._journal is not None
        self._journal.append(EventEntry(NewPipe(number)), needed=True)

    def commit(self) -> None:
        """Called before anything is told: what it depends on is on the disk then.

        So whoever sent it may forget it.
        """
        self.flush()
        if self._journal is not None:
            self._journal.sync()
            for source in self._sent:
                if source.is_unacknowledged:
                    source.acknowledge()

    def acknowledge(self) -> None:
        """Commit what is not acknowledged; called before the next event is awaited."""
        if any(each.is_unacknowledged for each in self._sent):
            self.commit()

    @property
    def repeats(self) -> bool:
        """Whether recorded events happen again."""
        return self._recorded is not None

    @property
    def is_committed(self) -> bool:
        """Whether `commit` has nothing to sync."""
        if self._journal is None:
            return True
        return self._journal.is_synced and (self._event is None or not self._is_needed(self._event))

    @property
    def plans(self) -> bool:
        """Whether the next read is planned."""
        return bool(self._plan)

    def planned(self) -> Read | None:
        """What the next read is to give; None: what there is."""
        return self._plan.popleft() if self._plan else None

    def fail(self) -> None:
        """Forget the event that happens, as a transport was lost in it: it has not happened."""
        self._event, self._reads = None, []

    def took(self, number: int, data: bytes, position: bytes | None) -> None:
        """A source was read.

        Raises:
            RunStopped: a pipe has ended, as a signal ends the run: that is no end of the input.
        """
        is_rereadable = self._sources[number].is_rereadable
        if not (data or is_rereadable or self._reads) and self._stops():
            self._event = None  # it has not happened
            raise RunStopped
        if not data:
            self.ended.add(number)
        read = data if position is None else Payload(data, position)
        self._reads.append(len(data) if is_rereadable else read)

    def _noted(self, event: InputEvent) -> InputEvent:
        if isinstance(event, MoveClock):
            self.moved_to = event.to
        return event

    def _is_needed(self, event: InputEvent) -> bool:
        """Whether an event cannot be had again."""
        if not isinstance(event, ReadSource) or event.at is not None:
            return True
        return not self._sources[event.number].is_rereadable


class _Tap:
    """Notes the reads of one source."""

    def __init__(self, recorder: InputRecorder, number: int) -> None:
        self._recorder = recorder
        self._number = number

    @property
    def plans(self) -> bool:
        return self._recorder.plans

    def planned(self) -> Read | None:
        return self._recorder.planned()

    def took(self, data: bytes, position: bytes | None = None) -> None:
        self._recorder.took(self._number, data, position)

    def fail(self) -> None:
        self._recorder.fail()


def is_heard(source: RdfSource) -> bool:
    """Whether a source is waited for by a descriptor, and not within a read."""
    return source.descriptor is not None
