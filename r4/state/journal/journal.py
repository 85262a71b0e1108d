"""The journal of a run: what was taken, in segments that begin behind a checkpoint each."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from r4.state.errors import DamagedState
from r4.state.files import SystemFiles, as_lost
from r4.state.journal.records import (
    Entry,
    EventEntry,
    InvalidRecord,
    SegmentStart,
    decode,
    encode,
    later_record,
    read_record,
)

_COPIED: Final = 1 << 16
"""Records of fewer bytes are written at once."""
_LONG: Final = 256 << 20
"""Bytes of a segment after which a checkpoint is due, unless it is said."""
_LARGE: Final = 1 << 18
"""So many bytes get on their way to the disk before a sync waits for them."""


class Journal:
    """Writes records, and lets them reach the disk when it is asked to.

    Its methods raise `StateLost` where the system does not take what they do.

    Attributes:
        most: bytes of a segment after which a checkpoint is due.
        size: bytes of the segment that is written.
        has_events: whether anything has happened since it began.
        is_synced: whether all that cannot be had again is on the disk.
    """

    def __init__(self, files: SystemFiles, state: str, number: int) -> None:
        """Begin; nothing is opened yet. ``number`` is that of the next record."""
        self.most = _LONG
        self.size = 0
        self.has_events = False
        self._files = files
        self._state = state
        self._number = number
        self._file: BinaryIO | None = None
        self._path = Path()
        self.is_synced = True
        self._started = 0

    @property
    def is_open(self) -> bool:
        """Whether it takes records; after one that the system did not take it does not."""
        return self._file is not None

    @property
    def is_long(self) -> bool:
        """Whether the segment is so long that a checkpoint is due."""
        return self.size > self.most

    def begin(self, path: Path, checkpoint: int) -> None:
        """Begin a segment, behind ``checkpoint``; the one before is on the disk first.

        All of it is, what can be had again too: behind a torn record no other may stand. If the
        system gives no file, the one before goes on.
        """
        self.is_synced = False
        self.sync()
        with as_lost(path):
            self._files.remove(path)
            file = self._files.append(path, private=True)
        self.close()
        with as_lost(path), self._closing():
            self._file, self._path, self.size = file, path, 0
            self._started = 0
            self._write(SegmentStart(self._state, checkpoint))
            self.has_events = False
            self._files.sync(self._file)
            self._files.sync_folder(path.parent)

    def go_on(self, path: Path, size: int) -> None:
        """Go on with a segment that has ``size`` bytes which are whole; what follows is cut off."""
        with as_lost(path):
            self._file, self._path, self.size = self._files.append(path), path, size
            self._files.cut(self._file, size)
            self._started = size
            self._files.sync(self._file)
            self.has_events = True

    def append(self, entry: EventEntry, *, needed: bool) -> None:
        """Write a record; what it says cannot be had again if it is ``needed``."""
        with as_lost(self._path), self._closing():
            self._write(entry)
            if needed:
                self._start_sync()
        self.has_events = True
        self.is_synced = self.is_synced and not needed

    def sync(self) -> None:
        """Return once all that cannot be had again is on the disk."""
        if not self.is_synced and self._file is not None:
            with as_lost(self._path), self._closing():
                self._files.sync(self._file)
        self.is_synced = True

    def close(self) -> None:
        """Close the segment."""
        if self._file is not None:
            self._file.close()
        self._file = None

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """Close the segment if what is done fails: the next record would follow a torn one."""
        try:
            yield
        except OSError:
            self.close()
            raise

    def _start_sync(self) -> None:
        """Let what is much to sync get on its way to the disk, while the run goes on."""
        assert self._file is not None
        if (size := self.size - self._started) >= _LARGE:
            self._files.start_sync(self._file, self._started, size)
            self._started = self.size

    def _write(self, entry: Entry) -> None:
        if self._file is None:
            raise OSError(errno.EBADF, "a record before this one was not taken")
        parts = encode(self._number, entry)
        size = sum(map(len, parts))
        for part in [b"".join(parts)] if size < _COPIED else parts:
            view = memoryview(part)
            while view:
                view = view[self._file.write(view) :]
        self._number += 1
        self.size += size


class JournalReader:
    """Reads segments, the ones behind a checkpoint, in order.

    Attributes:
        number: that of the record that comes next; -1: none was read.
        size: bytes of the last segment that are whole records.
        path: the segment that is read.
        first: the number of the record before which all events are left out.
        state: the name of the state that it belongs to.
    """

    def __init__(self, paths: Sequence[Path], state: str, first: int = 0) -> None:
        self.number = -1
        self.size = 0
        self.paths = paths
        self.path = paths[0] if paths else Path()
        self.state = state
        self.first = first

    def again(self) -> JournalReader:
        """A reader of the same, from the begin."""
        return JournalReader(self.paths, self.state, self.first)

    def entries(self) -> Iterator[EventEntry]:
        """All events. A record that is not whole ends them if none follows it.

        Raises:
            DamagedState: a record is not as it was written, or is missing.
            StateLost: a segment cannot be read.
        """
        for path in self.paths:
            self.path = path
            with as_lost(path), path.open("rb") as file:
                yield from self._segment(path, file, is_last=path == self.paths[-1])

    def _segment(self, path: Path, file: BinaryIO, *, is_last: bool) -> Iterator[EventEntry]:
        """The events of a segment, of which one record at a time is held."""
        at = 0
        while data := read_record(file):
            try:
                number, entry, size = decode(data)
            except InvalidRecord:
                # A crash leaves its last record torn; before that nothing may be broken.
                rest = data + file.read()
                if not is_last or later_record(rest, 0, max(self.number, 0)):
                    raise _damaged(path, f"the record at byte {at} is broken") from None
                break
            if isinstance(entry, SegmentStart) != (at == 0):
                raise _damaged(path, f"the record at byte {at} stands in a wrong place")
            if self.number not in {-1, number}:
                raise _damaged(path, f"record {self.number} is missing")
            if isinstance(entry, SegmentStart) and entry.state != self.state:
                raise _damaged(path, "it belongs to another state")
            self.number, at = number + 1, at + size
            if isinstance(entry, EventEntry) and number >= self.first:
                yield entry
        if not at and not is_last:
            raise _damaged(path, "it is empty")
        self.size = at


def _damaged(path: Path, reason: str) -> DamagedState:
    hint = "r4 state verify says what is whole; restore the folder, or begin with an empty one"
    return DamagedState(f"{path} is damaged: {reason}", hint)
