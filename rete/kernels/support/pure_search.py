"""The search for derivations, in Python: which facts have one, by programs of their rules.

A *program* is the body of a head, to be walked backwards: from the terms of a fact in question,
atom by atom, each looked up in an index by the terms that are known by then. A derivation holds
while all its rows do, and its level is the highest of theirs; it counts if it holds all the time of
the fact. Rows are tried newest first, source by source.

The programs of a table lie in one column of numbers. First comes the number of variables that the
largest needs. The code of a program is, from its begin on: 1 if there are conditions beyond it,
else 0; the cell from which on it derives anything; the numbers of four kinds of entries: pairs
(place of the fact, term) that must agree, pairs (place, variable) that are bound, pairs of places
that must be equal, and steps; where another order of its atoms begins, 0 for nowhere; then these
entries. A step is: its length; the numbers of five kinds of entries: pairs (0, variable) or (1,
term) that are the key of its indexes, pairs (column, variable) that are bound by a row, the same
that must agree then, pairs of variables that must differ, and sources; 1 if its row must be
distinct from the start fact, whose position is known; then these entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from rete.arrays.delta import UNKNOWN_LEVEL
from rete.kernels.rows.pure_store import Index

IndexedRows: TypeAlias = tuple[Index, bool]
"""An index of a store, and whether its rows have levels; else they have 0."""


_HEADER: Final = 7


class ProbeStep:
    """A step, decoded."""

    def __init__(self, code: Sequence[int], at: int) -> None:
        self.end = at + code[at]
        counts = code[at + 1 : at + 6]
        self.apart = code[at + 6] > 0
        at, self.key = _pairs(code, at + 7, counts[0])
        at, self.binds = _pairs(code, at, counts[1])
        at, self.checks = _pairs(code, at, counts[2])
        at, self.differs = _pairs(code, at, counts[3])
        self.sources = code[at : at + counts[4]]


class _Program:
    """A program, decoded."""

    def __init__(self, code: Sequence[int], begin: int) -> None:
        header = code[begin : begin + _HEADER]
        more, self.since, constants, bound, equal, steps, self.other = header
        self.open = bool(more)
        at, self.constants = _pairs(code, begin + _HEADER, constants)
        at, self.bound = _pairs(code, at, bound)
        at, self.equal = _pairs(code, at, equal)
        self.steps: list[ProbeStep] = []
        for _ in range(steps):
            self.steps.append(ProbeStep(code, at))
            at = self.steps[-1].end


class Answer:
    """The result for one fact.

    Attributes:
        found: the level of a derivation that is low enough; -1: there is none.
        later: the level of the lowest that is not; `UNKNOWN_LEVEL`: there is none.
        count: how many are not.
        unsure: whether a derivation holds part of the time, or has further conditions.
    """

    def __init__(self) -> None:
        self.found = -1
        self.later = UNKNOWN_LEVEL
        self.unsure = False
        self.count = 0


class Search:
    """The search for derivations, one fact and one program at a time.

    Attributes:
        met_unknown: whether it left out a row because its level is unknown.
    """

    def __init__(self, code: Sequence[int], sources: Sequence[IndexedRows], unknown: int) -> None:
        self._code = code
        self.sources = sources
        self._unknown = unknown
        self.met_unknown = False
        self._programs: dict[int, _Program] = {}
        self._values = [0] * code[0]

    def ask(self, fact: Sequence[int], begin: int, answer: Answer) -> int:
        """Search for a fact, with a level and its time; returns how many rows were visited."""
        program = self.of(begin)
        if not self.fits(fact, program):
            return 0
        self._limit, self._lo, self._hi = fact[-3:]
        self._answer = answer
        self._seen = 0
        lo = max(self._lo, program.since)
        if lo < self._hi:
            self._open = program.open
            self._walk(self.ordered(program), lo, self._hi, 0)
        return self._seen

    def of(self, begin: int) -> _Program:
        """The program that begins there."""
        if begin not in self._programs:
            self._programs[begin] = _Program(self._code, begin)
        return self._programs[begin]

    def fits(self, fact: Sequence[int], program: _Program) -> bool:
        """Bind the variables of a head, if it may derive a fact."""
        fits = all(fact[place] == term for place, term in program.constants)
        for place, variable in program.bound:
            self._values[variable] = fact[place]
        return fits and all(fact[a] == fact[b] for a, b in program.equal)

    def ordered(self, program: _Program) -> Sequence[ProbeStep]:
        """The steps, in the order that begins with the fewest rows."""
        orders = [program]
        while orders[-1].other:
            orders.append(self.of(orders[-1].other))
        if len(orders) == 1:
            return program.steps
        return min(orders, key=lambda each: self._first_rows(each.steps[0])).steps

    def _first_rows(self, step: ProbeStep) -> int:
        return sum(len(self.positions(step, number)) for number in step.sources)

    def positions(self, step: ProbeStep, number: int) -> Sequence[int]:
        """The rows of a source that agree with the terms known so far."""
        index, _ = self.sources[number]
        asked = [value if kind else self._values[value] for kind, value in step.key]
        return index.positions(asked, range(len(asked)))

    def _walk(self, steps: Sequence[ProbeStep], lo: int, hi: int, level: int) -> bool:
        """Go on from a step; whether the search is over."""
        if not steps:
            return self._reached(lo, hi, level)
        step = steps[0]
        for number in step.sources:
            index, leveled = self.sources[number]
            rows, levels = index.store.rows_held, index.store.levels
            for r in reversed(self.positions(step, number)):
                self._seen += 1
                row = rows[r].tolist()
                begin, end = max(lo, row[-2]), min(hi, row[-1])
                high = max(level, int(levels[r])) if leveled else level
                takes = begin < end and self.counts(high) and self.takes(step, row)
                if takes and self._walk(steps[1:], begin, end, high):
                    return True
        return False

    def counts(self, level: int) -> bool:
        """Whether a derivation from a row of this level counts."""
        self.met_unknown |= level == UNKNOWN_LEVEL == self._unknown
        return level < self._unknown

    def takes(self, step: ProbeStep, row: Sequence[int]) -> bool:
        """Bind the variables of a row, if it agrees with those known."""
        values = self._values
        for column, variable in step.binds:
            values[variable] = row[column]
        return all(row[column] == values[variable] for column, variable in step.checks) and all(
            values[a] != values[b] for a, b in step.differs
        )

    def _reached(self, lo: int, hi: int, level: int) -> bool:
        answer = self._answer
        if self._open or lo > self._lo or hi < self._hi:
            answer.unsure = True
            return self._open
        if level < self._limit:
            answer.found = level
            return True
        answer.count += 1
        answer.later = min(answer.later, level)
        return False


def _pairs(code: Sequence[int], at: int, count: int) -> tuple[int, list[tuple[int, int]]]:
    """So many pairs from ``at`` on, and where they end."""
    end = at + 2 * count
    return end, list(zip(code[at:end:2], code[at + 1 : end : 2], strict=True))
