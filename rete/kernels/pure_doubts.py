"""Doubt kernels, in Python: which facts of a recursive component still follow, and at which levels.

The same questions that `rete.doubts` asks round by round, fact by fact, where programs say all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from rete.delta import POS_INF, Column, Rows, columns
from rete.kernels.pure_proofs import Answer, Search, Source, Step
from rete.kernels.pure_rows import Index

VERSION: Final = 7

Asks: TypeAlias = tuple[Column, Column, Sequence[Source]]
"""The code of programs, where each begins, and what their steps look into; see `prove`."""
Rests: TypeAlias = tuple[Column, Column, Sequence[Source], Column]
"""The same of what may rest on a fact, and the number of the table that each source is, or -1."""
Table: TypeAlias = tuple[Rows, Column, Asks, Rests]
"""Rows, their levels, how its facts are asked about, and what may rest on one."""

_UNKNOWN: Final = POS_INF
_IN_DOUBT: Final = _UNKNOWN + 1
_STRETCH: Final = 20


def settle(
    tables: Sequence[Table], due: Sequence[tuple[Rows, Index]], bound: int, *, unknown: bool
) -> tuple[int, list[Column]]:
    """Which facts of a component no longer follow; those that do have levels that say so.

    A fact that lost a derivation is asked whether it has one from lower levels. If not, it is in
    doubt, and what rests on it by a derivation below its own level is asked in turn. This goes from
    the lowest level up, a stretch at a time; before the next one, what follows from facts below its
    end is found again, with what follows from that, and is a level above what it rests on.

    A program of what rests on a fact has that fact for its head; its last step is the fact that
    rests on it, looked up in its table by all of its terms.

    Args:
        tables: those of the component; their levels are changed.
        due: per table the facts that lost a derivation, (m, arity + 2), and its index of all terms.
        bound: the time from which on facts may be lost: what of a row is later is lost at once.
        unknown: whether the level of any row is not known. Such a row is asked first; on one that
            nothing made doubtful all else may rest in the end.

    Returns:
        How many were in doubt, those included that were found again, and per table the positions
        of the rows that are lost, of unknown level now. -1 where programs cannot tell: something
        holds part of the time, or on conditions. Then no level has changed.
    """
    doubts = _Doubts(tables, bound)
    try:
        for number, (facts, index) in enumerate(due):
            doubts.enter(number, facts, index)
        return doubts.settle(unknown=unknown)
    except _UnsureError:
        doubts.undo()
        return -1, []


class _UnsureError(Exception):
    """Programs cannot tell."""


class _Resting(Search):
    """The search for what may rest on a fact."""

    def heads(
        self, fact: Sequence[int], begin: int, bound: int, level: int, unknown: int
    ) -> list[tuple[int, int, int, int, int]]:
        """Source, row, time and level of each derivation with a fact; see `settle`."""
        program = self.of(begin)
        if not self.fits(fact, program):
            return []
        self._most = unknown
        lo = max(fact[-2], program.since, bound)
        return [*self._heads(self.ordered(program), lo, fact[-1], level)]

    def _heads(
        self, steps: Sequence[Step], lo: int, hi: int, level: int
    ) -> Iterator[tuple[int, int, int, int, int]]:
        step = steps[0]
        for number in step.sources:
            rows, _, _, levels = self.sources[number]
            for r in self.positions(step, number):
                if len(steps) == 1:
                    yield number, r, lo, hi, level
                    continue
                row = rows[r].tolist()
                begin, end = max(lo, row[-2]), min(hi, row[-1])
                high = level if levels is None else max(level, int(levels[r]))
                if begin < end and high < self._most and self.takes(step, row):
                    yield from self._heads(steps[1:], begin, end, high)


class _Table:
    """A table of the component, and what of it is due, or waits for its level to come."""

    def __init__(self, given: Table) -> None:
        self.rows, self.levels, (code, begins, sources), rests = given
        self.code, self.begins, self.sources = code.tolist(), begins.tolist(), sources
        self.rests = _Resting(rests[0].tolist(), rests[2], _IN_DOUBT)
        self.rest_begins, self.heads = rests[1].tolist(), rests[3].tolist()
        self.due: dict[int, None] = {}
        self.waiting: list[tuple[int, int]] = []
        self.doubted: list[tuple[int, int]] = []

    def level(self, r: int) -> int:
        """That at which a row is asked: one of unknown level first."""
        level = int(self.levels[r])
        return 0 if level == _UNKNOWN else level

    def lost(self) -> Column:
        """The rows that are in doubt still; their level is not known now."""
        found = columns(dict.fromkeys(r for r, _ in self.doubted if self.levels[r] == _IN_DOUBT))
        self.levels[found] = _UNKNOWN
        return found

    def ask(self, r: int, limit: int, bound: int, unknown: int) -> Answer:
        """Look for a derivation of a row below a level."""
        *terms, lo, hi = self.rows[r].tolist()
        search = Search(self.code, self.sources, unknown)
        answer = Answer(_UNKNOWN)
        for begin in self.begins:
            if answer.found < 0:
                search.ask([*terms, limit, max(lo, bound), hi], begin, answer)
        if answer.unsure and answer.found < 0:
            raise _UnsureError
        return answer


class _Doubts:
    """The facts of one component that are due, in doubt, or found again."""

    def __init__(self, tables: Sequence[Table], bound: int) -> None:
        self._tables = [_Table(each) for each in tables]
        self._bound = bound
        self._end = 0
        self._finding = False
        self._found: list[tuple[_Table, int]] = []

    def enter(self, number: int, facts: Rows, index: Index) -> None:
        """Facts that lost a derivation are due."""
        table = self._tables[number]
        for fact in facts.tolist():
            for r in index.of_row(fact):
                self._reach(table, r, fact[-2], fact[-1], -1)

    def settle(self, *, unknown: bool) -> tuple[int, list[Column]]:
        """Go up level by level; how many facts were in doubt, and which are lost."""
        while levels := [*self._levels()]:
            self._end = ((min(levels) >> _STRETCH) + 1) << _STRETCH
            while any(map(self._examine, self._tables)):
                pass
            self._resolve(_UNKNOWN)
        if unknown:  # nothing made doubtful what has no level
            self._end = _IN_DOUBT
            for table in self._tables:
                table.waiting = [(r, 0) for r, _ in table.doubted]
            self._resolve(_IN_DOUBT)
        count = sum(len(table.doubted) for table in self._tables)
        return count, [table.lost() for table in self._tables]

    def undo(self) -> None:
        """Give all that was in doubt the level that it had."""
        for table in self._tables:
            for r, level in reversed(table.doubted):
                table.levels[r] = level

    def _levels(self) -> Iterator[int]:
        for table in self._tables:
            yield from map(table.level, table.due)
            yield from (level for _, level in table.waiting)

    def _examine(self, table: _Table) -> bool:
        """Ask about what is due; what has no derivation is in doubt. Whether anything was due."""
        due = [r for r in table.due if table.level(r) < self._end]
        for r in due:
            del table.due[r]
            answer = table.ask(r, table.level(r), self._bound, _UNKNOWN)
            if answer.found < 0:
                if answer.later < _UNKNOWN:
                    table.waiting.append((r, answer.later))
                self._spread(table, r, _IN_DOUBT)
                table.doubted.append((r, int(table.levels[r])))
                table.levels[r] = _IN_DOUBT
        return bool(due)

    def _resolve(self, unknown: int) -> None:
        """Find again what follows from facts below the end of the stretch."""
        self._finding = True
        for table in self._tables:
            waiting, table.waiting = table.waiting, []
            for r, level in waiting:
                if table.levels[r] != _IN_DOUBT:
                    continue
                if level >= self._end:
                    table.waiting.append((r, level))
                    continue
                answer = table.ask(r, self._end, self._bound, unknown)
                if answer.found >= 0:
                    self._find(table, r, answer.found)
                elif answer.later < _UNKNOWN:
                    table.waiting.append((r, answer.later))
        for table, r in self._found:  # it grows on the way
            self._spread(table, r, unknown)
        self._found.clear()
        self._finding = False

    def _find(self, table: _Table, r: int, level: int) -> None:
        table.levels[r] = min(level + 1, _UNKNOWN)
        self._found.append((table, r))

    def _spread(self, table: _Table, r: int, unknown: int) -> None:
        """Reach what may rest on a fact."""
        fact, level = table.rows[r].tolist(), int(table.levels[r])
        for begin in table.rest_begins:
            for number, head, *rest in table.rests.heads(fact, begin, self._bound, level, unknown):
                self._reach(self._tables[table.heads[number]], head, *rest)

    def _reach(self, table: _Table, r: int, lo: int, hi: int, level: int) -> None:
        """A fact lost a derivation of a level, or may be found with it."""
        begin, end = table.rows[r, -2:].tolist()
        own = int(table.levels[r])
        if begin >= hi or end <= lo or self._finding != (own == _IN_DOUBT):
            return
        rests = level < own or level == _UNKNOWN
        if not self._finding and (not rests or r in table.due):
            return
        if hi < end or lo > max(begin, self._bound):
            raise _UnsureError
        if not self._finding:
            table.due[r] = None
        elif level >= self._end:
            table.waiting.append((r, level))
        else:
            self._find(table, r, level)
