"""Chunks: what the readers of all formats give, encoded statements with their faults and lines.

A chunk is what has arrived of a live input, and about 1 MiB of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from r4.errors import Flaw, Sample
from r4.rdf.files import ByteSource, DamagedInput
from rete.arrays.delta import Rows
from rete.arrays.state_codec import State, StateReader
from rete.arrays.term_columns import Ids
from rete.terms.faults import FaultColumns

BOM: Final = b"\xef\xbb\xbf"
NO_ROWS: Final[Rows] = np.empty((0, 4), np.int64)
LONGEST_TOKEN: Final = 14 << 20
"""Bytes without a space, outside of literals, that Turtle may have: the parser takes 16 MiB."""

_NOT_SUPPORTED: Final = ("triple terms ", "base directions ")


class StatementFault(NamedTuple):
    """A statement that was left out.

    Attributes:
        flaw: What is wrong with it.
        row: Where it stood: as many rows of the chunk come before it.
        line: Its line in the document, from 1; 0 where that is not known.
        message: What is wrong, in one line.
    """

    flaw: Flaw
    row: int
    line: int
    message: str


def fault_of(flaw: int, row: int, line: int, message: str) -> StatementFault:
    """A fault from its numbers, as `rete.terms.faults.FaultColumns` has them."""
    return StatementFault(Flaw(flaw), row, line, message)


def saved_faults(faults: Iterable[StatementFault]) -> list[State]:
    """Faults as a state has them, without their rows."""
    return [{"flaw": int(each.flaw), "line": each.line, "message": each.message} for each in faults]


def restored_faults(given: Iterable[StateReader]) -> list[StatementFault]:
    """What `saved_faults` gave."""
    return [
        fault_of(each.integer("flaw"), 0, each.integer("line", 0), each.text("message"))
        for each in given
    ]


def sample_of(fault: StatementFault, name: str) -> Sample:
    """A fault of the document called ``name``, as it is shown."""
    place = f"{name}:{fault.line}" if fault.line else name
    return Sample(fault.flaw.code, place, fault.message)


def flaws_and_rows(faults: Sequence[StatementFault]) -> tuple[Ids, Ids]:
    """The flaws and the rows of faults, (n,) each."""
    if isinstance(faults, FaultColumns):
        return faults.cells[:, 0], faults.cells[:, 1]
    flaws = np.array([fault.flaw for fault in faults], np.int64)
    return flaws, np.array([fault.row for fault in faults], np.int64)


class ChunkReader(Protocol):
    """Reads the chunks of one document, and can be saved between two of them."""

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, or what is left of it, as it arrives; called once."""

    @property
    def line(self) -> int:
        """The line of the statement that comes next, from 1; 0: there is none."""

    @property
    def pending(self) -> int:
        """Bytes of a statement that has not come whole."""

    def forget_pending(self) -> None:
        """Leave out what has come of a statement that has not come whole."""

    def saved(self) -> State:
        """What it remembers, but for how far the source was read."""

    def restore(self, given: StateReader) -> None:
        """Remember what was saved, before the first chunk."""


class LineNumbers(Protocol):
    """Where rows stand in their document: worked out when a message needs it, not before."""

    def line_of(self, row: int) -> int:
        """The line of row ``row``, from 1; 0 where that is not known."""


class _NoLineNumbers:
    """The lines of a chunk that has none."""

    def line_of(self, row: int) -> int:
        """0: not known."""
        del row
        return 0


