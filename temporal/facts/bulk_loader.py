"""Bulk reading of facts: text and tables straight into columns.

A kernel reads the fast lines (`temporal.facts.bulk_chunks`). All other lines, those with faults
among them, go to `temporal.facts.fact_parser` and `temporal.facts.table_parser`, so that one place
says what a fact is and which fault a line has. A fact keeps its exact ends until all data are there
(`temporal.facts.bulk_columns`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Rows, concat
from rete.terms.dictionary import Dictionary
from rete.terms.faults import FaultCache
from rif.errors.base import MAX_FAULTS, NOWHERE, RuleError, Span
from rif.errors.report import RuleErrors
from temporal.errors import OutOfBounds, TooLong
from temporal.facts.bulk_chunks import MAX_LINE_BYTES, FactChunk, line_chunks
from temporal.facts.bulk_columns import FactColumns, choose_scale, select_columns
from temporal.facts.fact_parser import FactReader
from temporal.facts.table_parser import is_predicate, parse_row
from temporal.intervals.interval import Interval, common_scale
from temporal.intervals.notation import Notation
from temporal.mtl.ast import MetricFact, PredicateKey, constant
from temporal.text.scanner import LONG_LINE, encoding_fault

LineReader: TypeAlias = Callable[[str, int], MetricFact | None]
"""Reads a line, by its number; None: there is no fact, or a fault, which is kept."""


@dataclass(slots=True)
class Dataset:
    """Facts in cells.

    Attributes:
        scale: ticks to the unit of time.
        rows: by predicate and number of arguments, (n, k + 2): ids, then cells; in the order in
            which they were read, not coalesced.
        notation: how times are written.
    """

    scale: int
    rows: dict[PredicateKey, Rows]
    notation: Notation = Interval

    @property
    def count(self) -> int:
        """The number of facts."""
        return sum(map(len, self.rows.values()))


class LoadedFacts(NamedTuple):
    """Facts of one predicate in cells, with their lines.

    Attributes:
        key: the predicate, and its number of arguments.
        rows: (n, k + 2) ids, then cells.
        lines: (n,) their lines in their source.
    """

    key: PredicateKey
    rows: Rows
    lines: npt.NDArray[np.integer[Any]]


@dataclass(slots=True)
class _FactSource:
    """A source of facts, with its faults.

    Attributes:
        name: what faults call it.
        reader: reads its slow lines, and keeps its faults.
        quoted: the text of faulty lines, by number.
        fault_cache: faulty lines. What is wrong with one does not change: the first fact of a
            predicate settles its number of arguments, the first time how times are written.
    """

    name: str
    reader: FactReader
    quoted: dict[int, str] = field(default_factory=dict)
    fault_cache: FaultCache[bytes, None] = field(default_factory=FaultCache)

    def errors(self) -> RuleErrors:
        """Its faults, with their lines."""
        lines = (self.quoted.get(line, "") for line in range(1, max(self.quoted, default=0) + 1))
        return RuleErrors(self.reader.faults, "\n".join(lines), self.name)


class BulkLoader:
    """Reads sources of facts, one after the other, into columns.

    Attributes:
        terms: the dictionary of all ids.
        arities: the number of arguments by predicate; those of a program may be given.
    """

    __slots__ = ("_notation", "_parts", "_single_facts", "_sources", "arities", "terms")

    def __init__(
        self,
        terms: Dictionary,
        arities: MutableMapping[str, int] | None = None,
        notation: Notation | None = None,
    ) -> None:
        self.terms = terms
        self.arities: MutableMapping[str, int] = {} if arities is None else arities
        self._notation = notation
        self._parts: dict[PredicateKey, list[FactColumns]] = {}
        self._single_facts: list[tuple[MetricFact, int, int]] = []
        self._sources: list[_FactSource] = []

    def text(self, blocks: Iterable[bytes], name: str = "<facts>") -> None:
        """Read facts as DatalogMTL text, in UTF-8. Linear; some 0.3 µs a fast line."""
        source = self._begin(name)

        for chunk, begin in line_chunks(blocks):
            self._add_chunk(FactChunk(chunk), begin, source.reader.fact, lambda _line: None)

    def table(self, blocks: Iterable[bytes], predicate: str, name: str = "<table>") -> None:
        """Read the facts of ``predicate`` from a table (`temporal.facts.table_parser`)."""
        source = self._begin(name)
        first: list[int] = []

        def read_line(text: str, number: int) -> MetricFact | None:
            is_first = not first
            if text.strip():
                first.append(number)
            return parse_row(text, number, predicate, source.reader, is_first=is_first)

        for chunk, begin in line_chunks(blocks):
            self._add_chunk(FactChunk(chunk, predicate), begin, read_line, first.append)

    def facts(self, facts: Iterable[MetricFact], name: str = "<facts>") -> None:
        """Add facts that were read already."""
        source = self._begin(name)
        for fact in facts:
            if fault := source.reader.time_fault(fact, NOWHERE):
                source.reader.refuse(fault)
            else:
                self._single_facts.append((fact, len(self._sources) - 1, 0))

    @property
    def faults(self) -> list[RuleErrors]:
        """The faults of each source; at most `rif.errors.base.MAX_FAULTS` of each are kept."""
        return [source.errors() for source in self._sources if source.reader.faults]

    @property
    def bad(self) -> int:
        """The number of lines that hold no fact."""
        return sum(source.reader.bad for source in self._sources)

    def data(self, least_scale: int = 1) -> Dataset:
        """All facts in cells, of a scale that is a multiple of ``least_scale``.

        Facts too far from 0 for that, or of parts too small, are faults from now on. What was read
        is given away.
        """
        scale = self.scale(least_scale)
        found: dict[PredicateKey, list[Rows]] = defaultdict(list)
        for part in self.take(scale):
            found[part.key].append(part.rows)
        rows_of = {key: concat(rows) for key, rows in found.items()}
        return Dataset(scale, rows_of, self.notation or Interval)

    def scale(self, least: int = 1) -> int:
        """The least multiple of ``least`` ticks that makes what was read whole."""
        parts = (part for found in self._parts.values() for part in found)
        return choose_scale((fact for fact, _, _ in self._single_facts), parts, least)

    def take(self, scale: int) -> Iterator[LoadedFacts]:
        """What was read, in cells, given away; those that have no cells are faults from now on."""
        parts, self._parts = self._parts, {}
        for key, columns in parts.items():
            while columns:
                part = columns.pop(0)
                rows, beyond = part.rows(scale)
                lines = part.lines
                if beyond.any():
                    for line in lines[beyond].tolist():
                        self._refuse(part.source, line, _no_cells(scale))
                    rows, lines = rows[~beyond], lines[~beyond]
                yield LoadedFacts(key, rows, lines)
        yield from self._single_rows(scale)

    @property
    def notation(self) -> Notation | None:
        """The notation of all times so far, of the program too; None: there are none."""
        return self._sources[-1].reader.notation if self._sources else self._notation

    def _begin(self, name: str) -> _FactSource:
        self._sources.append(_FactSource(name, FactReader(self.arities, self.notation)))
        return self._sources[-1]

    def _add_chunk(
        self, chunk: FactChunk, begin: int, read_line: LineReader, note: Callable[[int], None]
    ) -> None:
        """Take in whole lines, of which the first has the number ``begin`` + 1.

        Slow lines go to ``read_line``; ``note`` gets the number of the first fast line of each
        predicate, in the order of the lines.
        """
        fast_rows = chunk.fast_rows()
        # In the order of lines, as the first fact of a predicate says how many arguments it has.
        events: list[tuple[int, PredicateKey | None]] = [(line, None) for line in chunk.slow_lines]
        events += [(chunk.line_of(rows), key) for key, rows in fast_rows.items()]
        refused: list[int] = []
        for line, key in sorted(events, key=lambda event: event[0]):
            if key is None:
                self._read_singly(chunk.text(line), begin + line + 1, read_line)
            elif self._agrees(key, in_numbers=chunk.has_times(fast_rows[key])):
                note(line)
            else:
                refused += chunk.lines_of(fast_rows.pop(key))
        for line in sorted(refused):
            self._read_singly(chunk.text(line), begin + line + 1, read_line)
        if fast_rows:
            ids = chunk.ids(self.terms)
            for key, rows in fast_rows.items():
                part = select_columns(chunk.read, ids, rows, len(self._sources) - 1, begin + 1)
                self._parts.setdefault(key, []).append(part)

    def _agrees(self, key: PredicateKey, *, in_numbers: bool) -> bool:
        """Is it a predicate, with as many arguments as ever, and times in numbers as all others?"""
        name, arity = key
        if name not in self.arities and not is_predicate(name):
            return False
        if self.arities.setdefault(name, arity) != arity:
            return False
        reader = self._sources[-1].reader
        if in_numbers and reader.notation is None:
            reader.notation = Interval
        return not in_numbers or reader.notation is Interval

    def _read_singly(self, raw: bytes, number: int, read_line: LineReader) -> None:
        source = self._sources[-1]
        before = source.reader.bad
        if raw in source.fault_cache and source.reader.is_full:
            source.reader.bad += 1
            return
        if len(raw) > MAX_LINE_BYTES:
            source.reader.refuse(TooLong(LONG_LINE, Span(number, 1, number, 2)))
            return
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            text = raw.decode(errors="replace")
            source.reader.refuse(encoding_fault(raw, error.start, number))
        else:
            fact = read_line(text, number)
            if fact is not None:
                self._single_facts.append((fact, len(self._sources) - 1, number))
        if source.reader.bad == before:
            return
        if len(source.quoted) < MAX_FAULTS:
            source.quoted[number] = text
        source.fault_cache.remember(raw, None)

    def _single_rows(self, scale: int) -> Iterator[LoadedFacts]:
        """The facts that were read line by line, by predicate."""
        found: dict[PredicateKey, list[tuple[MetricFact, tuple[int, int], int]]] = {}
        for fact, source, line in self._single_facts:
            try:
                if scale % common_scale([fact.interval]):
                    raise _no_cells(scale)
                cells = fact.interval.cells(scale)
            except OutOfBounds as fault:
                self._refuse(source, line, fault)
                continue
            found.setdefault((fact.predicate, len(fact.args)), []).append((fact, cells, line))
        self._single_facts = []
        for key, facts in found.items():
            rows = np.empty((len(facts), key[1] + 2), np.int64)
            texts = [str(constant(arg).value) for fact, _, _ in facts for arg in fact.args]
            rows[:, : key[1]] = self.terms.encode_many(texts).reshape(len(facts), key[1])
            rows[:, key[1] :] = [cells for _, cells, _ in facts]
            yield LoadedFacts(key, rows, np.array([line for _, _, line in facts]))

    def _refuse(self, source: int, line: int, fault: RuleError) -> None:
        span = Span(line, 1, line, 2) if line else fault.span
        self._sources[source].reader.refuse(type(fault)(fault.message, span, fault.hint))


def _no_cells(scale: int) -> OutOfBounds:
    message = f"too far from 0, or too fine, for ticks of 1/{scale} with cells up to 2^61"
    return OutOfBounds(message)
