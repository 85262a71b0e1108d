"""The records of a journal: input events with what was read, each checked on its own.

A record is ``R4``, the length of its content, a CRC-32 of length, number and content, its number,
and the content. Numbers go on from segment to segment, so a missing record is noticed. The content
is the kind of event, the source, a tick, and the reads: of a pipe the bytes, else how many; of a
transport the position behind the bytes, too. Of
reference data that change, and of calls of an engine, it is the kind, and the rest as JSON.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, TypeAlias
from zlib import crc32

from r4.rdf.files import Payload
from r4.stream.input_events import (
    ChangeReferences,
    CompleteElement,
    DocumentChange,
    InputEvent,
    MarkIdle,
    MoveClock,
    ReadSource,
)

_MAGIC: Final = b"R4"
_HEAD: Final = struct.Struct("<2sIIQ")
_EVENT: Final = struct.Struct("<BIBq")
_READ: Final = struct.Struct("<BI")
_MOST: Final = (1 << 31) - 1
"""Bytes that the content of a record may have."""
CLOCK_MOVE: Final = "move_clock"
"""The name of the call of an engine by which a clock moves time, which is none of its user."""
GRAPH_CALL: Final = "graph_"
"""What the names of calls begin with by which graphs that are followed change what it knows."""
_UNCOUNTED: Final = tuple(f'["{name}'.encode() for name in (f'{CLOCK_MOVE}"', GRAPH_CALL))


@dataclass(frozen=True, slots=True)
class NewPipe:
    """A run went on with another pipe of a source: what has come of a statement is left out."""

    number: int


@dataclass(frozen=True, slots=True)
class EngineCall:
    """A call of an engine that changes what it knows.

    Attributes:
        content: its name and its arguments, as JSON.
    """

    content: bytes

    @property
    def counts(self) -> bool:
        """Whether it is one of the calls of the user, and none of a clock or a graph."""
        return not self.content.startswith(_UNCOUNTED)

    @property
    def fits(self) -> bool:
        """Whether a record can have it."""
        return _EVENT.size + len(self.content) <= _MOST


@dataclass(frozen=True, slots=True)
class SegmentStart:
    """The first record of a segment: the name of the state, the checkpoint behind which it is."""

    state: str
    checkpoint: int


Read: TypeAlias = bytes | int | Payload
"""The bytes of a read, or how many they were."""
_SIZE, _BYTES, _POSITION = range(3)
"""The content of a read: how many bytes, the bytes, the position behind those that follow."""


@dataclass(frozen=True, slots=True)
class EventEntry:
    """An event with the reads that it made, in order."""

    event: InputEvent | NewPipe | EngineCall
    reads: Sequence[Read] = ()


Entry: TypeAlias = EventEntry | SegmentStart

_READ_SOURCE, _COMPLETE, _IDLE, _ACTIVE, _CLOCK, _NEW_PIPE, _SEGMENT, _REFERENCES, _CALL = range(
    1, 10
)


class InvalidRecord(ValueError):
    """Bytes that are no record."""


def encode(number: int, entry: Entry) -> list[bytes]:
    """The record of ``entry`` with a number, in parts: what was read is not copied."""
    content = _encode_entry(entry)
    size = sum(map(len, content))
    assert size <= _MOST, "no reader would take it"
    check = crc32(struct.pack("<IQ", size, number))
    for part in content:
        check = crc32(part, check)
    return [_HEAD.pack(_MAGIC, size, check, number), *content]


def read_record(file: BinaryIO) -> bytes:
    """The bytes of the record that comes next in a file, or what is left of it; none at its end."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return head
    magic, size, _, _ = _HEAD.unpack(head)
    return head + file.read(size) if magic == _MAGIC and size <= _MOST else head


def decode(data: bytes, at: int = 0) -> tuple[int, Entry, int]:
    """The record that begins at ``at``: its number, what it says, and where it ends.

    Raises:
        InvalidRecord: there is none, or it is not as it was written.
    """
    if len(data) < at + _HEAD.size:
        raise InvalidRecord
    magic, size, check, number = _HEAD.unpack_from(data, at)
    begin = at + _HEAD.size
    if magic != _MAGIC or size > _MOST or len(data) < begin + size:
        raise InvalidRecord
    content = data[begin : begin + size]
    if crc32(content, crc32(struct.pack("<IQ", size, number))) != check:
        raise InvalidRecord
    try:
        return number, _decode(content), begin + size
    except (struct.error, UnicodeDecodeError, ValueError):
        raise InvalidRecord from None


