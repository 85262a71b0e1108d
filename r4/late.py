"""Where late elements go: N-Quads that are a stream again."""

from __future__ import annotations

from typing import Protocol

from r4.elements import Rows
from r4.items import END_TERM, NAME, SIZE, START_TERM, TICK
from r4.streams import END_PREDICATE, START_PREDICATE, StreamOptions
from r4.time import Tick
from rete.dictionary import Dictionary
from rif.terms import XSD


class Writable(Protocol):
    """What takes bytes."""

    def write(self, data: bytes, /) -> object:
        """Take all of ``data``."""


class LateFile:
    """Writes each late element whole: its stamp and end, its statements, an empty line.

    Blank nodes keep their names of the run, so that elements of several documents stay apart.
    """

    __slots__ = ("_dictionary", "_file", "_options")

    def __init__(self, file: Writable, dictionary: Dictionary, options: StreamOptions) -> None:
        self._file = file
        self._dictionary = dictionary
        self._options = options

    def put(self, table: Rows, triples: Rows) -> None:
        """Take late elements: rows of `Items.table`, and their triples one after the other."""
        decode = self._dictionary.decode
        start = f"<{self._options.time_predicate or START_PREDICATE}>"
        texts = iter(self._dictionary.decode_many(triples.ravel()))
        lines: list[str] = []
        for row in table.tolist():
            name = decode(row[NAME])
            stamp = decode(row[START_TERM]) if row[START_TERM] else self._arrived(row[TICK])
            lines.append(f"{name} {start} {stamp} .\n")
            if row[END_TERM]:
                lines.append(f"{name} <{END_PREDICATE}> {decode(row[END_TERM])} .\n")
            lines += [
                f"{next(texts)} {next(texts)} {next(texts)} {name} .\n" for _ in range(row[SIZE])
            ]
            lines.append("\n")
        self._file.write("".join(lines).encode())

    def _arrived(self, tick: Tick) -> str:
        """The stamp of an element that was stamped by the clock."""
        return f'"{self._options.scale.text(tick)}"^^<{XSD}dateTime>'
