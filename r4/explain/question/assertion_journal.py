"""The journal of an engine: what was asserted of late, for questions about past instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from r4.engine.core import Core
from r4.rdf.chunks import NO_ROWS
from r4.stream.batch import Batch
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader

_SPARE: Final = 500
"""So many rows too many are kept before the oldest are dropped."""


class _ReplayCore(Core):
    """A core that shares the terms of another, which decides what is forgotten."""

    def tidy(self, held: Iterable[Column] = ()) -> None:
        """Forget nothing."""


class AssertionJournal:
    """All that is asserted, and the last of what has ended.

    Of each triple of an element it has the ticks at which it begins, at which it ends (`NO_END`:
    it carries no end), and at whose frontier it was retracted (`NO_END`: it was not). A triple that
    has ended may still be retracted: operators looked back on it until then.

    Attributes:
        limit: so many triples that have ended are kept.
        lasts: the ticks that a triple without an end holds; None: for ever.
        within: how many ticks after it begins a triple may be retracted; None: at any time.
        since: before this instant not all is known any more.
    """

    def __init__(self, limit: int, lasts: int | None, within: int | None = None) -> None:
        self.limit = limit
        self.lasts = lasts
        self.within = within
        self.since = NEG_INF
        self._static: list[Rows] = []
        self._named = np.empty((_SPARE, 4), np.int64)
        self._times = np.empty((_SPARE, 3), np.int64)
        self._size = 0
        self._room = limit + _SPARE

    @property
    def ids(self) -> Rows:
        """The terms and names in it, (n, 4)."""
        return self._named[: self._size]

    def extend_static(self, rows: Rows, frontier: int) -> None:
        """Triples (n, 3) that hold from ``frontier`` on, for ever; `NEG_INF`: always."""
        if frontier == NEG_INF:
            self._static.append(rows)
            return
        starts, ends = np.full(len(rows), frontier), np.full(len(rows), POS_INF)
        names = np.zeros(len(rows), np.int64)
        self.note(Batch(rows, starts, ends, frontier, frontier, names=names), frontier)

    def end_static(self, rows: Rows, frontier: int) -> None:
        """Triples (n, 3) hold up to ``frontier`` only; before it not all is known any more."""
        gone = {*map(tuple, rows.tolist())}
        self._static = [
            part[[tuple(row) not in gone for row in part.tolist()]] for part in self._static
        ]
        self.cut(np.insert(rows, 3, 0, axis=1), frontier)
        self.since = max(self.since, frontier)

    def note(self, batch: Batch, frontier: int) -> None:
        """What an element asserts; what ended before ``frontier`` may go."""
        begin, end = self._size, self._size + len(batch.rows)
        if end > len(self._named):
            self._named = np.resize(self._named, (2 * end, 4))
            self._times = np.resize(self._times, (2 * end, 3))
        self._named[begin:end, :3], self._named[begin:end, 3] = batch.rows, batch.names
        self._times[begin:end, 0] = batch.start
        self._times[begin:end, 1] = batch.end
        self._times[begin:end, 2] = NO_END
        self._size = end
        if end > self._room:
            self._drop(frontier)

    def _ends(self) -> Column:
        """Until when each triple is held, or looked at before it was retracted."""
        starts, ends, retracted = self._times[: self._size].T
        if self.lasts is not None:
            ends = np.where(ends == NO_END, starts + self.lasts, ends)
        found: Column = np.minimum(ends, retracted)
        return found

    def _drop(self, frontier: int) -> None:
        ends = self._ends()
        ended = np.flatnonzero(ends <= frontier)
        by_end = ended[np.argsort(ends[ended], kind="stable")]
        gone = by_end[: max(0, len(ended) - self.limit)]
        if len(gone):
            self.since = max(self.since, int(ends[gone].max()))
            self._named = np.delete(self.ids, gone, axis=0)
            self._times = np.delete(self._times[: self._size], gone, axis=0)
            self._size -= len(gone)
        self._room = 2 * self._size + self.limit + _SPARE

    def join(self, frontier: int, *, facts: bool) -> None:
        """Note that rules were added: what they derive from earlier assertions is not known here.

        So instants are out of reach until all of these have ended; for ever, if the rules have
        ``facts`` of their own.
        """
        ends = self._ends()
        lasts = facts or any(map(len, self._static))
        self.since = POS_INF if lasts else max(self.since, frontier, int(ends.max(initial=NEG_INF)))

    def cut(self, taken: Rows | Column, frontier: int) -> None:
        """Retract all triples of elements with some names (n,), or some with their names (n, 4)."""
        named, retracted = self.ids, self._times[: self._size, 2]
        if taken.ndim == 1:
            found = np.flatnonzero(np.isin(named[:, 3], taken))
        else:
            gone = {*map(tuple, taken.tolist())}
            found = np.flatnonzero(np.isin(named[:, 3], taken[:, 3]))
            found = found[[tuple(row) in gone for row in named[found].tolist()]]
        if self.within is not None:
            found = found[self._times[found, 0] >= frontier - self.within]
        retracted[found] = np.minimum(retracted[found], frontier)

    def reaches(self, tick: float) -> bool:
        """Whether all is known of the instants from ``tick`` on; -infinity: of all."""
        return self.since <= max(tick, NEG_INF)

    def engine(self, core: Core) -> Core:
        """A fresh engine of the rules of ``core``, with its static data."""
        # Without representatives, so that equality is stated by facts.
        program = replace(core.program, unites=False)
        fresh = _ReplayCore(
            *(program, core.terms), instances=core.network.instances, retract_within=self.within
        )
        for rows in self._static:
            fresh.assert_static(rows)
        return fresh

    def batches(self, frontier: int) -> Iterator[Batch]:
        """What was asserted and retracted until the frontier was ``frontier``.

        What came after a retraction begins then or later, else it was late; what was retracted
        came before. So that, and the order of beginnings, stand in for the order of arrival.
        """
        times = self._times[: self._size]
        begins = np.minimum(times[:, 0], times[:, 2] - 1)
        order = np.argsort(begins, kind="stable")
        begins, named, (starts, ends, retracted) = begins[order], self.ids[order], times[order].T
        begin = 0
        for cut in np.unique(retracted[retracted < NO_END]).tolist():
            end = int(np.searchsorted(begins, cut))
            yield _batch_of(named[begin:end], starts[begin:end], ends[begin:end], cut)
            taken = np.ascontiguousarray(named[retracted == cut])
            none = NO_ROWS[:, 0]
            yield Batch(NO_ROWS, none, none, cut, cut, (), none, none, taken)
            begin = end
        yield _batch_of(named[begin:], starts[begin:], ends[begin:], frontier)

    def saved(self) -> State:
        """Its state, for a checkpoint."""
        return {
            "since": self.since,
            "static": np.concatenate([np.empty((0, 3), np.int64), *self._static]),
            "named": self.ids,
            "times": self._times[: self._size],
        }

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from a state; its ids are ``alive``."""
        self.since = given.integer("since", NEG_INF, POS_INF)
        static = given.array("static", np.int64, None, 3)
        named = given.array("named", np.int64, None, 4)
        names = named[:, 3]
        for name, ids in (
            ("static", static),
            ("named", named[:, :3]),
            ("named", names[names != 0]),  # 0: static data
        ):
            given.living(name, ids, alive)
        self._static = [static]
        self._named, self._size = named, len(named)
        self._times = given.array("times", np.int64, self._size, 3)
        if self._size and not NEG_INF < self._times.min() <= self._times.max() <= POS_INF:
            given.refuse("times", "has one beyond all time")
        self._room = 2 * self._size + self.limit + _SPARE


def _batch_of(named: Rows, starts: Column, ends: Column, frontier: int) -> Batch:
    """Elements as a batch: triples with the names of theirs, (n, 4)."""
    rows, names = np.ascontiguousarray(named[:, :3]), named[:, 3].copy()
    return Batch(rows, starts.copy(), ends.copy(), frontier, frontier, (), names)
