"""CSV tables as streams of SOSA observations [SOSA], and as descriptions of sensors and features.

A row that is not what the mapping says is counted and left out, as any malformed statement is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from r4.errors import Counters, Flaw
from r4.rdf.chunks import Chunk, RowLineNumbers, StatementFault
from r4.rdf.documents import static_rows
from r4.sources.csv_table import CsvRow, CsvTable
from r4.sources.mapping import (
    QUDT_UNIT,
    SOSA,
    BadValue,
    Descriptions,
    Observations,
    iri,
    literal,
)
from r4.stream.elements import StampVocabulary
from r4.stream.source import START_PREDICATE
from r4.time.stamp_columns import read_texts
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.syntax.terms import RDF_TYPE

ToStatements: TypeAlias = Callable[[CsvRow], Sequence[str]]
"""The N-Quads lines that a row becomes; raises `BadValue`."""

_ROWS: Final = 4096
"""Rows of a table that become a chunk."""
_NUMBER: Final = 0
"""The number of the document does not matter: there are no blank nodes."""


class CsvSource:
    """A table of observations as a stream: one named graph a row, or an observation.

    Graphs and observations are named by the number of their row. The stamp of a graph is the
    result time of its observations. A row without any result is no element.

    Attributes:
        name: What messages call it.
        mapping: What its columns mean.
    """

    __slots__ = ("_table", "mapping", "name")

    def __init__(self, path: str, mapping: Observations) -> None:
        """Open it.

        Raises:
            InputError: It cannot be opened, or lacks a column that is needed.
        """
        self._table = CsvTable(path, mapping.columns, mapping.delimiter)
        self.name = self._table.name
        self.mapping = mapping

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks."""
        return asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its observations; called once."""
        start = dictionary.decode(vocabulary.start)
        return _encoded(
            self._rows(), lambda row: observation_statements(row, self.mapping, start), dictionary
        )

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

    def _rows(self) -> Iterator[CsvRow]:
        rows = self._table.rows()
        return iter(_by_time(rows, self.mapping)) if self.mapping.order == "time" else rows


def observation_statements(
    row: CsvRow, mapping: Observations, start: str = f"<{START_PREDICATE}>"
) -> list[str]:
    """The N-Quads of a row of observations, each with a line end.

    Raises:
        BadValue: A field is not what its column says.
    """
    row.check()
    results = [
        (result, row.fields[result.column])
        for result in mapping.results
        if row.fields[result.column] not in mapping.missing
    ]
    if not results:
        return []
    stamp = mapping.time.stamp(row.fields[mapping.time.column])
    sensor = iri(mapping.sensor, row.fields)
    feature = iri(mapping.feature, row.fields) if mapping.feature else ""
    lines: list[str] = []
    graph = f"<{mapping.base}graph/{row.number}>"
    if mapping.graph == "row":
        lines.append(f"{graph} {start} {stamp} .\n")
    for result, value in results:
        key = f"{row.number}/{result.key()}"
        if mapping.graph == "observation":
            graph = f"<{mapping.base}graph/{key}>"
            lines.append(f"{graph} {start} {stamp} .\n")
        observation = f"<{mapping.base}observation/{key}>"
        statements = [
            (RDF_TYPE, f"<{SOSA}Observation>"),
            (SOSA + "madeBySensor", sensor),
            (SOSA + "observedProperty", f"<{result.observes}>"),
            (SOSA + "hasSimpleResult", result.result(value)),
            (SOSA + "resultTime", stamp),
        ]
        if feature:
            statements.append((SOSA + "hasFeatureOfInterest", feature))
        lines += [
            f"{observation} <{predicate}> {term} {graph} .\n" for predicate, term in statements
        ]
    return lines


def description_statements(row: CsvRow, mapping: Descriptions) -> list[str]:
    """The N-Triples of a row that describes a thing, each with a line end.

    Raises:
        BadValue: A field is not what its column says.
    """
    row.check()
    subject = iri(mapping.subject, row.fields)
    lines = [f"{subject} <{RDF_TYPE}> <{name}> .\n" for name in mapping.types]
    for value in mapping.values:
        if value.column and row.fields[value.column] in mapping.missing:
            continue
        if value.template:
            term = iri(value.template, row.fields)
        else:
            term = literal(row.fields[value.column], value.datatype)
        lines.append(f"{subject} <{value.predicate}> {term} .\n")
    return lines


def read_descriptions(
    path: str,
    mapping: Descriptions,
    dictionary: Dictionary,
    counters: Counters,
    *,
    strict: bool = False,
) -> Iterator[Rows]:
    """A table of things as triples (n, 3) that always hold.

    Raises:
        InputError: It cannot be opened, or lacks a column that is needed.
        BadData: A row is not what the mapping says, and ``strict``.
    """
    table = CsvTable(path, mapping.columns, mapping.delimiter)
    try:
        chunks = _encoded(
            table.rows(), lambda row: description_statements(row, mapping), dictionary
        )
        yield from static_rows(chunks, table.name, counters, strict=strict)
    finally:
        table.close()


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
    table = CsvTable(path, mapping.columns, mapping.delimiter)
    known: set[str] = set()

    def new(row: CsvRow) -> list[str]:
        lines = [line for line in _sensed(row, mapping) if line not in known]
        known.update(lines)
        return lines

    try:
        chunks = _encoded(table.rows(), new, dictionary)
        yield from static_rows(chunks, table.name, counters, strict=strict)
    finally:
        table.close()


def _sensed(row: CsvRow, mapping: Observations) -> Iterator[str]:
    """The statements about the sensor, properties and feature of a row."""
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
    rows: Iterator[CsvRow], to_statements: ToStatements, dictionary: Dictionary
) -> Iterator[Chunk]:
    """The statements of rows, read by the dictionary; a row with a bad value is a fault."""
    while batch := list(islice(rows, _ROWS)):
        statements: list[str] = []
        lines: list[int] = []
        faults: list[StatementFault] = []
        for row in batch:
            try:
                found = to_statements(row)
            except BadValue as error:
                faults.append(
                    StatementFault(row.flaw or Flaw.SYNTAX, len(lines), row.line, str(error))
                )
            else:
                statements += found
                lines += [row.line] * len(found)
        quads = read_nquads(dictionary, "".join(statements).encode(), _NUMBER, final=True)
        for fault in reversed(quads.faults):
            # A template gave no IRI; the statement has no row then.
            line = lines.pop(fault.line)
            faults.append(StatementFault(Flaw.SYNTAX, fault.row, line, fault.message))
        yield Chunk(quads.rows, faults, RowLineNumbers(lines))


def _by_time(rows: Iterable[CsvRow], mapping: Observations) -> list[CsvRow]:
    """Rows sorted by their stamps; those without a readable one come first."""
    found = list(rows)
    stamps: list[str] = []
    for row in found:
        try:
            value = row.fields.get(mapping.time.column, "")
            stamps.append(mapping.time.stamp(value))
        except BadValue:
            stamps.append("")
    ticks = read_texts(stamps, TimeScale("us"))
    order = np.where(ticks.kind > 0, ticks.tick, np.iinfo(np.int64).min)
    return [found[i] for i in np.argsort(order, kind="stable").tolist()]
