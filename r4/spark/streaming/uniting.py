"""Uniting: fewer batches that have the same answers.

How a stream is cut into batches changes no answer: an answer depends on the frontier by what is
late, and that is judged already. So neighbours are one, up to the next that takes something back;
that alone must find what came before it closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from r4.batch import Batch
from r4.time import NEG_INF


def united(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The same stream in as few batches as can be. Linear in the rows."""
    waiting: list[Batch] = []
    for batch in batches:
        static = len(batch.rows) > 0 and batch.start[0] == NEG_INF
        if static or batch.takes_back:
            yield from _one(waiting)
            waiting = []
            yield batch
        else:
            waiting.append(batch)
    yield from _one(waiting)


def _one(batches: Sequence[Batch]) -> Iterator[Batch]:
    if not batches:
        return
    last = batches[-1]
    yield Batch(
        np.concatenate([each.rows for each in batches]),
        np.concatenate([each.start for each in batches]),
        np.concatenate([each.end for each in batches]),
        last.frontier,
        last.last,
        last.held,
        np.concatenate([each.names for each in batches]),
    )
