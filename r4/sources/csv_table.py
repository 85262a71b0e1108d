"""CSV files with a header, row by row; malformed rows have a flaw."""

from __future__ import annotations

import csv
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from r4.errors import Flaw, InputError
from r4.rdf.chunks import InputBytes
from r4.rdf.files import ByteSource
from r4.sources.mapping import BadValue


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row of a table.

    Attributes:
        line: Where it ends in the file, from 1.
        number: Which row it is, from 1; neither the header nor empty lines are rows.
        fields: Values by column.
        flaw: What is wrong with it.
        why: The same as a message.
    """

    line: int
    number: int
    fields: Mapping[str, str]
    flaw: Flaw = Flaw.NONE
    why: str = ""

    def check(self) -> None:
        """Check that the row can be used.

        Raises:
            BadValue: It cannot.
        """
        if self.flaw:
            raise BadValue(self.why)


class CsvTable:
    """A CSV file with a header, opened; may end in .gz, .bz2 or .xz.

    Raises:
        InputError: It cannot be opened, or lacks a column that is needed.
    """

    __slots__ = ("_header", "_pieces", "_reader", "_source", "name")

    def __init__(self, path: str, columns: Iterable[str], delimiter: str = ",") -> None:
        self._source = ByteSource(path)
        self._pieces = InputBytes(self._source)
        self.name = self._source.name
        self._reader = csv.reader(self._lines(), delimiter=delimiter)
        try:
            self._header = next(self._reader, [])
        except csv.Error as error:
            self.close()
            message = f"{path}: {error}"
            raise InputError(message) from error
        if missing := sorted(set(columns) - set(self._header)):
            self.close()
            message = f"{path}: there is no column {', '.join(missing)}"
            raise InputError(message)

    def rows(self) -> Iterator[CsvRow]:
        """Its rows, as they arrive."""
        number = 0
        while True:
            number += 1
            try:
                values = next(self._reader, None)
            except csv.Error as error:
                yield CsvRow(self._reader.line_num, number, {}, Flaw.SYNTAX, str(error))
                continue
            if values is None:
                break
            if values:
                yield self._row(number, values)
            else:
                number -= 1
        for damage in self._pieces.fault(self._reader.line_num):
            yield CsvRow(damage.line, number, {}, damage.flaw, damage.message)

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _row(self, number: int, values: list[str]) -> CsvRow:
        why = ""
        if len(values) != len(self._header):
            why = f"{len(values)} fields in place of {len(self._header)}"
        elif not _is_text("".join(values)):
            why = "not UTF-8"
        fields = dict(zip(self._header, values, strict=False))
        flaw = Flaw.SYNTAX if why else Flaw.NONE
        return CsvRow(self._reader.line_num, number, fields, flaw, why)

    def _lines(self) -> Iterator[str]:
        # Bytes that are no UTF-8 are found again in the row that they are in.
        decoder = getincrementaldecoder("utf-8")("surrogateescape")
        rest = ""
        while data := self._pieces.read():
            *lines, rest = (rest + decoder.decode(data)).split("\n")
            for line in lines:
                yield f"{line}\n"
        rest += decoder.decode(b"", final=True)
        if rest:
            yield rest


def _is_text(value: str) -> bool:
    """Whether no byte of it had to be kept as a surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
