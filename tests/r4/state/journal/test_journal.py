"""The journal of a run, as the system takes it or not."""

from __future__ import annotations

import errno
import tracemalloc
from pathlib import Path
from typing import BinaryIO

import pytest

from r4.rdf.files import Payload
from r4.state.errors import StateLost
from r4.state.files import SystemFiles
from r4.state.journal.journal import Journal, JournalReader
from r4.state.journal.records import EventEntry, decode, encode
from r4.stream.input_events import MoveClock, ReadSource


class _FailingSync(SystemFiles):
    """A disk that fails once, in the second sync."""

    def __init__(self) -> None:
        self.syncs = 0

    def sync(self, file: BinaryIO) -> None:
        self.syncs += 1
        if self.syncs == 2:
            raise OSError(errno.EIO, "Input/output error")
        super().sync(file)


def test_after_a_record_that_was_lost_every_other_one_is(tmp_path: Path) -> None:
    journal = Journal(_FailingSync(), "state", 0)
    journal.begin(tmp_path / "segment", 1)
    journal.append(EventEntry(MoveClock(1)), needed=True)
    with pytest.raises(StateLost, match="Input/output error"):
        journal.sync()
    for number in (2, 3):
        with pytest.raises(StateLost, match="a record before this one was not taken"):
            journal.append(EventEntry(MoveClock(number)), needed=True)


def test_the_reads_of_a_record_are_as_they_were_made() -> None:
    reads = (7, b"pipe", Payload(b"data", b"position"), Payload(b"", b""), b"", 0)
    entry = EventEntry(ReadSource(3, None), reads)
    number, found, _ = decode(b"".join(encode(5, entry)))
    assert (number, found) == (5, entry)
    assert isinstance(found, EventEntry)
    assert [type(read) for read in found.reads] == [type(read) for read in reads]


def test_one_record_of_a_journal_is_held_at_a_time(tmp_path: Path) -> None:
    path, size = tmp_path / "segment", 1 << 20
    journal = Journal(SystemFiles(), "state", 0)
    journal.begin(path, 1)
    for number in range(30):
        entry = EventEntry(ReadSource(0, number), (bytes(size),))
        journal.append(entry, needed=True)
    journal.close()
    assert (
        len(list(JournalReader([path], "state").entries())) == 30
    )  # modules it loads do not count
    reader = JournalReader([path], "state")
    tracemalloc.start()
    try:
        assert [entry.event for entry in reader.entries()] == [ReadSource(0, n) for n in range(30)]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 6 * size
    assert (reader.number, reader.size) == (31, path.stat().st_size)


def test_what_follows_the_last_whole_record_is_cut_off_at_any_byte(tmp_path: Path) -> None:
    path = tmp_path / "segment"
    journal = Journal(SystemFiles(), "state", 0)
    journal.begin(path, 1)
    sizes = [journal.size]
    for number in range(2):
        journal.append(EventEntry(ReadSource(0, number), (b"data",)), needed=True)
        sizes.append(journal.size)
    journal.close()
    whole = path.read_bytes()
    for size in range(sizes[0], len(whole) + 1):
        path.write_bytes(whole[:size])
        reader = JournalReader([path], "state")
        found = len(list(reader.entries()))
        assert (found, reader.size) == max((n, end) for n, end in enumerate(sizes) if end <= size)
