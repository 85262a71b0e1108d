"""Rows of a table as columns of Arrow: each distinct value of a column stands once.

Only rows that are well-formed beyond doubt are columns; what reads rows (`csv_rows`, `json_rows`)
reads the others, so that it alone says what a row is, and what is wrong with it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json

from r4.sources.tables.mapping import TableRow
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import Ids

_NEVER_PLAIN = b"\0"
_LINE_END, _RETURN, _QUOTE = b'\n\r"'
_OPEN, _CLOSE, _OPEN_ARRAY = b"{}["
_DEEPEST = 100
"""Objects and arrays in a line: those in them may be as deep."""
_NUMBER = re.compile(rb'":( ?)(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?=[,}])')
_ODD_NUMBER = re.compile(rb"[\[:,\s-]Inf|NaN")
"""What stands for no number in JSON, which readers take for one, but not the same ones."""


class TableColumn:
    """The values of a column.

    Attributes:
        values: The distinct ones; one may stand twice.
        codes: (n,) int64, of each row its place among them.
    """

    __slots__ = ("codes", "values")

    def __init__(self, texts: pa.Array) -> None:
        """From (n,) texts, of which none is null, or their codes."""
        found = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
        self.values: pa.Array = found.dictionary
        self.codes: Ids = np.asarray(found.indices).astype(np.int64)

    def is_in(self, texts: Collection[str]) -> Mask:
        """Whether each row has one of ``texts``, (n,)."""
        found = pc.is_in(self.values, value_set=pa.array(sorted(texts), pa.string()))
        mask: Mask = np.asarray(found.to_numpy(zero_copy_only=False))[self.codes]
        return mask

    @property
    def size(self) -> int:
        """Bytes of the values of all rows."""
        return int(np.asarray(pc.binary_length(self.values))[self.codes].sum())

    def text(self, row: int) -> str:
        """The value of a row."""
        found: str = self.values[int(self.codes[row])].as_py()
        return found


@dataclass(frozen=True)
class ColumnRows:
    """Rows as columns.

    Attributes:
        first: The number of the first row.
        lines: (n,) where each ends in the file, from 1.
        columns: Those that the mapping needs.
    """

    first: int
    lines: Ids
    columns: Mapping[str, TableColumn] = field(repr=False)

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def numbers(self) -> pa.Array:
        """The numbers of the rows as texts, (n,)."""
        return pa.array(np.arange(self.first, self.first + len(self))).cast(pa.string())

    def rows(self, places: Iterable[int]) -> list[TableRow]:
        """The rows at these places, one by one."""
        return [
            TableRow(
                int(self.lines[place]),
                self.first + place,
                {name: column.text(place) for name, column in self.columns.items()},
            )
            for place in places
        ]


def csv_columns(
    text: bytes, header: Sequence[str], needed: Iterable[str], delimiter: str
) -> tuple[dict[str, TableColumn], Ids] | None:
    """The columns ``needed`` of whole lines of CSV, and of each row the line it is in, from 0.

    None: read them as rows. Quotes stand around whole fields, and in them doubled; no field has a
    line end; all rows have the fields of the header.
    """
    if not delimiter.isascii() or delimiter in '\r\n"' or _NEVER_PLAIN in text or not header:
        return None
    ends = _line_ends(text, ord(delimiter))
    if ends is None:
        return None
    lines = np.flatnonzero(_is_filled(text, ends))
    if not len(lines):
        return None
    place_of = {name: str(place) for place, name in enumerate(header)}  # the last of one name
    names = [*map(str, range(len(header)))]
    used = sorted(needed)
    try:
        if not text.isascii():
            text.decode()
        found = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(
                use_threads=False, column_names=names, block_size=len(text) + 1
            ),
            pyarrow.csv.ParseOptions(delimiter=delimiter),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=[place_of[name] for name in used] or names[:1],
                strings_can_be_null=False,
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if len(lines) != len(found):
        return None
    whole = found.combine_chunks()
    columns = {name: TableColumn(_only(whole.column(place_of[name]))) for name in used}
    return columns, lines


def json_columns(text: bytes, needed: Collection[str]) -> tuple[dict[str, TableColumn], Ids] | None:
    """The columns ``needed`` of whole lines of NDJSON, and of each row the line it is in, from 0.

    None: read them as rows. Each line that has anything in it is an object from its first to its
    last byte, without backslashes, whose members of these names are texts, numbers without an
    exponent, or null.
    """
    if not text or b"\\" in text or _has_odd_number(text) or any("." in name for name in needed):
        return None
    cells = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(cells == _LINE_END)
    begins = np.concatenate([[0], ends[:-1] + 1])
    lines = np.flatnonzero(ends > begins)
    first, last = cells[begins[lines]], cells[ends[lines] - 1]
    if not len(lines) or (first != _OPEN).any() or (last != _CLOSE).any():
        return None
    opened = text.count(b"{") + text.count(b"[")
    if opened > len(ends) + _DEEPEST:
        is_open = ((cells == _OPEN) | (cells == _OPEN_ARRAY)).astype(np.int64)
        if np.add.reduceat(is_open, begins).max() > _DEEPEST:
            return None
    names = sorted(needed)
    try:
        if not text.isascii():
            text.decode()
        found = _read_json(text, names)
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if len(found) != len(lines):
        return None
    whole = found.combine_chunks()
    texts = {name: _only(whole.column(name)).cast(pa.string()).fill_null("") for name in names}
    return {name: TableColumn(column) for name, column in texts.items()}, lines


def _has_odd_number(text: bytes) -> bool:
    return (b"Inf" in text or b"NaN" in text) and _ODD_NUMBER.search(text) is not None


def _read_json(text: bytes, names: Sequence[str]) -> pa.Table:
    """Members as texts; integers as such, where the first row has integers.

    With other numbers they are put into quotes before, to be texts as they are written. Without a
    backslash in the text, quotes with a colon behind them end the name of a member.
    """
    line = text[: text.index(b"}", text.index(b"{")) + 1]
    numbers = [name for name in names if re.search(_member(name) + rb"-?[0-9]+[,}]", line)]
    types = {name: pa.int64() if name in numbers else pa.string() for name in names}
    if numbers and b":-0" not in text and b": -0" not in text:
        with suppress(pa.ArrowInvalid):
            return _json_table(text, types)
    return _json_table(_NUMBER.sub(rb'":\1"\2"', text), dict.fromkeys(names, pa.string()))


def _member(name: str) -> bytes:
    return b'"' + re.escape(name.encode()) + b'": ?'


def _json_table(text: bytes, types: Mapping[str, pa.DataType]) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(text),
        pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        pyarrow.json.ParseOptions(
            explicit_schema=pa.schema(types), unexpected_field_behavior="ignore"
        ),
    )


def _only(column: pa.ChunkedArray) -> pa.Array:
    """The only part of a column; one of none, where it has no rows."""
    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _line_ends(text: bytes, delimiter: int) -> Ids | None:
    """Where the lines end; None: quotes or line ends are odd, or a field may be too long."""
    cells = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(cells == _LINE_END)
    if np.diff(ends, prepend=-1).max(initial=0) > csv.field_size_limit():
        return None
    if b"\r" in text:
        returns = np.flatnonzero(cells == _RETURN)
        if (cells[returns + 1] != _LINE_END).any():
            return None
    if b'"' not in text:
        return ends
    quotes = np.flatnonzero(cells == _QUOTE)
    if len(quotes) % 2:
        return None
    begins, closes = quotes[::2], quotes[1::2]
    before, behind = cells[begins - 1], cells[closes + 1]
    begin_well = (begins == 0) | (before == delimiter) | (before == _LINE_END)
    close_well = (behind == delimiter) | (behind == _LINE_END) | (behind == _RETURN)
    doubled = closes[:-1] + 1 == begins[1:]
    begin_well[1:] |= doubled
    close_well[:-1] |= doubled
    one_line = ends.searchsorted(begins) == ends.searchsorted(closes)
    return ends if (begin_well & close_well & one_line).all() else None


def _is_filled(text: bytes, ends: Ids) -> Mask:
    """Which lines have anything in them."""
    cells = np.frombuffer(text, np.uint8)
    sizes = np.diff(ends, prepend=-1) - 1
    lone = np.zeros(len(ends), np.bool_)
    lone[sizes == 1] = cells[ends[sizes == 1] - 1] == _RETURN
    filled: Mask = (sizes > 0) & ~lone
    return filled
