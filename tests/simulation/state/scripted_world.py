"""The world outside of R4, by a script of input events: sources, a clock, files.

It goes on behind the last event that reached the disk, and sends the bytes again that R4 did not
take. What it gave before something was told that depends on it, it does not give again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from r4.checkpoint import archive
from r4.rdf.files import CHUNK, ByteSource
from r4.run import stream_run
from r4.state import checkpoint_writer
from r4.state import folder as state_folder
from r4.state.checkpoint_writer import CheckpointWriter
from r4.state.files import SystemFiles, as_lost
from r4.state.journal.journal import Journal
from r4.state.journal.records import EventEntry
from r4.state.output_commit import CommittedFile, GroupCommit, NumberedLines
from r4.stream.input_events import ChangeReferences, EndInput, InputEvent, ReadSource
from r4.stream.source_buffer import SourceBuffer
from tests.generators.draw import Draw, from_seed
from tests.oracles.streams.timed_intake import Clock, End, Idle, Quiet, Read
from tests.simulation.core_run import tiny_stores
from tests.simulation.state.killed_case import KilledCase
from tests.simulation.timed_comparison import events_of


class World:
    """What happens outside of R4: sources that deliver, a clock.

    Attributes:
        told_by: how many events had happened when something was told last.
        index: how many events have happened.
        lost: what R4 should know and does not; None: nothing.
        wanted: the rules that are to take over before the run goes on; None: those that it has.
    """

    def __init__(
        self,
        case: KilledCase,
        names: Sequence[str],
        changes: Sequence[tuple[int, ChangeReferences]],
        *,
        migrates: bool = False,
    ) -> None:
        """Begin; with ``migrates`` the run stops where rules change, to be migrated."""
        self.told_by = self.index = 0
        self.lost: str | None = None
        self.wanted: bytes | None = None
        self._migrates = migrates
        self._names = list(names)
        self._is_pipe = case.is_pipe
        self._events: list[tuple[InputEvent, int]] = []
        self._noted: dict[int, int] = {}
        self._stops: set[int] = set()
        self.data = [b""] * len(names)
        self._until = [0] * len(names)
        self._sent = [0] * len(names)
        self._script(case)
        self._change(changes)

    def _script(self, case: KilledCase) -> None:
        """All events, each with how many bytes of its source have been sent by then."""
        texts, ended, last = iter(case.timed.texts), set(), 0
        for event in case.timed.events:
            match event:
                case Read(source):
                    text = next(texts).encode()
                    # What a sender sends again comes before the end is known.
                    self.data[source] += text if text.endswith(b"\n") else text + b"\n"
                    last = event.wall
                case End(source):
                    ended.add(source)
                    last = event.wall
                case Quiet() | Idle() | Clock():
                    pass
                case _:  # a stop: the script goes on in the next process
                    self._stops.add(len(self._events))
                    continue
            self._add(event)
        for source in range(len(self._names)):
            if source not in ended:
                self._add(End(source, last))
        self._cut(from_seed(case.cuts))

    def _change(self, changes: Sequence[tuple[int, ChangeReferences]]) -> None:
        """Reference data change at places of the script, which are in order."""
        for shift, (place, change) in enumerate(changes):
            at = place % (len(self._events) - shift) + shift
            self._stops = {stop + (stop >= at) for stop in self._stops}
            self._events.insert(at, (change, 0))

    def _add(self, event: Any) -> None:
        for each in events_of(event):
            sent = len(self.data[each.number]) if isinstance(each, ReadSource) else 0
            self._events.append((each, sent))

    def _cut(self, draw: Draw) -> None:
        """Reads end within lines, but for the last of a source."""
        for place, (event, sent) in enumerate(self._events):
            if isinstance(event, ReadSource) and sent < len(self.data[event.number]):
                self._events[place] = (
                    event,
                    max(0, sent - draw.weighted((50, 0), (30, 3), (20, 40))),
                )

    def begin(self, number: int) -> None:
        """A process begins whose journal has all records before ``number``."""
        self._noted = {record: n for record, n in self._noted.items() if record < number}
        self.index = max(self._noted.values(), default=0)
        # A sender sends a line again that was not taken whole.
        for source, data in enumerate(self.data):
            taken = [
                sent
                for event, sent in self._events[: self.index]
                if isinstance(event, ReadSource) and event.number == source
            ]
            self._sent[source] = data.rfind(b"\n", 0, max(taken, default=0)) + 1
        if self.index < self.told_by:
            self.lost = (
                f"{self.told_by} events were needed for what was told, known are {self.index}"
            )

    def note(self, number: int, entry: EventEntry) -> None:
        """The record of a number is about the events so far."""
        if self.wanted is not None and entry.event == ChangeReferences(rules=self.wanted):
            self.index += 1
            self.wanted = None
        self._noted[number] = self.index

    @property
    def is_waiting(self) -> bool:
        """Whether other rules are to take over."""
        return self.wanted is not None

    def go_on(self) -> None:
        """A process begins with the rules that there are."""
        self.wanted = None

    def leave_out(self) -> None:
        """The rules that are wanted have not taken over, and never will."""
        del self._events[self.index]
        self._stops = {stop - (stop > self.index) for stop in self._stops}
        self.wanted = None

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        del sources, least
        if self.index in self._stops:
            self._stops.remove(self.index)
            return EndInput()
        event, sent = self._events[self.index]
        if self._migrates and isinstance(event, ChangeReferences):
            self.wanted = event.rules
            return EndInput()
        self.index += 1
        if isinstance(event, ReadSource):
            self._until[event.number] = sent
        return event

    def read(self, source: ByteSource, wanted: int) -> bytes | None:
        """What arrives of a source, or is read of it again; None: it is no stream."""
        if source.name not in self._names:
            return None
        number = self._names.index(source.name)
        begin = self._sent[number] if self._is_pipe[number] else source.handed
        end = self._until[number] if wanted == CHUNK else source.handed + wanted
        self._sent[number] = end
        return self.data[number][begin:end]

    def is_pipe(self, source: ByteSource) -> bool:
        return source.name in self._names and self._is_pipe[self._names.index(source.name)]


class _DelayedWriter(CheckpointWriter):
    """Writes a checkpoint while the run goes on, without a process of its own."""

    draw: Draw
    share: int

    def __init__(self, files: SystemFiles, every: float, **more: Any) -> None:
        del more
        super().__init__(files, every, forks=False)
        self._written: tuple[Path, bytes, Callable[[], None]] | None = None
        self._left = 0

    @property
    def is_due(self) -> bool:
        return self._written is None and self.draw.chance(self.share)

    @property
    def is_writing(self) -> bool:
        return self._written is not None

    def begin(
        self, path: Path, state: Callable[[], Mapping[str, Any]], sync: Callable[[], None]
    ) -> bool:
        buffer = BytesIO()
        archive.write_to(buffer, state())
        self._written = path, buffer.getvalue(), sync
        self._left = self.draw.weighted((40, 0), (30, 1), (30, 3))
        return False

    def poll(self, *, wait: bool = False) -> bool:
        if self._written is None:
            return False
        self._left -= 1
        if self._left >= 0 and not wait:
            return False
        path, data, sync = self._written
        self._written = None
        with as_lost(path):
            sync()
            self.files.replace(path, lambda file: file.write(data))
        return True


@contextmanager
def in_world(world: World, case: KilledCase, files: SystemFiles) -> Iterator[None]:
    """The commands run in ``world``."""
    opened, read = ByteSource.__init__, ByteSource._read
    journal_begun, appended = Journal.__init__, Journal.append

    def open_source(source: ByteSource, path: str, *more: int) -> None:
        opened(source, path, *more)
        source.live = source.live or world.is_pipe(source)

    def read_source(source: ByteSource, wanted: int) -> bytes:
        found = world.read(source, wanted)
        if found is None:
            return read(source, wanted)
        source.handed += len(found)
        return found

    def begin_journal(journal: Journal, files: SystemFiles, state: str, number: int) -> None:
        journal_begun(journal, files, state, number)
        world.begin(number)

    def append(journal: Journal, *given: Any, **named: Any) -> None:
        number = journal._number
        appended(journal, *given, **named)
        world.note(number, given[0])

    def told(kind: type[CommittedFile | NumberedLines]) -> Callable[[Any, bytes], None]:
        written = kind.write

        def write(to: Any, data: bytes) -> None:
            written(to, data)
            world.told_by = max(world.told_by, world.index)

        return write

    waits = from_seed(-3 - case.cuts)

    def can_wait(group: GroupCommit) -> bool:
        return group._depends() and waits.chance(50)

    _DelayedWriter.draw, _DelayedWriter.share = case.draw, case.checkpoints
    with (
        patch.object(GroupCommit, "_can_wait", can_wait),
        patch.object(ByteSource, "__init__", open_source),
        patch.object(ByteSource, "_read", read_source),
        patch.object(Journal, "__init__", begin_journal),
        patch.object(Journal, "append", append),
        patch.object(CommittedFile, "write", told(CommittedFile)),
        patch.object(NumberedLines, "write", told(NumberedLines)),
        patch.object(stream_run, "schedule_of", lambda *_, **__: world),
        patch.object(stream_run, "END_WAIT", 0.0),
        patch.object(state_folder, "SystemFiles", lambda: files),
        patch.object(checkpoint_writer, "CheckpointWriter", _DelayedWriter),
        tiny_stores(),
    ):
        yield
