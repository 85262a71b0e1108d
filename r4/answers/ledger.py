"""The ledger: from what tables gain to the streams P and N, what began and what ceased to hold.

Gains are pending until the instant of their start (for P) or end (for N) is closed; then the table
decides whether an answer begins or ends there, for a later gain may continue where one ended.
Pending gains lie in blocks ordered by time, so closing an instant costs what it closes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat
from rete.arrays.state_codec import Mask, SavedValue, State, StateReader
from rete.storage.fact_set import FactSet
from rete.terms.relations import Relation

DELETED: Final = 0
INSERTED: Final = 1


class AnswerBlock(NamedTuple):
    """Answers of one relation, in no order.

    Attributes:
        facts: (n, arity) term ids.
        op: `INSERTED` or `DELETED`: (n,), or one for all.
        at: (n,) cells: when each answer begins or ends, as its ``op`` is.
        start, end: (n,) cells: where the interval of the answer begins, and ends; for an insertion
            under ``facts`` semantics ``end`` is how far it is known to hold.
        rule: (n,) number of the least rule that gives it at its start.
    """

    relation: Relation
    facts: Rows
    op: npt.NDArray[np.int8] | int
    at: Column
    start: Column
    end: Column
    rule: Column


class PendingRows:
    """Gains that are pending until a time, by that time.

    Attributes:
        first: the earliest of these times; `POS_INF` if there is none.
    """

    __slots__ = ("_blocks", "_column", "_numbers", "first")

    def __init__(self, column: int) -> None:
        self._column = column
        self._numbers = count()
        self._blocks: list[tuple[int, int, FactSet, Rows]] = []
        self.first = POS_INF

    def add(self, table: FactSet, rows: Rows) -> None:
        """Keep ``rows``, if there are any, until the time in their column ``column``."""
        if not len(rows):
            return
        times = rows[:, self._column]
        if len(rows) > 1 and (times[1:] < times[:-1]).any():
            rows = rows[np.argsort(times, kind="stable")]
        heappush(self._blocks, (int(rows[0, self._column]), next(self._numbers), table, rows))
        self.first = self._blocks[0][0]

    def saved(self, tables: Sequence[FactSet]) -> list[SavedValue]:
        """What is pending, of ``tables``, in the order of time."""
        found: dict[FactSet, list[Rows]] = {}
        for _, _, table, rows in sorted(self._blocks):
            found.setdefault(table.answer_facts, []).append(rows)
        joined = ((table, concat(parts)) for table, parts in found.items())
        ordered = (
            (table, rows[np.argsort(rows[:, self._column], kind="stable")])
            for table, rows in joined
        )
        return saved_rows(ordered, tables)

    def restore(self, parts: Iterable[StateReader], tables: Sequence[FactSet]) -> None:
        """Take up what was saved, where nothing is pending."""
        for _, table, rows in restored_rows(parts, tables):
            self.add(table, rows)

    def pop(self, limit: int) -> Iterator[tuple[FactSet, Rows]]:
        """What is pending until a time up to ``limit``, one piece a table."""
        popped: dict[FactSet, list[Rows]] = {}
        rest: list[tuple[FactSet, Rows]] = []
        while self._blocks and self._blocks[0][0] <= limit:
            _, _, table, rows = heappop(self._blocks)
            if rows[-1, self._column] > limit:
                cut = int(np.searchsorted(rows[:, self._column], limit, side="right"))
                rest.append((table, rows[cut:]))
                rows = rows[:cut]
            popped.setdefault(table.answer_facts, []).append(rows)
        for table, rows in rest:
            self.add(table, rows)
        self.first = self._blocks[0][0] if self._blocks else POS_INF
        return ((table, concat(parts)) for table, parts in popped.items())


def saved_rows(
    parts: Iterable[tuple[FactSet, Rows]], tables: Sequence[FactSet]
) -> list[SavedValue]:
    """Rows with their tables, these by their places among ``tables``."""
    place = {table: number for number, table in enumerate(tables)}
    found: dict[int, list[Rows]] = {}
    for table, rows in parts:
        found.setdefault(place[table.answer_facts], []).append(rows)
    return [{"table": number, "rows": concat(found[number])} for number in sorted(found)]


def restored_rows(
    parts: Iterable[StateReader], tables: Sequence[FactSet], more: int = 0
) -> Iterator[tuple[StateReader, FactSet, Rows]]:
    """What `saved_rows` gave, with its part of the state; rows have ``more`` columns than facts."""
    for part in parts:
        table = tables[part.integer("table", 0, len(tables) - 1)]
        yield part, table, part.array("rows", np.int64, None, table.relation.arity + 2 + more)


class RowAnswers(Protocol):
    """Answers that are pending one by one; see `rete.inference.row_executor`.

    What rows gain begins at the frontier, or as far before it as rules look ahead, so after all
    answers that are final: only deletion, by columns, may give an answer back that was emitted.
    """

    def take(self, *, ends: bool, limit: int) -> Iterator[tuple[FactSet, Rows]]:
        """Take out those that begin, or end, up to the cell ``limit``."""
        ...


class Ledger:
    """Pending answers, and those that become final."""

    def __init__(self, *, instances: bool) -> None:
        self._rows: RowAnswers | None = None
        self._instances = instances
        self._starts = PendingRows(-2)
        self._ends = PendingRows(-1)
        self._limit = NEG_INF
        self._regains = False

    def saved(self, tables: Sequence[FactSet]) -> State:
        """What is pending, of ``tables``."""
        self._take_rows(POS_INF)
        return {
            "limit": self._limit,
            "again": self._regains,
            "starts": self._starts.saved(tables),
            "ends": self._ends.saved(tables),
        }

    def restore(self, given: StateReader, tables: Sequence[FactSet], _: Mask) -> None:
        """Go on from what was saved of such tables."""
        self._limit = given.integer("limit", NEG_INF, POS_INF)
        self._regains = given.flag("again")
        self._starts.restore(given.parts("starts"), tables)
        self._ends.restore(given.parts("ends"), tables)

    def gain(self, table: FactSet, gains: Rows) -> None:
        """Note what a table gained."""
        starts = gains
        if self._regains:  # what was lost may be gained again after an end of it was emitted
            gains = gains[gains[:, -1] > self._limit]
            starts = gains[gains[:, -2] > self._limit]
        self._starts.add(table, starts)
        endless = gains[:, -1] == POS_INF
        if np.count_nonzero(endless):
            gains = gains[~endless]
        self._ends.add(table, gains)

    def lose(self, table: FactSet, lost: Rows) -> None:
        """Note what a table lost: an answer may end where that begins, and begin where it ends."""
        self._regains = self._limit > NEG_INF
        if self._instances:
            self._ends.add(table, _ending(lost, np.maximum(lost[:, -2], self._limit + 1)))
            return
        ended = lost[lost[:, -2] > NEG_INF]
        self._ends.add(table, _ending(ended, ended[:, -2]))
        starts = lost[lost[:, -1] < POS_INF]
        starts[:, -2] = starts[:, -1]
        self._starts.add(table, starts)

    def read_rows(self, rows: RowAnswers | None) -> None:
        """Answers are pending one by one in ``rows`` from now on; what was so far is kept."""
        self._take_rows(POS_INF)
        self._rows = rows

    def pass_by(self, limit: int) -> bool:
        """All is final up to ``limit``: whether nothing is pending but what `rows` have."""
        if self._starts.first <= limit or self._ends.first <= limit:
            return False
        self._limit = limit
        return True

    def _take_rows(self, limit: int) -> None:
        if self._rows is not None:
            for table, rows in self._rows.take(ends=False, limit=limit):
                self._starts.add(table, rows)
            for table, rows in self._rows.take(ends=True, limit=limit):
                self._ends.add(table, rows)

    def close(self, limit: int) -> list[AnswerBlock]:
        """The answers up to ``limit``, which are final now."""
        self._limit = limit
        self._take_rows(limit)
        ends = self._ends.pop(limit) if limit > NEG_INF else ()
        blocks = [self._deleted(table, rows) for table, rows in ends]
        blocks += [beginning(table, rows) for table, rows in self._starts.pop(limit)]
        return [block for block in blocks if block is not None]

    def _deleted(self, table: FactSet, rows: Rows) -> AnswerBlock | None:
        if self._instances:
            found = table.facts.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
            longer = table.facts.at(found)[:, -1] != rows[:, -1]
            found[longer] = -1
        else:
            queries = rows[:, :-1].copy()
            queries[:, -1] = rows[:, -1]
            found = table.facts.find(queries, kernels.ENDS_AT)
        return _block(table, _distinct(found), DELETED)


def beginning(table: FactSet, rows: Rows) -> AnswerBlock | None:
    """The answers that begin where ``rows`` do."""
    found = table.facts.find(np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT)
    return _block(table, _distinct(found), INSERTED)


def _ending(rows: Rows, ends: Column) -> Rows:
    rows = rows.copy()
    rows[:, -1] = ends
    return rows


def _distinct(found: Column) -> Column:
    """The positions among ``found``, ascending, each once."""
    if len(found) == 1:
        return found if found[0] >= 0 else found[:0]
    ordered = np.sort(found[found >= 0])
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _block(table: FactSet, positions: Column, op: int) -> AnswerBlock | None:
    if not len(positions):
        return None
    rows = table.facts.at(positions)
    start, end, rule = rows[:, -2], rows[:, -1], table.rule_at(rows)
    at = start if op == INSERTED else end
    return AnswerBlock(table.relation, rows[:, :-2], op, at, start, end, rule)
