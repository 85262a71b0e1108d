"""The reader of Turtle and TriG documents: statement by statement, through pyoxigraph.

The text is cut into statements first (`r4.rdf.turtle_splitter`), so a malformed one is left out
alone: in TriG that is a whole graph block if the error lies within. The parser writes the others as
N-Quads, which take the same path into the dictionary as N-Quads input does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyoxigraph as ox

from r4.errors import Flaw
from r4.rdf.blank_nodes import BlankNodeNames, absent_from
from r4.rdf.chunks import (
    EMPTY_CHUNK,
    LONGEST,
    LONGEST_TOKEN,
    NO_ROWS,
    Chunk,
    InputBytes,
    NoLineNumbers,
    StatementFault,
    as_array,
    flaw_of,
)
from r4.rdf.files import ByteSource
from r4.rdf.input_limits import turtle_fault
from r4.rdf.turtle_splitter import StatementSplitter
from rete.arrays.delta import Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads

_PLACE = re.compile(r"\AParser error (?:at|between) [^:]*: (.*?)(?: \(line \d+\))?\Z", re.DOTALL)
MOST_NODES: Final = 250_000
"""How many blank nodes one statement may mention; a list mentions three for a member. Each is
named."""
_LEADING = re.compile(rb"(?:[ \t\r\n]|#[^\r\n]*+)*+")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a statement inherits from those before it.

    Attributes:
        base: The base IRI; None if relative IRIs have no meaning here.
        prefixes: IRI by prefix.
    """

    base: str | None
    prefixes: Mapping[str, str]

    @property
    def header(self) -> bytes:
        """The prefixes as directives, one a line."""
        return b"".join(
            f"@prefix {name}: <{iri}> .\n".encode() for name, iri in self.prefixes.items()
        )


@dataclass(frozen=True, slots=True)
class _StatementRun:
    """Neighbouring statements without error.

    Attributes:
        text: Their text.
        ends: The end of each in it.
        line: Line of the first byte.
        scope: At the begin.
        quads: How many quads they are, those of unsupported terms included.
    """

    text: bytes
    ends: Sequence[int]
    line: int
    scope: Scope
    quads: int

    def lines(self, format_: ox.RdfFormat, quads: Sequence[int]) -> list[int]:
        """The lines of the statements that ``quads``, counted from 0 and ascending, are made of.

        Reads the text again, statement by statement.
        """
        lines: list[int] = []
        scope, begin, count = self.scope, 0, 0
        for end in self.ends:
            piece = self.text[begin:end]
            found = ox.parse(scope.header + piece, format_, base_iri=scope.base)
            count += sum(1 for _ in found)
            scope = Scope(found.base_iri, found.prefixes)
            while len(lines) < len(quads) and quads[len(lines)] < count:
                lines.append(_line_at(self.text, begin, self.line))
            begin = end
        return lines


@dataclass(frozen=True, slots=True)
class StatementLineNumbers:
    """The lines of a chunk of Turtle: those where the statement of a row begins.

    Attributes:
        format: How to read the text again.
        parts: What was read without error.
        skipped: Quads, counted from 0 through all parts, that became no rows.
    """

    format: ox.RdfFormat
    parts: Sequence[_StatementRun]
    skipped: Sequence[int]

    def line_of(self, row: int) -> int:
        """Reads the part again that the row is from."""
        quad = row
        for skipped in self.skipped:
            quad += skipped <= quad
        for part in self.parts:
            if quad < part.quads:
                return part.lines(self.format, [quad])[0]
            quad -= part.quads
        return 0


def as_quads(parsed: Iterable[ox.Quad]) -> bytes:
    """Quads as canonical N-Quads."""
    return ox.serialize(parsed, format=ox.RdfFormat.N_QUADS) or b""


def _parsed(text: bytes, format_: ox.RdfFormat, scope: Scope) -> tuple[bytes, Scope]:
    """The quads of whole statements in ``scope``, and the scope behind them."""
    if why := turtle_fault(text):
        raise SyntaxError(why)
    parser = ox.parse(scope.header + text, format_, base_iri=scope.base)
    try:
        return as_quads(parser), Scope(parser.base_iri, parser.prefixes)
    except MemoryError as error:  # a token beyond what it has room for
        raise SyntaxError(str(error)) from None


def _check_nodes(quads: bytes) -> None:
    """Refuse quads that are too many to be named at once; those of single statements for good."""
    if quads.count(b" _:") + quads.count(b"\n_:") > MOST_NODES:
        message = f"a statement that has blank nodes more than {MOST_NODES} times"
        raise SyntaxError(message)


def _too_long(splitter: StatementSplitter) -> str:
    """Why what has arrived of a statement is too long to be read; "" if it is not."""
    if splitter.pending > LONGEST:
        return f"a statement of more than {LONGEST} bytes; the rest is not read"
    if splitter.unfinished > LONGEST_TOKEN:
        return f"a term or comment of more than {LONGEST_TOKEN} bytes; the rest is not read"
    return ""


def message_of(error: SyntaxError) -> str:
    """The message of a parser, without the place."""
    found = _PLACE.match(str(error))
    return found[1] if found else str(error)


def _line_at(text: bytes, begin: int, first: int) -> int:
    """The line of the statement that begins, after space and comments, at ``begin``."""
    leading = _LEADING.match(text, begin)
    return first + text.count(b"\n", 0, leading.end() if leading else begin)


