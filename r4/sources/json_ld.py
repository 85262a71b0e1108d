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
import pyoxigraph as ox

from r4.errors import Flaw
from r4.rdf.chunks import (
    LONGEST,
    NO_ROWS,
    Chunk,
    RowLineNumbers,
    StatementFault,
    fault_of,
    flaw_of,
)
from r4.rdf.gates.json_gate import MOST_COPIED_IN_LINE, json_fault
from r4.rdf.json_contexts import TooLong, fault_message, with_contexts
from r4.rdf.turtle import message_of
from r4.sources.subject_elements import STAMPS, elements_by_subject
from r4.sources.text_lines import LineDocumentReader
from r4.stream.elements.segmentation import GRAPH, PREDICATE, SUBJECT, StampVocabulary
from r4.stream.source import ALWAYS
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultCache, FaultLog
from rete.terms.nquads import read_nquads

_LINES: Final = "urn:r4:lines:"
"""How the names of elements begin that are lines; the numbers of document and line follow."""


def document_elements(
    chunks: Iterable[Chunk], dictionary: Dictionary, vocabulary: StampVocabulary, name: str
) -> Iterator[Chunk]:
    """The elements of a document that was read whole, with `STAMPS` as predicates of stamps.

    Raises:
        InputError: it has triples, but neither named graphs nor a subject with a time.
    """
    parts = list(chunks)
    rows = np.concatenate([NO_ROWS, *(chunk.rows for chunk in parts)])
    if not (rows[:, GRAPH] > 0).any():
        yield from elements_by_subject(parts, dictionary, vocabulary, name)
        return
    faults = [fault._replace(row=0) for chunk in parts for fault in chunk.faults]
    yield Chunk(_stamped(rows, vocabulary), faults)


def _stamped(rows: Rows, vocabulary: StampVocabulary) -> Rows:
    """The rows with `STAMPS`; a stamp inside a graph stands in front of itself, too."""
    rows = rows.copy()
    if vocabulary.inside:
        inside = np.flatnonzero((rows[:, GRAPH] > 0) & (rows[:, PREDICATE] == vocabulary.start))
        stamps = rows[inside]
        stamps[:, SUBJECT], stamps[:, GRAPH] = stamps[:, GRAPH], 0
        rows = np.insert(rows, inside, stamps, axis=0)
    about = rows[:, GRAPH] == 0
    for asked, known in (
        (vocabulary.start, STAMPS.start),
        (vocabulary.end, STAMPS.end),
        (vocabulary.retracts, STAMPS.retracts),
        (vocabulary.ends, STAMPS.ends),
    ):
        rows[about & (rows[:, PREDICATE] == asked), PREDICATE] = known
    return rows


class JsonLdLineReader(LineDocumentReader):
    """Reads the chunks of JSON-LD with a document a line."""

    __slots__ = ("_about", "_contexts", "_dictionary", "_document", "_fault_cache")

    def __init__(
        self,
        dictionary: Dictionary,
        document: int,
        vocabulary: StampVocabulary,
        contexts: Mapping[str, bytes],
    ) -> None:
        super().__init__()
        self._contexts = contexts
        self._dictionary = dictionary
        self._document = document
        ids = (vocabulary.start, vocabulary.end, vocabulary.retracts, vocabulary.ends)
        self._about = frozenset(dictionary.decode(each)[1:-1] for each in ids)
        self._fault_cache: FaultCache[bytes, str] = FaultCache()

    def _chunk(self, texts: Sequence[bytes]) -> Chunk:
        """The chunk of whole lines, with an empty line after the statements of each."""
        statements: list[str] = []
        numbers: list[int] = []
        wrong = FaultLog()
        for text in texts:
            self._line += 1
            if not text.strip():
                continue
            why = self._fault_cache.get(text)
            if why is None:
                try:
                    found = [*self._statements(text), "\n"]
                except SyntaxError as error:
                    why = fault_message(message_of(error), text)
                    self._fault_cache.remember(text, why)
                except MemoryError as error:
                    why = fault_message(str(error), text)
            if why is not None:
                wrong.add(Flaw.SYNTAX, len(numbers), self._line, wrong.number_of(why))
                continue
            statements += found
            numbers += [self._line] * len(found)
        quads = read_nquads(
            self._dictionary, "".join(statements).encode(), self._document, final=True
        )
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

    def _statements(self, text: bytes) -> list[str]:
        if self._contexts:
            try:
                text = with_contexts(text, self._contexts, LONGEST)
            except TooLong as error:
                raise SyntaxError(str(error)) from None
        if why := json_fault(text, MOST_COPIED_IN_LINE):
            raise SyntaxError(why)
        quads = list(ox.parse(text, ox.RdfFormat.JSON_LD))
        graphs = any(not isinstance(quad.graph_name, ox.DefaultGraph) for quad in quads)
        name = f"<{_LINES}{self._document}:{self._line}>"
        labels: dict[str, str] = {}
        lines: list[str] = []
        for quad in quads:
            s, p, o, g = (
                self._text(term, labels)
                for term in (quad.subject, quad.predicate, quad.object, quad.graph_name)
            )
            if graphs:
                g = "" if g == f"<{ALWAYS}>" else g
                lines.append(f"{s} {p} {o} {g} .\n")
                continue
            if quad.predicate.value in self._about:
                lines.append(f"{name} {p} {o} .\n")
            lines.append(f"{s} {p} {o} {name} .\n")
        return lines

    def _text(self, term: object, labels: dict[str, str]) -> str:
        """A term as N-Quads; blank nodes belong to their line, and are numbered there."""
        match term:
            case ox.BlankNode():
                return labels.setdefault(term.value, f"_:l{self._line}n{len(labels) + 1}")
            case ox.DefaultGraph():
                return ""
        return str(term)
