"""SteM: all that a node of the network remembers [Raman03]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Column, Rows, columns, distinct
from rete.arrays.state_codec import Mask, State, StateReader
from rete.memo import Memo
from rete.storage.row_algebra import coalesce

Absorb: TypeAlias = Callable[[Rows, int, "kernels.Index", Rows], tuple[Rows, int]]
KeepEnded: TypeAlias = Callable[[Rows], npt.NDArray[np.bool_]]

_SMALLEST: Final = 64
_CUTS: Final = 5
"""A sweep begins where one row in so many was cut short and ended: chains still have it."""
_VACANCIES: Final = 2
"""A sweep begins where one row in so many became vacant: no chain has it, but it takes room."""
_PACE: Final = 16
"""A sweep goes through so many rows for each that came, was cut short or became vacant."""
_STEP: Final = 64
"""It goes through so many at a time at least."""
_ALL_AT_ONCE: Final = 64
"""It goes through all of them at once where there are no more for each row that came: a large delta
takes longer itself, and to make indexes anew is faster than to move rows one by one."""


def _make_index(key: tuple[int, ...]) -> kernels.Index:
    return kernels.Index(columns(key))


class Stem:
    """The rows of one stream that may still meet others, with a hash index a key.

    A row is kept once for each maximal interval of its terms (``instances=False``), grown in place
    when a delta touches it, or once for each start, with the greatest end (``instances=True``).
    What a delta adds to that union is its gain, and only gains travel on: repeated facts cost
    their look-up, not their joins. Gains are maximal, too: a fact that each row of a delta makes
    hold a little longer meets others once.

    Rows that are removed, or united with others, leave the indexes at once. They take room until a
    sweep, which drops rows that ended, too, once little room is left, many rows were cut short, or
    half of all were removed. A sweep goes from the oldest row to the newest, a few rows for each
    one that comes, and moves what is left together; indexes follow row by row. So a row costs
    constant time, amortised, no delta waits for the rows of others, and rows stay in the order in
    which they came. To remove rows takes no step of a sweep while there is room: the next rows that
    come do.

    Attributes:
        width: number of term columns.
        n: rows in use, dead ones included; ``rows[:n]`` is the content.
        before: rows that were there ahead of the last delta.
        retention: how many cells rows are kept after the bound that is given; see
            `rete.network.lookback`.
        keep_ended: which of some ended rows must stay nevertheless; None: none.
        hands_over: whether someone takes what ended before `expire` drops it: nothing else does.
        came: how many rows have come so far: those since an earlier count are the last ones.
        forgotten: the latest end of a row that was dropped because it ended, and is not kept in a
            saved state; `NEG_INF`: none was.
        index: gives the index on some columns, made when first asked for; it stays the same object.
            Rows are entered when it is probed: an index that nobody probes costs nothing.
        levels: (capacity,) per row the level at which it was derived, `UNKNOWN_LEVEL` where it
            grew since by more than what it had lost; None: not kept.
    """

    __slots__ = (
        "_absorb",
        "_cut",
        "_due",
        "_identity",
        "_indexes",
        "_kept",
        "_paid",
        "_read",
        "before",
        "came",
        "forgotten",
        "hands_over",
        "index",
        "instances",
        "keep_ended",
        "levels",
        "n",
        "retention",
        "rows",
        "width",
    )

    _due: int

    def __init__(self, width: int, *, instances: bool) -> None:
        self.width = width
        self.instances = instances
        self.n = 0
        self.before = 0
        self.came = 0
        self.forgotten = NEG_INF
        self.retention = 0
        self.keep_ended: KeepEnded | None = None
        self.hands_over = False
        self.levels: Column | None = None
        self.rows: Rows = np.empty((_SMALLEST, width + 2), np.int64)
        indexes: Memo[tuple[int, ...], kernels.Index] = Memo(_make_index)
        self.index = indexes.__getitem__
        self._indexes = indexes.values()
        self._absorb: Absorb = kernels.absorb_starts if instances else kernels.absorb
        self._identity = self.index(tuple(range(width + 1 if instances else width)))
        self._begin_anew()

    def unindex(self) -> None:
        """Empty its indexes, as some may not be probed any more; the others are made again."""
        for index in self._indexes:
            if index is not self._identity:
                index.rebuild(self.rows, 0)

    def absorb(self, delta: Rows, bound: int, level: int = UNKNOWN_LEVEL) -> Rows:
        """Build: unite ``delta`` with the content; what it gains.

        Rows with ``hi <= bound`` may be dropped on the way. ``level`` is that of new rows, and of
        rows all of which that is still needed at ``bound`` is new.
        """
        if self.n + len(delta) > self._due:
            self._sweep(len(delta), NEG_INF if self.hands_over else bound)
        self.before = self.n
        gains, self.n = self._absorb(self.rows, self.n, self._identity, delta)
        self.came += self.n - self.before
        if self.levels is not None:
            self.levels[self.before : self.n] = level
        if len(gains) == self.n - self.before:
            return gains  # each is a new row: what some other row takes in adds none
        self._identity.notify(self.rows, self._indexes)
        if not self.instances:
            gains = coalesce(gains)  # a fact that a delta repeats grows piece by piece
        if self.levels is not None:
            self._renew_levels(gains, bound, level)
        return gains

    def _renew_levels(self, gains: Rows, bound: int, level: int) -> None:
        """The levels of the older rows that ``gains`` made longer, as `absorb` says."""
        assert self.levels is not None
        found = self.find(np.ascontiguousarray(gains[:, :-1]), kernels.COVERS)
        older = found < self.before
        self.levels[found[older]] = UNKNOWN_LEVEL
        needed = max(bound - self.retention + 1, NEG_INF - 1)
        if kernels.reaches_beyond(gains, needed + 1, POS_INF):
            anew = older & (gains[:, -2] <= needed)
            anew &= self.rows[found, -1] == gains[:, -1]
            self.levels[found[anew]] = level

    def keep_levels(self) -> None:
        """Keep the levels of rows from now on; those of its present rows are not known."""
        if self.levels is None:
            self.levels = np.full(len(self.rows), UNKNOWN_LEVEL, np.int64)

    def sample(self, most: int) -> Rows:
        """About ``most`` rows from all over it."""
        rows = self.rows[: self.n : max(1, self.n // most)]
        living: Rows = rows[rows[:, -1] > rows[:, -2]]
        return living

    def meet(self, rows: Rows, bound: int) -> Rows:
        """What of the content is in ``rows``: the common pieces, or the rows with their starts.

        Of instances only what ends after ``bound``, and not after the row of ``rows``.
        """
        if not self.instances:
            key = self._identity.cols
            pieces, _ = kernels.probe(rows, key, self.rows, self.n, self._identity, key)
            return pieces
        found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
        ends = self.rows[found, -1]
        found = found[(found >= 0) & (ends <= rows[:, -1]) & (ends > bound)]
        common: Rows = self.rows[distinct(found)]
        return common

    def remove(self, rows: Rows, bound: int) -> None:
        """Remove ``rows``, which it has, from the content; instances end at ``bound`` then."""
        if self.instances:
            found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
            found = found[found >= 0]
            self._cut += len(found)
            starts = self.rows[found, -2]
            self.rows[found, -1] = np.where(starts < bound, bound, kernels.DEAD)
        else:
            if self.n + len(rows) > len(self.rows):  # at most: each splits one
                self._sweep(len(rows), bound - 1)  # what ends at the frontier may be gone on
            before, index = self.n, self._identity
            vacancies = index.vacancies
            self.n = after = kernels.remove(self.rows, before, index, rows)
            if after > before:
                self.came += after - before
                if self.levels is not None:
                    self.levels[before:after] = UNKNOWN_LEVEL
            index.notify(self.rows, self._indexes)
            if bound > NEG_INF:  # the others were cut short, and ended there
                self._cut += max(len(rows) - (index.vacancies - vacancies), 0)
        missing = _CUTS * self._cut + _VACANCIES * self._identity.vacancies
        if self._read or missing > self.n + _SMALLEST:
            self._due = 0

    def missing(self, rows: Rows) -> Rows:
        """The pieces of ``rows`` that it lacks; of instances those that it has less long."""
        if not self.instances:
            return self.uncovered(rows, self._identity.cols, self._identity)
        found = self.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
        short: Rows = rows[(found < 0) | (self.rows[found, -1] < rows[:, -1])]
        return short

    def uncovered(self, rows: Rows, key: Column, index: kernels.Index) -> Rows:
        """The pieces of ``rows`` that no row with the same ``key`` covers."""
        if index.n < self.n:
            index.extend(self.rows, self.n)
        return kernels.uncovered(rows, key, self.rows, self.n, index)

    def expire(self, bound: int) -> None:
        """Drop the rows with ``hi <= bound`` and the dead, and give back room. Costs O(n).

        With `retention` only those that ended so much earlier.
        """
        self.keep(self._lasting(0, self.n, bound))

    def ended(self, bound: int) -> Rows:
        """The living rows that `expire` would drop."""
        rows = self.rows[: self.n]
        last = max(bound - self.retention, NEG_INF)
        found: Rows = rows[(rows[:, -1] <= last) & (rows[:, -1] > rows[:, -2])]
        return found

    def clear(self) -> None:
        """Forget all rows."""
        self.keep(np.zeros(self.n, np.bool_))

    def keep(self, alive: Mask) -> None:
        """Keep those of ``rows[:n]`` that ``alive`` (n,) marks, and give back room. Costs O(n)."""
        if not alive.all():
            self._read = self._kept = 0
            self._go_through(alive)
            self._end_sweep()

    def _lasting(self, begin: int, end: int, bound: int) -> Mask:
        """Which of the rows from ``begin`` to ``end`` may not be dropped at ``bound``.

        The others are dropped next.
        """
        rows = self.rows[begin:end]
        alive: Mask = rows[:, -1] > max(bound - self.retention, NEG_INF)
        if self.keep_ended is not None:
            ended = np.flatnonzero(~alive & (rows[:, -1] > rows[:, -2]))
            alive[ended] = self.keep_ended(rows[ended])
        self.forgotten = max(self.forgotten, int(rows[~alive, -1].max(initial=NEG_INF)))
        return alive

    def _go_through(self, alive: Mask) -> None:
        """Keep those of the next rows of a sweep that ``alive`` marks."""
        begin, end = self._read, self._read + len(alive)
        if self._kept == begin and alive.all():  # no row moves, so no index changes
            self._kept = end
        else:
            self._kept = kernels.compact(
                self.rows, self._indexes, self.levels, begin, end, self._kept, alive
            )
        self._read = end

    def _end_sweep(self) -> None:
        """The rows that were kept are all there are."""
        self.n = self._kept
        if 8 * self.n + _SMALLEST < len(self.rows):
            self._resize(max(_SMALLEST, 2 * self.n))
            for index in self._indexes:
                index.rebuild(self.rows, self.n if index.n else 0)
        self._begin_anew()

    def _begin_anew(self) -> None:
        """The next sweep has not begun; it will when little room is left."""
        self._read = self._kept = self._cut = self._paid = 0
        self._identity.vacancies = 0
        self._due = len(self.rows) - len(self.rows) // _PACE

    def probe(
        self, delta: Rows, key: Column, limit: int, index: kernels.Index, keep: Column
    ) -> Rows:
        """Pairs of ``delta`` with the first ``limit`` rows, each at the times that both hold.

        See `rete.kernels.probe`.
        """
        if index.n < self.n:
            index.extend(self.rows, self.n)
        pairs, _ = kernels.probe(delta, key, self.rows, limit, index, keep)
        return pairs

    def ready(self, index: kernels.Index) -> None:
        """Enter the rows that one of its indexes lacks, as it is about to be probed."""
        if index.n < self.n:
            index.extend(self.rows, self.n)

    def find(self, queries: Rows, mode: int) -> Column:
        """Positions of the rows that answer ``queries`` (terms, time); see `rete.kernels.find`."""
        return kernels.find(queries, self.rows, self._identity, mode)

    @property
    def is_empty(self) -> bool:
        """Whether all its rows are dead."""
        return not kernels.reaches_beyond(self.rows[: self.n], NEG_INF, NEG_INF)

    def content(self) -> Rows:
        """The living rows, in no order."""
        used = self.rows[: self.n]
        return used[used[:, -1] > used[:, -2]]

    def living(self) -> Rows:
        """The same, but not copied if none is dead: good until it changes."""
        used = self.rows[: self.n]
        alive = used[:, -1] > used[:, -2]
        return used if alive.all() else used[alive]

    def saved(self) -> State:
        """Its living rows, as they lie; indexes are made of them again."""
        state: State = {"rows": self.living()}
        if self.levels is not None:
            used, levels = self.rows[: self.n], self.levels[: self.n]
            alive = used[:, -1] > used[:, -2]
            state["levels"] = levels if alive.all() else levels[alive]
        return state

    def restore(self, given: StateReader, alive: Mask, *, named: bool = False) -> None:
        """Have what was saved, and nothing else; see `StateReader.rows`."""
        rows = given.rows("rows", self.width, alive, named=named)
        self.n = self.before = len(rows)
        self.came += self.n
        self.rows = np.empty((max(_SMALLEST, self.n * 3 // 2), self.width + 2), np.int64)
        self.rows[: self.n] = rows
        if "levels" in given or self.levels is not None:
            levels = np.full(len(self.rows), UNKNOWN_LEVEL, np.int64)
            if "levels" in given:
                levels[: self.n] = given.array("levels", np.int64, self.n)
            self.levels = levels
        self._begin_anew()
        for index in self._indexes:
            index.rebuild(self.rows, self.n if index is self._identity else 0)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays and indexes."""
        return int(self.rows.nbytes) + sum(index.nbytes for index in self._indexes)

    def _sweep(self, more: int, bound: int) -> None:
        """Take a step of the sweep, the larger the more has come since; room for ``more`` rows."""
        if not self._read:
            self._paid = self.n + self._cut + self._identity.vacancies
        needed = end = self.n + more
        debt = needed + self._cut + self._identity.vacancies - self._paid
        self._paid += debt
        if needed <= len(self.rows) and end > _ALL_AT_ONCE * debt:
            end = self._read + max(_STEP, _PACE * debt)
        end = min(end, self.n)
        self._go_through(self._lasting(self._read, end, bound))
        if end < self.n:
            self._due = min(needed + _STEP // _PACE, len(self.rows))
            return
        self._end_sweep()
        needed = self.n + more
        if 2 * needed > len(self.rows):
            self._resize(4 * needed)
            self._begin_anew()

    def _resize(self, capacity: int) -> None:
        rows = np.empty((capacity, self.width + 2), np.int64)
        rows[: self.n] = self.rows[: self.n]
        self.rows = rows
        if self.levels is not None:
            levels = np.full(capacity, UNKNOWN_LEVEL, np.int64)
            levels[: self.n] = self.levels[: self.n]
            self.levels = levels
