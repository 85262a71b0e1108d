"""The journal of an engine: what was asserted of late, for instants that are gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from r4.engine import Core
from r4.streams import NO_END, Batch
from rete.delta import NEG_INF, Column, Rows

_SPARE: Final = 500
"""So many rows too many are kept before the oldest are dropped."""


class Journal:
    """All that is asserted, also when it has ended, but of what has ended only the last.

    Attributes:
        limit: so many triples that have ended are kept.
        since: of instants before this one not all is known any more.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.since = NEG_INF
        self._static: list[Rows] = []
        self._named = np.empty((_SPARE, 4), np.int64)
        self._times = np.empty((_SPARE, 2), np.int64)
        self._size = 0
        self._room = limit + _SPARE

    @property
    def ids(self) -> Rows:
        """The terms and names that it needs."""
        return self._named[: self._size]

    def always(self, rows: Rows) -> None:
        """Triples (n, 3) that always hold."""
        self._static.append(rows)

    def note(self, batch: Batch, window: int | None, frontier: int) -> None:
        """What an element asserts; what ended before ``frontier`` may go."""
        begin, end = self._size, self._size + len(batch.rows)
        if end > len(self._named):
            self._named = np.resize(self._named, (2 * end, 4))
            self._times = np.resize(self._times, (2 * end, 2))
        self._named[begin:end, :3], self._named[begin:end, 3] = batch.rows, batch.names
        ends = batch.end
        if window is not None:
            ends = np.where(ends == NO_END, batch.start + window, ends)
        self._times[begin:end, 0], self._times[begin:end, 1] = batch.start, ends
        self._size = end
        if end > self._room:
            self._drop(frontier)

    def _drop(self, frontier: int) -> None:
        ends = self._times[: self._size, 1]
        ended = np.flatnonzero(ends <= frontier)
        by_end = ended[np.argsort(ends[ended], kind="stable")]
        gone = by_end[: max(0, len(ended) - self.limit)]
        if len(gone):
            self.since = max(self.since, int(ends[gone].max()))
            self._named = np.delete(self._named[: self._size], gone, axis=0)
            self._times = np.delete(self._times[: self._size], gone, axis=0)
            self._size -= len(gone)
        self._room = 2 * self._size + self.limit + _SPARE

    def cut(self, taken: Rows | Column, frontier: int) -> None:
        """What elements of some names (n,), or single triples with such names (n, 4), assert."""
        named, ends = self.ids, self._times[: self._size, 1]
        if taken.ndim == 1:
            found = np.isin(named[:, 3], taken)
        else:
            found = (named[:, None] == taken[None]).all(axis=2).any(axis=1)
        ends[found] = np.minimum(ends[found], frontier)

    def reaches(self, tick: float) -> bool:
        """Whether all is known of the instants from ``tick`` on; -infinity: of all."""
        return self.since <= max(tick, NEG_INF)

    def replayed(self, core: Core, tick: int, *, instances: bool) -> Core:
        """A fresh engine of the rules of ``core`` with all that it knows, at ``tick``."""
        # Without representatives, so that what is the same is said by facts.
        program = replace(core.program, unites=False)
        fresh = Core(program, core.terms, instances=instances)
        for rows in self._static:
            fresh.assert_static(rows)
        times = self._times[: self._size]
        held = times[:, 0] < times[:, 1]
        named, starts, ends = self.ids[held], times[held, 0].copy(), times[held, 1].copy()
        triples, names = np.ascontiguousarray(named[:, :3]), named[:, 3].copy()
        fresh.step(Batch(triples, starts, ends, tick, tick, (), names))
        return fresh
