"""What is recorded of events that read, that fail, and what is acknowledged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from r4.rdf.files import Payload, ReadTap
from r4.state.files import SystemFiles
from r4.state.journal.input_recorder import InputRecorder
from r4.state.journal.journal import Journal, JournalReader
from r4.state.journal.records import EventEntry
from r4.stream.input_events import InputEvent, ReadSource


class Sender:
    """A source as a recorder sees it."""

    name = "sender"
    is_rereadable = False
    tap: ReadTap

    def __init__(self, descriptor: int | None) -> None:
        self.descriptor = descriptor
        self.read = self.acknowledged = 0

    def listen(self, tap: ReadTap) -> None:
        self.tap = tap

    @property
    def is_unacknowledged(self) -> bool:
        return self.read > self.acknowledged

    def acknowledge(self) -> None:
        self.acknowledged = self.read

    def take(self) -> None:
        assert self.tap.planned() is None
        self.read += 1
        self.tap.took(b"data", b"%d" % self.read)


class Reading:
    """A schedule that reads again and again."""

    def next_event(self, *_: Any) -> InputEvent:
        return ReadSource(0, None)


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    return tmp_path / "segment"


def recorder_of(sender: Any, segment: Path) -> InputRecorder:
    nothing = lambda: None  # noqa: E731
    recorder = InputRecorder(
        [sender], iter(()), lambda _: Reading(), before_live=nothing, between=nothing
    )
    journal = Journal(SystemFiles(), "state", 0)
    journal.begin(segment, 1)
    recorder.record_to(journal, lambda: False)
    return recorder


def recorded(segment: Path) -> list[EventEntry]:
    return list(JournalReader([segment], "state").entries())


def test_an_event_in_which_a_transport_is_lost_has_not_happened(segment: Path) -> None:
    sender = Sender(descriptor=0)
    recorder = recorder_of(sender, segment)
    recorder.next_event((), 0)
    sender.take()
    recorder.next_event((), 0)
    sender.tap.fail()
    recorder.commit()
    assert recorded(segment) == [EventEntry(ReadSource(0, None), (Payload(b"data", b"1"),))]


@pytest.mark.parametrize("descriptor", [None, 0])
def test_what_is_on_the_disk_is_acknowledged_at_latest_before_it_is_waited_for(
    segment: Path, descriptor: int | None
) -> None:
    sender = Sender(descriptor)
    recorder = recorder_of(sender, segment)
    recorder.next_event((), 0)
    sender.take()
    assert sender.acknowledged == 0
    recorder.next_event((), 0)
    assert sender.acknowledged == (descriptor is None)
    recorder.acknowledge()
    assert sender.acknowledged == 1
    assert len(recorded(segment)) == 1 + (descriptor is not None)
