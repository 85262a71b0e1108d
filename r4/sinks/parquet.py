"""Answers as Parquet: the keys of JSON lines are columns, of the same values."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from r4.answers.ledger import DELETED
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.sinks.json_lines import OPS
from r4.sinks.output import SinkContext
from r4.time.ticks import Kind
from rete.arrays.delta import NEG_INF, POS_INF, Column

ROWS: Final = 1 << 16
"""Answers in a row group."""


_Column: TypeAlias = npt.NDArray[np.object_]


class ParquetRows:
    """Renders changes as the bytes of one Parquet file.

    A row group is written when it is full, and what is left with the schema at the end: before
    that nobody can read the file. Columns are op, at, s, p, o, atom, error, from, until, rule and
    undone; a key that a JSON line would not have is null. Times are integers or strings as the
    stamps are; so are rules: integers, unless one has an IRI.
    """

    left_out = 0

    def __init__(self, context: SinkContext) -> None:
        labels = context.labels
        self._terms = context.terms
        named = any(isinstance(label, str) and label for label in labels)
        self._rule_type = pa.string() if named else pa.int64()
        names = [str(label) or None if named else label or None for label in labels]
        self._rules = np.array([None, *names], object)
        self._clock = context.clock
        self._instances = context.instances
        self._parts: list[dict[str, list[object]]] = []
        self._count = 0
        self._file = _Bytes()
        self._writer: pq.ParquetWriter | None = None

    def render(self, changes: Changes) -> bytes:
        """The bytes of the row groups that ``changes`` make full."""
        for begin in range(0, len(changes), ROWS):
            part = changes.take(np.arange(begin, min(begin + ROWS, len(changes))))
            self._parts.append(self._columns(part))
            self._count += len(part)
            if self._count >= ROWS:
                self._write()
        return self._file.take()

    def finish(self) -> bytes:
        """The rest of the file; nothing may come after it."""
        self._write()
        assert self._writer is not None
        self._writer.close()
        return self._file.take()

    def _write(self) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, self._schema())
        schema = self._writer.schema
        parts, self._parts, self._count = self._parts, [], 0
        if parts:
            arrays = [
                pa.array([value for part in parts for value in part[field.name]], field.type)
                for field in schema
            ]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=schema), ROWS)

    def _schema(self) -> pa.Schema:
        # What follows from static data comes with the first element, which settles the kind.
        time = pa.int64() if self._clock.kind is Kind.INTEGER else pa.string()
        types = {"at": time, "from": time, "until": time, "rule": self._rule_type}
        flags = {"error": pa.bool_(), "undone": pa.bool_()}
        types |= flags
        return pa.schema([(name, types.get(name, pa.string())) for name in _NAMES])

    def _columns(self, changes: Changes) -> dict[str, list[object]]:
        triples = changes.kind == TRIPLE
        terms = np.full((len(changes), 3), None, object)
        texts = self._terms.decode_many(changes.triples[triples].ravel())
        terms[triples] = np.array(texts, object).reshape(-1, 3)
        until = self._times(changes.end)
        if not self._instances:
            until[changes.op != DELETED] = None
        errors = changes.kind == INCONSISTENT
        atoms = np.array([text or None for text in changes.atoms] or [None] * len(changes), object)
        atoms[errors] = None
        columns = (
            np.array(list(OPS))[changes.op],
            self._times(changes.at),
            *terms.T,
            atoms,
            _flags(errors),
            self._times(changes.start),
            until,
            self._rules[changes.rule],
            _flags(np.arange(len(changes)) < changes.undone),
        )
        return dict(zip(_NAMES, (column.tolist() for column in columns), strict=True))

    def _times(self, ticks: Column) -> _Column:
        """Ticks as they are printed; None where one is not finite."""
        found = ticks.astype(object)
        if self._clock.kind is not Kind.INTEGER:
            some, places = np.unique(ticks, return_inverse=True)
            texts = [self._clock.text(tick) if _is_finite(tick) else "" for tick in some.tolist()]
            found = np.array(texts, object)[places]
        found[~((ticks > NEG_INF // 2) & (ticks < POS_INF // 2))] = None
        return found


_NAMES: Final = ("op", "at", "s", "p", "o", "atom", "error", "from", "until", "rule", "undone")


def _is_finite(tick: int) -> bool:
    return NEG_INF // 2 < tick < POS_INF // 2


def _flags(found: npt.NDArray[np.bool_]) -> _Column:
    flags = np.full(len(found), None, object)
    flags[found] = True
    return flags


class _Bytes:
    """A buffer of bytes, as a file for a writer that never reads."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0

    def write(self, data: bytes) -> int:
        """Keep a copy of ``data``."""
        part = bytes(data)
        self._parts.append(part)
        self._length += len(part)
        return len(part)

    def tell(self) -> int:
        """How much was written ever."""
        return self._length

    def flush(self) -> None:
        """Do nothing: what is written can be taken."""

    def close(self) -> None:
        """Do nothing: what is written can be taken."""

    def take(self) -> bytes:
        """All that was written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
