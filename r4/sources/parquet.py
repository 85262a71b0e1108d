"""Parquet files as streams: triples with their times in columns, or any columns by a mapping.

Without a mapping the columns are ``s``, ``p``, ``o``, terms as in N-Triples; ``from``, when the
triple begins to hold, and ``until``, when it ceases to, null for the window of the rules. If there
are ``op`` and ``at``, too, they are the answers that ``--as parquet`` writes, and mean what its
lines of JSON mean (`r4.sources.answer_lines`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from r4.errors import Flaw, InputError
from r4.rdf.chunks import NO_ROWS, Chunk, InputBytes, StatementFault
from r4.rdf.documents import CUT_OFF, RdfDocument, read_whole
from r4.rdf.files import ByteSource
from r4.rdf.gates.input_limits import FREE_EXPANSION, LONGEST, LONGEST_WHOLE, MOST_EXPANDED
from r4.sources.answer_lines import AnswerLineReader
from r4.sources.tables.column_statements import ColumnStatements, column_statements
from r4.sources.tables.local_times import LocalTimes
from r4.sources.tables.mapping import TableRow
from r4.sources.tables.mapping_file import TableMapping
from r4.sources.tables.parquet_columns import column_values, text_column
from r4.sources.tables.table_columns import ColumnRows, TableColumn
from r4.sources.tables.table_statements import by_time, chunk_of, element_maker, stamp_names
from r4.stream.elements.segmentation import StampVocabulary
from rete.arrays.state_codec import State, StateReader
from rete.memory_limit import MemoryBound
from rete.terms.dictionary import Dictionary
from rif.errors.report import shorten

_ROWS: Final = 4096
"""Rows that become a chunk."""
_FEW: Final = 64
"""Rows that are looked at together, where a few may be enough."""
FIRST: Final = 1 << 20
"""Characters of the rows that are looked at first."""
_TEXT: Final = 16 << 20
"""Characters of the texts of rows that become a chunk, if there is more than one."""
_MIDNIGHT: Final = "T00:00:00"
_TRIPLES: Final = ("s", "p", "o", "from")
_ANSWERS: Final = (*_TRIPLES, "until", "op", "at")
_OF_ANSWERS: Final = ("atom", "error", "undone")
"""Columns of answers that most of them do not have."""

_Values: TypeAlias = dict[str, str | int | None]


class ParquetReader:
    """Reads the chunks of a Parquet file, which is held in memory as it is."""

    __slots__ = (
        *(
            "_answers",
            "_by_columns",
            "_dictionary",
            "_document",
            "_given",
            "_local",
            "_mapping",
            "_stamps",
            "_triples",
        ),
    )

    line = pending = 0

    def __init__(
        self,
        document: RdfDocument,
        mapping: TableMapping | None,
        dictionary: Dictionary,
        vocabulary: StampVocabulary,
    ) -> None:
        self._document = document
        self._local = None if mapping is None else LocalTimes(mapping)
        self._mapping = mapping if self._local is None else self._local.mapping
        self._dictionary = dictionary
        self._stamps = vocabulary
        self._answers = AnswerLineReader(dictionary, document.number, vocabulary)
        self._triples = AnswerLineReader(dictionary, document.number, vocabulary, lasts=False)
        self._given = 0
        self._by_columns: ColumnStatements | None = None
        if self._local is not None and not self._local.has_names:
            make = element_maker(self._local.mapping, document.number, dictionary, vocabulary)
            stamps = stamp_names(dictionary, vocabulary)
            self._by_columns = column_statements(self._local.mapping, document.number, stamps, make)

    def forget_pending(self) -> None:
        """Nothing: it is read whole."""

    def saved(self) -> State:
        """How many chunks were given."""
        readers: State = {"answers": self._answers.saved(), "triples": self._triples.saved()}
        return {"given": self._given, **readers}

    def restore(self, given: StateReader) -> None:
        """Go on behind so many chunks."""
        self._given = given.integer("given", 0)
        self._answers.restore(given.part("answers"))
        self._triples.restore(given.part("triples"))

    def chunks(self, source: ByteSource) -> Iterator[Chunk]:
        """All of ``source``; raises `InputError` if it lacks columns."""
        incoming = InputBytes(source)
        data, why = read_whole(incoming, source, self._document.most_expanded)
        why = why or incoming.damage
        skipped, self._given = self._given, 0
        try:
            if not why:
                file = _opened(data)
                why = self._excess(file.metadata, len(data), source.bounds.left())
            if not why:
                yield from self._chunks(file, skipped)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            why = (
                f"no Parquet file, or a damaged one: {' '.join(str(error).split())[:200]}{CUT_OFF}"
            )
        if why:
            fault = StatementFault(Flaw.CUT_SHORT, 0, 0, why)
            yield Chunk(NO_ROWS, [fault])

    def _excess(self, footer: pq.FileMetaData, size: int, left: int | None) -> str:
        """Why a file of ``size`` bytes is not read, by the sizes that its footer tells; "": it is.

        Its largest row group is held in memory.

        Raises:
            MemoryBound: That takes more than the ``left`` bytes of it.
        """
        largest = _largest_group(footer)
        if left is not None and LONGEST_WHOLE >= largest > left:
            message = f"a row group of {largest:,} bytes is more than the {left:,} of memory left"
            raise MemoryBound(message)
        why = _excess_of(largest, size, self._document.most_expanded)
        return f"{why}; --max-expanded allows more" if why and largest <= LONGEST_WHOLE else why

    def _chunks(self, file: pq.ParquetFile, skipped: int) -> Iterator[Chunk]:
        """The chunks of a file, without those that were given before."""
        columns = self._columns(file.schema_arrow)
        held: list[TableRow] = []
        row = 0
        sorts = self._mapping is not None and self._mapping.order == "time"
        midnights = self._midnights(file.schema_arrow)
        for rows in self._parts(file, columns, midnights):
            first, row = row + 1, row + (1 if rows is None else len(rows))
            found = self._resolved(rows, first) if isinstance(rows, list) else []
            if sorts and isinstance(rows, list):
                held += found
                continue
            self._given += 1
            if self._given <= skipped:
                continue
            if rows is None:
                why = f"a row of more than {LONGEST} characters"
                yield Chunk(NO_ROWS, [StatementFault(Flaw.SYNTAX, 0, first, why)])
            elif isinstance(rows, ColumnRows):
                assert self._by_columns is not None
                yield self._by_columns.of(rows).chunk(self._dictionary)
            elif self._mapping is None:
                yield self._triples_of(rows, columns)
            else:
                yield self._rows_of(found)
        if held and not skipped:
            assert self._mapping is not None
            assert self._mapping.time is not None
            self._given += 1
            yield self._rows_of(by_time(held, self._mapping.time))

    def _resolved(self, rows: Sequence[_Values], first: int) -> list[TableRow]:
        """The rows from number ``first`` on as a mapping reads them; none without one."""
        if self._local is None:
            return []
        found = [
            TableRow(
                number,
                number,
                {name: "" if value is None else str(value) for name, value in each.items()},
            )
            for number, each in enumerate(rows, first)
        ]
        return self._local.resolved(found)

    def _parts(
        self, file: pq.ParquetFile, columns: list[str], midnights: Collection[str]
    ) -> Iterator[list[_Values] | ColumnRows | None]:
        """The rows as columns, if they can be; else as `_row_lists`."""
        first = 1
        for batch in file.iter_batches(_ROWS, columns=columns):
            found = None
            if self._by_columns is not None:
                found = _text_columns(batch, midnights)
            if found is None:
                yield from _row_lists(batch, midnights, is_local=self._mapping is not None)
            else:
                yield ColumnRows(first, np.arange(first, first + len(batch)), found)
            first += len(batch)

    def _columns(self, schema: pa.Schema) -> list[str]:
        names, name = set(schema.names), self._document.name
        if self._mapping is not None:
            if missing := sorted(self._mapping.columns - names):
                message = (
                    f"{name}: there is no column {', '.join(missing)}; there are "
                    f"{shorten(', '.join(schema.names), 200)}"
                )
                raise InputError(message)
            return sorted(self._mapping.columns)
        if not names.issuperset(_TRIPLES):
            message = f"{name}: there are no columns s, p, o, from; --mapping says what others mean"
            raise InputError(message)
        wanted = (*_ANSWERS, *_OF_ANSWERS) if names.issuperset(_ANSWERS) else (*_TRIPLES, "until")
        return [column for column in wanted if column in names]

    def _midnights(self, schema: pa.Schema) -> frozenset[str]:
        """The columns with times that are dates, for their first instants."""
        if self._mapping is None:
            return frozenset()
        return frozenset(
            each.column
            for each in self._mapping.times
            if each.format == "iso" and pa.types.is_date(schema.field(each.column).type)
        )

    def _triples_of(self, rows: Sequence[_Values], columns: Sequence[str]) -> Chunk:
        if "op" not in columns:
            lines = [{"until": None, **row, "op": "+", "at": row["from"]} for row in rows]
            return self._triples.chunk_of(lines)
        for row in rows:
            for name in _OF_ANSWERS:
                if row.get(name) is None:
                    row.pop(name, None)
        return self._answers.chunk_of(rows)

    def _rows_of(self, rows: Sequence[TableRow]) -> Chunk:
        assert self._mapping is not None
        make = element_maker(self._mapping, self._document.number, self._dictionary, self._stamps)
        notes = () if self._local is None else self._local.told()
        return replace(chunk_of(rows, make, self._dictionary, divided=True), notes=notes)


def _largest_group(footer: pq.FileMetaData) -> int:
    groups = map(footer.row_group, range(footer.num_row_groups))
    return max((each.total_byte_size for each in groups), default=0)


def _excess_of(largest: int, size: int, most: int | None) -> str:
    """Why a row group of a file of ``size`` bytes is not held in memory; "": it may be.

    ``most`` bytes are allowed; None: as many as files of the size have.
    """
    if largest > LONGEST_WHOLE:
        return f"a row group of more than {LONGEST_WHOLE} bytes"
    if largest <= (max(FREE_EXPANSION, MOST_EXPANDED * size) if most is None else most):
        return ""
    return f"a row group of {largest} bytes in a file of {size}"


def first_rows(path: str, most: int) -> tuple[list[str], list[dict[str, str]], list[str]]:
    """The columns with single values, at most ``most`` rows of them as texts, and other columns.

    All but the first row have no more than `FIRST` characters together.

    Raises:
        InputError: it cannot be read, is no Parquet file, or its rows are too large together.
    """
    rows: list[dict[str, str]] = []
    size = 0
    try:
        schema = pq.read_schema(path)
        texts = [each.name for each in schema if pa.types.is_string(each.type)]
        with pq.ParquetFile(path, read_dictionary=texts) as file:
            if why := _excess_of(_largest_group(file.metadata), Path(path).stat().st_size, None):
                message = f"{path}: {why}"
                raise InputError(message)
            nested = [each.name for each in schema if pa.types.is_nested(each.type)]
            columns = [each.name for each in schema if each.name not in nested]
            for batch in file.iter_batches(_FEW, columns=columns):
                for values in zip(*map(column_values, batch.columns), strict=True):
                    shown = ["" if value is None else str(value) for value in values]
                    size += sum(map(len, shown))
                    if len(rows) == most or (rows and size > FIRST):
                        return columns, rows, nested
                    rows.append(dict(zip(columns, shown, strict=True)))
    except (pa.ArrowException, OSError, UnicodeError) as error:
        message = f"{path}: {' '.join(str(error).split())[:200]}"
        raise InputError(message) from None
    return columns, rows, nested


def _opened(data: bytes) -> pq.ParquetFile:
    """A file whose texts stay as they are encoded: once each, where they are repeated."""
    schema = pq.read_schema(pa.BufferReader(data))
    texts = [each.name for each in schema if pa.types.is_string(each.type)]
    return pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)


def _row_lists(
    batch: pa.RecordBatch, midnights: Collection[str], *, is_local: bool
) -> Iterator[list[_Values] | None]:
    """The rows, so many at once that their texts, written out, are not long.

    None in place of one that is too long itself. Dates of ``midnights`` are their first instants;
    ``is_local``: what times without a zone are is said elsewhere, else they are UTC.
    """
    rows: list[_Values] = []
    size = 0
    read = [
        column_values(
            column, utc="" if is_local else "Z", midnight=_MIDNIGHT if name in midnights else ""
        )
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    for values in zip(*read, strict=True):
        own = sum(len(value) for value in values if isinstance(value, str))
        size += own
        if rows and (size > _TEXT or own > LONGEST):
            yield rows
            rows, size = [], own
        if own > LONGEST:
            yield None
            size = 0
            continue
        rows.append(dict(zip(batch.schema.names, values, strict=True)))
    yield rows


def _text_columns(
    batch: pa.RecordBatch, midnights: Collection[str]
) -> dict[str, TableColumn] | None:
    """The columns as `_row_lists` has their values, "" for null; None: read them as rows."""
    names = batch.schema.names
    if not (len(batch) and names) or any(pa.types.is_nested(each.type) for each in batch.columns):
        return None
    try:
        columns = {
            name: text_column(column, _MIDNIGHT if name in midnights else "")
            for name, column in zip(names, batch.columns, strict=True)
        }
    except pa.ArrowException:
        return None
    return columns if sum(each.size for each in columns.values()) <= min(_TEXT, LONGEST) else None
