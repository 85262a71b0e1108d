"""The terms that columns of a table become by a mapping: once for each distinct value.

They are made as for a single value (`mapping`), or by Arrow, if there are many, and of plain form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from r4.sources.tables.mapping import (
    SAFE_PART,
    BadValue,
    Decimal,
    ResultColumn,
    TimeColumn,
    ValueColumn,
    fields,
    iri,
    iri_parts,
    lexical_form,
    number_literal,
)
from r4.sources.tables.table_columns import ColumnRows
from rif.syntax.iri import is_absolute
from rif.syntax.terms import NEEDS_ESCAPE, XSD

_Vector: TypeAlias = Callable[[pa.Array], pa.Array]
"""Terms of values; null where it cannot tell."""
Piece: TypeAlias = str | pa.Array
"""A text of every row, or one of each, null where there is none."""

MANY = 256
"""Distinct values whose terms are made by Arrow; fewer are made one by one, and remembered."""
_MOST: Final = 1 << 16
"""Terms that are remembered."""
_DATE_TIME: Final = r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_ZONED: Final = r"(?:Z|[+-][0-9]{2}:[0-9]{2})\z"
_DAY: Final = len("2026-10-25")


class Terms:
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


class Template:
    """The IRIs that a template makes of rows."""

    __slots__ = ("_parts", "columns")

    def __init__(self, template: str) -> None:
        """Raises `RowByRow` if it takes more than its single columns to tell whether it is one."""
        self.columns = fields(template)
        parts = list(iri_parts(template))
        text = "".join(text for text, _, _ in parts)
        if not self.columns:
            self._parts: list[str | Terms] = [_constant(template)]
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
            self._parts = [Terms(name, lambda value: iri(template, {name: value}), None)]
        else:
            raise RowByRow

    def pieces(self, rows: ColumnRows) -> list[Piece]:
        """The pieces of the IRIs, in brackets."""
        return [each if isinstance(each, str) else each.of(rows) for each in self._parts]


class RowByRow(Exception):
    """Statements of a mapping are made row by row."""


def _constant(template: str) -> str:
    try:
        return iri(template, {})
    except BadValue:
        raise RowByRow from None


def _part(name: str, *, encoded: bool) -> Terms:
    """A value as a part of an IRI that begins with a scheme."""
    part = f"{{{name}}}" if encoded else f"{{+{name}}}"
    before = "x:"
    return Terms(
        name,
        lambda value: iri(before + part, {name: value})[1 + len(before) : -1],
        lambda values: where(_matches(values, SAFE_PART), values),
    )


def _matches(values: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(values, rf"\A(?:{pattern})\z")


def where(mask: pa.Array, values: pa.Array) -> pa.Array:
    """The values where the mask is true, else null."""
    return pc.if_else(mask, values, pa.scalar(None, pa.string()))


def stamp_terms(column: TimeColumn) -> Terms:
    """The stamps of a column of times."""
    vector: _Vector | None = None
    if column.format == "integer":
        vector = _literals(XSD + "integer")
    elif column.format == "iso":
        vector = _date_times(column.zone)
    return Terms(column.column, column.stamp, vector)


def _date_times(zone: str) -> _Vector:
    def vector(values: pa.Array) -> pa.Array:
        zoned = pc.match_substring_regex(values, _DATE_TIME + _ZONED)
        local = pc.match_substring_regex(values, _DATE_TIME + r"\z")
        known = where(pc.or_(zoned, local), values)
        texts = pc.binary_replace_slice(known, _DAY, _DAY + 1, "T")
        zones = pc.if_else(zoned, "", zone)
        return joined(['"', texts, zones, f'"^^<{XSD}dateTime>'])

    return vector


def value_terms(column: ResultColumn | ValueColumn, decimal: Decimal) -> Terms:
    """The literals of a column of values."""
    is_plain = column.factor is None and decimal == "."
    return Terms(
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
        return joined(['"', where(fit, values), end])

    return vector


def joined(pieces: Iterable[Piece], nulls: str = "emit_null") -> pa.Array:
    """The pieces of each row as one text; null if one is, or without those that are null."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return pc.binary_join_element_wise(*merged, "", null_handling=nulls, null_replacement="")
