"""The statements of the rows of a table, made column by column: the same text as row by row.

A term is made once for each distinct value of its columns. A row with a value that is bad, or that
may be, is made by `table_statements`, which says what is wrong with it.

These are made row by row, as a row depends on others or on several columns at once: tables that
are sorted by time, times of named zones, and IRIs of several columns that do not begin with a
scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from r4.errors import Flaw
from r4.rdf.chunks import Chunk, RowLineNumbers, fault_of
from r4.sources.tables.mapping import (
    SAFE_PART,
    SOSA,
    BadValue,
    Decimal,
    Descriptions,
    Observations,
    ResultColumn,
    TimeColumn,
    ValueColumn,
    fields,
    iri,
    iri_parts,
    lexical_form,
    number_literal,
)
from r4.sources.tables.mapping_file import TableMapping
from r4.sources.tables.table_columns import ColumnRows
from r4.sources.tables.table_statements import StampNames, ToStatements, chunk_of
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import Ids
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultLog
from rete.terms.nquads import read_nquads
from rif.syntax.iri import is_absolute
from rif.syntax.terms import NEEDS_ESCAPE, RDF_TYPE, XSD

_Vector: TypeAlias = Callable[[pa.Array], pa.Array]
"""Terms of values; null where it cannot tell."""
_Piece: TypeAlias = str | pa.Array
"""A text of every row, or one of each, null where there is none."""

MANY = 256
"""Distinct values whose terms are made by Arrow; fewer are made one by one, and remembered."""
_MOST: Final = 1 << 16
"""Terms that are remembered."""
_DATE_TIME: Final = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_ZONED: Final = r"(?:Z|[+-][0-9]{2}:[0-9]{2})\z"
_DAY: Final = len("2026-10-25")


class _Terms:
    """The terms of a column, as its mapping makes them of single values."""

    __slots__ = ("_convert", "_known", "_vector", "column")

    def __init__(self, column: str, convert: Callable[[str], str], vector: _Vector | None) -> None:
        self.column = column
        self._convert = convert
        self._vector = vector
        self._known: dict[str, str | None] = {}

    def of(self, rows: ColumnRows) -> pa.Array:
        """The terms of rows, (n,); null where the value is bad."""
        column = rows.columns[self.column]
        return self._distinct(column.values).take(pa.array(column.codes))

    def _distinct(self, values: pa.Array) -> pa.Array:
        if self._vector is None or len(values) < MANY:
            return pa.array([self._one(each) for each in values.to_pylist()], pa.string())
        found = self._vector(values)
        if not found.null_count:
            return found
        left = found.is_null()
        others = [self._one(each) for each in values.filter(left).to_pylist()]
        return pc.replace_with_mask(found, left, pa.array(others, pa.string()))

    def _one(self, value: str) -> str | None:
        if value in self._known:
            return self._known[value]
        if len(self._known) >= _MOST:
            self._known.clear()
        try:
            found = self._convert(value)
        except BadValue:
            self._known[value] = None
            return None
        self._known[value] = found
        return found


class _Template:
    """The IRIs that a template makes of rows."""

    __slots__ = ("_parts", "columns")

    def __init__(self, template: str) -> None:
        """Raises `_RowByRow` if it takes more than its single columns to tell whether it is one."""
        self.columns = fields(template)
        parts = list(iri_parts(template))
        text = "".join(text for text, _, _ in parts)
        if not self.columns:
            self._parts: list[str | _Terms] = [_constant(template)]
            return
        if ":" in parts[0][0] and is_absolute(text):
            self._parts = ["<"]
            for before, name, encoded in parts:
                self._parts.append(before)
                if name:
                    self._parts.append(_part(name, encoded=encoded))
            self._parts.append(">")
        elif len(self.columns) == 1:
            (name,) = self.columns
            self._parts = [_Terms(name, lambda value: iri(template, {name: value}), None)]
        else:
            raise _RowByRow

    def pieces(self, rows: ColumnRows) -> list[_Piece]:
        """The pieces of the IRIs, in brackets."""
        return [each if isinstance(each, str) else each.of(rows) for each in self._parts]


class _RowByRow(Exception):
    """Statements of a mapping are made row by row."""


def _constant(template: str) -> str:
    try:
        return iri(template, {})
    except BadValue:
        raise _RowByRow from None


def _part(name: str, *, encoded: bool) -> _Terms:
    """A value as a part of an IRI that begins with a scheme."""
    part = f"{{{name}}}" if encoded else f"{{+{name}}}"
    before = "x:"
    return _Terms(
        name,
        lambda value: iri(before + part, {name: value})[1 + len(before) : -1],
        lambda values: _where(_matches(values, SAFE_PART), values),
    )


def _matches(values: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(values, rf"\A(?:{pattern})\z")


def _where(mask: pa.Array, values: pa.Array) -> pa.Array:
    """The values where the mask is true, else null."""
    return pc.if_else(mask, values, pa.scalar(None, pa.string()))


def _stamp(column: TimeColumn) -> _Terms:
    """The stamps of a column of times."""
    vector: _Vector | None = None
    if column.format == "integer":
        vector = _literals(XSD + "integer")
    elif column.format == "iso":
        vector = _date_times(column.zone)
    return _Terms(column.column, column.stamp, vector)


def _date_times(zone: str) -> _Vector:
    def vector(values: pa.Array) -> pa.Array:
        zoned = pc.match_substring_regex(values, _DATE_TIME + _ZONED)
        local = pc.match_substring_regex(values, _DATE_TIME + r"\z")
        known = _where(pc.or_(zoned, local), values)
        texts = pc.binary_replace_slice(known, _DAY, _DAY + 1, "T")
        zones = pc.if_else(zoned, "", zone)
        return _joined(['"', texts, zones, f'"^^<{XSD}dateTime>'])

    return vector


def _value(column: ResultColumn | ValueColumn, decimal: Decimal) -> _Terms:
    """The literals of a column of values."""
    is_plain = column.factor is None and decimal == "."
    return _Terms(
        column.column,
        lambda value: number_literal(column, value, decimal),
        _literals(column.datatype) if is_plain else None,
    )


def _literals(datatype: str) -> _Vector:
    lexical = lexical_form(datatype)
    end = '"' if datatype == XSD + "string" else f'"^^<{datatype}>'

    def vector(values: pa.Array) -> pa.Array:
        if lexical is None:
            fit = pc.invert(pc.match_substring_regex(values, NEEDS_ESCAPE.pattern))
        else:
            fit = _matches(values, lexical)
        return _joined(['"', _where(fit, values), end])

    return vector


def _joined(pieces: Iterable[_Piece], nulls: str = "emit_null") -> pa.Array:
    """The pieces of each row as one text; null if one is, or without those that are null."""
    merged: list[_Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return pc.binary_join_element_wise(*merged, "", null_handling=nulls, null_replacement="")


def _has_null(pieces: Iterable[_Piece], count: int) -> Mask:
    """Whether a piece is null, of each of so many rows."""
    found: Mask = np.zeros(count, np.bool_)
    for piece in pieces:
        if not isinstance(piece, str) and piece.null_count:
            found |= piece.is_null().to_numpy(zero_copy_only=False)
    return found


class MadeRows:
    """Rows, and what is made of them.

    Attributes:
        pieces: The texts of the rows so far.
        counts: (n,) how many lines these are of each.
        odd: (n,) the rows that are to be made one by one.
        is_element: Whether an empty line, which completes an element, follows each row.
    """

    __slots__ = ("_to_rows", "counts", "is_element", "odd", "pieces", "rows")

    def __init__(self, rows: ColumnRows, to_rows: ToStatements, *, is_element: bool) -> None:
        """Nothing yet; ``to_rows`` makes the statements of single rows."""
        self._to_rows = to_rows
        self.is_element = is_element
        self.rows = rows
        self.pieces: list[_Piece] = []
        self.counts: Ids = np.zeros(len(rows), np.int64)
        self.odd: Mask = np.zeros(len(rows), np.bool_)

    def add(self, pieces: Sequence[_Piece], lines: int = 1, without: Mask | None = None) -> None:
        """So many lines of each row, but not of those ``without``; where a piece is null is odd."""
        bad = _has_null(pieces, len(self.rows))
        if without is None or not without.any():
            self.odd |= bad
            self.counts += lines
            self.pieces += pieces
            return
        self.odd |= bad & ~without
        self.counts += np.where(without, 0, lines)
        self.pieces.append(_where(pa.array(~without), _joined(pieces)))

    def chunk(self, dictionary: Dictionary) -> Chunk:
        """The chunk of the rows; as `table_statements.chunk_of`."""
        rows, counts = self.rows, self.counts
        if self.is_element:
            self.add(["\n"], without=counts == 0)
        texts = _joined([*self.pieces, pa.nulls(len(rows), pa.string())], "replace")
        faults = FaultLog()
        odd = np.flatnonzero(self.odd).tolist()
        if odd:
            written: list[str] = []
            whys: list[tuple[int, int]] = []
            for place, row in zip(odd, rows.rows(odd), strict=True):
                found: Sequence[str] = ()
                try:
                    found = self._to_rows(row)
                except BadValue as error:
                    whys.append((place, faults.number_of(str(error))))
                found = [*found, "\n"] if found and self.is_element else found
                counts[place] = len(found)
                written.append("".join(found))
            texts = pc.replace_with_mask(texts, pa.array(self.odd), pa.array(written, pa.string()))
            begins = np.cumsum(counts) - counts
            for place, why in whys:
                faults.add(Flaw.SYNTAX, int(begins[place]), int(rows.lines[place]), why)
        quads = read_nquads(dictionary, _bytes_of(texts), 0, final=True)
        if quads.faults:  # a term that the dictionary refuses
            every = rows.rows(range(len(rows)))
            return chunk_of(every, self._to_rows, dictionary, divided=self.is_element)
        lines = RowLineNumbers(np.repeat(rows.lines, counts))
        return Chunk(quads.rows, faults.columns(fault_of), lines)


class ColumnStatements:
    """Makes the statements of rows as columns, by a mapping.

    Raises:
        _RowByRow: See `column_statements`.
    """

    __slots__ = ("_is_element", "_make", "_to_rows")

    def __init__(
        self, mapping: TableMapping, number: int, stamps: StampNames | None, to_rows: ToStatements
    ) -> None:
        self._to_rows = to_rows
        self._is_element = stamps is not None
        if mapping.order == "time":
            raise _RowByRow
        self._make = (
            _describer(mapping, number, stamps)
            if isinstance(mapping, Descriptions)
            else _observer(mapping, stamps)
        )

    def of(self, rows: ColumnRows) -> MadeRows:
        """The rows, and what is made of them."""
        made = MadeRows(rows, self._to_rows, is_element=self._is_element)
        self._make(made)
        return made


def column_statements(
    mapping: TableMapping, number: int, stamps: StampNames | None, to_rows: ToStatements
) -> ColumnStatements | None:
    """What makes statements of columns; None: they are made row by row.

    They are those of document ``number``. ``stamps``: the predicates of elements; None: they are
    static data. ``to_rows`` makes those of single rows.
    """
    try:
        return ColumnStatements(mapping, number, stamps, to_rows)
    except _RowByRow:
        return None


def _bytes_of(texts: pa.Array) -> bytes:
    """All texts, one behind the other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :]
    begin, end = int(offsets[0]), int(offsets[len(texts)])
    data = texts.buffers()[2]
    return b"" if data is None else memoryview(data)[begin:end].tobytes()


