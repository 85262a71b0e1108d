"""Documents as chunks of encoded statements; here those of the line formats.

N-Quads and N-Triples take the token path of the dictionary. A chunk is what has arrived of a live
input, and about 1 MiB of a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Protocol

import numpy as np

from r4.faults import Flaw
from r4.files import ByteSource, Damaged
from rete.dictionary import Dictionary
from rete.texts import Ids, Rows

BOM: Final = b"\xef\xbb\xbf"
NO_ROWS: Final[Rows] = np.empty((0, 4), np.int64)
LONGEST: Final = 64 << 20
"""Bytes of the longest line, or statement of Turtle, that is held in memory to be read."""
LONGEST_TOKEN: Final = 14 << 20
"""Bytes without a space, outside of literals, that Turtle may have: the parser takes 16 MiB."""

_NOT_SUPPORTED = re.compile(r"(?:triple terms|base directions) ")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BLOCKS = re.compile(
    rb"[ \t]*(?:@prefix\b|@base\b|prefix[ \t]|base[ \t]*<|graph[ \t]*[<_:]|<[^<>]*>[ \t]*\{|[{}])",
    re.IGNORECASE,
)
"""How lines begin that Turtle or TriG have, and no line format."""


@dataclass(frozen=True, slots=True)
class Fault:
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


class Lines(Protocol):
    """Where rows stand in their document: worked out when a message needs it, not before."""

    def line_of(self, row: int) -> int:
        """The line of row ``row``, from 1; 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document.

    Attributes:
        rows: (n, 4) int64: s, p, o, g in the order of the document, g is 0 in the default graph. A
            row of -1 is an empty line.
        faults: In the order of the document.
        lines: Where the rows stand.
        deleted: Rows that take a statement back, ascending.
        blocks: (b, 2) begins and ends of rows that count as a whole or not at all, ascending. No
            element reaches into them: an empty line stands at each end.
    """

    rows: Rows
    faults: Sequence[Fault]
    lines: Lines
    deleted: Ids = field(default_factory=lambda: NO_ROWS[:, 0])
    blocks: Rows = field(default_factory=lambda: NO_ROWS[:, :2])


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The lines of a chunk that has none."""

    def line_of(self, row: int) -> int:
        """0: not known."""
        del row
        return 0


NOTHING: Final = Chunk(NO_ROWS, (), Nowhere())
"""What a reader gives when bytes have arrived that complete no statement."""


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of N-Quads: a row each, but for comments and faults.

    Attributes:
        text: The text of the chunk.
        first: Line of its first byte.
        faulty: Lines of faults, counted from 0 in the text.
    """

    text: bytes
    first: int
    faulty: frozenset[int]

    def line_of(self, row: int) -> int:
        """Counts the lines before the row."""
        for number, found in enumerate(_LINE.finditer(self.text)):
            if number in self.faulty or found[0].lstrip(b" \t").startswith(b"#"):
                continue
            if row == 0:
                return self.first + number
            row -= 1
        return self.first


class Pieces:
    """The bytes of a source until its end or damage, without a byte order mark.

    Attributes:
        damage: Why the source ended too early; "" if it did not.
    """

    __slots__ = ("_source", "_started", "damage")

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._started = False
        self.damage = ""

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

    def fault(self, line: int) -> list[Fault]:
        """The damage as a fault, if there is any."""
        return [Fault(Flaw.CUT_SHORT, 0, line, self.damage)] if self.damage else []

    def _next(self) -> bytes:
        try:
            return b"" if self.damage else self._source.read()
        except Damaged as error:
            self.damage = f"{error}; what was read before counts"
            return b""


class LineReader:
    """Reads the chunks of an N-Quads document, or of an N-Triples one.

    A line longer than `LONGEST` is a fault, and skipped without being held.
    """

    __slots__ = (
        *("_dictionary", "_document", "_held", "_hinted", "_line"),
        *("_skipping", "_text", "_triples"),
    )

    def __init__(
        self, dictionary: Dictionary, document: int, *, triples: bool, line: int = 1
    ) -> None:
        self._dictionary = dictionary
        self._document = document
        self._triples = triples
        self._text: list[bytes] = []
        self._held = 0
        self._hinted = False
        self._line = line
        self._skipping = False

    @property
    def line(self) -> int:
        """The line that comes next, from 1."""
        return self._line

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives: a chunk whenever something has, if only `NOTHING`."""
        pieces = Pieces(source)
        while data := pieces.read():
            broken = b"\n" in data or b"\r" in data
            if self._skipping:
                if not broken:
                    yield NOTHING
                    continue
                data = _LINE.sub(b"", data, count=1)
                self._line += 1
                self._skipping = False
            self._text.append(data)
            self._held += len(data)
            if broken:
                yield self._read(final=False)
            elif self._held > LONGEST:
                yield self._too_long()
            else:
                yield NOTHING
        yield self._read(final=True)
        if pieces.damage:
            yield Chunk(NO_ROWS, pieces.fault(self._line), Nowhere())

    def _read(self, *, final: bool) -> Chunk:
        text = b"".join(self._text)
        found = self._dictionary.read_quads(
            text, self._document, final=final, triples=self._triples
        )
        first = self._line
        self._line += found.lines
        self._text = [text[found.consumed :]]
        self._held = len(text) - found.consumed
        faults = [
            Fault(flaw_of(fault.message), fault.row, first + fault.line, fault.message)
            for fault in found.faults
        ]
        faulty = frozenset(fault.line for fault in found.faults)
        if faults and not self._hinted:
            self._hinted = True
            faults[0] = replace(
                faults[0], message=faults[0].message + self._hint(text, min(faulty))
            )
        return Chunk(found.rows, faults, TextLines(text, first, faulty))

    def _hint(self, text: bytes, number: int) -> str:
        """What the first faulty line says about the format, if anything."""
        line = next(islice(_LINE.finditer(text), number, None), None)
        if line is None or not _BLOCKS.match(line[0]):
            return ""
        kind, other = ("N-Triples", "Turtle") if self._triples else ("N-Quads", "TriG")
        return f"; this looks like {other}, but is read as {kind}: only a suffix says {other}"

    def _too_long(self) -> Chunk:
        self._text.clear()
        self._held = 0
        self._skipping = True
        message = f"a line of more than {LONGEST} bytes"
        return Chunk(NO_ROWS, [Fault(Flaw.SYNTAX, 0, self._line, message)], Nowhere())


def flaw_of(message: str) -> Flaw:
    """Which flaw the dictionary means by the message of a fault."""
    return Flaw.UNSUPPORTED_TERM if _NOT_SUPPORTED.match(message) else Flaw.SYNTAX
