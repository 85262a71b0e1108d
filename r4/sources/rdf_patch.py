"""The chunks of RDF Patch documents: what is added and deleted, transaction by transaction.

A row ``A`` is a statement of N-Quads, and takes the same way into the dictionary. A row ``D`` takes
a statement of a named graph back; of a stamp in the default graph, all earlier elements of that
name, as without its stamp an element is nothing. Nothing else of the default graph can be taken
back. Prefixes and headers change nothing: terms are written in full [RDF-Patch, Structure].

A transaction is applied whole or not at all: it is held until its ``TC``, and if a row of it is bad
none counts. Of rows about the same statement the last one decides. Rows outside of ``TX`` are one
transaction up to the next ``TX`` or the end: "if not present, the patch should be applied
atomically" [RDF-Patch, Structure].
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np

from r4.errors import MEANING, Flaw
from r4.rdf.chunks import (
    EMPTY_CHUNK,
    NO_ROWS,
    Chunk,
    InputBytes,
    RowLineNumbers,
    StatementFault,
    as_array,
    fault_of,
    flaw_of,
    restored_faults,
    saved_faults,
)
from r4.rdf.files import ByteSource
from r4.sources.text_lines import TextPlace
from r4.stream.elements.segmentation import GRAPH, OBJECT, PREDICATE, SUBJECT, StampVocabulary
from r4.stream.source import ANSWERS
from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultLog
from rete.terms.nquads import read_nquads

_CHANGE = re.compile(rb"[ \t]*([AD])(?=[ \t<_])[ \t]*([^ \t#].*)", re.DOTALL)
_CONTROL = re.compile(rb"[ \t]*(TX|TC|TA)[ \t]*\.?[ \t]*(?:#.*)?", re.DOTALL)
_NAME = rb"(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>.][^\s\"'<>]*|:)"
_PREFIX = (
    rb"(?:PA[ \t]+" + _NAME + rb"[ \t]*(?:<[^<>\"\s]*>|\"[^\"]*\"|'[^']*')"
    rb"|PD[ \t]+" + _NAME + rb")[ \t]*\.?[ \t]*(?:#.*)?"
)
_HEADER = rb"H[ \t]+\S+[ \t]+\S.*"
_NO_CHANGE = re.compile(rb"[ \t]*(?:" + _PREFIX + rb"|" + _HEADER + rb"|(?:#.*)?)", re.DOTALL)
_LABEL = re.compile(rb'("(?:[^"\\]|\\.)*")|<(_:[^<>"\s]*)>')

_EMPTY_LINE: Final = (-1, -1, -1, -1)


@dataclass(slots=True)
class _Transaction:
    """A transaction, as far as it was read.

    Attributes:
        line: Where it begins.
        explicit: Whether a ``TX`` began it.
        text: Its statements as N-Quads, each with a line end.
        lines: The line of each.
        deletes: Whether each is deleted.
        broken: Why it cannot be applied, and where.
    """

    line: int
    explicit: bool
    text: list[bytes] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    deletes: list[bool] = field(default_factory=list)
    broken: list[StatementFault] = field(default_factory=list)


class PatchReader(TextPlace):
    """Reads the chunks of an RDF Patch document."""

    __slots__ = ("_dictionary", "_document", "_open", "_vocabulary")

    _line_ends: ClassVar[tuple[bytes, ...]] = (b"\n", b"\r")

    def __init__(self, dictionary: Dictionary, document: int, vocabulary: StampVocabulary) -> None:
        super().__init__()
        self._dictionary = dictionary
        self._document = document
        self._vocabulary = vocabulary
        self._open = _Transaction(1, explicit=False)

    def saved(self) -> State:
        """Where it is, and what has come of a transaction."""
        open_ = self._open
        return {
            **super().saved(),
            "begin": open_.line,
            "explicit": open_.explicit,
            "statements": as_array(b"".join(open_.text)),
            "lines": np.array(open_.lines, np.int64),
            "deletes": np.array(open_.deletes, np.uint8),
            "broken": saved_faults(open_.broken),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved, before the first chunk."""
        super().restore(given)
        statements = given.array("statements", np.uint8, None).tobytes().splitlines(keepends=True)
        self._open = _Transaction(
            given.integer("begin", 1),
            given.flag("explicit"),
            statements,
            given.array("lines", np.int64, len(statements)).tolist(),
            given.array("deletes", np.uint8, len(statements)).astype(np.bool_).tolist(),
            restored_faults(given.parts("broken")),
        )

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives; a chunk has whole transactions."""
        pieces = InputBytes(source)
        while data := pieces.read():
            text = self._rest + self._unskipped(data)
            end = max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1
            self._rest = text[end:]
            yield self._read(text[:end].splitlines())
            if why := self.skip_long_line():
                self._open.broken.append(StatementFault(Flaw.SYNTAX, 0, self.line, why))
        rest, self._rest = self._rest, b""
        yield self._read(rest.splitlines(), damage=pieces.fault(self._line + 1), final=True)

    def _read(
        self, lines: Sequence[bytes], damage: Sequence[StatementFault] = (), *, final: bool = False
    ) -> Chunk:
        done: list[_Transaction] = []
        for line in lines:
            self._line += 1
            if found := _CHANGE.fullmatch(line):
                self._change(found[1] == b"D", found[2])
            elif found := _CONTROL.fullmatch(line):
                self._control(found[1], done)
            elif not _NO_CHANGE.fullmatch(line):
                self._break(Flaw.SYNTAX, "malformed row of a patch")
        if final:
            self._open.broken += damage
            if self._open.explicit:
                self._break(Flaw.NOT_WHOLE, "a transaction without TC at the end of the input")
            done.append(self._open)
        return self._encode(done)

    def _change(self, deletes: bool, statement: bytes) -> None:  # noqa: FBT001 (A or D)
        if b"<_:" in statement:
            statement = _LABEL.sub(lambda found: found[1] or found[2], statement)
        self._open.text.append(statement + b"\n")
        self._open.lines.append(self._line)
        self._open.deletes.append(deletes)

    def _control(self, code: bytes, done: list[_Transaction]) -> None:
        if code == b"TX":
            if self._open.explicit:
                self._break(Flaw.NOT_WHOLE, "a transaction without TC before the next TX")
            done.append(self._open)
            self._open = _Transaction(self._line, explicit=True)
            return
        if not self._open.explicit:
            self._break(Flaw.SYNTAX, f"{code.decode()} without TX")
            return
        if code == b"TC":
            done.append(self._open)
        self._open = _Transaction(self._line + 1, explicit=False)

    def _break(self, flaw: Flaw, message: str) -> None:
        self._open.broken.append(StatementFault(flaw, 0, self._line, message))

    def _encode(self, done: Sequence[_Transaction]) -> Chunk:
        """The rows of ``done`` that count, with an empty line after each transaction."""
        if not any(each.text or each.broken for each in done):
            return EMPTY_CHUNK
        text = b"".join(line for each in done for line in each.text)
        found = read_nquads(self._dictionary, text, self._document, final=True)
        bad = found.faults.cells[:, 1].tolist()
        faults = FaultLog()
        whys = [(flaw_of(why), faults.number_of(why)) for why in found.faults.messages]
        which = found.faults.which.tolist()
        blocks: list[_Block] = []
        read, row, size, end = 0, 0, 0, 0
        for each in done:
            begin, end = end, bisect_left(bad, read + len(each.text), end)
            for place in range(begin, end):
                flaw, number = whys[which[place]]
                faults.add(flaw, size, each.lines[bad[place] - read], number)
            rows = found.rows[row : row + len(each.text) - (end - begin)]
            read, row = read + len(each.text), row + len(rows)
            wrong = each.broken or ([] if end > begin else self._refused(rows, each))
            if end > begin or wrong:
                _add_faults(faults, wrong, each, size)
            elif len(rows):
                blocks.append(self._block(rows, each))
                size += len(blocks[-1].rows)
        if not blocks:
            return Chunk(NO_ROWS, faults.columns(fault_of))
        ends = np.cumsum([len(block.rows) for block in blocks])
        begins = ends - [len(block.rows) for block in blocks]
        return Chunk(
            np.concatenate([block.rows for block in blocks]),
            faults.columns(fault_of),
            RowLineNumbers(np.concatenate([block.lines for block in blocks])),
            np.concatenate([a + block.deleted for a, block in zip(begins, blocks, strict=True)]),
            np.stack([begins, ends - 1], axis=1),
            ending=self._answers(np.concatenate([block.names for block in blocks])),
        )

    def _answers(self, names: Column) -> Column:
        """Those of ``names``, of graphs that lose statements, that are answers of another run.

        An answer that ceases to hold was true before: it ends, and is not retracted.
        """
        names = np.unique(names)
        texts = self._dictionary.decode_many(names)
        return names[[text.startswith(f"<{ANSWERS}") for text in texts]]

    def _refused(self, rows: Rows, transaction: _Transaction) -> list[StatementFault]:
        """The rows that delete what cannot be retracted."""
        if not any(transaction.deletes):
            return []
        about = np.array(transaction.deletes, np.bool_) & (rows[:, GRAPH] == 0)
        wrong = np.flatnonzero(about & (rows[:, PREDICATE] != self._vocabulary.start))
        flaw = Flaw.NOT_TO_BE_TAKEN
        return [
            StatementFault(flaw, 0, transaction.lines[n], MEANING[flaw]) for n in wrong.tolist()
        ]

    def _block(self, rows: Rows, transaction: _Transaction) -> _Block:
        lines = np.array(transaction.lines, np.int64)
        deletes = np.array(transaction.deletes, np.bool_)
        if deletes.any():
            _, which = self._dictionary.distinct(np.ascontiguousarray(rows))
            last = np.zeros(len(rows), np.int64)
            np.maximum.at(last, which, np.arange(len(rows)))
            kept = deletes | ~deletes[last[which]]
            rows, lines, deletes = rows[kept], lines[kept], deletes[kept]
        block = np.full((len(rows) + 1, GRAPH + 1), _EMPTY_LINE, np.int64)
        block[:-1] = rows
        stamps = np.flatnonzero(deletes & (rows[:, GRAPH] == 0))
        block[stamps, PREDICATE] = self._vocabulary.retracts
        block[stamps, OBJECT] = block[stamps, SUBJECT]
        deleted = np.flatnonzero(deletes & (rows[:, GRAPH] > 0))
        return _Block(block, np.append(lines, 0), deleted, block[deleted, GRAPH])


@dataclass(frozen=True, slots=True)
class _Block:
    """The rows of a transaction and an empty line; the line of each; those that delete; where."""

    rows: Rows
    lines: Column
    deleted: Column
    names: Column


def _add_faults(
    faults: FaultLog, wrong: Sequence[StatementFault], transaction: _Transaction, size: int
) -> None:
    """What is ``wrong`` with a transaction behind ``size`` rows, and that it is left out."""
    for fault in wrong:
        faults.add(fault.flaw, size, fault.line, faults.number_of(fault.message))
    if transaction.text and not any(fault.flaw == Flaw.NOT_WHOLE for fault in wrong):
        rows = len(transaction.text)
        message = f"{MEANING[Flaw.NOT_WHOLE]}, as it has bad rows among its {rows}"
        faults.add(Flaw.NOT_WHOLE, size, transaction.line, faults.number_of(message))
