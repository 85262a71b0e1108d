"""The reader of Turtle and TriG documents: statement by statement, through pyoxigraph.

The text is cut into statements first (`r4.rdf.turtle_splitter`), so a malformed one is left out
alone: in TriG that is a whole graph block if the error lies within. The parser writes the others as
N-Quads, which take the same path into the dictionary as N-Quads input does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final

import numpy as np
import pyoxigraph as ox

from r4.errors import Flaw
from r4.rdf.blank_nodes import MOST_NODES, BlankNodeNames, absent_from, mentioned_nodes
from r4.rdf.chunks import (
    EMPTY_CHUNK,
    LONGEST_TOKEN,
    NO_ROWS,
    Chunk,
    InputBytes,
    StatementFault,
    as_array,
    flaw_of,
)
from r4.rdf.files import CHUNK, UNBOUNDED, ByteSource
from r4.rdf.gates.input_limits import LONGEST, turtle_fault
from r4.rdf.parser_output import (
    as_quads,
    message_of,
    quad_blocks,
    reified_quads,
    token_too_long,
)
from r4.rdf.turtle_splitter import StatementSplitter
from rete.arrays.delta import Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultCache
from rete.terms.nquads import LineFault, read_nquads
from rif.syntax.garbage_collection import collector_paused

_LONG: Final = 2 * CHUNK
"""Bytes of a statement that is parsed in blocks: of what comes at once the parser makes less."""
_ENCODED: Final = 4 * CHUNK
"""Bytes of quads that are encoded between two looks at signals and memory."""
_MOST_PREFIXES: Final = 100
"""So many are before each text that is parsed; of more, those that it may use."""
_PREFIX: Final = re.compile(rb"(?<![\w.\x80-\xff-])([\w.\x80-\xff-]*+):")
"""What may be a prefix; or it begins behind a dot in it, which ends a statement."""
_LEADING = re.compile(rb"(?:[ \t\r\n]|#[^\r\n]*+)*+")


@dataclass(frozen=True, slots=True)
class Scope:
    """What a statement inherits from those before it.

    Attributes:
        base: The base IRI; None if relative IRIs have no meaning here.
        prefixes: IRI by prefix.
    """

    base: str | None
    prefixes: dict[str, str]

    @property
    def header(self) -> bytes:
        """The prefixes as directives, one a line."""
        return b"".join(
            f"@prefix {name}: <{iri}> .\n".encode() for name, iri in self.prefixes.items()
        )

    def of(self, text: bytes) -> Scope:
        """What of it ``text`` may use, if there are many prefixes: each parse reads all of them."""
        known = self.prefixes
        if len(known) <= _MOST_PREFIXES:
            return self
        names: set[str] = set()
        for found in set(_PREFIX.findall(text)):
            name = found.decode("utf-8", "replace")
            names |= {name, name.lstrip("."), name.partition(".")[2], name.rpartition(".")[2]}
        return Scope(self.base, {name: known[name] for name in names if name in known})

    def behind(self, base: str | None, prefixes: Mapping[str, str]) -> Scope:
        """The scope behind a text that ended with these; the same one if nothing has changed.

        One with many prefixes is changed itself: nobody else has it, as `of` gives copies.
        """
        known = self.prefixes
        changed = {name: iri for name, iri in prefixes.items() if known.get(name) != iri}
        if not changed:
            return self if base == self.base else Scope(base, known)
        if len(known) <= _MOST_PREFIXES:
            return Scope(base, {**known, **changed})
        known.update(changed)
        return Scope(base, known)


@dataclass(frozen=True, slots=True)
class _StatementRun:
    """Neighbouring statements without error.

    Attributes:
        text: Their text.
        begin: Where that begins in the chunk.
        ends: The end of each in the chunk.
        line: Line of the first byte.
        scope: At the begin.
        quads: How many quads they are, those of unsupported terms included.
    """

    text: bytes
    begin: int
    ends: Sequence[int]
    line: int
    scope: Scope
    quads: int

    def lines(self, format_: ox.RdfFormat, quads: Sequence[int]) -> list[int]:
        """The lines of the statements that ``quads``, counted from 0 and ascending, are made of.

        Reads the text again, statement by statement.
        """
        lines: list[int] = []
        scope = Scope(self.scope.base, dict(self.scope.prefixes))
        begin = count = 0
        for place in self.ends:
            end = place - self.begin
            piece = self.text[begin:end]
            own = scope.of(piece)
            found = ox.parse(own.header + piece, format_, base_iri=own.base)
            count += sum(1 for _ in found)
            scope = scope.behind(found.base_iri, found.prefixes)
            own_quads = bisect_left(quads, count, len(lines)) - len(lines)
            if own_quads:
                lines += [_line_at(self.text, begin, self.line)] * own_quads
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


def _parsed(
    text: bytes,
    format_: ox.RdfFormat,
    scope: Scope,
    look: Callable[[], object],
) -> tuple[list[bytes], ox.QuadParser]:
    """The quads of whole statements in ``scope``, block by block, and their parser.

    ``look`` may raise where the reading is to end.
    """
    if why := turtle_fault(text):
        raise SyntaxError(why)
    parser = ox.parse(scope.header + text, format_, base_iri=scope.base)
    try:
        quads = [as_quads(parser)] if len(text) < _LONG else list(quad_blocks(parser, look))
    except MemoryError as error:
        raise token_too_long(error) from None
    return quads, parser


def _check_nodes(quads: Sequence[bytes]) -> None:
    """Refuse quads that are too many to be named at once; those of single statements for good."""
    if sum(map(mentioned_nodes, quads)) > MOST_NODES:
        message = f"a statement that has blank nodes more than {MOST_NODES} times"
        raise SyntaxError(message)


def _joined(quads: list[bytes]) -> Iterator[bytes]:
    """The same quads in texts of some megabytes; the list is emptied."""
    quads.reverse()
    parts: list[bytes] = []
    size = 0
    while quads:
        parts.append(quads.pop())
        size += len(parts[-1])
        if size > _ENCODED:
            yield b"".join(parts)
            parts, size = [], 0
    yield b"".join(parts)


def _too_long(splitter: StatementSplitter) -> str:
    """Why what has arrived of a statement is too long to be read; "" if it is not."""
    if splitter.unfinished > LONGEST_TOKEN and not splitter.shorten_comment():
        return f"a term of more than {LONGEST_TOKEN} bytes"
    if len(splitter.text) > LONGEST:
        return f"a statement of more than {LONGEST} bytes"
    return ""


def _line_at(text: bytes, begin: int, first: int) -> int:
    """The line of the statement that begins, after space and comments, at ``begin``."""
    leading = _LEADING.match(text, begin)
    return first + text.count(b"\n", 0, leading.end() if leading else begin)


class TurtleReader:
    """Reads the chunks of a Turtle or TriG document.

    A statement that is too long is a fault, and skipped without being held.

    Attributes:
        format: `ox.RdfFormat.TURTLE` or `ox.RdfFormat.TRIG`.
        document: Its number.
        line: The line behind the last statement, from 1.
        most: With more malformed statements than that in a chunk its rest is not read; None: always
            all is.
        scope: Base and prefixes behind what was read.
        names: The names of its blank nodes.
        reifies: Whether ``r rdf:reifies <<( s p o )>>`` is read as ``s p o`` in the graph r.
        bounds: What ends the reading.
    """

    __slots__ = (
        *("_dictionary", "_skipping", "_splitter"),
        *("bounds", "document", "format", "line", "most", "names", "reifies", "scope"),
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
        self.line = 1
        self.document = document
        self.format = format_
        self.most = most
        self.names = BlankNodeNames()
        self.reifies = False
        self.bounds = UNBOUNDED
        self.scope = Scope(base, {})
        self._splitter = StatementSplitter()
        self._skipping = False

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``: a chunk whenever bytes have arrived, if only an empty one."""
        self.bounds = source.bounds
        incoming = InputBytes(source)
        splitter = self._splitter
        while data := incoming.read():
            text, ends = splitter.feed(data)
            yield replace(self._read(text, ends), is_partial=splitter.has_begun)
            if message := _too_long(splitter):
                fault = StatementFault(Flaw.SYNTAX, 0, self.line + splitter.lines, message)
                self.line += splitter.forget()
                if not self._skipping:
                    self._skipping = True
                    yield Chunk(NO_ROWS, [fault], is_partial=True)
        text, ends = splitter.feed(b"", final=True)
        yield self._read(text, ends)
        if incoming.damage:
            yield Chunk(NO_ROWS, incoming.fault(self.line))

    @property
    def pending(self) -> int:
        """Bytes of the statement that has not come whole."""
        return len(self._splitter.text)

    def forget_pending(self) -> None:
        """Leave out what has come of the statement that has not come whole."""
        self._splitter = StatementSplitter()
        self._skipping = False

    def saved(self) -> State:
        """Where it is, the prefixes and names so far, and what has come of a statement."""
        prefixes = self.scope.prefixes
        return {
            "text": as_array(self._splitter.text),
            "line": self.line,
            "skipping": self._skipping,
            "base": self.scope.base,
            "prefixes": list(prefixes),
            "iris": list(prefixes.values()),
            "names": self.names.saved(),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before the first chunk."""
        self.line = given.integer("line", 1)
        self._skipping = given.flag("skipping")
        prefixes, iris = given.texts("prefixes"), given.texts("iris")
        if len(prefixes) != len(iris):
            given.refuse("iris", f"are {len(iris)} for {len(prefixes)} prefixes")
        self.scope = Scope(given.maybe_text("base"), dict(zip(prefixes, iris, strict=True)))
        self.names.restore(given.part("names"))
        self._splitter.text = given.array("text", np.uint8, None).tobytes()

    def _read(self, text: bytes, ends: list[int]) -> Chunk:
        if ends and self._skipping:
            end = ends[0]
            self.line += text.count(b"\n", 0, end)
            text, ends = text[end:], [each - end for each in ends[1:]]
            self._skipping = False
        if not ends:
            return EMPTY_CHUNK
        reading = _Reading(self, self._dictionary)
        with collector_paused():
            reading.read(text, ends, self.line)
            self.line += text.count(b"\n")
            return reading.chunk()


class _Reading:
    """One chunk while it is read."""

    __slots__ = (
        "_count",
        "_dictionary",
        "_fault_cache",
        "_faults",
        "_parts",
        "_quads",
        "_reader",
    )

    def __init__(self, reader: TurtleReader, dictionary: Dictionary) -> None:
        self._reader = reader
        self._dictionary = dictionary
        self._faults: list[StatementFault] = []  # malformed statements; rows are quads so far
        self._parts: list[_StatementRun] = []
        self._fault_cache: FaultCache[bytes, tuple[int, str]] = FaultCache()
        self._quads: list[bytes] = []
        self._count = 0

    def read(self, text: bytes, ends: Sequence[int], line: int) -> None:
        """Read the statements of ``text``.

        Where there is an error, fewer statements are tried until one stands alone; behind it one is
        tried, then ever more. So a statement that follows a malformed one costs two parses at most,
        and a text without errors one.
        """
        most = self._reader.most
        faults, cache = self._faults, self._fault_cache
        done, begin, size, count = 0, 0, len(ends), len(ends)
        while done < count and (most is None or len(faults) <= most):
            tried = min(size, count - done)
            end = ends[done + tried - 1]
            piece = text[begin:end]
            fault = cache.get(piece) if tried == 1 else None
            if fault is None:
                try:
                    self._parse(piece, begin, ends[done : done + tried], line)
                    size *= 2
                except SyntaxError as error:
                    if tried > 1:
                        size = tried // 2
                        continue
                    fault = self._refuse(error, piece)
            if fault is not None:
                below, message = fault
                faults.append(StatementFault(Flaw.SYNTAX, self._count, line + below, message))
                size = 1
            line += piece.count(b"\n")
            done, begin = done + tried, end

    def chunk(self) -> Chunk:
        """What was read."""
        rows: list[Rows] = []
        unsupported: list[LineFault] = []
        row = line = 0
        for text in _joined(self._quads):  # which lets go of them
            if line:
                self._reader.bounds.check()
            found = read_nquads(self._dictionary, text, self._reader.document, final=True)
            rows.append(found.rows)
            unsupported += [
                fault._replace(row=fault.row + row, line=fault.line + line)
                for fault in found.faults
            ]
            row, line = row + len(found.rows), line + text.count(b"\n")
        skipped = [fault.line for fault in unsupported]
        lines = StatementLineNumbers(self._reader.format, self._parts, skipped)
        faults = self._with_unsupported(unsupported, skipped) if skipped else self._faults
        return Chunk(np.concatenate(rows), faults, lines)

    def _parse(self, text: bytes, begin: int, ends: Sequence[int], line: int) -> None:
        """Read statements; raises a `SyntaxError` if one of them is malformed."""
        scope = self._reader.scope.of(text)
        quads, parser = _parsed(text, self._reader.format, scope, self._reader.bounds.check)
        _check_nodes(quads)
        after = self._reader.scope.behind(parser.base_iri, parser.prefixes)
        if after is not self._reader.scope:
            self._reader.scope = after
            self._fault_cache.clear()
        count = sum(block.count(b"\n") for block in quads)
        self._parts.append(_StatementRun(text, begin, ends, line, scope, count))
        named = self._reader.names.renamed(quads, absent_from(text))
        self._quads += map(reified_quads, named) if self._reader.reifies else named
        self._count += count

    def _refuse(self, error: SyntaxError, text: bytes) -> tuple[int, str]:
        """The line of an error, from 0 at the begin of the ``text`` of a statement; its message."""
        above = len(self._reader.scope.of(text).prefixes)
        if error.lineno is None or error.lineno <= above:
            below = _line_at(text, 0, 0)
        else:
            below = error.lineno - above - 1
        found = below, message_of(error)
        self._fault_cache.remember(text, found)
        return found

    def _with_unsupported(
        self, unsupported: Sequence[LineFault], skipped: Sequence[int]
    ) -> list[StatementFault]:
        """All faults in the order of the text, with those of quads that have become no rows."""
        found = [
            ((fault.row, 0), fault._replace(row=fault.row - bisect_left(skipped, fault.row)))
            for fault in self._faults
        ]
        for fault, line in zip(unsupported, self._lines(skipped), strict=True):
            made = StatementFault(flaw_of(fault.message), fault.row, line, fault.message)
            found.append(((fault.line, 1), made))
        found.sort(key=itemgetter(0))
        return [fault for _, fault in found]

    def _lines(self, quads: Sequence[int]) -> Iterator[int]:
        """The lines of the statements that ``quads`` of the chunk, ascending, are made of."""
        before = first = 0
        for part in self._parts:
            last = bisect_left(quads, before + part.quads, first)
            if first < last:
                own = [quad - before for quad in quads[first:last]]
                yield from part.lines(self._reader.format, own)
            before, first = before + part.quads, last
