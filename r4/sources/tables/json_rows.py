"""Rows of NDJSON, a JSON object a line: the fields of a row are the members of its object."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from r4.errors import Flaw
from r4.sources.tables.mapping import TableRow, plain_decimal
from r4.sources.text_lines import TextPlace
from rete.arrays.state_codec import State, StateReader
from rete.terms.faults import FaultCache
from rif.syntax.garbage_collection import collector_paused


class _Number(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=_Number, parse_constant=str)
"""One for all lines: it is dear to make."""
_LITERALS: Final = {True: "true", False: "false", None: ""}


class JsonRows(TextPlace):
    """Reads the rows of NDJSON [NDJSON].

    A member of an object in an object is the field ``outer.inner``. Numbers are taken as they are
    written, but in ``decimals`` without an exponent. A member that is null or not there is an empty
    field.
    """

    __slots__ = ("_columns", "_decimals", "_number")

    def __init__(self, columns: Iterable[str], decimals: Collection[str] = ()) -> None:
        super().__init__()
        self._columns = frozenset(columns)
        self._decimals = decimals
        self._number = 0

    def saved(self) -> State:
        """Where it is."""
        return {**super().saved(), "number": self._number}

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""
        super().restore(given)
        self._number = given.integer("number", 0)

    def read(self, data: bytes, *, final: bool = False) -> list[TableRow]:
        """The rows that ``data`` completes; ``final``: the table ends there."""
        *lines, self._rest = (self._rest + self._unskipped(data)).split(b"\n")
        if final:
            lines.append(self._rest)
            self._rest = b""
        rows: list[TableRow] = []
        cache: FaultCache[bytes, TableRow] = FaultCache()
        place, number = self._line, self._number
        with collector_paused():  # rows are very many, and no cycles
            for line in lines:
                place += 1
                if (known := cache.get(line)) is not None:
                    number += 1
                    rows.append(TableRow(place, number, known.fields, known.flaw, known.why))
                elif line.strip():
                    number += 1
                    row = self._row(line, place, number)
                    rows.append(row)
                    if row.flaw:
                        cache.remember(line, row)
        self._line, self._number = place - final, number
        return rows

    def _row(self, line: bytes, place: int, number: int) -> TableRow:
        fields = dict.fromkeys(self._columns, "")
        why = ""
        text = line.removeprefix(BOM_UTF8).lstrip()
        if not text.startswith(b"{"):  # what is no object need not be read to be refused
            return TableRow(place, number, fields, Flaw.SYNTAX, "no JSON object")
        try:
            found = _DECODER.decode(text.decode("utf-8", "surrogatepass"))
            for name, value in members(found, ""):
                if name not in self._columns:
                    continue
                if isinstance(value, _Number) and name in self._decimals:
                    fields[name] = plain_decimal(value)
                elif isinstance(value, str):
                    fields[name] = value
                elif isinstance(value, list):
                    why = f"{name} is an array"
            "".join(fields.values()).encode()  # no half of a surrogate pair
        except (ValueError, RecursionError):
            why = "no JSON"
        flaw = Flaw.SYNTAX if why else Flaw.NONE
        return TableRow(place, number, fields, flaw, why)


def members(found: Mapping[str, object], before: str) -> Iterator[tuple[str, object]]:
    """The names and values of members, those of inner objects with the outer names in front."""
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from members(value, f"{before}{name}.")
        elif isinstance(value, bool) or value is None:
            yield before + name, _LITERALS[value]
        else:
            yield before + name, value
