"""SteM: all that a node of the network remembers [Raman03]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Column, Rows, columns, distinct
from rete.arrays.state_codec import Mask, State, StateReader
from rete.kernels.rows.pure_store import KeepEnded
from rete.memo import Memo
from rete.storage.row_algebra import coalesce

_NO_CONSTANTS: Final = columns([])
Absorb: TypeAlias = Callable[["kernels.Index", Rows], Rows]


def _make_index(store: kernels.FactStore, key: tuple[int, ...]) -> kernels.Index:
    return store.index(columns(key))


class Stem:
    """The rows of one stream that may still meet others, with a hash index a key.

    A row is kept once for each maximal interval of its terms (``instances=False``), grown in place
    when a delta touches it, or once for each start, with the greatest end (``instances=True``).
    What a delta adds to that union is its gain, and only gains travel on: repeated facts cost
    their look-up, not their joins. Gains are maximal, too: a fact that each row of a delta makes
    hold a little longer meets others once.

    Rows stand in a fact store, see `rete.kernels.rows.pure_store.FactStore`. A few of the oldest
    are dropped, or moved behind all others, before each delta: so a row costs constant time,
    amortised, and no delta waits for the rows of others.

    Attributes:
        width: number of term columns.
        store: its rows.
        before: the position behind the rows that were there ahead of the last delta.
        retention: how many cells rows are kept after the bound that is given; see
            `rete.network.lookback`.
        keep_ended: which of some ended rows must stay nevertheless; None: none.
        hands_over: whether someone takes what ended before `expire` drops it: nothing else does.
        index: gives the index on some columns, made when first asked for; it stays the same object.
            Rows are entered when it is probed: an index that nobody probes costs nothing.
        leveled: whether rows have the level at which they were derived; it is `UNKNOWN_LEVEL` where
            one grew since by more than what it had lost.
    """

    __slots__ = (
        "_absorb",
        "_identity",
        "before",
        "hands_over",
        "index",
        "instances",
        "keep_ended",
        "leveled",
        "retention",
        "store",
        "width",
    )

    def __init__(self, width: int, *, instances: bool) -> None:
        self.width = width
        self.instances = instances
        self.before = 0
        self.retention = 0
        self.keep_ended: KeepEnded | None = None
        self.hands_over = False
        self.leveled = False
        self.store = kernels.FactStore(width)
        self.index = Memo(partial(_make_index, self.store)).__getitem__
        self._absorb: Absorb = kernels.absorb_starts if instances else kernels.absorb
        self._identity = self.index(tuple(range(width + 1 if instances else width)))

    @property
    def n(self) -> int:
        """How many rows it has, dead ones included."""
        return self.store.count

    @property
    def end(self) -> int:
        """The position behind the last row: up to there a probe meets all."""
        return self.store.end

    @property
    def came(self) -> int:
        """How many rows have come so far: those since an earlier count are among the last ones."""
        return self.store.came

    @property
    def forgotten(self) -> int:
        """The latest end of a row that was dropped because it ended, and `NEG_INF` if none was.

        It is not kept in a saved state.
        """
        return self.store.forgotten

    @property
    def constants(self) -> Column:
        """The ids with which the key of each of its indexes goes on; see `rete.storage.view`."""
        return _NO_CONSTANTS

    def stored(self, keep: Sequence[int]) -> tuple[int, ...]:
        """Columns of pairs of which ~c are columns of its rows, as they stand in its store."""
        return tuple(keep)

    def unindex(self) -> None:
        """Empty its indexes, as some may not be probed any more; the others are made again."""
        self.store.unindex(self._identity)

    def absorb(self, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        """Build: unite ``delta`` with the content; what it gains.

        Rows with ``hi <= bound`` may be dropped on the way. ``level`` is that of new rows, and of
        rows all of which that is still needed at ``bound`` is new.
        """
        store = self.store
        last = NEG_INF if self.hands_over else max(bound - self.retention, NEG_INF)
        self._sweep(len(delta), last)
        self.before = before = store.end
        gains = self._absorb(self._identity, delta)
        if self.leveled:
            store.set_levels(np.arange(before, store.end), level)
        if len(gains) == store.end - before:
            return gains  # each is a new row: what some other row takes in adds none
        if not self.instances:
            gains = coalesce(gains)  # a fact that a delta repeats grows piece by piece
        if self.leveled:
            self._renew_levels(gains, bound, level)
        return gains

    def _sweep(self, more: int, last: int) -> None:
        """Drop some rows that ended by ``last``, before ``more`` come."""
        self.store.sweep(more, last, self.keep_ended)

    def _renew_levels(self, gains: Rows, bound: int, level: int) -> None:
        """The levels of the older rows that ``gains`` made longer, as `absorb` says."""
        store = self.store
        found = self.find(np.ascontiguousarray(gains[:, :-1]), kernels.COVERS)
        older = (found >= 0) & (found < self.before)
        store.set_levels(found[older], UNKNOWN_LEVEL)
        needed = max(bound - self.retention + 1, NEG_INF - 1)
        if kernels.reaches_beyond(gains, needed + 1, POS_INF):
            anew = older & (gains[:, -2] <= needed)
            anew &= store.at(found)[:, -1] == gains[:, -1]
            store.set_levels(found[anew], level)

    def keep_levels(self) -> None:
        """Keep the levels of rows from now on; those of its present rows are not known."""
        self.leveled = True

    def forget_levels(self) -> None:
        """Keep them no longer."""
        if self.leveled:
            self.leveled = False
            self.store.forget_levels()

    def sample(self, most: int) -> Rows:
        """About ``most`` rows from all over it."""
        return self.store.rows(0, self.end, max(1, self.n // most), living=True)

    def at(self, positions: Column) -> Rows:
        """The rows at some positions, as `find` gives them; rows that never hold for -1."""
        return self.store.at(positions)

    def meet(self, rows: Rows, bound: int) -> Rows:
        """What of the content is in ``rows``: the common pieces, or the rows with their starts.

        Of instances only what ends after ``bound``, and not after the row of ``rows``.
        """
        if not self.instances:
            key = self._identity.cols
            pieces, _ = kernels.probe(rows, key, self._identity, self.end, key)
            return pieces
        found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
        ends = self.at(found)[:, -1]
        found = found[(found >= 0) & (ends <= rows[:, -1]) & (ends > bound)]
        return self.at(distinct(found))

    def remove(self, rows: Rows, bound: int) -> None:
        """Remove ``rows``, which it has, from the content; instances end at ``bound`` then."""
        if not self.instances:
            kernels.remove(self._identity, rows)
            return
        found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
        found = found[found >= 0]
        starts = self.at(found)[:, -2]
        self.store.set_ends(found, np.where(starts < bound, bound, kernels.DEAD))

    def missing(self, rows: Rows) -> Rows:
        """The pieces of ``rows`` that it lacks; of instances those that it has less long."""
        if not self.instances:
            return self.uncovered(rows, self._identity.cols, self._identity)
        found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
        short: Rows = rows[(found < 0) | (self.at(found)[:, -1] < rows[:, -1])]
        return short

    def uncovered(self, rows: Rows, key: Column, index: kernels.Index) -> Rows:
        """The pieces of ``rows`` that no row with the same ``key`` covers."""
        return kernels.uncovered(rows, key, index, self.end)

    def expire(self, bound: int) -> None:
        """Drop the rows with ``hi <= bound`` and the dead, and give back room. Costs O(n).

        With `retention` only those that ended so much earlier.
        """
        self.store.expire(max(bound - self.retention, NEG_INF), self.keep_ended)

    def ended(self, bound: int) -> Rows:
        """The living rows that `expire` would drop."""
        rows = self.content()
        found: Rows = rows[rows[:, -1] <= max(bound - self.retention, NEG_INF)]
        return found

    def clear(self) -> None:
        """Forget all rows."""
        self.store.keep(np.zeros(self.n, np.bool_))

    def probe(
        self, delta: Rows, key: Column, limit: int, index: kernels.Index, keep: Column
    ) -> Rows:
        """Pairs of ``delta`` with the rows before ``limit``, each at the times that both hold.

        See `rete.kernels.probe`.
        """
        pairs, _ = kernels.probe(delta, key, index, limit, keep)
        return pairs

    def find(self, queries: Rows, mode: int) -> Column:
        """Positions of the rows that answer ``queries`` (terms, time); see `rete.kernels.find`."""
        return kernels.find(queries, self._identity, mode)

    @property
    def is_empty(self) -> bool:
        """Whether all its rows are dead."""
        return self.store.is_empty

    def content(self) -> Rows:
        """The living rows, in no order."""
        return self.store.rows(0, self.end, living=True)

    def saved(self) -> State:
        """Its living rows, as they lie; indexes are made of them again."""
        state: State = {"rows": self.content()}
        if self.leveled:
            state["levels"] = self.store.living_levels()
        return state

    def restore(
        self, given: StateReader, alive: Mask, renamed: Callable[[Rows], Rows] | None = None
    ) -> None:
        """Have what was saved, and nothing else.

        If the last terms of rows are names, ``renamed`` makes the rows of what was saved.
        """
        rows = given.rows("rows", self.width, alive, named=renamed is not None)
        if renamed is not None:
            rows = renamed(rows)
        levels = None
        if "levels" in given:
            levels = given.array("levels", np.int64, len(rows))
            self.leveled = True
        self.clear()
        self.store.fill(rows, levels)
        self.before = self.end

    @property
    def nbytes(self) -> int:
        """Bytes of its rows and indexes."""
        return self.store.nbytes
