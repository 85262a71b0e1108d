"""Tables as streams and as static data: their rows become statements by a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from r4.errors import Counters, Flaw, InputError
from r4.extras import version_of
from r4.rdf.chunks import PARTIAL_CHUNK, Chunk, InputBytes
from r4.rdf.documents import Format, RdfDocument, excess, static_rows
from r4.rdf.files import UNBOUNDED, ByteSource, ReadingBounds
from r4.sources.tables.csv_rows import CsvRows
from r4.sources.tables.json_rows import JsonRows
from r4.sources.tables.local_times import LocalTimes
from r4.sources.tables.mapping import Descriptions, TableRow, is_cut_short
from r4.sources.tables.mapping_file import TableMapping, read_mapping
from r4.sources.tables.table_statements import (
    StampNames,
    ToStatements,
    by_time,
    chunk_of,
    description_statements,
    element_maker,
    stamp_names,
)
from r4.stream.elements.segmentation import StampVocabulary
from rete.arrays.delta import Rows
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from r4.sources.tables.column_statements import ColumnStatements, MadeRows

DELIMITERS: Final = {Format.CSV: ",", Format.TSV: "\t"}
"""What separates columns if the mapping does not say it."""
LEAST = 1 << 15
"""Bytes that have come at once and are read as columns; of fewer rows are as fast."""
_RowReader: TypeAlias = CsvRows | JsonRows
_ByColumns: TypeAlias = Callable[[], "ColumnStatements | None"]


def mapping_for(document: RdfDocument) -> TableMapping:
    """The mapping of a table; raises `InputError` if none is named, or it cannot be read."""
    if document.mapping is None:
        written = document.format.value
        message = f"{document.name}: {written} needs --mapping, which r4 run and r4 explain have"
        raise InputError(message)
    mapping = read_mapping(document.mapping)
    if mapping.each and document.format is not Format.NDJSON:
        message = f"{document.name}: each in the mapping is for NDJSON, whose lines have arrays"
        raise InputError(message)
    return mapping


def _row_reader(document: RdfDocument, mapping: TableMapping) -> _RowReader:
    if document.format is Format.NDJSON:
        return JsonRows(mapping.columns, mapping.decimals, mapping.each)
    delimiter = mapping.delimiter or DELIMITERS[document.format]
    return CsvRows(document.name, mapping.columns, delimiter, mapping.encoding)


class TableReader:
    """Reads the chunks of a table as it arrives, or whole, if it is sorted by time.

    Attributes:
        sorts: Whether it is read whole.
    """

    __slots__ = (
        "_by_columns",
        "_dictionary",
        "_is_read",
        "_local",
        "_make",
        "_mapping",
        "_most",
        "_rows",
        "sorts",
    )

    def __init__(
        self,
        document: RdfDocument,
        mapping: TableMapping,
        dictionary: Dictionary,
        vocabulary: StampVocabulary,
    ) -> None:
        self._local = LocalTimes(mapping)
        mapping = self._mapping = self._local.mapping
        self._dictionary = dictionary
        self._rows = _row_reader(document, mapping)
        self._make = element_maker(mapping, document.number, dictionary, vocabulary)
        stamps = stamp_names(dictionary, vocabulary)
        by_columns = cache(partial(_by_columns, mapping, document.number, stamps, self._make))
        self._by_columns: _ByColumns = (lambda: None) if self._local.has_names else by_columns
        self._most = document.most_expanded
        self.sorts = mapping.order == "time"
        self._is_read = False

    @property
    def line(self) -> int:
        """The line that comes next, from 1; 0: it is read whole."""
        return 0 if self.sorts else self._rows.line

    @property
    def pending(self) -> int:
        """Bytes of a row that has not come whole."""
        return self._rows.pending

    def forget_pending(self) -> None:
        """Leave out what has come of a row that has not come whole."""
        self._rows.forget_pending()

    def saved(self) -> State:
        """Where it is."""
        return {
            "read": self._is_read,
            "rows": self._rows.saved(),
            **({"local": self._local.saved()} if self._local.has_names else {}),
        }

    def restore(self, given: StateReader) -> None:
        """Go on from what was saved."""
        self._is_read = given.flag("read")
        if self._local.has_names:
            self._local.restore(given.text("local"))
        if not self.sorts:
            self._rows.restore(given.part("rows"))

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``, as it arrives."""
        if self.sorts and self._is_read:
            return
        incoming = InputBytes(source)
        if self.sorts:
            yield self._whole(incoming, source)
            return
        for rows in _parts_of(self._rows, incoming, self._by_columns):
            if isinstance(rows, list):
                yield self._chunk(self._local.resolved(rows)) if rows else PARTIAL_CHUNK
            else:
                yield rows.chunk(self._dictionary)

    def _whole(self, incoming: InputBytes, source: ByteSource) -> Chunk:
        """The one chunk of a table that is sorted; nothing of a table that is too long."""
        assert self._mapping.time is not None
        held: list[TableRow] = []
        for rows in _parts_of(self._rows, incoming):
            assert isinstance(rows, list)
            held += rows
            if why := excess(incoming.size, source, self._most):
                held = [TableRow(0, 0, {}, Flaw.CUT_SHORT, why)]
                break
        self._is_read = True
        return self._chunk(by_time(self._local.resolved(held), self._mapping.time))

    def _chunk(self, rows: list[TableRow]) -> Chunk:
        chunk = chunk_of(rows, self._make, self._dictionary, divided=True)
        return replace(chunk, notes=self._local.told())


