"""What two sets of rows have in common, by interval or by instance."""

from __future__ import annotations

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, Rows
from rete.storage.row_algebra import always, coalesce, coalesce_starts, join_rows, subtract
from rete.storage.stem import Stem


class RowComparison:
    """Compares rows where facts are kept by maximal interval, or by start (``instances``).

    Intervals have common pieces; instances agree if they have the same start, and an end as late.
    """

    __slots__ = ("instances",)

    def __init__(self, *, instances: bool) -> None:
        self.instances = instances

    def union(self, parts: list[Rows]) -> Rows:
        """All rows of ``parts``, each time once."""
        rows = kernels.concatenate(parts) if len(parts) > 1 else parts[0]
        return coalesce_starts(rows) if self.instances else coalesce(rows)

    def questions(self, rows: Rows) -> Rows:
        """The questions to ask about ``rows``: of instances, about their terms at any time."""
        return always(rows[:, :-2]) if self.instances else rows

    def unsupported(self, rows: Rows, found: Rows) -> Rows:
        """The pieces of ``rows`` that ``found`` does not cover."""
        if not self.instances:
            return subtract(rows, found)
        return _stem_of(found).missing(rows) if len(found) and len(rows) else rows

    def among(self, found: Rows, candidates: Rows) -> Rows:
        """What of ``found`` is in ``candidates``."""
        if not len(found):
            return found
        width = found.shape[1] - 2
        if self.instances:
            return found[_same_start(found, candidates)]
        return join_rows(found, range(width), candidates, range(width), range(width))

    def without(self, rows: Rows, candidates: Rows) -> Rows:
        """What of ``rows`` is not in ``candidates``."""
        return (
            rows[~_same_start(rows, candidates)] if self.instances else subtract(rows, candidates)
        )


def _same_start(rows: Rows, others: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    starts = np.ascontiguousarray(rows[:, :-1])
    found: np.ndarray[tuple[int], np.dtype[np.bool_]]
    found = _stem_of(others).find(starts, kernels.BEGINS_AT) >= 0
    return found


def _stem_of(rows: Rows) -> Stem:
    stem = Stem(rows.shape[1] - 2, instances=True)
    stem.absorb(rows, NEG_INF)
    return stem
