"""Doubt kernels, in Python: which facts of a recursive component still follow, and at which levels.

The same questions that `rete.doubts` asks round by round, fact by fact, where programs say all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from rete.delta import POS_INF, Column, Rows, columns
from rete.kernels.pure_proofs import Answer, Search, Source, Step
from rete.kernels.pure_rows import Index

VERSION: Final = 8

Asks: TypeAlias = tuple[Column, Column, Sequence[Source]]
"""The code of programs, where each begins, and what their steps look into; see `prove`."""
Rests: TypeAlias = tuple[Column, Column, Sequence[Source], Column]
"""The same of what may rest on a fact, and the number of the table that each source is, or -1."""
Table: TypeAlias = tuple[Rows, int, Column, Asks, Rests]
"""Rows, how many there are, their levels, how facts are asked about, and what may rest on one."""

_UNKNOWN: Final = POS_INF
_IN_DOUBT: Final = _UNKNOWN + 1
_STRETCH: Final = 20


def settle(
    tables: Sequence[Table], due: Sequence[tuple[Rows, Index]], bound: int
) -> tuple[int, list[Column]]:
    """Which facts of a component no longer follow; those that do have levels that say so.

    A fact that lost a derivation is asked whether it has one from lower levels. If not, it is in
    doubt, and what rests on it by a derivation below its own level is asked in turn. This goes from
    the lowest level up, a stretch at a time; before the next one, what follows from facts below its
    end is found again, with what follows from that, and is a level above what it rests on.

    A row of unknown level is asked first; on one that nothing made doubtful all else may rest in
    the end.

    What is in doubt is asked again only while it has derivations left: each is counted when the
    fact is asked, and counted off when the first fact that it rests on comes into doubt.

    A program of what rests on a fact has that fact for its head; its last step is the fact that
    rests on it, looked up in its table by all of its terms that are known. So that no derivation is
    met twice, an atom before that of the fact must be another one.

    Args:
        tables: those of the component; their levels are changed.
        due: per table the facts that lost a derivation, (m, arity + 2), and its index of all terms.
        bound: the time from which on facts may be lost: what of a row is later is lost at once.

    Returns:
        How many were in doubt, those included that were found again, and per table the positions
        of the rows that are lost, of unknown level now. -1 where programs cannot tell: something
        holds part of the time, or on conditions. Then no level has changed.
    """
    doubts = _Doubts(tables, bound)
    try:
        for number, (facts, index) in enumerate(due):
            doubts.enter(number, facts, index)
        return doubts.settle()
    except _UnsureError:
        doubts.undo()
        return -1, []


class _UnsureError(Exception):
    """Programs cannot tell."""


class _Arrival(NamedTuple):
    """A fact that rests on another: its table, row, time and level, and whether that is all."""

    number: int
    r: int
    lo: int
    hi: int
    level: int
    sure: bool


class _Resting(Search):
    """The search for what may rest on a fact."""

    def heads(
        self, table: _Table, r: int, begin: int, bound: int, unknown: int
    ) -> Iterator[_Arrival]:
        """What rests on row ``r`` of a table by a program that begins there."""
        program = self.of(begin)
        fact = table.rows[r].tolist()
        if self.fits(fact, program):
            self._most, self._own = unknown, (table.levels, r)
            lo, level = max(fact[-2], program.since, bound), int(table.levels[r])
            steps = self.ordered(program)
            for number, head, since, end, high in [*self._heads(steps, lo, fact[-1], level)]:
                yield _Arrival(table.heads[number], head, since, end, high, not program.open)

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
                own = step.apart and r == self._own[1] and levels is self._own[0]
                if begin < end and high < self._most and not own and self.takes(step, row):
                    yield from self._heads(steps[1:], begin, end, high)


class _Table:
    """A table of the component, and what of it is due, or waits for its level to come."""

    def __init__(self, given: Table) -> None:
        self.rows, self.n, self.levels, (code, begins, sources), rests = given
        self.code, self.begins, self.sources = code.tolist(), begins.tolist(), sources
        self.rests = _Resting(rests[0].tolist(), rests[2], _IN_DOUBT)
        self.rest_begins, self.heads = rests[1].tolist(), rests[3].tolist()
        self.due: dict[int, None] = {}
        self.waiting: list[tuple[int, int]] = []
        self.doubted: list[tuple[int, int]] = []
        self.counts: dict[int, int] = {}

    def level(self, r: int) -> int:
        """That at which a row is asked: one of unknown level first."""
        level = int(self.levels[r])
        return 0 if level == _UNKNOWN else level

    def lost(self) -> Column:
        """The rows that are in doubt still; their level is not known now."""
        found = columns(dict.fromkeys(r for r, _ in self.doubted if self.levels[r] == _IN_DOUBT))
        self.levels[found] = _UNKNOWN
        return found

    def has_unknown(self, bound: int) -> bool:
        """Whether nothing made doubtful a fact that holds from now on and has no level."""
        unknown = self.levels[: self.n] == _UNKNOWN
        return bool((self.rows[: self.n, -1][unknown] > bound).any())

    def ask(self, r: int, limit: int, bound: int, unknown: int) -> Answer:
        """Look for a derivation of a row below a level."""
        *terms, lo, hi = self.rows[r].tolist()
        search = Search(self.code, self.sources, unknown)
        answer = Answer(_UNKNOWN, counting=True)
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
        for fact in facts.tolist():
            for r in index.of_row(fact):
                self._reach(_Arrival(number, r, fact[-2], fact[-1], -1, sure=True))

    def settle(self) -> tuple[int, list[Column]]:
        """Go up level by level; how many facts were in doubt, and which are lost."""
        while levels := [*self._levels()]:
            self._end = ((min(levels) >> _STRETCH) + 1) << _STRETCH
            while any(map(self._examine, self._tables)):
                pass
            self._resolve(_UNKNOWN)
        if any(table.has_unknown(self._bound) for table in self._tables):
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
                table.counts[r] = answer.count
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
                if table.levels[r] != _IN_DOUBT or not (table.counts[r] or self._end == _IN_DOUBT):
                    continue
                if level >= self._end:
                    table.waiting.append((r, level))
                    continue
                answer = table.ask(r, self._end, self._bound, unknown)
                if answer.found >= 0:
                    self._find(table, r, answer.found)
                    continue
                table.counts[r] = answer.count
                if answer.later < _UNKNOWN:
                    table.waiting.append((r, answer.later))
        for table, r in self._found:  # it grows on the way
            self._spread(table, r, unknown)
        self._found.clear()
        self._finding = False

    def _find(self, table: _Table, r: int, level: int) -> None:
        del table.counts[r]
        table.levels[r] = min(level + 1, _UNKNOWN)
        self._found.append((table, r))

    def _spread(self, table: _Table, r: int, unknown: int) -> None:
        """Reach what may rest on a fact."""
        for begin in table.rest_begins:
            for arrival in table.rests.heads(table, r, begin, self._bound, unknown):
                self._reach(arrival)

    def _reach(self, at: _Arrival) -> None:
        """A fact lost a derivation of a level, or may be found with it."""
        table, r = self._tables[at.number], at.r
        begin, end = table.rows[r, -2:].tolist()
        own = int(table.levels[r])
        if begin >= at.hi or end <= at.lo:
            return
        if self._finding != (own == _IN_DOUBT) or (not self._finding and r in table.counts):
            if not self._finding and at.sure and at.level < _UNKNOWN:  # it is one that was counted
                table.counts[r] -= 1
            return
        rests = at.level < own or at.level == _UNKNOWN
        if not self._finding and (not rests or r in table.due):
            return
        if at.hi < end or at.lo > max(begin, self._bound):
            raise _UnsureError
        if not self._finding:
            table.due[r] = None
        elif at.level >= self._end:
            table.counts[r] += 1
            table.waiting.append((r, at.level))
        elif at.sure:
            self._find(table, r, at.level)
        else:
            raise _UnsureError
