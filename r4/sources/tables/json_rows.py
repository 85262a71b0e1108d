"""Rows of NDJSON, a JSON object a line: the fields of a row are the members of its object."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Final

from r4.errors import Flaw
from r4.sources.tables.mapping import TableRow, plain_decimal
from r4.sources.tables.table_place import TablePlace
from rete.terms.faults import FaultCache
from rif.syntax.garbage_collection import collector_paused

if TYPE_CHECKING:
    from r4.sources.tables.table_columns import ColumnRows


class _Number(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=_Number, parse_constant=str)
"""One for all lines: it is dear to make."""
_ARRAY: Final = "; jq -c '.[]' makes a line of each item of an array"
_CUT: Final = "; a row is a line: jq -c . writes an object that has several so"
_LITERALS: Final = {True: "true", False: "false", None: ""}


class JsonRows(TablePlace):
    """Reads the rows of NDJSON [NDJSON].

    A member of an object in an object is the field ``outer.inner``. Numbers are taken as they are
    written, but in ``decimals`` without an exponent. A member that is null or not there is an empty
    field. With ``each``, the name of an array, its items are the rows of a line: an item has its
    own members, and those of the objects around it.
    """

    __slots__ = ("_columns", "_decimals", "_each")

    def __init__(
        self, columns: Iterable[str], decimals: Collection[str] = (), each: str = ""
    ) -> None:
        super().__init__()
        self._columns = frozenset(columns)
        self._decimals = decimals
        self._each = each

    def begin(self, data: bytes) -> bytes:
        """All of ``data``: there is no header."""
        return data

    def columns(self, data: bytes) -> ColumnRows | None:
        """The rows that ``data`` completes as columns; None: `read` it, nothing was taken.

        Needs pyarrow.
        """
        if self._skipping or self._each:
            return None
        from r4.sources.tables.table_columns import json_columns  # noqa: PLC0415

        return self._as_columns(self._rest + data, lambda lines: json_columns(lines, self._columns))

    def read(self, data: bytes, *, final: bool = False) -> list[TableRow]:
        """The rows that ``data`` completes; ``final``: the table ends there."""
        *lines, self._rest = (self._rest + self._unskipped(data)).split(b"\n")
        if final:
            lines.append(self._rest)
            self._rest = b""
        rows: list[TableRow] = []
        cache: FaultCache[bytes, TableRow] = FaultCache()
        place = self._line
        with collector_paused():  # rows are very many, and no cycles
            for line in lines:
                place += 1
                if (known := cache.get(line)) is not None:
                    self._number += 1
                    rows.append(TableRow(place, self._number, known.fields, known.flaw, known.why))
                elif line.strip():
                    found = self._rows(line, place)
                    rows += found
                    if len(found) == 1 and found[0].flaw:
                        cache.remember(line, found[0])
        self._line = place - final
        return rows

    def _rows(self, line: bytes, place: int) -> list[TableRow]:
        """The rows of a line: one, or one for each item of an array."""
        text = line.removeprefix(BOM_UTF8).lstrip()
        if not text.startswith(b"{"):  # what is no object need not be read to be refused
            hint = _ARRAY if text.startswith(b"[") else ""
            return [self._row({}, {}, place, f"no JSON object{hint}")]
        try:
            found = _DECODER.decode(text.decode("utf-8", "surrogatepass"))
            around = dict(members(found, ""))
        except (ValueError, RecursionError):
            hint = "" if text.rstrip().endswith(b"}") else _CUT
            return [self._row({}, {}, place, f"no JSON{hint}")]
        if not self._each:
            return [self._row(around, {}, place)]
        items = around.pop(self._each, None)
        if not isinstance(items, list):
            return [self._row({}, {}, place, f"there is no array {self._each}")]
        why = f"an item of {self._each} is no object"
        return [
            self._row(around, dict(members(item, "")), place)
            if isinstance(item, dict)
            else self._row({}, {}, place, why)
            for item in items
        ]

    def _row(
        self, around: Mapping[str, object], own: Mapping[str, object], place: int, why: str = ""
    ) -> TableRow:
        """A row of these members; ``why``: it is none."""
        self._number += 1
        fields = dict.fromkeys(self._columns, "")
        for name, value in chain(around.items(), own.items()):
            if name not in self._columns:
                continue
            if isinstance(value, _Number) and name in self._decimals:
                fields[name] = plain_decimal(value)
            elif isinstance(value, str):
                fields[name] = value
            elif isinstance(value, list):
                why = f'{name} is an array; each = "{name}" in the mapping reads its items'
        try:
            "".join(fields.values()).encode()  # no half of a surrogate pair
        except ValueError:
            why = "no JSON"
        flaw = Flaw.SYNTAX if why else Flaw.NONE
        return TableRow(place, self._number, fields, flaw, why)


def members(found: Mapping[str, object], before: str) -> Iterator[tuple[str, object]]:
    """The names and values of members, those of inner objects with the outer names in front."""
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from members(value, f"{before}{name}.")
        elif isinstance(value, bool) or value is None:
            yield before + name, _LITERALS[value]
        else:
            yield before + name, value
