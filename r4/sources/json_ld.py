"""JSON-LD as a stream: a document or an array of them, read whole, or a document a line.

In what is read whole, named graphs with stamps are elements, as in TriG; if there are no named
graphs, subjects with a time are, as in Turtle. A document that is a line of its own is an element
whatever its subjects are, unless it has named graphs, which are elements then. What is in the graph
`ALWAYS` always holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import (
    NO_ROWS,
    Chunk,
    RowLineNumbers,
    StatementFault,
    fault_of,
    flaw_of,
)
from r4.rdf.files import UNBOUNDED, ByteSource, ReadingBounds
from r4.rdf.whole.line import LineReading
from r4.rdf.whole.reader_process import LEAST, ReaderProcess
from r4.sources.subject_elements import STAMPS, elements_by_subject
from r4.sources.text_lines import LineDocumentReader
from r4.stream.elements.segmentation import GRAPH, PREDICATE, SUBJECT, StampVocabulary, path_ends
from r4.stream.source import ALWAYS
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultCache, FaultLog
from rete.terms.nquads import read_nquads

_LINES: Final = "urn:r4:lines:"
"""How the names of elements begin that are lines; the numbers of document and line follow."""


def document_elements(
    chunks: Iterable[Chunk],
    dictionary: Dictionary,
    vocabulary: StampVocabulary,
    name: str,
    bounds: ReadingBounds = UNBOUNDED,
) -> Iterator[Chunk]:
    """The elements of a document that was read whole, with `STAMPS` as predicates of stamps.

    ``bounds`` may end that.

    Raises:
        InputError: it has triples, but neither named graphs nor a subject with a time.
    """
    parts = list(chunks)
    rows = np.concatenate([NO_ROWS, *(chunk.rows for chunk in parts)])
    if not (rows[:, GRAPH] > 0).any():
        yield from elements_by_subject(parts, dictionary, vocabulary, name, bounds)
        return
    faults = [fault._replace(row=0) for chunk in parts for fault in chunk.faults]
    yield Chunk(_stamped(rows, vocabulary), faults)


def _stamped(rows: Rows, vocabulary: StampVocabulary) -> Rows:
    """The rows with `STAMPS`; a stamp inside a graph stands in front of itself, too."""
    rows = rows.copy()
    for path, about in (
        (vocabulary.start_path, vocabulary.start),
        (vocabulary.end_path, vocabulary.end),
    ):
        if not path:
            continue
        inside = path_ends(rows, rows[:, GRAPH], rows[:, GRAPH] > 0, path)
        stamps = rows[inside]
        stamps[:, SUBJECT], stamps[:, PREDICATE], stamps[:, GRAPH] = stamps[:, GRAPH], about, 0
        rows = np.insert(rows, inside, stamps, axis=0)
    if vocabulary.start == vocabulary.end:
        both = np.flatnonzero((rows[:, GRAPH] == 0) & (rows[:, PREDICATE] == vocabulary.start))
        rows = np.insert(rows, both, rows[both], axis=0)
        rows[both + np.arange(len(both)), PREDICATE] = STAMPS.end
    of_names = rows[:, GRAPH] == 0
    for asked, known in (
        (vocabulary.start, STAMPS.start),
        (vocabulary.end, STAMPS.end),
        (vocabulary.retracts, STAMPS.retracts),
        (vocabulary.ends, STAMPS.ends),
    ):
        rows[of_names & (rows[:, PREDICATE] == asked), PREDICATE] = known
    return rows


class JsonLdLineReader(LineDocumentReader):
    """Reads the chunks of JSON-LD with a document a line."""

    __slots__ = (
        *("_about", "_bounds", "_contexts", "_dictionary", "_document", "_fault_cache"),
        "_process",
    )

    def __init__(
        self,
        dictionary: Dictionary,
        document: int,
        vocabulary: StampVocabulary,
        contexts: Mapping[str, bytes],
    ) -> None:
        super().__init__()
        self._contexts = {iri: context.decode() for iri, context in contexts.items()}
        self._dictionary = dictionary
        self._document = document
        ids = (vocabulary.start, vocabulary.end, vocabulary.retracts, vocabulary.ends)
        self._about = tuple(dictionary.decode(each)[1:-1] for each in ids)
        self._fault_cache: FaultCache[bytes, str] = FaultCache()
        self._process = ReaderProcess()
        self._bounds = UNBOUNDED

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives; long lines are read in a process of their own."""
        self._bounds = source.bounds
        try:
            yield from super().chunks(source)
        finally:
            self._process.close()

    def _chunk(self, texts: Sequence[bytes]) -> Chunk:
        """The chunk of whole lines, with an empty line after the statements of each."""
        statements: list[bytes] = []
        numbers: list[int] = []
        wrong = FaultLog()
        for text in texts:
            self._line += 1
            if not text.strip():
                continue
            why = self._fault_cache.get(text)
            if why is None:
                try:
                    found = self._statements(text)
                except SyntaxError as error:
                    why = str(error)
                    self._fault_cache.remember(text, why)
            if why is not None:
                wrong.add(Flaw.SYNTAX, len(numbers), self._line, wrong.number_of(why))
                continue
            statements += found, b"\n"
            numbers += [self._line] * (found.count(b"\n") + 1)
        quads = read_nquads(self._dictionary, b"".join(statements), self._document, final=True)
        malformed = wrong.columns(fault_of)
        if not quads.faults:
            return Chunk(quads.rows, malformed, RowLineNumbers(np.array(numbers, np.int64)))
        kept = np.ones(len(numbers), np.bool_)
        kept[quads.faults.cells[:, 1]] = False
        place = np.append(0, np.cumsum(kept))
        faults = [
            StatementFault(flaw_of(each.message), each.row, numbers[each.line], each.message)
            for each in quads.faults
        ]
        faults += [
            StatementFault(each.flaw, int(place[each.row]), each.line, each.message)
            for each in malformed
        ]
        faults.sort(key=lambda fault: fault.row)
        return Chunk(quads.rows, faults, RowLineNumbers(np.array(numbers, np.int64)[kept]))

    def _statements(self, text: bytes) -> bytes:
        """The statements of a line; raises a `SyntaxError` if it is malformed."""
        name = f"<{_LINES}{self._document}:{self._line}>"
        how = LineReading(self._line, name, self._about, f"<{ALWAYS}>", self._contexts)
        if len(text) < LEAST or not self._process.begin():
            return b"".join(how.statements(text))
        quads = self._process.quads(how, [text], self._bounds)
        parts: list[bytes] = []
        while True:
            try:
                parts.append(next(quads))
            except StopIteration as ended:
                if ended.value.why:
                    raise SyntaxError(ended.value.why) from None
                return b"".join(parts)
