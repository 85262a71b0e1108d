"""The statements that rows of a table become by a mapping, and the chunks of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import Chunk, RowLineNumbers, StatementFault, fault_of
from r4.sources.tables.mapping import (
    SOSA,
    BadValue,
    Descriptions,
    Observations,
    TableRow,
    TimeColumn,
    iri,
    missing_field,
)
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.source import END_PREDICATE, START_PREDICATE
from r4.time.stamp_columns import read_texts
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultLog
from rete.terms.nquads import QuadRows, read_nquads
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.terms import RDF_TYPE

ToStatements: TypeAlias = Callable[[TableRow], Sequence[str]]
"""The N-Quads lines that a row becomes; raises `BadValue`."""


class StampNames(NamedTuple):
    """The predicates of the stamps of an element, in brackets."""

    start: str
    end: str


STAMPS: Final = StampNames(f"<{START_PREDICATE}>", f"<{END_PREDICATE}>")
"""The predicates of stamps that no option names."""


def observation_statements(
    row: TableRow, mapping: Observations, start: str = STAMPS.start
) -> list[str]:
    """The N-Quads of a row of observations, each with a line end.

    Raises:
        BadValue: A field is not what its column says.
    """
    row.check()
    lines: list[str] = []
    graph = f"<{mapping.base}graph/{row.number}>"
    for key, statements in observed(row, mapping):
        if mapping.graph == "observation":
            graph = f"<{mapping.base}graph/{key}>"
        if mapping.graph == "observation" or not lines:
            stamp = mapping.time.stamp(row.fields[mapping.time.column])
            lines.append(f"{graph} {start} {stamp} .\n")
        lines += [f"{statement} {graph} .\n" for statement in statements]
    return lines


def observed(row: TableRow, mapping: Observations) -> Iterator[tuple[str, list[str]]]:
    """The observations of a row, each with a key of its own and its triples.

    Raises as `observation_statements`.
    """
    fields = row.fields
    results = [
        each
        for each in mapping.results
        if fields[each.column] not in mapping.missing and fields[each.column] not in each.missing
    ]
    if not results:
        return
    stamp = mapping.time.stamp(fields[mapping.time.column])
    sensor = iri(mapping.sensor, fields)
    feature = iri(mapping.feature, fields) if mapping.feature else ""
    for result in results:
        key = f"{row.number}/{result.key()}"
        subject = f"<{mapping.base}observation/{key}>"
        value = result.result(fields[result.column], mapping.decimal)
        statements = [
            f"{subject} <{RDF_TYPE}> <{SOSA}Observation>",
            f"{subject} <{SOSA}madeBySensor> {sensor}",
            f"{subject} <{SOSA}observedProperty> <{result.observes}>",
            f"{subject} <{SOSA}hasSimpleResult> {value}",
            f"{subject} <{SOSA}resultTime> {stamp}",
        ]
        if feature:
            statements.append(f"{subject} <{SOSA}hasFeatureOfInterest> {feature}")
        yield key, statements


def description_statements(row: TableRow, mapping: Descriptions) -> list[str]:
    """The N-Triples of a row that describes a thing, each with a line end.

    Raises:
        BadValue: A field is not what its column says, or one is missing that names the thing.
    """
    row.check()
    return [f"{statement} .\n" for statement in described(row, mapping)]


def element_statements(
    row: TableRow, mapping: Descriptions, number: int, stamps: StampNames = STAMPS
) -> list[str]:
    """The same as an element of document ``number``, with its stamps in front.

    Raises:
        BadValue: As above, or a time is missing or none.
    """
    row.check()
    fields, name = row.fields, f"<urn:r4:rows:{number}:{row.number}>"
    lines: list[str] = []
    for column, predicate in zip((mapping.time, mapping.until), stamps, strict=True):
        if column is None:
            continue
        if fields[column.column] not in mapping.missing:
            lines.append(f"{name} {predicate} {column.stamp(fields[column.column])} .\n")
        elif column is mapping.time:
            message = f"there is no time in column {column.column}"
            raise BadValue(message)
    return lines + [f"{statement} {name} .\n" for statement in described(row, mapping)]


def stamp_names(terms: Dictionary, vocabulary: StampVocabulary) -> StampNames:
    """The predicates of ``vocabulary`` as texts."""
    return StampNames(terms.decode(vocabulary.start), terms.decode(vocabulary.end))


def element_maker(
    mapping: Descriptions | Observations,
    number: int,
    terms: Dictionary,
    vocabulary: StampVocabulary,
) -> ToStatements:
    """What makes elements of document ``number`` of rows, with the stamps of ``vocabulary``."""
    stamps = stamp_names(terms, vocabulary)
    if isinstance(mapping, Descriptions):
        return partial(element_statements, mapping=mapping, number=number, stamps=stamps)
    return partial(observation_statements, mapping=mapping, start=stamps.start)


def described(row: TableRow, mapping: Descriptions) -> list[str]:
    """The triples of a row about a thing, without a line end; raises as the above."""
    fields = row.fields
    if column := missing_field(mapping.subject, fields, mapping.missing):
        message = f"there is no value in column {column}, which is part of the subject"
        raise BadValue(message)
    subject = iri(mapping.subject, fields)
    found = [f"{subject} <{RDF_TYPE}> <{name}>" for name in mapping.types]
    for value in mapping.values:
        field = fields[value.column] if value.column else ""
        if value.column and (field in mapping.missing or field in value.missing):
            continue
        predicate = f"<{value.predicate}>"
        if "{" in predicate:
            if missing_field(value.predicate, fields, mapping.missing):
                continue
            predicate = iri(value.predicate, fields)
        if not value.template:
            term = value.value(field, mapping.decimal)
        elif missing_field(value.template, fields, mapping.missing):
            continue
        else:
            term = iri(value.template, fields)
        found.append(f"{subject} {predicate} {term}")
    return found


@collector_paused()  # rows are very many, and no cycles
def chunk_of(
    rows: Iterable[TableRow],
    to_statements: ToStatements,
    dictionary: Dictionary,
    *,
    divided: bool = False,
) -> Chunk:
    """The statements of rows, read by the dictionary; a row with a bad value is a fault.

    If the chunk is ``divided``, an empty line, which completes an element, follows each row.
    """
    made: list[_RowStatements] = []
    faults = FaultLog()
    lines: list[int] = []
    for row in rows:
        if row.flaw:
            faults.add(row.flaw, len(lines), row.line, faults.number_of(row.why))
            continue
        try:
            found = to_statements(row)
        except BadValue as error:
            faults.add(Flaw.SYNTAX, len(lines), row.line, faults.number_of(str(error)))
            continue
        if found:
            found = [*found, "\n"] if divided else found
            made.append(_RowStatements(row.line, found, len(faults)))
            lines += [row.line] * len(found)
    quads = _read(made, dictionary)
    bad_rows: Sequence[StatementFault] = faults.columns(fault_of)
    if quads.faults:
        # A term that the dictionary refuses: the other statements of its row are left out, too.
        owners = [place for place, each in enumerate(made) for _ in each.statements]
        wrong: dict[int, str] = {}
        for fault in quads.faults:
            wrong.setdefault(owners[fault.line], fault.message)
        quads = _read([each for place, each in enumerate(made) if place not in wrong], dictionary)
        lines, bad_rows = _without(made, wrong, bad_rows)
    return Chunk(quads.rows, bad_rows, RowLineNumbers(lines))


class _RowStatements(NamedTuple):
    """What a row became.

    Attributes:
        line: where it ends in the file.
        statements: N-Quads lines, one or more.
        faults: how many rows with a fault stand before it.
    """

    line: int
    statements: Sequence[str]
    faults: int


def _without(
    made: Sequence[_RowStatements], wrong: Mapping[int, str], faults: Sequence[StatementFault]
) -> tuple[list[int], list[StatementFault]]:
    """The lines of all statements without the rows at places ``wrong``, which are faults now."""
    lines: list[int] = []
    found: list[StatementFault] = []
    begin = 0
    for place, each in enumerate(made):
        found += [fault._replace(row=len(lines)) for fault in faults[begin : each.faults]]
        begin = each.faults
        if place in wrong:
            found.append(StatementFault(Flaw.SYNTAX, len(lines), each.line, wrong[place]))
        else:
            lines += [each.line] * len(each.statements)
    found += [fault._replace(row=len(lines)) for fault in faults[begin:]]
    return lines, found


def _read(made: Iterable[_RowStatements], dictionary: Dictionary) -> QuadRows:
    text = "".join([statement for each in made for statement in each.statements])
    return read_nquads(dictionary, text.encode(), 0, final=True)


def by_time(rows: Iterable[TableRow], column: TimeColumn) -> list[TableRow]:
    """Rows sorted by their stamps; those without a readable one come first."""
    found = list(rows)
    stamps: list[str] = []
    for row in found:
        try:
            stamps.append(column.stamp(row.fields.get(column.column, "")))
        except BadValue:
            stamps.append("")
    ticks = read_texts(stamps, TimeScale("us"))
    order = np.where(ticks.kind > 0, ticks.tick, np.iinfo(np.int64).min)
    return [found[i] for i in np.argsort(order, kind="stable").tolist()]