def _describer(
    mapping: Descriptions, number: int, stamps: StampNames | None
) -> Callable[[MadeRows], None]:
    """As `table_statements.description_statements`, and `element_statements`."""
    subject = _Template(mapping.subject)
    types = [f" <{RDF_TYPE}> <{name}>" for name in mapping.types]
    times = [
        (_stamp(column), predicate, column is mapping.time)
        for column, predicate in zip((mapping.time, mapping.until), stamps or (), strict=False)
        if column is not None
    ]
    values = [
        (
            each,
            _Template(each.predicate),
            _Template(each.template) if each.template else None,
            None if each.template else _value(each, mapping.decimal),
        )
        for each in mapping.values
    ]

    def make(made: MadeRows) -> None:
        rows = made.rows
        name: _Piece = ""
        end: list[_Piece] = [" .\n"]
        if stamps is not None:
            name = _joined([f"<urn:r4:rows:{number}:", rows.numbers, ">"])
            end = [" ", name, " .\n"]
        for stamp, stamps_as, is_needed in times:
            lacks = rows.columns[stamp.column].is_in(mapping.missing)
            pieces = [name, f" {stamps_as} ", stamp.of(rows), " .\n"]
            if is_needed:
                made.odd |= lacks
                made.add(pieces)
            else:
                made.add(pieces, without=lacks)
        made.odd |= _lacks(subject, rows, mapping.missing)
        thing = subject.pieces(rows)
        thing = thing if len(thing) == 1 else [_joined(thing)]
        made.odd |= _has_null(thing, len(rows))
        for each in types:
            made.add([*thing, each, *end])
        for value, predicate, template, literal in values:
            without = _lacks(predicate, rows, mapping.missing)
            if value.column:
                without |= rows.columns[value.column].is_in(mapping.missing | value.missing)
            if template is not None:
                without |= _lacks(template, rows, mapping.missing)
                term = template.pieces(rows)
            else:
                assert literal is not None
                term = [literal.of(rows)]
            made.add([*thing, " ", *predicate.pieces(rows), " ", *term, *end], without=without)

    return make