NO_LINES: Final[LineNumbers] = _NoLineNumbers()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document.

    Attributes:
        rows: (n, 4) int64: s, p, o, g in the order of the document, g is 0 in the default graph. A
            row of -1 is an empty line.
        faults: In the order of the document.
        lines: Where the rows stand; by default nobody knows.
        deleted: Rows that retract a statement, ascending.
        blocks: (b, 2) begins and ends of rows that count as a whole or not at all, ascending. No
            element reaches into them: an empty line stands at each end.
        is_partial: Whether more has arrived: a statement that is not complete.
        ends: Whether ``deleted`` rows end at the stamp of their element, instead of being
            retracted: what they held before stays. Each such element is complete in the chunk.
        ending: Names of elements whose ``deleted`` rows end likewise.
        notes: What is no fault, but worth a warning.
        is_last: Whether it is known that no chunk follows.
    """

    rows: Rows
    faults: Sequence[StatementFault]
    lines: LineNumbers = NO_LINES
    deleted: Ids = field(default_factory=lambda: NO_ROWS[:, 0])
    blocks: Rows = field(default_factory=lambda: NO_ROWS[:, :2])
    is_partial: bool = False
    ends: bool = False
    ending: Ids = field(default_factory=lambda: NO_ROWS[:, 0])
    notes: Sequence[StatementFault] = ()
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class RowLineNumbers:
    """The lines of rows, one by one.

    Attributes:
        lines: (n,) of each.
    """

    lines: Sequence[int] | Ids

    def line_of(self, row: int) -> int:
        """The line in the document."""
        return int(self.lines[row])


@dataclass(frozen=True, slots=True)
class LinesOfParts:
    """The lines of rows taken from several chunks.

    Attributes:
        parts: The lines of each.
        begins: Where the rows of each begin.
        taken: The row that each row was.
    """

    parts: tuple[LineNumbers, ...]
    begins: Ids
    taken: Ids

    def line_of(self, row: int) -> int:
        """The line, by the chunk that the row is from."""
        was = int(self.taken[row])
        part = int(np.searchsorted(self.begins, was, side="right")) - 1
        return self.parts[part].line_of(was - int(self.begins[part]))


def last_of(chunks: Iterable[Chunk]) -> Chunk:
    """The chunks up to the end of a document as one, the last."""
    parts = [each for each in chunks if len(each.rows) or each.faults or each.notes]
    if len(parts) <= 1:
        return replace(parts[0] if parts else EMPTY_CHUNK, is_partial=False, is_last=True)
    sizes = np.array([len(each.rows) for each in parts], np.int64)
    begins = np.cumsum(sizes) - sizes
    placed = [*zip(parts, begins.tolist(), strict=True)]
    return Chunk(
        np.concatenate([each.rows for each in parts]),
        [fault._replace(row=fault.row + at) for each, at in placed for fault in each.faults],
        LinesOfParts(tuple(each.lines for each in parts), begins, np.arange(sizes.sum())),
        np.concatenate([each.deleted + at for each, at in placed]),
        np.concatenate([each.blocks + at for each, at in placed]),
        ends=any(each.ends for each in parts),
        ending=np.concatenate([each.ending for each in parts]),
        notes=[note for each in parts for note in each.notes],
        is_last=True,
    )


EMPTY_CHUNK: Final = Chunk(NO_ROWS, ())
"""A chunk of nothing."""
LAST_CHUNK: Final = Chunk(NO_ROWS, (), is_last=True)
"""The end of a document."""
PARTIAL_CHUNK: Final = Chunk(NO_ROWS, (), is_partial=True)
"""What a reader gives when bytes have arrived that complete no statement."""
EMPTY_LINE: Final = Chunk(np.full((1, 4), -1, np.int64), ())
"""An empty line, which completes an element."""


class InputBytes:
    """The bytes of a source until its end or damage, without a byte order mark.

    Attributes:
        damage: Why the source ended too early; "" if it did not.
        size: How many bytes were read.
    """

    __slots__ = ("_source", "_started", "damage", "size")

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._started = not source.whole
        self.damage = ""
        self.size = 0

    def read(self) -> bytes:
        """The next bytes; none at the end."""
        if self._started:
            return self._next()
        self._started = True
        data = self._next()
        # A live source may deliver the three bytes of the mark one by one.
        while data != BOM and BOM.startswith(data) and (more := self._next()):
            data += more
        return data.removeprefix(BOM) or self._next()

    def fault(self, line: int) -> list[StatementFault]:
        """The damage as a fault, if there is any."""
        return [StatementFault(Flaw.CUT_SHORT, 0, line, self.damage)] if self.damage else []

    def _next(self) -> bytes:
        try:
            data = b"" if self.damage else self._source.read()
        except DamagedInput as error:
            self.damage = f"{error}; what was read before counts"
            return b""
        self.size += len(data)
        return data


def as_array(data: bytes) -> npt.NDArray[np.uint8]:
    """Bytes as a state has them."""
    return np.frombuffer(data, np.uint8)


def flaw_of(message: str) -> Flaw:
    """Which flaw the dictionary means by the message of a fault."""
    return Flaw.UNSUPPORTED_TERM if message.startswith(_NOT_SUPPORTED) else Flaw.SYNTAX