class TurtleReader:
    """Reads the chunks of a Turtle or TriG document.

    Attributes:
        format: `ox.RdfFormat.TURTLE` or `ox.RdfFormat.TRIG`.
        document: Its number.
        most: With more faults than that in a chunk its rest is not read; None: always all is.
        scope: Base and prefixes behind what was read.
        names: The names of its blank nodes.
    """

    __slots__ = (
        *("_dictionary", "_line", "_splitter", "document", "format", "most", "names", "scope"),
    )

    def __init__(
        self,
        dictionary: Dictionary,
        document: int,
        format_: ox.RdfFormat,
        base: str | None,
        most: int | None = None,
    ) -> None:
        self._dictionary = dictionary
        self._line = 1
        self.document = document
        self.format = format_
        self.most = most
        self.names = BlankNodeNames()
        self.scope = Scope(base, {})
        self._splitter = StatementSplitter()

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``: a chunk whenever bytes have arrived, if only an empty one."""
        incoming = InputBytes(source)
        splitter = self._splitter
        while data := incoming.read():
            text, ends = splitter.feed(data)
            yield replace(self._read(text, ends), is_partial=splitter.has_begun)
            if message := _too_long(splitter):
                line = self._line + splitter.lines
                yield Chunk(
                    NO_ROWS, [StatementFault(Flaw.CUT_SHORT, 0, line, message)], NoLineNumbers()
                )
                return
        text, ends = splitter.feed(b"", final=True)
        yield self._read(text, ends)
        if incoming.damage:
            yield Chunk(NO_ROWS, incoming.fault(self._line), NoLineNumbers())

    @property
    def line(self) -> int:
        """The line behind the last statement, from 1."""
        return self._line

    @property
    def pending(self) -> int:
        """Bytes of the statement that has not come whole."""
        return self._splitter.pending

    def forget_pending(self) -> None:
        """Leave out what has come of the statement that has not come whole."""
        self._splitter = StatementSplitter()

    def saved(self) -> State:
        """Where it is, the prefixes and names so far, and what has come of a statement."""
        prefixes = self.scope.prefixes
        return {
            "text": as_array(self._splitter.text),
            "line": self._line,
            "base": self.scope.base,
            "prefixes": list(prefixes),
            "iris": list(prefixes.values()),
            "names": self.names.saved(),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before the first chunk."""
        self._line = given.integer("line", 1)
        prefixes, iris = given.texts("prefixes"), given.texts("iris")
        if len(prefixes) != len(iris):
            given.refuse("iris", f"are {len(iris)} for {len(prefixes)} prefixes")
        self.scope = Scope(given.maybe_text("base"), dict(zip(prefixes, iris, strict=True)))
        self.names.restore(given.part("names"))
        text = given.array("text", np.uint8, None).tobytes()
        if self._splitter.feed(text)[1]:
            given.refuse("text", "has a whole statement")

    def _read(self, text: bytes, ends: list[int]) -> Chunk:
        if not ends:
            return EMPTY_CHUNK
        reading = _Reading(self, self._dictionary)
        reading.read(text, ends, self._line)
        self._line += text.count(b"\n")
        return reading.chunk()


class _Reading:
    """One chunk while it is read."""

    __slots__ = ("_count", "_dictionary", "_faults", "_parts", "_reader", "_rows", "_skipped")

    def __init__(self, reader: TurtleReader, dictionary: Dictionary) -> None:
        self._reader = reader
        self._dictionary = dictionary
        self._rows: list[Rows] = [NO_ROWS]
        self._faults: list[StatementFault] = []
        self._parts: list[_StatementRun] = []
        self._skipped: list[int] = []
        self._count = 0

    def chunk(self) -> Chunk:
        """What was read."""
        lines = StatementLineNumbers(self._reader.format, self._parts, self._skipped)
        return Chunk(np.concatenate(self._rows), self._faults, lines)

    def read(self, text: bytes, ends: Sequence[int], line: int) -> None:
        """Read the statements of ``text``; where there is an error, halve until it stands alone."""
        most, scope = self._reader.most, self._reader.scope
        if most is not None and len(self._faults) > most:
            return
        try:
            quads, after = _parsed(text, self._reader.format, scope)
            _check_nodes(quads)
        except SyntaxError as error:
            if len(ends) == 1:
                self._malformed(error, text, line)
                return
            half = len(ends) // 2
            cut = ends[half - 1]
            self.read(text[:cut], ends[:half], line)
            rest = [end - cut for end in ends[half:]]
            self.read(text[cut:], rest, line + text.count(b"\n", 0, cut))
            return
        self._reader.scope = after
        part = _StatementRun(text, ends, line, scope, quads.count(b"\n"))
        self._encode(part, self._reader.names.rename(quads, absent_from(text)))

    def _encode(self, part: _StatementRun, quads: bytes) -> None:
        found = read_nquads(self._dictionary, quads, self._reader.document, final=True)
        numbers = [fault.line for fault in found.faults]
        lines = part.lines(self._reader.format, numbers) if numbers else ()
        before = sum(earlier.quads for earlier in self._parts)
        for fault, line in zip(found.faults, lines, strict=True):
            row = self._count + fault.row
            self._faults.append(StatementFault(flaw_of(fault.message), row, line, fault.message))
            self._skipped.append(before + fault.line)
        self._parts.append(part)
        self._rows.append(found.rows)
        self._count += len(found.rows)

    def _malformed(self, error: SyntaxError, text: bytes, line: int) -> None:
        above = len(self._reader.scope.prefixes)
        if error.lineno is None or error.lineno <= above:
            line = _line_at(text, 0, line)
        else:
            line += error.lineno - above - 1
        self._faults.append(StatementFault(Flaw.SYNTAX, self._count, line, message_of(error)))
