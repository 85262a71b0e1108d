r"""Rows of Python, as dicts, that become elements by the mapping of a table.

>>> mapping = mapping_from({
...     "rows": {
...         "subject": "urn:ex:{sensor}",
...         "values": [{"column": "value", "predicate": "urn:ex:reads", "datatype": "xsd:decimal"}],
...     }
... })
>>> MappedElements(Counters()).element({"sensor": "s1", "value": 3.5}, mapping).triples
b'<urn:ex:s1> <urn:ex:reads> "3.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from itertools import count
from math import isfinite, isnan
from pathlib import Path
from typing import TypeAlias

import pyoxigraph as ox

from r4.api.values.event_clock import Instant
from r4.api.values.term_texts import Statements
from r4.errors import Counters
from r4.sources.tables.json_rows import members
from r4.sources.tables.mapping import BadValue, Descriptions, TableRow, TimeColumn
from r4.sources.tables.mapping_file import BadMapping, TableMapping, mapping_of, read_mapping
from r4.sources.tables.table_statements import described, observed

TableMeaning: TypeAlias = TableMapping | Mapping[str, object] | str | Path
"""What columns mean: a mapping that was read, its tables as dicts, or the path of its file."""
Row: TypeAlias = Mapping[str, object]
"""The values of a row by the names of their columns; dicts in it have columns ``outer.inner``."""


def mapping_from(given: TableMeaning) -> TableMapping:
    """The mapping that a user names.

    Raises:
        InputError: the file cannot be read, or has no mapping.
        ValueError: the tables are no mapping.
    """
    match given:
        case str() | Path():
            return read_mapping(str(given))
        case Mapping():
            try:
                return mapping_of(given)
            except BadMapping as error:
                message = f"mapping: {error}"
                raise ValueError(message) from None
    return given


Element: TypeAlias = "tuple[Statements | Row, Instant] | Row"
"""Data with the time at which they begin to hold; or a row that has its time in it."""


@dataclass(frozen=True, slots=True)
class MappedElement:
    """The element that a row becomes.

    Attributes:
        triples: its triples, as N-Triples.
        at: when it begins, by the mapping; None: the mapping has no time.
        until: when it ends; None: by the window.
    """

    triples: bytes
    at: Instant | None
    until: Instant | None

    @property
    def statements(self) -> Iterator[ox.Triple]:
        """The same as triples of pyoxigraph."""
        return (each.triple for each in ox.parse(self.triples, ox.RdfFormat.N_TRIPLES))


class MappedElements:
    """Makes elements of rows, whose values are numbers, texts, booleans, times, or None.

    A float counts as the shortest decimal that is read back as the same float. Mappings that are
    used again are not read again. Observations get numbers behind all elements that were counted.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._numbers: Iterator[int] | None = None
        self._read: list[tuple[TableMeaning, TableMapping]] = []

    def element(self, row: object, given: TableMeaning) -> MappedElement:
        """The element of a row, by a mapping.

        Raises:
            TypeError: the row is no dict.
            ValueError: a value is not what its column says, with the name of the column; or the
                mapping is none.
            InputError: the file of the mapping cannot be read.
        """
        if not isinstance(row, Mapping):
            raise TypeError(_no_row(row))
        mapping = next((found for known, found in self._read if known == given), None)
        if mapping is None:
            mapping = mapping_from(given)
            if mapping.each:
                message = "each in a mapping is for NDJSON; add the items one by one"
                raise ValueError(message)
            self._read.append((deepcopy(given), mapping))
        if self._numbers is None:
            counters = self._counters
            self._numbers = count(counters.elements + counters.late + counters.bad.total() + 1)
        fields = dict.fromkeys(mapping.columns, "")
        try:
            for name, value in members(row, ""):
                if name in fields:
                    fields[name] = _text(value, name)
            table_row = TableRow(0, next(self._numbers), fields)
            if isinstance(mapping, Descriptions):
                statements = described(table_row, mapping)
                until = _time(mapping.until, fields, mapping.missing)
            else:
                statements = [each for _, some in observed(table_row, mapping) for each in some]
                until = None
            at = _time(mapping.time, fields, mapping.missing)
        except BadValue as error:
            raise ValueError(str(error)) from None
        text = "".join([f"{statement} .\n" for statement in statements])
        return MappedElement(text.encode(), at, until)


def _no_row(given: object) -> str:
    """Why something is no row, and how it becomes one."""
    message = f"with a mapping= an element is a dict, not a {type(given).__name__}"
    if isinstance(given, str | bytes):
        return f"{message}; json.loads makes one of JSON"
    if hasattr(given, "to_dict"):
        return f'{message}; run takes the rows of a frame of pandas: frame.to_dict("records")'
    return message


def _text(value: object, column: str) -> str:
    """The field of a value, as a table has it."""
    if hasattr(value, "item"):  # a scalar of NumPy
        value = value.item()
    match value:
        case str():
            text = value
        case None:
            text = ""
        case bool():
            text = "true" if value else "false"
        case int():
            text = str(int(value))
        case float() if isfinite(value):
            text = format(Decimal(repr(float(value))), "f")
        case float():
            text = "NaN" if isnan(value) else "INF" if value > 0 else "-INF"
        case Decimal() if value.is_finite():
            text = format(value, "f")
        case datetime() | date() | time():
            text = value.isoformat()
        case _:
            message = f"column {column}: a {type(value).__name__} is no value of a table"
            raise BadValue(message)
    return text


def _time(
    column: TimeColumn | None, fields: Mapping[str, str], missing: frozenset[str]
) -> Instant | None:
    """The time in a column; None: there is none."""
    if column is None or (value := fields[column.column]) in missing:
        return None
    text = column.stamp(value)[1:].partition('"')[0]
    if column.format == "integer":
        return int(text)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        message = f"column {column.column}: {text} is no time that a datetime can say"
        raise BadValue(message) from None
