"""A mapping as TOML, each guess with its reason as a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from r4.limited_toml import read_toml
from r4.rdf.documents import Format
from r4.sources.proposal.column_guess import ColumnGuess, guess_column, guess_decimal
from r4.sources.proposal.roles import Roles, roles_of
from r4.sources.proposal.table_head import TableHead
from r4.sources.tables.mapping import Decimal, Descriptions, TableRow
from r4.sources.tables.mapping_file import mapping_of
from r4.sources.tables.table_statements import chunk_of, description_statements, element_statements
from r4.toml_text import toml_string
from rete.terms.dictionary import Dictionary
from rif.errors.report import counted, printable

_SPACE: Final = "urn:ex:"
_UNIT: Final = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]\s*$")
_SUFFIX: Final = re.compile(
    r"_(c|f|k|degc|degf|pa|hpa|kpa|mbar|bar|ms|mps|kmh|kn|kt|mph|mm|cm|m|km|pct|percent|ppm|ppb|v|mv|a"
    r"|ma|w|kw|mw|kwh|wh|hz|khz|db|lux|ugm3|mg|kg|g|s|min|h|l|rpm)$",
    re.IGNORECASE,
)
_NO_NAME: Final = re.compile(r"\W+")
_MOST: Final = 5
"""Bad rows of the head that are told."""


def proposed_mapping(head: TableHead) -> str:
    """The mapping of a table as TOML; it can be read, and what is bad in its rows is said."""
    decimal = guess_decimal([head.fields(name) for name in head.columns])
    columns = [guess_column(name, head.fields(name), decimal) for name in head.columns]
    roles = roles_of(columns)
    lines = [*_rows(head, columns, roles, decimal)]
    text = "".join(f"{line}\n" for line in lines)
    notes = (f"# {printable(note)}" for note in head.notes)
    first = [*_title(head, roles), *_bad_rows(text, head), *notes]
    return "".join(f"{line}\n" for line in first) + text


def _title(head: TableHead, roles: Roles) -> Iterator[str]:
    rows = counted(len(head.rows), "row")
    yield f"# proposed by r4 map from the first {rows} of {printable(head.name)}: check each line"
    if roles.time is None:
        yield "# no column looks like a time, so rows always hold: r4 run … --static"
        if head.format is Format.PARQUET:
            yield "# but Parquet is a stream, and only that: name its time below"


def _bad_rows(text: str, head: TableHead) -> Iterator[str]:
    """What is wrong with rows of the head by this mapping."""
    mapping = mapping_of(read_toml(text))
    assert isinstance(mapping, Descriptions)

    def statements(row: TableRow) -> Sequence[str]:
        if mapping.time is None:
            return description_statements(row, mapping)
        return element_statements(row, mapping, 1)

    rows = [TableRow(number, number, fields) for number, fields in enumerate(head.rows, 1)]
    faults = chunk_of(rows, statements, Dictionary()).faults
    if faults:
        yield f"# {counted(len(faults), 'row')} of these cannot be read by it:"
    for fault in list(faults)[:_MOST]:
        yield f"#   row {fault.line}: {printable(fault.message)}"


def _rows(
    head: TableHead, columns: Sequence[ColumnGuess], roles: Roles, decimal: Decimal
) -> Iterator[str]:
    yield from ("", "[prefixes]", f"ex = {toml_string(_SPACE)}", "", "[rows]")
    yield from _subject(head, roles)
    yield from _times(roles)
    yield from _reading(head, decimal)
    table, own = _missing(columns)
    shown = ", ".join(map(toml_string, table))
    yield f"missing = [{shown}]  # beside empty fields"
    yield "values = ["
    yield from (f"  {line}" for line in _values(columns, roles, own))
    yield "]"


def _subject(head: TableHead, roles: Roles) -> Iterator[str]:
    thing = roles.thing
    if thing is not None:
        names = counted(thing.different, "different name")
        yield f"# {names} in {counted(len(thing.values), 'row')}"
        yield f"subject = {toml_string(f'ex:{{{thing.name}}}')}"
        return
    stem = _local(PurePath(head.name).name.partition(".")[0]) or "row"
    yield '# no column looks like a name of things; with one: subject = "ex:{column}"'
    yield f"subject = {toml_string(f'ex:{stem}')}"


def _times(roles: Roles) -> Iterator[str]:
    for key, column in (("time", roles.time), ("until", roles.until)):
        if column is None or column.times is None:
            continue
        times = column.times
        yield f"# {_time_words(column)}"
        if roles.clock is not None and key == "time":
            clock = printable(roles.clock.name)
            yield f"# a mapping has one column for it: join the time of day in {clock} to it"
        zone = "" if times.names_zone else ', zone = "Z"'
        name = toml_string(column.name)
        yield f"{key} = {{ column = {name}, format = {toml_string(times.format)}{zone} }}"
        if key == "time" and times.descends:
            yield "# times go back, so all rows are read and sorted"
            if times.looks_put_back:
                yield "# or were clocks put back? name the zone, as Europe/Berlin, without order"
            yield 'order = "time"'


def _time_words(column: ColumnGuess) -> str:
    times = column.times
    assert times is not None
    found = {
        "iso": "date and time of ISO 8601",
        "integer": "integers, which count ticks",
        "epoch": "seconds since 1970, by their size",
        "epoch_ms": "milliseconds since 1970, by their size",
        "epoch_us": "microseconds since 1970, by their size",
        "epoch_ns": "nanoseconds since 1970, by their size",
    }.get(times.format, "times that all fit this format")
    if times.others:
        found += f"; they fit {', '.join(times.others)}, too"
    if not times.names_zone:
        found += "; they name no zone: is it UTC, or as Europe/Berlin?"
    if not column.is_full:
        found += "; rows without one are bad data"
    return found


def _reading(head: TableHead, decimal: Decimal) -> Iterator[str]:
    """How the text of the table is read."""
    if head.delimiter:
        yield f"delimiter = {toml_string(head.delimiter)}"
    if head.encoding:
        yield "# it is not UTF-8"
        yield f"encoding = {toml_string(head.encoding)}"
    if head.each:
        yield "# each item of the array is a row"
        yield f"each = {toml_string(head.each)}"
    if decimal == ",":
        yield "# numbers have a decimal comma"
        yield 'decimal = ","'


def _missing(columns: Sequence[ColumnGuess]) -> tuple[list[str], dict[str, list[str]]]:
    """Fields that stand for no value: in the table, and in single columns, by their names.

    Those of single columns are words that are texts in another column, and numbers.
    """
    texts = {value for each in columns for value in each.values}
    found = dict.fromkeys(word for each in columns for word in each.missing)
    table = [word for word in found if word not in texts]
    own = {
        each.name: [word for word in (*each.missing, each.sentinel) if word and word not in table]
        for each in columns
    }
    return table, own


def _values(
    columns: Sequence[ColumnGuess], roles: Roles, own: dict[str, list[str]]
) -> Iterator[str]:
    taken: set[str] = set()
    if roles.parameter is not None and roles.value is not None:
        names = list(dict.fromkeys(roles.parameter.values))
        shown = ", ".join(map(printable, names[:_MOST])) + (", …" if len(names) > _MOST else "")
        yield f"# a long table: {printable(roles.parameter.name)} says what a value is: {shown}"
        if roles.unit is not None:
            units = ", ".join(map(printable, list(dict.fromkeys(roles.unit.values))[:_MOST]))
            yield f"# units are in {printable(roles.unit.name)}: {units}"
        yield _value(roles.value, f"ex:{{{roles.parameter.name}}}", own)
    for column in roles.values:
        yield _value(column, f"ex:{_predicate(column.name, taken)}", own)
    for column in columns:
        name = printable(column.name)
        if not column.name:
            yield "# a column without a name"
        elif not column.datatype:
            yield f"# {name}: no row has a value"


def _value(column: ColumnGuess, predicate: str, own: dict[str, list[str]]) -> str:
    missing = own[column.name]
    keys = [
        f"column = {toml_string(column.name)}",
        f"predicate = {toml_string(predicate)}",
        f'datatype = "xsd:{column.datatype}"',
    ]
    if missing:
        keys.append(f"missing = [{', '.join(map(toml_string, missing))}]")
    notes = [_unit_words(column.name) if column.is_number else "", column.reason]
    notes += [f"is {column.sentinel} no value?"] if column.sentinel else []
    comment = "; ".join(filter(None, notes))
    return f"{{ {', '.join(keys)} }},{f'  # {comment}' if comment else ''}"


def _unit_words(name: str) -> str:
    """The unit that the name of a column may have."""
    found = _UNIT.search(name) or _SUFFIX.search(name)
    return "" if found is None else f"perhaps in {printable(found[1])}"


def _predicate(name: str, taken: set[str]) -> str:
    """A name for the predicate of a column, without its unit, that no other has."""
    base = _local(_UNIT.sub("", name)) or _local(name) or "column"
    found, number = base, 1
    while found in taken:
        number += 1
        found = f"{base}_{number}"
    taken.add(found)
    return found


def _local(name: str) -> str:
    """A name as the end of an IRI: words with lines between them."""
    return _NO_NAME.sub("_", name).strip("_")
