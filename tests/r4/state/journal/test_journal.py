"""The journal of a run, as the system takes it or not."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO

import pytest

from r4.rdf.files import Payload
from r4.state.errors import StateLost
from r4.state.files import SystemFiles
from r4.state.journal.journal import Journal
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
