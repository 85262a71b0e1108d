"""N-Quads and N-Triples text to rows of ids: the token path.

A kernel splits lines and looks up the tokens. A line that it is not certain about goes to the
parser of pyoxigraph, which decides. Each distinct token is examined once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import pyoxigraph as ox

from rete.arrays.delta import Rows
from rete.arrays.term_columns import (
    CURSOR_CELLS,
    DONE,
    END,
    FULL,
    LINE_END,
    LINES,
    POSITION,
    ROWS,
    SHORT,
    SPANS,
    TOKENS,
    VALUED,
    Ids,
    TextBuffer,
)
from rete.terms.dictionary import Dictionary
from rete.terms.faults import LONGEST_TEXT, FaultCache, FaultColumns, FaultLog
from rif.syntax.terms import Literal

OxTerm: TypeAlias = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | ox.DefaultGraph

_LOCATION = "Parser error at line 1 "
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_TRIPLE_TERM = "triple terms are not supported yet"
_DEEPEST = 500
"""Triple terms in one line that the parser is given: it recurses over them."""
_LEAST_ROWS = 256
_OBJECT = 2
_BYTES_A_LINE = 128
_LEAST_BLOCK = LONGEST_TEXT + 2
_LARGEST_BLOCK = 1 << 16
"""Bytes of text that are compared at once with lines that were refused."""


class LineFault(NamedTuple):
    """A line that is no statement.

    Attributes:
        row: the row that it would have been: as many rows stand before it.
        line: its number in the text, from 0.
        offset: of its first byte in the text.
        message: what is wrong with it.
    """

    row: int
    line: int
    offset: int
    message: str


@dataclass(frozen=True, slots=True)
class QuadRows:
    """Statements as ids.

    Attributes:
        rows: (n, 4) int64: s, p, o, g, in the order of the text; g is 0 in the default graph. A
            row of -1 is an empty line.
        faults: in the order of the text.
        consumed: bytes read; the rest is an incomplete line, to be given again with what follows.
        lines: line breaks in what was consumed.
    """

    rows: Rows
    faults: FaultColumns[LineFault]
    consumed: int
    lines: int


class UnsupportedTerm(ValueError):
    """A term of RDF 1.2 that is not supported yet."""


def canonical_text(term: OxTerm, document: int) -> str:
    """The canonical text of a parsed term; blank nodes are those of ``document``.

    Raises:
        UnsupportedTerm: a triple term, or a literal with a base direction.
    """
    match term:
        case ox.NamedNode():
            return f"<{term.value}>"
        case ox.BlankNode():
            return f"{blank_prefix(document)}{term.value}"
        case ox.Literal():
            if term.direction is not None:
                message = "base directions are not supported yet"
                raise UnsupportedTerm(message)
            language = (term.language or "").lower()
            return str(Literal(term.value, term.datatype.value, language))
        case ox.DefaultGraph():
            return ""
    raise UnsupportedTerm(_TRIPLE_TERM)


def blank_prefix(document: int) -> str:
    """What stands before the label in the canonical text of a blank node of a document."""
    return f"_:d{document}_"


def read_nquads(
    dictionary: Dictionary,
    text: TextBuffer,
    document: int,
    *,
    final: bool = False,
    triples: bool = False,
) -> QuadRows:
    """Encode the statements of N-Quads or N-Triples text.

    pyoxigraph decides whether a line is a statement, whatever path the line takes. Cost: constant a
    token; a parser call for each distinct token that is unusual.

    Args:
        dictionary: gives the ids.
        text: whole lines and, unless ``final``, perhaps the begin of one more. Give the bytes
            after ``consumed`` again with what follows. No line is too long here; a caller that
            wants bounded memory drops bytes up to the next line break when its carry grows too
            large, and counts a fault.
        document: number of the document, for its blank nodes.
        final: the text ends here, so its last line needs no line break.
        triples: it is N-Triples; a fourth term is a fault.
    """
    source = text if isinstance(text, bytes) else bytes(text)
    reading = _NQuadsReading(dictionary, source, document, triples=triples)
    return reading.read(len(source) if final else _whole_lines(source))


def _whole_lines(text: bytes) -> int:
    """Length of the whole lines at the start of ``text``; a CR that ends it may be half a break."""
    return text.rfind(b"\n") + 1 or text.rfind(b"\r", 0, max(0, len(text) - 1)) + 1


def _without_line(message: str) -> str:
    """What the parser complains about, without the number of the line, which is always 1."""
    found = message.removeprefix(_LOCATION)
    return message if found == message else found.removesuffix(" (line 1)")


class _NQuadsReading:
    """One call of `read_nquads`."""

    __slots__ = (
        "_cursor",
        "_dictionary",
        "_document",
        "_fault_cache",
        "_faults",
        "_format",
        "_rows",
        "_text",
    )

    def __init__(
        self, dictionary: Dictionary, text: bytes, document: int, *, triples: bool
    ) -> None:
        self._dictionary = dictionary
        self._document = document
        self._text = text
        self._format = ox.RdfFormat.N_TRIPLES if triples else ox.RdfFormat.N_QUADS
        self._rows: Rows = np.empty((len(text) // _BYTES_A_LINE + _LEAST_ROWS, 4), np.int64)
        self._cursor: Ids = np.zeros(CURSOR_CELLS, np.int64)
        self._faults = FaultLog()
        self._fault_cache: FaultCache[bytes, int] = FaultCache()

    def read(self, end: int) -> QuadRows:
        dictionary, cursor = self._dictionary, self._cursor
        prefix = blank_prefix(self._document).encode()
        triples = self._format == ox.RdfFormat.N_TRIPLES
        cursor[END] = end
        while True:
            status = dictionary.reader.read(
                dictionary.texts, self._text, self._rows, cursor, prefix, triples
            )
            if status == DONE:
                break
            if status == SHORT:
                dictionary.reserve(4, int(cursor[LINE_END] - cursor[POSITION]) + 4 * len(prefix))
            elif status == FULL:
                self._make_room(len(self._rows) // 2)
            elif status == VALUED:
                self._value()
            else:
                self._odd_line()
        rows = self._rows[: cursor[ROWS]]
        return QuadRows(rows, self._faults.columns(LineFault), end, int(cursor[LINES]))

    def _make_room(self, rows: int) -> None:
        used = int(self._cursor[ROWS])
        if used + rows > len(self._rows):
            grown = np.empty((max(used + rows, len(self._rows) * 3 // 2), 4), np.int64)
            grown[:used] = self._rows[:used]
            self._rows = grown

    def _value(self) -> None:
        """A typed literal that is new to a dictionary that works by value."""
        start, end = self._cursor[SPANS + 2 * _OBJECT :][:2].tolist()
        token = self._text[start:end]
        self._dictionary.accept(token, self._dictionary.encode(token.decode()))

    def _odd_line(self) -> None:
        """What the kernel was not certain about; it may hold several lines, broken by CR."""
        cursor = self._cursor
        start, end = int(cursor[POSITION]), int(cursor[LINE_END])
        text = self._text[start:end].removesuffix(b"\n").removesuffix(b"\r")
        lines = text.split(b"\r") if b"\r" in text else [text]
        self._make_room(len(lines))
        for line in lines:
            if line.strip(b" \t"):
                self._parse(line, start, tokens=len(lines) == 1)
            else:
                self._add_row((-1, -1, -1, -1))
            start += len(line) + 1
            cursor[LINES] += 1
        cursor[POSITION] = end
        if lines[-1] in self._fault_cache:
            self._pass_refused(end)

    def _pass_refused(self, start: int) -> None:
        """The lines from ``start`` on up to the first that was not refused before.

        As long as all lines of a block were, the next block is twice as long.
        """
        cursor, text = self._cursor, self._text
        row, number, last = int(cursor[ROWS]), int(cursor[LINES]), int(cursor[END])
        size = _LEAST_BLOCK
        while end := text.rfind(b"\n", start, min(start + size, last)) + 1:
            lines = text[start : end - 1].split(b"\n")
            if lines[0].removesuffix(b"\r") not in self._fault_cache:  # the others need no look
                break
            whys = self._fault_cache.of_first([line.removesuffix(b"\r") for line in lines])
            sizes = np.fromiter(map(len, lines[: len(whys)]), np.int64, len(whys)) + 1
            ends = start + sizes.cumsum()
            places = np.arange(number, number + len(whys))
            rows = np.full(len(whys), row)
            self._faults.add_many(np.column_stack([rows, places, ends - sizes]), whys)
            number += len(whys)
            start += int(sizes.sum())
            if len(whys) < len(lines):
                break
            size = min(2 * size, _LARGEST_BLOCK)
        cursor[POSITION], cursor[LINES] = start, number

    def _parse(self, line: bytes, offset: int, *, tokens: bool) -> None:
        if (known := self._fault_cache.get(line)) is not None:
            self._add_fault(offset, known)
            return
        if (
            len(line) > _DEEPEST
            and line.count(b"<<") > _DEEPEST
            and _STRING.sub(b"", line).count(b"<<") > _DEEPEST
        ):
            # The parser recurses, to the end of the stack.
            self._add_fault(offset, self._faults.number_of(_TRIPLE_TERM))
            return
        try:
            found = list(ox.parse(line, format=self._format))
            texts = [canonical_text(term, self._document) for quad in found for term in quad]
        except (SyntaxError, MemoryError) as error:  # the latter: a token it has no room for
            number = self._faults.number_of(_without_line(str(error)))
            self._fault_cache.remember(line, number)
            self._add_fault(offset, number)
            return
        except UnsupportedTerm as error:
            self._add_fault(offset, self._faults.number_of(str(error)))
            return
        if not texts:
            return
        ids = self._dictionary.encode_many([text for text in texts if text])
        if tokens and self._cursor[TOKENS] == len(ids):
            self._remember(ids.tolist())
        s, p, o, *g = ids.tolist()
        self._add_row((s, p, o, g[0] if g else 0))

    def _remember(self, ids: list[int]) -> None:
        """Let the tokens of the line stand for their terms, so that each is parsed once."""
        spans = self._cursor[SPANS:].tolist()
        for number, term in enumerate(ids):
            token = self._text[spans[2 * number] : spans[2 * number + 1]]
            if not token.startswith(b"_"):
                self._dictionary.accept(token, term)

    def _add_row(self, row: tuple[int, int, int, int]) -> None:
        self._rows[self._cursor[ROWS]] = row
        self._cursor[ROWS] += 1

    def _add_fault(self, offset: int, message: int) -> None:
        self._faults.add(int(self._cursor[ROWS]), int(self._cursor[LINES]), offset, message)
