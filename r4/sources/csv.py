"""CSV tables as streams of SOSA observations [SOSA], and as descriptions of their sensors.

A row that is not what the mapping says is counted and left out, as any malformed statement is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Final

from r4.errors import Counters
from r4.rdf.chunks import Chunk, InputBytes
from r4.rdf.documents import static_rows
from r4.rdf.files import ByteSource
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.mapping import (
    QUDT_UNIT,
    SOSA,
    BadValue,
    Observations,
    TableRow,
    iri,
    is_cut_short,
)
from r4.sources.tables.table_statements import (
    ToStatements,
    by_time,
    chunk_of,
    element_maker,
    observation_statements,
)
from r4.stream.elements.segmentation import StampVocabulary
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import RDF_TYPE

_ROWS: Final = 4096
"""Rows of a table that become a chunk."""


class _Table:
    """A CSV file with a header, opened; may be compressed."""

    __slots__ = ("_first", "_pieces", "_reader", "_source", "name")

    def __init__(self, path: str, mapping: Observations) -> None:
        self._source = ByteSource(path)
        self._pieces = InputBytes(self._source)
        self.name = self._source.name
        self._reader = CsvRows(self.name, mapping.columns, mapping.delimiter, mapping.encoding)
        self._first: list[TableRow] = []
        try:
            while self._reader.header is None:
                data = self._pieces.read()
                self._first += self._reader.read(data, final=not data)
        except BaseException:
            self.close()
            raise

    def rows(self) -> Iterator[TableRow]:
        """Its rows, as they arrive."""
        yield from (rows := self._first)
        while not is_cut_short(rows) and (data := self._pieces.read()):
            yield from (rows := self._reader.read(data))
        if is_cut_short(rows):
            return
        yield from self._reader.read(b"", final=True)
        for damage in self._pieces.fault(self._reader.line - 1):
            yield TableRow(damage.line, 0, {}, damage.flaw, damage.message)

    def close(self) -> None:
        self._source.close()


class CsvSource:
    """A table of observations as a stream: one named graph a row, or an observation.

    Graphs and observations are named by the number of their row. The stamp of a graph is the
    result time of its observations. A row without any result is no element.
    """

    __slots__ = ("_table", "mapping", "name")

    def __init__(self, path: str, mapping: Observations) -> None:
        """Open it; raises `InputError` if it cannot be opened, or lacks a column that is needed."""
        self._table = _Table(path, mapping)
        self.name = self._table.name
        self.mapping = mapping

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        return asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its observations; called once."""
        make = element_maker(self.mapping, 0, dictionary, vocabulary)
        return _encoded(self._rows(), make, dictionary)

    def text(self) -> Iterator[str]:
        """The same as N-Quads, without malformed rows; called once, in place of `chunks`."""
        for row in self._rows():
            try:
                yield from observation_statements(row, self.mapping)
            except BadValue:
                continue

    def close(self) -> None:
        """Close the file."""
        self._table.close()

    def _rows(self) -> Iterator[TableRow]:
        rows = self._table.rows()
        return iter(by_time(rows, self.mapping.time)) if self.mapping.order == "time" else rows


def read_sensors(
    path: str,
    mapping: Observations,
    dictionary: Dictionary,
    counters: Counters,
    *,
    strict: bool = False,
) -> Iterator[Rows]:
    """The static part of a table of observations, as triples (n, 3) that always hold.

    Its sensors with the properties that they observe, its features of interest, its properties
    with their units. Reads the table once, and remembers its sensors.

    Raises:
        InputError: It cannot be opened, or lacks a column that is needed.
        BadData: A row is not what the mapping says, and ``strict``.
    """
    known: set[str] = set()

    def new(row: TableRow) -> list[str]:
        lines = [line for line in _sensed(row, mapping) if line not in known]
        known.update(lines)
        return lines

    with closing(_Table(path, mapping)) as table:
        chunks = _encoded(table.rows(), new, dictionary)
        yield from static_rows(chunks, table.name, counters, strict=strict)


def _sensed(row: TableRow, mapping: Observations) -> Iterator[str]:
    row.check()
    sensor = iri(mapping.sensor, row.fields)
    yield f"{sensor} <{RDF_TYPE}> <{SOSA}Sensor> .\n"
    for result in mapping.results:
        if row.fields[result.column] in mapping.missing:
            continue
        yield f"<{result.observes}> <{RDF_TYPE}> <{SOSA}ObservableProperty> .\n"
        yield f"{sensor} <{SOSA}observes> <{result.observes}> .\n"
        if result.unit:
            yield f"<{result.observes}> <{QUDT_UNIT}> <{result.unit}> .\n"
    if mapping.feature:
        feature = iri(mapping.feature, row.fields)
        yield f"{feature} <{RDF_TYPE}> <{SOSA}FeatureOfInterest> .\n"


def _encoded(
    rows: Iterator[TableRow], to_statements: ToStatements, dictionary: Dictionary
) -> Iterator[Chunk]:
    """The chunks of rows; the number of the document does not matter without blank nodes."""
    while batch := list(islice(rows, _ROWS)):
        yield chunk_of(batch, to_statements, dictionary)