def read_static_table(
    document: RdfDocument,
    dictionary: Dictionary,
    counters: Counters,
    *,
    strict: bool = False,
    bounds: ReadingBounds = UNBOUNDED,
) -> Iterator[Rows]:
    """The triples (n, 3) of a table of things that always hold; ``bounds`` may end the reading.

    Raises:
        InputError: It cannot be opened, lacks a column, or its rows are not static.
        BadData: A row is not what the mapping says, and ``strict``.
        SourceLost: The system stops delivering it.
    """
    mapping = mapping_for(document)
    if document.format is Format.PARQUET:
        message = f"{document.name}: Parquet is a stream, and only that"
        raise InputError(message)
    if not isinstance(mapping, Descriptions) or mapping.time is not None:
        message = (
            f"{document.name}: its mapping has a time, so its rows are a stream, not static data; "
            f"--mapping FILE={document.name} gives it a mapping of its own"
        )
        raise InputError(message)
    make: ToStatements = partial(description_statements, mapping=mapping)
    reader = _row_reader(document, mapping)
    by_columns = cache(partial(_by_columns, mapping, document.number, None, make))
    with closing(document.open()) as source:
        source.bounds = bounds
        chunks = (
            chunk_of(rows, make, dictionary) if isinstance(rows, list) else rows.chunk(dictionary)
            for rows in _parts_of(reader, InputBytes(source), by_columns)
        )
        yield from static_rows(chunks, document.name, counters, strict=strict)


def _by_columns(
    mapping: TableMapping, number: int, stamps: StampNames | None, to_rows: ToStatements
) -> ColumnStatements | None:
    """As `column_statements`; None, too, if there is no pyarrow, which an extra has."""
    if version_of("pyarrow") is None:
        return None
    from r4.sources.tables.column_statements import column_statements  # noqa: PLC0415

    return column_statements(mapping, number, stamps, to_rows)


def _parts_of(
    reader: _RowReader, incoming: InputBytes, by_columns: _ByColumns = lambda: None
) -> Iterator[list[TableRow] | MadeRows]:
    """Rows as they come, and those that many bytes have at once by columns, if they can be."""
    while data := incoming.read():
        if len(data) >= LEAST and (statements := by_columns()) is not None:
            data = reader.begin(data)
            if (columns := reader.columns(data)) is not None:
                yield statements.of(columns)
                continue
        rows = reader.read(data)
        yield rows
        if is_cut_short(rows):
            return
        if why := reader.skip_long_line():
            yield [TableRow(reader.line, 0, {}, Flaw.SYNTAX, why)]
    faults = [
        TableRow(damage.line, 0, {}, damage.flaw, damage.message)
        for damage in incoming.fault(reader.line)
    ]
    yield [*reader.read(b"", final=True), *faults]
