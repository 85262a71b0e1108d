"""Cardinality: how many rows a stream has, and how many values a column of them, from a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

import numpy as np

from rete.arrays.delta import Column, Rows, concat_or_empty
from rete.graph.streams import Stream
from rete.planning.join_cost import ColumnCounts, RowCounts

_SAMPLE: Final = 2048
"""So many rows from all over a stream are looked at."""
_GOLDEN: Final = (sqrt(5) - 1) / 2


def count_rows(stream: Stream, bound: int) -> RowCounts:
    """The rows that end after ``bound``, in the SteM of ``stream`` or pending.

    An estimate if there are many. Costs some 50 µs a column.
    """
    stem, width = stream.stem, stream.plan.width
    parts = stream.pending if stem is None else [stem.rows[: stem.n], *stream.pending]
    rows = concat_or_empty(list(_sampled(parts)), width)
    share = sum(map(len, parts)) / max(1, len(rows))
    rows = rows[rows[:, -1] > bound]
    columns = tuple(_count_values(rows[:, c], share) for c in range(width))
    return RowCounts(share * len(rows), columns)


def _sampled(parts: Sequence[Rows]) -> Iterator[Rows]:
    """A row from each stretch of as many, not at the same place: rows may repeat in a pattern."""
    total = sum(map(len, parts))
    numbers = np.arange(min(total, _SAMPLE))
    shifted = numbers if total <= _SAMPLE else numbers + numbers * _GOLDEN % 1
    places = (shifted * (total / max(1, len(numbers)))).astype(np.int64)
    for part in parts:
        count = int(np.searchsorted(places, len(part)))
        yield part[places[:count]]
        places = places[count:] - len(part)


def _count_values(sample: Column, share: float) -> ColumnCounts:
    """The values of a column of which ``sample`` has one row in ``share``.

    That two rows have the same value is as likely in the sample as in all rows, which gives the
    size of the join with itself [Alon99]. A value that is in the sample once stands for the square
    root of ``share`` others [Charikar00, GEE].
    """
    size = len(sample)
    rows = size * share
    if size < 2:  # noqa: PLR2004 - no two rows
        return ColumnCounts(rows, rows)
    counts = np.unique(sample, return_counts=True)[1]
    once = int(np.count_nonzero(counts == 1))
    alike = int((counts * (counts - 1)).sum()) / (size * (size - 1))
    distinct = len(counts) - once + once * sqrt(share)
    return ColumnCounts(distinct, rows / (1 + (rows - 1) * alike))
