"""The statements of the rows of a table, made column by column: the same text as row by row.

A term is made once for each distinct value of its columns. A row with a value that is bad, or that
may be, is made by `table_statements`, which says what is wrong with it.

These are made row by row, as a row depends on others or on several columns at once: tables that
are sorted by time, times of named zones, and IRIs of several columns that do not begin with a
scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from r4.errors import Flaw
from r4.rdf.chunks import Chunk, RowLineNumbers, fault_of
from r4.sources.tables.column_terms import (
    Piece,
    RowByRow,
    Template,
    joined,
    stamp_terms,
    value_terms,
    where,
)
from r4.sources.tables.mapping import (
    SOSA,
    BadValue,
    Descriptions,
    Observations,
)
from r4.sources.tables.mapping_file import TableMapping
from r4.sources.tables.table_columns import ColumnRows
from r4.sources.tables.table_statements import StampNames, ToStatements, chunk_of
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import Ids
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultLog
from rete.terms.nquads import read_nquads
from rif.syntax.terms import RDF_TYPE


def _has_null(pieces: Iterable[Piece], count: int) -> Mask:
    """Whether a piece is null, of each of so many rows."""
    found: Mask = np.zeros(count, np.bool_)
    for piece in pieces:
        if not isinstance(piece, str) and piece.null_count:
            found |= piece.is_null().to_numpy(zero_copy_only=False)
    return found


class MadeRows:
    """Rows, and what is made of them.

    Attributes:
        pieces: The texts of the rows so far.
        counts: (n,) how many lines these are of each.
        odd: (n,) the rows that are to be made one by one.
        is_element: Whether an empty line, which completes an element, follows each row.
    """

    __slots__ = ("_to_rows", "counts", "is_element", "odd", "pieces", "rows")

    def __init__(self, rows: ColumnRows, to_rows: ToStatements, *, is_element: bool) -> None:
        """Nothing yet; ``to_rows`` makes the statements of single rows."""
        self._to_rows = to_rows
        self.is_element = is_element
        self.rows = rows
        self.pieces: list[Piece] = []
        self.counts: Ids = np.zeros(len(rows), np.int64)
        self.odd: Mask = np.zeros(len(rows), np.bool_)

    def add(self, pieces: Sequence[Piece], lines: int = 1, without: Mask | None = None) -> None:
        """So many lines of each row, but not of those ``without``; where a piece is null is odd."""
        bad = _has_null(pieces, len(self.rows))
        if without is None or not without.any():
            self.odd |= bad
            self.counts += lines
            self.pieces += pieces
            return
        self.odd |= bad & ~without
        self.counts += np.where(without, 0, lines)
        self.pieces.append(where(pa.array(~without), joined(pieces)))

    def chunk(self, dictionary: Dictionary) -> Chunk:
        """The chunk of the rows; as `table_statements.chunk_of`."""
        rows, counts = self.rows, self.counts
        if self.is_element:
            self.add(["\n"], without=counts == 0)
        texts = joined([*self.pieces, pa.nulls(len(rows), pa.string())], "replace")
        faults = FaultLog()
        odd = np.flatnonzero(self.odd).tolist()
        if odd:
            written: list[str] = []
            whys: list[tuple[int, int]] = []
            for place, row in zip(odd, rows.rows(odd), strict=True):
                found: Sequence[str] = ()
                try:
                    found = self._to_rows(row)
                except BadValue as error:
                    whys.append((place, faults.number_of(str(error))))
                found = [*found, "\n"] if found and self.is_element else found
                counts[place] = len(found)
                written.append("".join(found))
            texts = pc.replace_with_mask(texts, pa.array(self.odd), pa.array(written, pa.string()))
            begins = np.cumsum(counts) - counts
            for place, why in whys:
                faults.add(Flaw.SYNTAX, int(begins[place]), int(rows.lines[place]), why)
        quads = read_nquads(dictionary, _bytes_of(texts), 0, final=True)
        if quads.faults:  # a term that the dictionary refuses
            every = rows.rows(range(len(rows)))
            return chunk_of(every, self._to_rows, dictionary, divided=self.is_element)
        lines = RowLineNumbers(np.repeat(rows.lines, counts))
        return Chunk(quads.rows, faults.columns(fault_of), lines)


class ColumnStatements:
    """Makes the statements of rows as columns, by a mapping.

    Raises:
        RowByRow: See `column_statements`.
    """

    __slots__ = ("_is_element", "_make", "_to_rows")

    def __init__(
        self, mapping: TableMapping, number: int, stamps: StampNames | None, to_rows: ToStatements
    ) -> None:
        self._to_rows = to_rows
        self._is_element = stamps is not None
        if mapping.order == "time":
            raise RowByRow
        self._make = (
            _describer(mapping, number, stamps)
            if isinstance(mapping, Descriptions)
            else _observer(mapping, stamps)
        )

    def of(self, rows: ColumnRows) -> MadeRows:
        """The rows, and what is made of them."""
        made = MadeRows(rows, self._to_rows, is_element=self._is_element)
        self._make(made)
        return made


def column_statements(
    mapping: TableMapping, number: int, stamps: StampNames | None, to_rows: ToStatements
) -> ColumnStatements | None:
    """What makes statements of columns; None: they are made row by row.

    They are those of document ``number``. ``stamps``: the predicates of elements; None: they are
    static data. ``to_rows`` makes those of single rows.
    """
    try:
        return ColumnStatements(mapping, number, stamps, to_rows)
    except RowByRow:
        return None


def _bytes_of(texts: pa.Array) -> bytes:
    """All texts, one behind the other."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :]
    begin, end = int(offsets[0]), int(offsets[len(texts)])
    data = texts.buffers()[2]
    return b"" if data is None else memoryview(data)[begin:end].tobytes()


