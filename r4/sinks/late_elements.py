"""The sink of late elements: N-Quads that are a stream again."""

from __future__ import annotations

from r4.sinks.file import ByteWriter
from r4.stream.elements.judged_elements import (
    END_TERM,
    ENDS,
    KIND,
    NAME,
    RETRACTED,
    SIZE,
    START_TERM,
    TICK,
    JudgedElements,
)
from r4.stream.source import END_PREDICATE, RETRACTS, START_PREDICATE, StreamOptions
from r4.stream.source import ENDS as ENDING
from r4.time.ticks import Kind, Tick
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD


class LateElements:
    """Writes each late element whole: stamp, end, retractions, statements, an empty line.

    Single statements that it retracts are comments, as N-Quads cannot express that; those that it
    ends are not, if all of them were asserted in one element. Blank nodes
    keep their names of the run, so that elements of several documents stay apart.
    """

    __slots__ = ("_dictionary", "_file", "_options")

    def __init__(self, file: ByteWriter, dictionary: Dictionary, options: StreamOptions) -> None:
        self._file = file
        self._dictionary = dictionary
        self._options = options

    def put(self, elements: JudgedElements) -> None:
        """Write late elements."""
        decode = self._dictionary.decode
        start = f"<{self._options.time_predicate or START_PREDICATE}>"
        texts = iter(self._dictionary.decode_many(elements.triples.ravel()))
        retracted = iter(elements.retracted.tolist())
        lines: list[str] = []
        for row in elements.table.tolist():
            name = decode(row[NAME])
            stamp = (
                decode(row[START_TERM]) if row[START_TERM] else self._stamp(row[TICK], row[KIND])
            )
            lines.append(f"{name} {start} {stamp} .\n")
            if row[END_TERM]:
                lines.append(f"{name} <{END_PREDICATE}> {decode(row[END_TERM])} .\n")
            for _ in range(row[RETRACTED]):
                lines += self._retraction(name, *next(retracted), ends=row[ENDS] > 0)
            lines += [
                f"{next(texts)} {next(texts)} {next(texts)} {name} .\n" for _ in range(row[SIZE])
            ]
            lines.append("\n")
        self._file.write("".join(lines).encode())

    def _retraction(self, name: str, *row: int, ends: bool) -> list[str]:
        """The lines of a retraction: of all of a name, or of one statement."""
        terms = [self._dictionary.decode(term) for term in row if term]
        if len(terms) == 1:
            return [f"{name} <{RETRACTS}> {terms[0]} .\n"]
        if ends:
            *triple, other = terms
            return [f"{name} <{ENDING}> {other} .\n", f"{' '.join(triple)} {name} .\n"]
        return [f"# takes back: {' '.join(terms)} .\n"]

    def _stamp(self, tick: Tick, kind: int) -> str:
        """A stamp for an element that has none as a term."""
        if kind == Kind.INTEGER:
            return f'"{tick}"^^<{XSD}integer>'
        return f'"{self._options.scale.text(tick)}"^^<{XSD}dateTime>'
