"""The fact store in plain Python: what `rete.kernels.rows._store` is, readable, for any machine.

Here it is a matrix, and an index is a dict from keys to positions. Dicts, not sorted runs of numpy:
with batches of a hundred rows and fewer, which is what a live stream brings, numpy's cost a call
makes the runs twenty times slower, and with large ones dicts keep level.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import NEG_INF, UNKNOWN_LEVEL, Column, Rows
from rete.arrays.state_codec import Mask
from rete.kernels.rows.pure_matrix import VACANT

KeepEnded: TypeAlias = Callable[[Rows], Mask]
"""Which of some rows that ended must stay nevertheless."""

_SMALLEST: Final = 64
_MOST: Final = 1 << 31


class FactStore:
    """Rows of terms, with their times, in the order in which they came; some of them are gone.

    The *position* of a row is its number. It stays until rows are dropped: by `sweep`, which goes
    before rows come, by `expire` and `keep`. A row that is *vacant* was removed, or united with
    another; it takes room until then, and nothing finds it.

    In the compiled twin positions ascend for ever: the oldest rows are dropped, and what must stay
    of them comes again behind all others. Terms are numbers of 32 bits there; a row whose time is
    always takes 4 bytes a term, any other 8 more where times are near each other, and each index
    takes 12.

    Attributes:
        width: how many terms a row has.
        first: the position of the first row that is not gone.
        end: the position behind the last row.
        came: how many rows have been put behind all others so far.
        forgotten: the latest end of a row that was dropped because it ended; `NEG_INF`: none was.
        rows_held: here all rows, (capacity, width + 2), by position; ``levels`` theirs.
    """

    def __init__(self, width: int, first: int = 0) -> None:
        """Begin without rows; ``first`` says in the twin which position the first row has."""
        del first
        self.width = width
        self.first = self.end = self.came = 0
        self.forgotten = NEG_INF
        self.rows_held: Rows = np.empty((_SMALLEST, width + 2), np.int64)
        self.levels: Column = np.full(_SMALLEST, UNKNOWN_LEVEL, np.int64)
        self._indexes: list[Index] = []
        self._vacant = self._waited = 0

    @property
    def count(self) -> int:
        """How many rows there are, vacant ones included."""
        return self.end

    @property
    def nbytes(self) -> int:
        """Bytes of the rows; of the indexes roughly: a position and its key are some objects."""
        indexed = sum(100 * index.n for index in self._indexes)
        return int(self.rows_held.nbytes + self.levels.nbytes) + indexed

    def index(self, cols: Column) -> Index:
        """An index on some columns; column ``width`` is the begin. Rows are entered when needed."""
        index = Index(self, cols)
        self._indexes.append(index)
        return index

    def sweep(self, more: int, last: int, keep_ended: KeepEnded | None) -> None:
        """Before ``more`` rows come: drop some that ended at ``last`` or before, or are vacant.

        But for those that ``keep_ended`` says. Costs constant time a row, amortised.
        """
        self._waited += more
        if max(4 * self._waited, 2 * self._vacant) > self.end + _SMALLEST:
            self.expire(last, keep_ended)

    def expire(self, last: int, keep_ended: KeepEnded | None) -> None:
        """Drop all such rows, and give back room. Costs O(rows)."""
        rows = self.rows_held[: self.end]
        alive: Mask = rows[:, -1] > max(last, NEG_INF)
        alive &= rows[:, -1] > rows[:, -2]
        if keep_ended is not None:
            ended = np.flatnonzero(~alive & (rows[:, -1] > rows[:, -2]))
            if len(ended):
                alive[ended] = keep_ended(rows[ended])
        self.forgotten = max(self.forgotten, int(rows[~alive, -1].max(initial=NEG_INF)))
        self._waited = 0
        self.keep(alive)

    def keep(self, alive: Mask) -> None:
        """Keep the rows that ``alive`` marks, (count,), and that are not vacant. Costs O(rows)."""
        if alive.all():
            return
        used = self.rows_held[: self.end]
        kept = np.flatnonzero(alive & (used[:, -1] > used[:, -2]))
        rows, levels = used[kept], self.levels[kept]
        self.end = self._vacant = 0
        self.rows_held, self.levels = self.rows_held[:0], self.levels[:0]
        self._make_room(max(len(rows), 1))
        self.rows_held[: len(rows)], self.levels[: len(rows)] = rows, levels
        self.end = len(rows)
        for index in self._indexes:
            index.clear()

    def unindex(self, but: Index) -> None:
        """Empty all indexes but one, as some may not be used any more; the others fill again."""
        for index in self._indexes:
            if index is not but:
                index.clear()

    def fill(self, rows: Rows, levels: Column | None = None) -> None:
        """Put ``rows``, (n, width + 2), behind all others as they are, with their levels."""
        if rows.shape[1] != self.width + 2:
            message = f"rows of {rows.shape[1]} columns, not of {self.width + 2}"
            raise ValueError(message)
        self.refuse_wide(rows)
        begin = self.end
        self._make_room(max(len(rows), 1))
        self.rows_held[begin : begin + len(rows)] = rows
        if levels is not None:
            self.levels[begin : begin + len(rows)] = levels
        self.end += len(rows)
        self.came += len(rows)

    @staticmethod
    def refuse_wide(rows: Rows) -> None:
        """Terms are numbers of 32 bits in the twin, so here they must be, too."""
        terms = rows[:, :-2]
        wide = terms[(terms < -_MOST) | (terms >= _MOST)]
        if len(wide):
            message = f"a term is stored in 32 bits, which {wide[0]} exceeds"
            raise OverflowError(message)

    def push(self, row: Sequence[int]) -> int:
        """Put one row behind all others; its position."""
        self._make_room(1)
        self.rows_held[self.end] = row
        self.end += 1
        self.came += 1
        return self.end - 1

    def _make_room(self, more: int) -> None:
        if self.end + more <= len(self.rows_held):
            return
        capacity = max(_SMALLEST, 2 * (self.end + more))
        rows = np.empty((capacity, self.width + 2), np.int64)
        levels = np.full(capacity, UNKNOWN_LEVEL, np.int64)
        rows[: self.end] = self.rows_held[: self.end]
        levels[: self.end] = self.levels[: self.end]
        self.rows_held, self.levels = rows, levels

    def vacate(self, r: int) -> None:
        """Row ``r`` is there no longer, but its terms are."""
        for index in self._indexes:
            index.leave(self.rows_held[r].tolist(), r)
        self.rows_held[r, -2:] = 0, VACANT
        self._vacant += 1

    def at(self, positions: Column) -> Rows:
        """The rows at some positions; rows that never hold where there is -1 in place of one."""
        found: Rows = self.rows_held[positions]
        found[positions < 0] = 0
        found[positions < 0, -1] = VACANT
        return found

    def rows(self, begin: int, end: int, step: int = 1, *, living: bool = False) -> Rows:
        """The rows from one position to another, one in ``step``; all, or those that live."""
        found = self.rows_held[max(begin, 0) : min(end, self.end) : step]
        return found[found[:, -1] > found[:, -2]] if living else found.copy()

    def mentioning(self, marks: npt.NDArray[np.uint8]) -> Column:
        """The positions, ascending, of living rows with a term that ``marks`` marks, by id."""
        rows = self.rows_held[: self.end]
        terms = rows[:, :-2]
        known = (terms >= 0) & (terms < len(marks))
        marked = known & (marks.take(terms, mode="clip") > 0) if len(marks) else known
        found = marked.any(axis=1) & (rows[:, -1] > rows[:, -2])
        return np.flatnonzero(found)

    @property
    def is_empty(self) -> bool:
        """Whether no row lives."""
        rows = self.rows_held[: self.end]
        return not bool((rows[:, -1] > rows[:, -2]).any())

    def has(self, place: int, term: int) -> bool:
        """Whether a row has ``term`` at a place; one that ended counts as long as it is there."""
        return bool((self.rows_held[: self.end, place] == term).any())

    def set_ends(self, positions: Column, ends: Column) -> None:
        """Let rows end earlier."""
        self._vacant += int(np.count_nonzero(ends <= self.rows_held[positions, -2]))
        self.rows_held[positions, -1] = ends

    def set_levels(self, positions: Column, level: int) -> None:
        """Give rows a level."""
        self.levels[positions] = level

    def levels_at(self, positions: Column) -> Column:
        """The levels of rows; `UNKNOWN_LEVEL` where none was given."""
        found: Column = self.levels[positions]
        return found

    def living_levels(self) -> Column:
        """The levels of the living rows, in their order."""
        rows = self.rows_held[: self.end]
        found: Column = self.levels[: self.end][rows[:, -1] > rows[:, -2]]
        return found

    def unknown_levels(self) -> int:
        """How many rows have no level."""
        return int(np.count_nonzero(self.levels[: self.end] == UNKNOWN_LEVEL))

    def keep_levels(self) -> None:
        """In the twin: have room for the level of each row."""

    def forget_levels(self) -> None:
        """All levels are unknown."""
        self.levels[:] = UNKNOWN_LEVEL


class Index:
    """A hash index of a store, from the key of a row to its positions, oldest first.

    Attributes:
        store: that of which it is one.
        cols: the columns of its key.
        n: the position behind the last row that it has.
    """

    __slots__ = ("_key", "_table", "cols", "n", "store")

    def __init__(self, store: FactStore, cols: Column) -> None:
        self.store = store
        self.cols = cols
        self._key: list[int] = cols.tolist()
        self.n = 0
        self._table: dict[tuple[int, ...], list[int]] = {}

    def ready(self) -> None:
        """Enter the rows that it lacks."""
        store = self.store
        if self.n == store.end:
            return
        rows = store.rows_held
        there = np.flatnonzero(rows[self.n : store.end, -1] != VACANT) + self.n
        enter = self._table.setdefault
        for position, key in zip(
            there.tolist(), rows[there[:, None], self.cols].tolist(), strict=True
        ):
            enter(tuple(key), []).append(position)
        self.n = store.end

    def add(self, row: Sequence[int]) -> None:
        """Put a row behind all others of its store; it has all rows up to there."""
        key = tuple([row[c] for c in self._key])
        self._table.setdefault(key, []).append(self.store.push(row))
        self.n = self.store.end

    def clear(self) -> None:
        """Have no row."""
        self._table = {}
        self.n = 0

    def leave(self, row: Sequence[int], r: int) -> None:
        """Row ``r`` is not to be found any more."""
        key = tuple([row[c] for c in self._key])
        positions = self._table.get(key, [])
        place = bisect_left(positions, r)
        if positions[place : place + 1] == [r]:
            del positions[place]
            if not positions:
                del self._table[key]

    def positions(self, row: Sequence[int], key: Sequence[int]) -> list[int]:
        """Where the rows are that agree with ``row`` at its columns ``key``."""
        self.ready()
        return self._table.get(tuple([row[c] for c in key]), [])

    def of_row(self, row: Sequence[int]) -> list[int]:
        """Where the rows are that have the key of ``row``."""
        return self.positions(row, self._key)

    def chains(self) -> list[list[int]]:
        """The positions of rows with the same key, newest first; in the twin, with one head."""
        return [positions[::-1] for positions in self._table.values()]
