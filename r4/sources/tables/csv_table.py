"""CSV files with a header, opened, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from r4.rdf.chunks import InputBytes
from r4.rdf.files import ByteSource
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.table_row import TableRow, is_cut_short


class CsvTable:
    """A CSV file with a header, opened; may end in .gz, .bz2 or .xz.

    Raises:
        InputError: It cannot be opened, or lacks a column that is needed.
    """

    __slots__ = ("_first", "_pieces", "_reader", "_source", "name")

    def __init__(self, path: str, columns: Iterable[str], delimiter: str = ",") -> None:
        self._source = ByteSource(path)
        self._pieces = InputBytes(self._source)
        self.name = self._source.name
        self._reader = CsvRows(self.name, columns, delimiter)
        self._first: list[TableRow] = []
        try:
            while self._reader.header is None:
                data = self._pieces.read()
                self._first += self._reader.read(data, final=not data)
        except BaseException:
            self.close()
            raise

    def rows(self) -> Iterator[TableRow]:
        """Its rows, as they arrive."""
        yield from (rows := self._first)
        while not is_cut_short(rows) and (data := self._pieces.read()):
            yield from (rows := self._reader.read(data))
        if is_cut_short(rows):
            return
        yield from self._reader.read(b"", final=True)
        for damage in self._pieces.fault(self._reader.line - 1):
            yield TableRow(damage.line, 0, {}, damage.flaw, damage.message)

    def close(self) -> None:
        """Close the file."""
        self._source.close()
