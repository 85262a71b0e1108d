"""What is doubtful of one table, in Python: the questions to it, and what rests on its facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, columns
from rete.kernels.pure_support_search import Answer, IndexedRows, ProbeStep, Search

VERSION: Final = 9

SearchArguments: TypeAlias = tuple[Column, Column, Sequence[IndexedRows], Rows]
"""The code of programs, where each begins, what their steps look into, and costs; see `prove`."""
DependentArguments: TypeAlias = tuple[Column, Column, Sequence[IndexedRows], Column]
"""Such programs of what may rest on a fact, and the number of the table each source is, or -1."""
Table: TypeAlias = tuple[Rows, int, Column, SearchArguments, DependentArguments]
"""Rows, how many there are, their levels, how facts are asked about, and what may rest on one."""

SUSPECT_LEVEL: Final = UNKNOWN_LEVEL + 1


class UnsureError(Exception):
    """Programs cannot tell."""


class Arrival(NamedTuple):
    """A fact that rests on another: its table, row, time and level, and whether that is all."""

    number: int
    r: int
    lo: int
    hi: int
    level: int
    sure: bool


class _DependentSearch(Search):
    """The search for what may rest on a fact."""

    def heads(
        self, table: SuspectTable, r: int, begin: int, bound: int, unknown: int
    ) -> Iterator[Arrival]:
        """What rests on row ``r`` of a table by a program that begins there."""
        program = self.of(begin)
        fact = table.rows[r].tolist()
        if self.fits(fact, program):
            self._most, self._own = unknown, (table.levels, r)
            lo, level = max(fact[-2], program.since, bound), int(table.levels[r])
            steps = self.ordered(program)
            for number, head, since, end, high in [*self._heads(steps, lo, fact[-1], level)]:
                yield Arrival(table.heads[number], head, since, end, high, not program.open)

    def _heads(
        self, steps: Sequence[ProbeStep], lo: int, hi: int, level: int
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


class SuspectTable:
    """A table of the component, and what of it is due, or waits for its level to come."""

    def __init__(self, given: Table) -> None:
        self.rows, self.n, self.levels, (code, begins, sources, self.costs), rests = given
        self.code, self.begins, self.sources = code.tolist(), begins.tolist(), sources
        self.rests = _DependentSearch(rests[0].tolist(), rests[2], SUSPECT_LEVEL)
        self.rest_begins, self.heads = rests[1].tolist(), rests[3].tolist()
        self.due: dict[int, None] = {}
        self.waiting: list[tuple[int, int]] = []
        self.suspects: list[tuple[int, int]] = []
        self.counts: dict[int, int] = {}

    def level(self, r: int) -> int:
        """That at which a row is asked: one of unknown level first."""
        level = int(self.levels[r])
        return 0 if level == UNKNOWN_LEVEL else level

    def lost(self) -> Column:
        """The rows that are in doubt still; their level is not known now."""
        found = columns(
            dict.fromkeys(r for r, _ in self.suspects if self.levels[r] == SUSPECT_LEVEL)
        )
        self.levels[found] = UNKNOWN_LEVEL
        return found

    def has_unknown(self, bound: int) -> bool:
        """Whether nothing made doubtful a fact that holds from now on and has no level."""
        unknown = self.levels[: self.n] == UNKNOWN_LEVEL
        return bool((self.rows[: self.n, -1][unknown] > bound).any())

    def ask(self, r: int, limit: int, bound: int, unknown: int) -> Answer:
        """Look for a derivation of a row below a level."""
        *terms, lo, hi = self.rows[r].tolist()
        search = Search(self.code, self.sources, unknown)
        answer = Answer(UNKNOWN_LEVEL, counting=True)
        for number, begin in enumerate(self.begins):
            if answer.found < 0:
                fact = [*terms, limit, max(lo, bound), hi]
                self.costs[number, 0] += search.ask(fact, begin, answer)
                self.costs[number, 1] += answer.found >= 0
        if answer.unsure and answer.found < 0:
            raise UnsureError
        return answer