def _lacks(template: _Template, rows: ColumnRows, missing: frozenset[str]) -> Mask:
    """Whether a column of a template has no value, (n,)."""
    lacks: Mask = np.zeros(len(rows), np.bool_)
    for name in template.columns:
        lacks |= rows.columns[name].is_in(missing)
    return lacks


def _observer(mapping: Observations, stamps: StampNames | None) -> Callable[[MadeRows], None]:
    """As `table_statements.observation_statements`."""
    assert stamps is not None
    time = _stamp(mapping.time)
    sensor = _Template(mapping.sensor)
    feature = _Template(mapping.feature) if mapping.feature else None
    results = [(each, _value(each, mapping.decimal)) for each in mapping.results]

    def make(made: MadeRows) -> None:
        rows = made.rows
        stamp, by = time.of(rows), sensor.pieces(rows)
        of = [] if feature is None else feature.pieces(rows)
        absent = [
            rows.columns[each.column].is_in(mapping.missing | each.missing) for each, _ in results
        ]
        graph: _Piece = ""
        if mapping.graph == "row":
            graph = _joined([f"<{mapping.base}graph/", rows.numbers, ">"])
            none = np.logical_and.reduce(absent)
            made.add([graph, f" {stamps.start} ", stamp, " .\n"], without=none)
        for (each, literal), without in zip(results, absent, strict=True):
            key = [rows.numbers, f"/{each.key()}"]
            pieces: list[_Piece] = []
            if mapping.graph == "observation":
                graph = _joined([f"<{mapping.base}graph/", *key, ">"])
                pieces = [graph, f" {stamps.start} ", stamp, " .\n"]
            subject = _joined([f"<{mapping.base}observation/", *key, ">"])
            lines: list[list[_Piece]] = [
                [f"{RDF_TYPE}> <{SOSA}Observation>"],
                [f"{SOSA}madeBySensor> ", *by],
                [f"{SOSA}observedProperty> <{each.observes}>"],
                [f"{SOSA}hasSimpleResult> ", literal.of(rows)],
                [f"{SOSA}resultTime> ", stamp],
            ]
            if of:
                lines.append([f"{SOSA}hasFeatureOfInterest> ", *of])
            for line in lines:
                pieces += [subject, " <", *line, " ", graph, " .\n"]
            count = len(lines) + (mapping.graph == "observation")
            made.add(pieces, count, without=without)

    return make
