"""The first rows of a table, and how its text is to be read: delimiter, encoding, array of rows."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from r4.errors import InputError
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import DamagedInput
from r4.sources.tables.csv_rows import FOR_SPREADSHEETS, CsvRows
from r4.sources.tables.json_rows import JsonRows, members
from r4.sources.tables.mapping import TableRow
from r4.sources.tables.table_source import DELIMITERS

_LONGEST: Final = 1 << 20
"""Bytes of a file that are read."""
_ENCODINGS: Final = ("windows-1252", "iso-8859-1")
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
"""How a text of UTF-16 begins."""


@dataclass(frozen=True, slots=True)
class TableHead:
    """The first rows of a table.

    Attributes:
        name: what messages call the table.
        format: CSV, TSV, NDJSON or Parquet.
        columns: the names of its columns, each once, in order.
        rows: the fields of each row, by column; "" where a row has none.
        delimiter: the character between columns; "": that of the format.
        encoding: that of the text; "": UTF-8.
        each: the array whose items are the rows; "": lines are.
        notes: what else is to be said of it, a line each.
    """

    name: str
    format: Format
    columns: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    delimiter: str = ""
    encoding: str = ""
    each: str = ""
    notes: Sequence[str] = ()

    def fields(self, column: str) -> list[str]:
        """The fields of a column, a row each."""
        return [row[column] for row in self.rows]


def read_head(document: RdfDocument, most: int) -> TableHead:
    """At most ``most`` rows of a table, of its first megabyte; Parquet is read whole.

    Raises:
        InputError: it cannot be opened, is damaged, or is no table.
        SourceLost: the system stops delivering it.
    """
    if document.format is Format.PARQUET:
        from r4.sources.parquet import first_rows  # noqa: PLC0415 - pyarrow is an extra

        columns, rows, left = first_rows(document.path, most)
        notes = [f"column {name} has no single values" for name in left]
        return TableHead(document.name, document.format, columns, rows, notes=notes)
    data, is_whole = _beginning(document)
    read = _json_head if document.format is Format.NDJSON else _csv_head
    return read(document, data, most, is_whole=is_whole)


def _beginning(document: RdfDocument) -> tuple[bytes, bool]:
    """The first bytes of a file, and whether they are all."""
    data = bytearray()
    try:
        with closing(document.open()) as source:
            while len(data) <= _LONGEST:
                piece = source.read()
                if not piece:
                    return bytes(data), True
                data += piece
    except DamagedInput as error:
        message = f"{document.name}: {error}"
        raise InputError(message) from None
    return bytes(data[: data.rfind(b"\n", 0, _LONGEST) + 1 or _LONGEST]), False


def _csv_head(document: RdfDocument, data: bytes, most: int, *, is_whole: bool) -> TableHead:
    """The head by the delimiter with which most rows have as many fields as the header.

    Of several it is the one that makes most columns.
    """
    if data.startswith(_WIDE) or b"\0" in data[:_LONGEST]:
        message = f"{document.name}: UTF-16, or no text; iconv -t UTF-8 makes UTF-8 of it"
        raise InputError(message)
    encoding = _encoding(data)
    first = data.partition(b"\n")[0].removeprefix(BOM_UTF8).decode("latin-1").strip("\r")
    if FOR_SPREADSHEETS.fullmatch(first):
        message = f"{document.name}: the line {first!r} is for spreadsheets alone: leave it out"
        raise InputError(message)
    default = DELIMITERS[document.format]
    best: tuple[tuple[float, int], str, list[str], list[TableRow]] | None = None
    for delimiter in dict.fromkeys((default, *",;\t|")):
        reader = CsvRows(document.name, (), delimiter, encoding)
        try:
            rows = reader.read(data, final=is_whole)
        except InputError:  # with this delimiter there is no header
            continue
        header = reader.header or []
        good = [row for row in rows if not row.flaw]
        is_split = len(header) > 1
        score = (len(good) + 1) / (len(rows) + 1) if is_split else 0, len(header)
        if best is None or score > best[0]:
            best = score, delimiter, header, good
    if best is None or not best[2]:
        message = f"{document.name}: there is no header"
        raise InputError(message)
    _, delimiter, header, good = best
    columns = list(dict.fromkeys(header))
    again = sorted({name for name in columns if header.count(name) > 1})
    return TableHead(
        *(document.name, document.format, columns, [row.fields for row in good[:most]]),
        delimiter="" if delimiter == default else delimiter,
        encoding=encoding,
        notes=[f"column {name} is there twice, and the last one counts" for name in again],
    )


def _encoding(data: bytes) -> str:
    """UTF-8, which is "", or the first encoding in which all bytes are characters."""
    for name in ("utf-8", *_ENCODINGS):
        try:
            data.decode(name)
        except UnicodeDecodeError:
            continue
        return "" if name == "utf-8" else name
    raise AssertionError  # each byte is a character of ISO 8859-1


def _json_head(document: RdfDocument, data: bytes, most: int, *, is_whole: bool) -> TableHead:
    found = list(_objects(data))
    if not found:
        whole = f"jq -c '.[]' {document.name}" if data.lstrip()[:1] == b"[" else "jq -c ."
        message = f"{document.name}: no line is a JSON object; {whole} may write such lines"
        raise InputError(message)
    around = [dict(members(each, "")) for each in found]
    arrays = [name for name in _names(around) if _is_rows(name, around)]
    each = arrays[0] if len(arrays) == 1 else ""
    items = [item for some in around if each for item in _items(some[each])]
    own = [dict(members(item, "")) for item in items]
    names = _names([*around, *own])
    lists = [name for name in names if any(isinstance(some.get(name), list) for some in around)]
    columns = [name for name in names if name not in lists and _is_text(name)]
    rows = JsonRows(columns, (), each).read(data, final=is_whole)
    return TableHead(
        *(document.name, document.format, columns),
        [row.fields for row in rows if not row.flaw][:most],
        each=each,
        notes=[f"column {name} is an array" for name in lists if name != each],
    )


def _objects(data: bytes) -> Iterator[dict[str, object]]:
    """The lines that are JSON objects."""
    for line in data.split(b"\n"):
        try:
            found = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _names(rows: Iterable[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _items(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_rows(name: str, rows: Sequence[Mapping[str, object]]) -> bool:
    """Whether a member of each line is an array of objects, and of some line not an empty one."""
    values = [row.get(name) for row in rows]
    return any(map(_items, values)) and all(
        isinstance(value, list) and len(value) == len(_items(value)) for value in values
    )


def _is_text(name: str) -> bool:
    """Whether a name has no half of a surrogate pair, which no mapping could name."""
    return not any("\ud800" <= char <= "\udfff" for char in name)
