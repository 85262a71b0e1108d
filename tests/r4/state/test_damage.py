"""A state in which a byte is another: it is refused, or it says the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from r4.state.errors import StateError
from r4.state.folder import StateFolder
from r4.state.journal.records import Entry, EventEntry, SegmentStart, decode, encode
from r4.stream.input_events import CompleteElement, MarkIdle, MoveClock, ReadSource
from rete.arrays.state_codec import StateReader
from tests.r4.state.state_run import run_halfway
from tests.seeds import soak

STRIDE = 61


def _content(reader: StateReader | None) -> object:
    def plain(value: object) -> object:
        if isinstance(value, np.ndarray):
            return value.dtype.str, value.shape, value.tobytes()
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list | tuple) else value

    return None if reader is None else plain(reader._state)


def _said(folder: StateFolder) -> tuple[object, object, list[EventEntry]]:
    manifest = folder.manifest()
    assert manifest is not None
    number = max(folder.checkpoints)
    entries = list(folder.entries_behind(folder.journals[0], manifest).entries())
    return manifest, _content(folder.read_checkpoint(number)), entries


def _places(path: Path, stride: int) -> Iterator[int]:
    return iter(range(len(path.name) % stride, path.stat().st_size, stride))


@pytest.mark.slow
@pytest.mark.parametrize("stride", [STRIDE, *soak(1)])
def test_a_byte_that_is_another_is_noticed_or_says_the_same(at: Path, stride: int) -> None:
    run_halfway()
    folder = StateFolder(at / "state")
    wanted = _said(folder)
    last = folder.journal_path(folder.journals[-1])
    noticed = 0
    for path in sorted(folder.path.iterdir()):
        if path.name == "status.json":
            continue
        whole = path.read_bytes()
        for place in _places(path, stride):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
            try:
                found = _said(folder)
            except StateError:
                noticed += 1
            else:
                # The last record may be one that a crash has torn.
                entries = wanted[2][: len(found[2])] if path == last else wanted[2]
                assert found == (*wanted[:2], entries), (path.name, place)
                assert len(found[2]) >= len(wanted[2]) - (path == last)
        path.write_bytes(whole)
    assert noticed > 20


def test_a_record_comes_back_as_it_was() -> None:
    entries: list[Entry] = [
        SegmentStart("état", 7),
        EventEntry(ReadSource(3, -5), (b"a\n", b"", 900)),
        EventEntry(ReadSource(0, None), (0,)),
        EventEntry(CompleteElement(1, 0)),
        EventEntry(MarkIdle(2, idle=True)),
        EventEntry(MarkIdle(2, idle=False)),
        EventEntry(MoveClock(2**60)),
    ]
    for number, entry in enumerate(entries):
        record = b"".join(encode(number, entry))
        assert decode(b"xx" + record, 2) == (number, entry, len(record) + 2)
