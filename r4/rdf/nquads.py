"""The reader of N-Quads and N-Triples documents.

Their bytes go straight to ids, through the token path of the dictionary (`rete.terms.nquads`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from r4.errors import Flaw, InputError
from r4.rdf.chunks import (
    EMPTY_CHUNK,
    NO_ROWS,
    PARTIAL_CHUNK,
    Chunk,
    InputBytes,
    RowLineNumbers,
    StatementFault,
    as_array,
    fault_of,
    flaw_of,
)
from r4.rdf.files import ByteSource
from r4.rdf.format_hints import FIRST_LINES, has_blocks, has_graphs, named_format
from r4.rdf.gates.input_limits import LONGEST
from r4.rdf.parser_output import TRIPLE_TERM, reified_statement
from rete.arrays.state_codec import State, StateReader
from rete.arrays.term_columns import Ids
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultColumns
from rete.terms.nquads import read_nquads

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True)
class TextLineNumbers:
    """The lines of N-Quads: a row each, but for comments and faults.

    Attributes:
        text: The text of the chunk.
        first: Line of its first byte.
        faulty: (n,) The lines of its faults, counted from 0.
    """

    text: bytes
    first: int
    faulty: Ids

    def line_of(self, row: int) -> int:
        """Counts the lines before the row."""
        faulty = set(self.faulty.tolist())
        for number, found in enumerate(_LINE.finditer(self.text)):
            if number in faulty or found[0].lstrip(b" \t").startswith(b"#"):
                continue
            if row == 0:
                return self.first + number
            row -= 1
        return self.first


class LineReader:
    """Reads the chunks of an N-Quads document, or of an N-Triples one.

    A line longer than `LONGEST` is a fault, and skipped without being held.

    Attributes:
        reifies: whether ``r rdf:reifies <<( s p o )>>`` is read as ``s p o`` in the graph r, in the
            last chunk; else it is a fault.
        line: the line that comes next, from 1.
        pending: bytes of the line that has not come whole.
    """

    __slots__ = (
        *("_dictionary", "_document", "_hinted", "_skipping", "_text"),
        *("_reified", "_triples", "_turtle_hint", "_unnamed", "line", "pending", "reifies"),
    )

    def __init__(  # noqa: PLR0913 - what its document is
        self,
        dictionary: Dictionary,
        document: int,
        *,
        triples: bool,
        line: int = 1,
        unnamed: str = "",
        turtle_hint: str = "give -i turtle",
    ) -> None:
        """Begin with the line of this number; ``triples``: it is N-Triples.

        ``unnamed`` is what messages call it, if nobody has named its format: then it is refused if
        it looks like another one, with ``turtle_hint`` if that is Turtle.
        """
        self._dictionary = dictionary
        self._document = document
        self._triples = triples
        self._text: list[bytes] = []
        self.pending = 0
        self._hinted = False
        self.line = line
        self._skipping = False
        self._turtle_hint = turtle_hint
        self._unnamed = unnamed
        self._reified: list[tuple[int, bytes]] = []  # lines, and the quads in place of them
        self.reifies = False

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``: a chunk whenever bytes have arrived, if only `PARTIAL_CHUNK`.

        Raises:
            InputError: It looks like another format, and nobody has named this one.
        """
        incoming = InputBytes(source)
        while data := incoming.read():
            broken = b"\n" in data or b"\r" in data
            if self._skipping:
                if not broken:
                    yield PARTIAL_CHUNK
                    continue
                data = _LINE.sub(b"", data, count=1)
                self.line += 1
                self._skipping = False
            self._text.append(data)
            self.pending += len(data)
            if broken:
                yield self._read(final=False)
            elif self.pending > LONGEST:
                yield self._too_long()
            else:
                yield PARTIAL_CHUNK
        yield self._read(final=True)
        if self._reified:
            yield self._read_reified()
        if incoming.damage:
            yield Chunk(NO_ROWS, incoming.fault(self.line))

    def forget_pending(self) -> None:
        """Leave out what has come of the line that has not come whole."""
        self._text, self.pending, self._skipping = [], 0, False

    def saved(self) -> State:
        """Where it is, and what has come of a line."""
        return {
            "text": as_array(b"".join(self._text)),
            "line": self.line,
            "skipping": self._skipping,
            "hinted": self._hinted,
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before the first chunk."""
        self._text = [given.array("text", np.uint8, None).tobytes()]
        self.pending = len(self._text[0])
        self.line = given.integer("line", 1)
        self._skipping, self._hinted = given.flag("skipping"), given.flag("hinted")

    def _read(self, *, final: bool) -> Chunk:
        text = b"".join(self._text)
        if not text:
            return EMPTY_CHUNK
        if self.reifies and TRIPLE_TERM in text:
            text = self._without_reified(text, final=final)
        found = read_nquads(
            self._dictionary, text, self._document, final=final, triples=self._triples
        )
        first = self.line
        self.line += found.lines
        self._text = [text[found.consumed :]]
        self.pending = len(text) - found.consumed
        given = found.faults
        if not given:
            places = TextLineNumbers(text, first, given.which)
            return Chunk(found.rows, (), places, is_partial=self.pending > 0)
        lines, messages, which = given.cells[:, 1], given.messages, given.which
        if self._unnamed and first + lines[0] <= FIRST_LINES:
            self._check_format(text, int(lines[0]), is_first=not given[0].row and first == 1)
        if not self._hinted:
            self._hinted = True
            messages = [*messages, given[0].message + self._hint(text, int(lines[0]))]
            which = which.copy()
            which[0] = len(messages) - 1
        flaws = np.array([flaw_of(why) for why in messages], np.int64)[which]
        cells = np.column_stack([flaws, given.cells[:, 0], first + lines])
        faults = FaultColumns(fault_of, cells, which, messages)
        places = TextLineNumbers(text, first, lines)
        return Chunk(found.rows, faults, places, is_partial=self.pending > 0)

    def _without_reified(self, text: bytes, *, final: bool) -> bytes:
        """The text with comments as long in place of whole lines that reify; these are kept."""
        lines: list[bytes] = []
        for number, found in enumerate(_LINE.finditer(text)):
            line = found[0]
            statement = line.rstrip(b"\r\n")
            is_whole = final or len(statement) < len(line)
            if is_whole and TRIPLE_TERM in line and (quad := reified_statement(statement)):
                self._reified.append((self.line + number, quad))
                line = b"#" * len(statement) + line[len(statement) :]
            lines.append(line)
        return b"".join(lines)

    def _read_reified(self) -> Chunk:
        text = b"".join(quad for _, quad in self._reified)
        found = read_nquads(self._dictionary, text, self._document, final=True)
        lines = np.array([line for line, _ in self._reified], np.int64)
        faults = [
            StatementFault(flaw_of(each.message), each.row, int(lines[each.line]), each.message)
            for each in found.faults
        ]
        wrong = found.faults.cells[:, 1] if found.faults else lines[:0]
        return Chunk(found.rows, faults, RowLineNumbers(np.delete(lines, wrong)))

    def _check_format(self, text: bytes, number: int, *, is_first: bool) -> None:
        """Refuse a document whose first faulty line looks like another format."""
        line = next(islice(_LINE.finditer(text), number, None))
        rest = text[line.start() :]
        hint = self._turtle_hint
        if found := named_format(line[0], rest, is_first=is_first, turtle_hint=hint):
            message = f"{self._unnamed}: this looks like {found}"
            raise InputError(message)

    def _hint(self, text: bytes, number: int) -> str:
        """The advice that the first faulty line gives about the format, if any."""
        line = next(islice(_LINE.finditer(text), number, None), None)
        if line is not None and line[0].startswith(b'{"op":'):
            return "; this looks like answers of R4: -i jsonl=FILE reads them"
        if line is None or not has_blocks(line[0]):
            return ""
        kind = "N-Triples" if self._triples else "N-Quads"
        other = "TriG" if has_graphs(text[line.start() :]) else "Turtle"
        option = f"-i {other.lower()}=FILE"
        return f"; this looks like {other}, but is read as {kind}: {option} reads it"

    def _too_long(self) -> Chunk:
        self._text.clear()
        self.pending = 0
        self._skipping = True
        message = f"a line of more than {LONGEST} bytes"
        fault = StatementFault(Flaw.SYNTAX, 0, self.line, message)
        return Chunk(NO_ROWS, [fault], is_partial=True)
