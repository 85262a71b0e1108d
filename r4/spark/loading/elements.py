"""Statements with times, as the file of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from r4.faults import SAMPLES
from r4.spark.jobs.files import Json, whole
from r4.spark.loading.cells import are_terms
from r4.streams import START_PREDICATE
from rif.terms import XSD

_TEXT: Final = pa.large_string()


def write_batches(path: Path, batches: Iterator[pa.RecordBatch]) -> dict[str, Json]:
    """Write batches of s, p, o, g, t, in order, as a file; none if nothing is in them."""
    writer = _Writer()
    batch = next(batches, None)
    if batch is not None:
        with whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            while batch is not None:
                file.write(writer.lines(batch))
                batch = next(batches, None)
    return {
        "elements": writer.elements,
        "statements": writer.statements,
        "bad": writer.bad,
        "samples": writer.samples,
    }


class _Writer:
    """Batches as lines: each element begins with an empty line and its stamp."""

    def __init__(self) -> None:
        self.elements = self.statements = self.bad = 0
        self.samples: list[str] = []
        self._open = ""

    def lines(self, batch: pa.RecordBatch) -> str:
        """The lines of a batch."""
        terms = [column.cast(_TEXT) for column in batch.columns[:-1]]
        stamps = _literals(batch.columns[-1])
        named = pc.not_equal(pc.fill_null(terms[-1], ""), "")
        fit = pc.and_(pc.and_(are_terms(terms), named), stamps.is_valid())
        self._leave_out([*terms, stamps], pc.invert(fit))
        *terms, names, stamps = (column.filter(fit) for column in [*terms, stamps])
        if not len(names):
            return ""
        stamped = _joined(names, f"<{START_PREDICATE}>", stamps, ".")
        before = pa.concat_arrays([pa.array([self._open], _TEXT), stamped[:-1]])
        begins = pc.not_equal(stamped, before)
        self._open = stamped[-1].as_py()
        self.elements += pc.sum(begins).as_py()
        self.statements += len(names)
        heads = pc.if_else(begins, _joined("\n", stamped, "\n", between=""), pa.scalar("", _TEXT))
        lines = _joined(*terms, names, ".")
        return "".join(_joined(heads, lines, "\n", between="").to_pylist())

    def _leave_out(self, columns: list[pa.Array], bad: pa.Array) -> None:
        self.bad += pc.sum(bad).as_py() or 0
        some = (column.filter(bad)[: SAMPLES - len(self.samples)].to_pylist() for column in columns)
        self.samples += (" ".join(map(str, row))[:200] for row in zip(*some, strict=True))


def _joined(*parts: pa.Array | str, between: str = " ") -> pa.Array:
    """Row by row, one behind the other."""
    texts = (pa.scalar(part, _TEXT) if isinstance(part, str) else part for part in parts)
    return pc.binary_join_element_wise(*texts, pa.scalar(between, _TEXT))


def _literals(times: pa.Array) -> pa.Array:
    """Times as the texts of literals."""
    if pa.types.is_timestamp(times.type):
        kind = "dateTime"
        texts = pc.strftime(times.cast(pa.timestamp("us", "UTC")), "%Y-%m-%dT%H:%M:%SZ")
    else:
        kind, texts = "integer", times.cast(pa.string())
    return _joined('"', texts.cast(_TEXT), f'"^^<{XSD}{kind}>', between="")