def _describer(
    mapping: Descriptions, number: int, stamps: StampNames | None
) -> Callable[[MadeRows], None]:
    """As `table_statements.description_statements`, and `element_statements`."""
    subject = Template(mapping.subject)
    types = [f" <{RDF_TYPE}> <{name}>" for name in mapping.types]
    times = [
        (stamp_terms(column), predicate, column is mapping.time)
        for column, predicate in zip((mapping.time, mapping.until), stamps or (), strict=False)
        if column is not None
    ]
    values = [
        (
            each,
            Template(each.predicate),
            Template(each.template) if each.template else None,
            None if each.template else value_terms(each, mapping.decimal),
        )
        for each in mapping.values
    ]

    def make(made: MadeRows) -> None:
        rows = made.rows
        name: Piece = ""
        end: list[Piece] = [" .\n"]
        if stamps is not None:
            name = joined([f"<urn:r4:rows:{number}:", rows.numbers, ">"])
            end = [" ", name, " .\n"]
        for stamp, stamps_as, is_needed in times:
            lacks = rows.columns[stamp.column].is_in(mapping.missing)
            pieces = [name, f" {stamps_as} ", stamp.of(rows), " .\n"]
            if is_needed:
                made.odd |= lacks
                made.add(pieces)
            else:
                made.add(pieces, without=lacks)
        made.odd |= _lacks(subject, rows, mapping.missing)
        thing = subject.pieces(rows)
        thing = thing if len(thing) == 1 else [joined(thing)]
        made.odd |= _has_null(thing, len(rows))
        for each in types:
            made.add([*thing, each, *end])
        for value, predicate, template, literal in values:
            without = _lacks(predicate, rows, mapping.missing)
            if value.column:
                without |= rows.columns[value.column].is_in(mapping.missing | value.missing)
            if template is not None:
                without |= _lacks(template, rows, mapping.missing)
                term = template.pieces(rows)
            else:
                assert literal is not None
                term = [literal.of(rows)]
            made.add([*thing, " ", *predicate.pieces(rows), " ", *term, *end], without=without)

    return make


def _lacks(template: Template, rows: ColumnRows, missing: frozenset[str]) -> Mask:
    """Whether a column of a template has no value, (n,)."""
    lacks: Mask = np.zeros(len(rows), np.bool_)
    for name in template.columns:
        lacks |= rows.columns[name].is_in(missing)
    return lacks


def _observer(mapping: Observations, stamps: StampNames | None) -> Callable[[MadeRows], None]:
    """As `table_statements.observation_statements`."""
    assert stamps is not None
    time = stamp_terms(mapping.time)
    sensor = Template(mapping.sensor)
    feature = Template(mapping.feature) if mapping.feature else None
    results = [(each, value_terms(each, mapping.decimal)) for each in mapping.results]

    def make(made: MadeRows) -> None:
        rows = made.rows
        stamp, by = time.of(rows), sensor.pieces(rows)
        of = [] if feature is None else feature.pieces(rows)
        absent = [
            rows.columns[each.column].is_in(mapping.missing | each.missing) for each, _ in results
        ]
        graph: Piece = ""
        if mapping.graph == "row":
            graph = joined([f"<{mapping.base}graph/", rows.numbers, ">"])
            none = np.logical_and.reduce(absent)
            made.add([graph, f" {stamps.start} ", stamp, " .\n"], without=none)
        for (each, literal), without in zip(results, absent, strict=True):
            key = [rows.numbers, f"/{each.key()}"]
            pieces: list[Piece] = []
            if mapping.graph == "observation":
                graph = joined([f"<{mapping.base}graph/", *key, ">"])
                pieces = [graph, f" {stamps.start} ", stamp, " .\n"]
            subject = joined([f"<{mapping.base}observation/", *key, ">"])
            lines: list[list[Piece]] = [
                [f"{RDF_TYPE}> <{SOSA}Observation>"],
                [f"{SOSA}madeBySensor> ", *by],
                [f"{SOSA}observedProperty> <{each.observes}>"],
                [f"{SOSA}hasSimpleResult> ", literal.of(rows)],
                [f"{SOSA}resultTime> ", stamp],
            ]
            if of:
                lines.append([f"{SOSA}hasFeatureOfInterest> ", *of])
            for line in lines:
                pieces += [subject, " <", *line, " ", graph, " .\n"]
            count = len(lines) + (mapping.graph == "observation")
            made.add(pieces, count, without=without)

    return make
