"""The rows of CSV with a header, from its bytes as they come; malformed rows have a flaw.

A field of more than `csv.field_size_limit` characters is malformed, and so is a row of more than
`r4.rdf.gates.input_limits.LONGEST` bytes. If it is in quotes that end in a later line, what follows
cannot be told from rows, so nothing more is read.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from r4.errors import Flaw, InputError
from r4.sources.tables.mapping import TableRow
from r4.sources.tables.table_place import TablePlace
from rete.arrays.state_codec import State, StateReader
from rete.terms.faults import FaultCache
from rif.syntax.garbage_collection import collector_paused

if TYPE_CHECKING:
    from r4.sources.tables.table_columns import ColumnRows

_LONGEST: Final = 200
"""Characters of a header that a message shows."""
FOR_SPREADSHEETS: Final = re.compile(r"[Ss]ep=.{0,2}")
"""A first line by which programs tell Excel what separates columns."""
_ENCODINGS: Final = 'encoding = "windows-1252" or "iso-8859-1" in the mapping reads others'


class _LineMissing(Exception):
    """The next line has not come yet."""


class _LineReader:
    """Lines that have come, for a reader that takes one when it needs it.

    Attributes:
        taken: how many were taken.
    """

    __slots__ = ("_final", "_lines", "taken")

    def __init__(self, lines: Sequence[str], *, final: bool) -> None:
        self._lines = lines
        self._final = final
        self.taken = 0

    def __iter__(self) -> _LineReader:
        return self

    def __next__(self) -> str:
        if self.taken == len(self._lines):
            raise StopIteration if self._final else _LineMissing
        self.taken += 1
        return self._lines[self.taken - 1]


class CsvRows(TablePlace):
    """Reads the rows of a CSV table; its first line is the header.

    A field in quotes may have line ends in it, so a row may be several lines.

    Attributes:
        header: The columns; None before they were read.
    """

    __slots__ = ("_columns", "_delimiter", "_encoding", "_is_open", "_name", "header")

    def __init__(
        self, name: str, columns: Iterable[str], delimiter: str = ",", encoding: str = ""
    ) -> None:
        """Begin; ``name`` is for messages, ``columns`` are needed, ``delimiter`` is a character.

        ``encoding``: one of those with a byte a character; "": UTF-8.
        """
        super().__init__()
        self._encoding = encoding
        self._name = name
        self._columns = frozenset(columns)
        self._delimiter = delimiter
        self._is_open = False  # whether quotes are open where the skipped line has come to
        self.header: list[str] | None = None

    @property
    def pending(self) -> int:
        """Bytes of the table of what has not come whole."""
        if not self._encoding:
            return super().pending
        return len(self._rest.decode("utf-8", "surrogateescape"))

    def skip_long_line(self) -> str:
        """As for any line; if quotes are open behind it, nothing more is read."""
        is_open = self._rest.count(b'"') % 2 == 1
        if why := super().skip_long_line():
            self._is_open = is_open
        return why

    def saved(self) -> State:
        """Where it is, and the columns; "" where they were not read."""
        header = "" if self.header is None else _written(self.header)
        return {
            **super().saved(),
            "header": header,
            "open": self._is_open,
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved; raises `InputError` if a column is missing that is needed."""
        super().restore(given)
        self._is_open = given.flag("open")
        header = given.text("header")
        if header:
            self._begin(next(csv.reader([header])))

    def begin(self, data: bytes) -> bytes:
        """Read the header, if it was not; what stands behind its line."""
        if self.header is not None:
            return data
        end = data.find(b"\n") + 1
        self.read(data[:end])
        return data[end:]

    def columns(self, data: bytes) -> ColumnRows | None:
        """The rows that ``data`` completes as columns; None: `read` it, nothing was taken.

        Needs pyarrow.
        """
        header = self.header
        if header is None or self._skipping or self._is_open:
            return None
        from r4.sources.tables.table_columns import csv_columns  # noqa: PLC0415

        return self._as_columns(
            self._rest + self._unskipped(data),  # which is UTF-8 then
            lambda lines: csv_columns(lines, header, self._columns, self._delimiter),
        )

    @collector_paused()  # rows are very many, and no cycles
    def read(self, data: bytes, *, final: bool = False) -> list[TableRow]:
        """The rows that ``data`` completes; ``final``: the table ends there.

        The last one has the flaw ``CUT_SHORT`` if no more can be read.

        Raises:
            InputError: A column is missing that is needed.
        """
        text = self._rest + self._unskipped(data)
        if self._is_open and not self._skipping:
            message = "quotes that a line too long to be read opens; the rest is not read"
            return [TableRow(self.line, self._number + 1, {}, Flaw.CUT_SHORT, message)]
        cut = len(text) if final else text.rfind(b"\n") + 1
        lines = _lines(text[:cut])
        source = _LineReader(_unmarked(lines) if self.header is None else lines, final=final)
        reader = csv.reader(source, delimiter=self._delimiter)
        rows: list[TableRow] = []
        cache: FaultCache[str, TableRow] = FaultCache()
        begin = 0
        while True:
            if cache:
                begin = source.taken = self._pass_refused(lines, begin, cache, rows)
            why = ""
            values: list[str] | None = []
            try:
                values = next(reader, None)
            except _LineMissing:
                break
            except csv.Error as error:
                why = str(error)
                if self.header is not None and _is_open(lines[begin : source.taken]):
                    message = f"{why}, within quotes; the rest is not read"
                    number = self._number + 1
                    rows.append(TableRow(self.line, number, {}, Flaw.CUT_SHORT, message))
                    break
            if values is None:
                break
            if final and source.taken == len(lines) and _is_cut(lines[begin:]):
                why = f"a quote that opens in line {self._line + 1} or behind it is not closed"
            self._line += source.taken - begin
            taken, begin = lines[begin : source.taken], source.taken
            self._take(values, why, taken, rows, cache)
        self._rest = "".join(lines[begin:]).encode("utf-8", "surrogateescape") + text[cut:]
        if final and self.header is None:
            self._begin([])
        return rows

    def _unskipped(self, data: bytes) -> bytes:
        if self._encoding:
            read = data.decode(self._encoding, "surrogateescape")
            data = read.encode("utf-8", "surrogateescape")
        rest = super()._unskipped(data)
        self._is_open ^= data.count(b'"', 0, len(data) - len(rest)) % 2 == 1
        return rest

    def _pass_refused(
        self,
        lines: Sequence[str],
        begin: int,
        cache: FaultCache[str, TableRow],
        rows: list[TableRow],
    ) -> int:
        """Take the lines from ``begin`` on that were refused before; the first that was not."""
        place, number = self._line, self._number
        while begin < len(lines) and (known := cache.get(lines[begin])) is not None:
            begin += 1
            place += 1
            number += 1
            rows.append(TableRow(place, number, known.fields, known.flaw, known.why))
        self._line, self._number = place, number
        return begin

    def _take(
        self,
        values: list[str],
        why: str,
        lines: Sequence[str],
        rows: list[TableRow],
        cache: FaultCache[str, TableRow],
    ) -> None:
        """Take the values of a row of some lines, or why it is none; remember a malformed line."""
        if self.header is None:
            if why:
                message = f"{self._name}: {why}"
                raise InputError(message)
            self._begin(values)
        elif values or why:
            self._number += 1
            row = self._row(values, why)
            rows.append(row)
            if row.flaw and len(lines) == 1:
                cache.remember(lines[0], row)

    def _begin(self, header: list[str]) -> None:
        self.header = header
        if missing := sorted(self._columns - set(header)):
            lacks = f"there is no column {', '.join(missing)}"
            message = f"{self._name}: {lacks}; {self._said(header)}"
            raise InputError(message)

    def _said(self, header: list[str]) -> str:
        """What the header is, and what is to be done if its columns are separated otherwise."""
        line = self._delimiter.join(header)
        if "\0" in line:
            return "it is in UTF-16, or no text: iconv -t UTF-8 makes UTF-8 of it"
        shown = f"the header is {line[:_LONGEST]!r}" if line else "there is no header"
        if FOR_SPREADSHEETS.fullmatch(line):
            return f"{shown}: leave this line out, it is for spreadsheets alone"
        if not self._encoding and not _is_text(line):
            return f"{shown}: it is not UTF-8; {_ENCODINGS}"
        other = next((each for each in ";\t|," if len(header) == 1 and each in line), "")
        key = f"delimiter = {json.dumps(other)}"
        return f"{shown}: {key} in the mapping separates its columns" if other else shown

    def _row(self, values: list[str], why: str) -> TableRow:
        assert self.header is not None
        if not why and len(values) != len(self.header):
            why = f"{len(values)} fields in place of {len(self.header)}"
        elif not why and not _is_text("".join(values)):
            why = f"not {self._encoding or 'UTF-8'}"
            if not self._encoding:
                why += f"; {_ENCODINGS}"
        fields = dict(zip(self.header, values, strict=False))
        flaw = Flaw.SYNTAX if why else Flaw.NONE
        return TableRow(self._line, self._number, fields, flaw, why)


def _lines(text: bytes) -> list[str]:
    """The lines of a text, each with its end, if it has one.

    Bytes that are no UTF-8 are found again in the row that they are in.
    """
    *lines, last = text.decode("utf-8", "surrogateescape").split("\n")
    whole = [f"{line}\n" for line in lines]
    return [*whole, last] if last else whole


def _unmarked(lines: list[str]) -> list[str]:
    """The first lines of a table, without a byte order mark, as Excel writes it."""
    return [lines[0].removeprefix("\ufeff"), *lines[1:]] if lines else lines


def _written(header: Sequence[str]) -> str:
    """A header as a line of CSV, without line ends in it."""
    return ",".join('"{}"'.format(name.replace('"', '""')) for name in header)


def _is_open(lines: Iterable[str]) -> bool:
    """Whether quotes that begin in ``lines``, the first ones of a row, do not end there."""
    return sum(line.count('"') for line in lines) % 2 == 1


def _is_cut(lines: Sequence[str]) -> bool:
    """Whether a quote took in all ``lines``, the last ones of the table, as nothing closes it."""
    return len(lines) > 1 and not lines[-1].rstrip().endswith('"') and _is_open(lines)


def _is_text(value: str) -> bool:
    """Whether no byte of it had to be kept as a surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
