"""The suspects of one table, in Python, and the searches that concern it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, columns
from rete.kernels.rows.pure_store import FactStore
from rete.kernels.support.pure_search import Answer, IndexedRows, ProbeStep, Search

SearchArguments: TypeAlias = tuple[Column, Column, Sequence[IndexedRows], Rows]
"""The code of programs, where each begins, sources, and costs: rows visited, facts derived."""
DependentArguments: TypeAlias = tuple[Column, Column, Sequence[IndexedRows], Column]
"""Such programs of what may depend on a fact, and per source the number of its table, or -1."""
Table: TypeAlias = tuple[FactStore, SearchArguments, DependentArguments]
"""Facts with levels, programs that derive them, programs of dependents."""

SUSPECT_LEVEL: Final = UNKNOWN_LEVEL + 1


class Arrival(NamedTuple):
    """A fact that may depend on another; ``sure``: there are no more conditions."""

    number: int
    r: int
    lo: int
    hi: int
    level: int
    sure: bool


class _DependentSearch(Search):
    """The search for what may depend on a fact."""

    def heads(
        self, table: SuspectTable, r: int, begin: int, bound: int, unknown: int
    ) -> Iterator[Arrival]:
        """What may depend on row ``r`` of a table, by the program that begins at ``begin``."""
        program = self.of(begin)
        fact = table.rows[r].tolist()
        if self.fits(fact, program):
            self._unknown, self._own = unknown, (table.facts, r)
            lo, level = max(fact[-2], program.since, bound), int(table.levels[r])
            steps = self.ordered(program)
            for number, head, since, end, high in [*self._heads(steps, lo, fact[-1], level)]:
                yield Arrival(table.heads[number], head, since, end, high, not program.open)

    def _heads(
        self, steps: Sequence[ProbeStep], lo: int, hi: int, level: int
    ) -> Iterator[tuple[int, int, int, int, int]]:
        step = steps[0]
        for number in step.sources:
            index, leveled = self.sources[number]
            rows, levels = index.store.rows_held, index.store.levels
            for r in self.positions(step, number):
                if len(steps) == 1:
                    yield number, r, lo, hi, level
                    continue
                row = rows[r].tolist()
                begin, end = max(lo, row[-2]), min(hi, row[-1])
                high = max(level, int(levels[r])) if leveled else level
                own = step.apart and leveled and (index.store, r) == self._own
                if begin < end and self.counts(high) and not own and self.takes(step, row):
                    yield from self._heads(steps[1:], begin, end, high)


class SuspectTable:
    """A table of the component, its suspects, and what of it is due, or waits for its level."""

    def __init__(self, given: Table) -> None:
        self.facts, (code, begins, sources, self.costs), dependents = given
        self.rows, self.levels = self.facts.rows_held, self.facts.levels
        self.code, self.begins, self.sources = code.tolist(), begins.tolist(), sources
        self.dependents = _DependentSearch(dependents[0].tolist(), dependents[2], SUSPECT_LEVEL)
        self.dependents_begins, self.heads = dependents[1].tolist(), dependents[3].tolist()
        self.due: dict[int, None] = {}
        self.waiting: list[tuple[int, int]] = []
        self.suspects: dict[int, None] = {}
        self.undecided: dict[int, None] = {}
        self.counts: dict[int, int] = {}
        self.met_unknown = False

    def level(self, r: int) -> int:
        """The level at which a row is examined: one of unknown level first."""
        level = int(self.levels[r])
        return 0 if level == UNKNOWN_LEVEL else level

    def lost(self) -> tuple[Column, Column]:
        """The rows that are still suspects, and the undecided ones; their level is unknown now."""
        rows = [r for r in self.suspects if self.levels[r] == SUSPECT_LEVEL]
        undecided = [r for r in rows if r in self.undecided]
        self.levels[rows] = UNKNOWN_LEVEL
        return columns(rows), columns(undecided)

    def ask(self, r: int, limit: int, bound: int, unknown: int) -> Answer:
        """Search for a derivation of a row below the level ``limit``."""
        *terms, lo, hi = self.rows[r].tolist()
        search = Search(self.code, self.sources, unknown)
        answer = Answer()
        for number, begin in enumerate(self.begins):
            if answer.found < 0:
                fact = [*terms, limit, max(lo, bound), hi]
                self.costs[number, 0] += search.ask(fact, begin, answer)
                self.costs[number, 1] += answer.found >= 0
        self.met_unknown |= search.met_unknown
        if answer.unsure and answer.found < 0:
            self.undecided[r] = None
        return answer