def later_record(data: bytes, at: int, number: int) -> bool:
    """Whether behind ``at`` there is a record with a number from ``number`` on."""
    while (at := data.find(_MAGIC, at + 1)) >= 0:
        try:
            found, _, _ = decode(data, at)
        except InvalidRecord:
            continue
        if found >= number:
            return True
    return False


def _encode_entry(entry: Entry) -> list[bytes]:
    if isinstance(entry, SegmentStart):
        return [_EVENT.pack(_SEGMENT, 0, 0, entry.checkpoint), entry.state.encode()]
    match entry.event:
        case ReadSource(number, at):
            head = _head(_READ_SOURCE, number, at)
        case CompleteElement(number, at):
            head = _head(_COMPLETE, number, at)
        case MarkIdle(number, idle):
            head = _head(_IDLE if idle else _ACTIVE, number, None)
        case MoveClock(to):
            head = _head(_CLOCK, 0, to)
        case NewPipe(number):
            head = _head(_NEW_PIPE, number, None)
        case ChangeReferences() as change:
            return [_head(_REFERENCES, 0, None), _encode_change(change)]
        case EngineCall(content):
            return [_head(_CALL, 0, None), content]
        case _:
            message = f"{entry.event} is not recorded"
            raise AssertionError(message)
    return [head, *_encode_reads(entry.reads)]


def _encode_reads(reads: Sequence[Read]) -> list[bytes]:
    parts: list[bytes] = []
    for read in reads:
        if isinstance(read, int):
            parts.append(_READ.pack(_SIZE, read))
            continue
        if isinstance(read, Payload):
            parts += (_READ.pack(_POSITION, len(read.position)), read.position)
        data = read.data if isinstance(read, Payload) else read
        parts += (_READ.pack(_BYTES, len(data)), data)
    return parts


def _head(kind: int, number: int, at: int | None) -> bytes:
    return _EVENT.pack(kind, number, at is not None, at or 0)


def _decode(content: bytes) -> Entry:
    kind, number, known, tick = _EVENT.unpack_from(content)
    at = tick if known else None
    if kind == _REFERENCES:
        return EventEntry(_decode_change(content[_EVENT.size :]))
    if kind == _CALL:
        return EventEntry(EngineCall(content[_EVENT.size :]))
    if kind == _SEGMENT:
        return SegmentStart(content[_EVENT.size :].decode(), tick)
    events: dict[int, InputEvent | NewPipe] = {
        _READ_SOURCE: ReadSource(number, at),
        _COMPLETE: CompleteElement(number, at),
        _IDLE: MarkIdle(number, idle=True),
        _ACTIVE: MarkIdle(number, idle=False),
        _CLOCK: MoveClock(tick),
        _NEW_PIPE: NewPipe(number),
    }
    if kind not in events:
        raise InvalidRecord
    return EventEntry(events[kind], tuple(_reads(content, _EVENT.size)))


def _encode_change(change: ChangeReferences) -> bytes:
    documents = [[each.number, each.added, each.removed] for each in change.documents]
    rules = None if change.rules is None else change.rules.decode("latin-1")
    return json.dumps([rules, documents], ensure_ascii=False).encode()


def _decode_change(content: bytes) -> ChangeReferences:
    try:
        rules, documents = json.loads(content)
        return ChangeReferences(
            tuple(
                DocumentChange(int(number), _texts(added), _texts(removed))
                for number, added, removed in documents
            ),
            None if rules is None else rules.encode("latin-1"),
        )
    except (TypeError, AttributeError, RecursionError):
        raise InvalidRecord from None


def _texts(found: Sequence[object]) -> tuple[str, ...]:
    texts = tuple(each for each in found if isinstance(each, str))
    if len(texts) != len(found) or len(texts) % 3:
        raise InvalidRecord
    return texts


def _reads(content: bytes, at: int) -> Iterator[Read]:
    position: bytes | None = None
    while at < len(content):
        kind, size = _READ.unpack_from(content, at)
        at += _READ.size
        if kind == _SIZE:
            yield size
            continue
        if len(content) < at + size:
            raise InvalidRecord
        data = content[at : at + size]
        at += size
        if kind == _POSITION:
            position = data
            continue
        yield data if position is None else Payload(data, position)
        position = None
