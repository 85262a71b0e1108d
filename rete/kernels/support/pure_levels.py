"""Support levels, in Python: which facts of a recursive component still follow, at which levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rete.arrays.delta import ROUND_BITS, UNKNOWN_LEVEL, Column, Rows
from rete.kernels.rows.pure_store import Index
from rete.kernels.support.pure_suspects import (
    SUSPECT_LEVEL,
    Arrival,
    SuspectTable,
    Table,
)


def settle(
    tables: Sequence[Table], due: Sequence[tuple[Rows, Index]], bound: int
) -> tuple[int, bool, list[tuple[Column, Column]]]:
    """Which facts of a component no longer follow; those that do have levels that say so.

    A fact that lost a derivation is examined: has it one from lower levels? If not, it becomes a
    suspect, and what depends on it by a derivation below its own level is examined in turn. This
    goes from the lowest level up, the levels of one round at a time. Before the next round,
    suspects that follow from facts below its end are rederived, with what follows from them; their
    level is one above that of the facts they depend on.

    A row of unknown level is examined first. In the end suspects may be rederived from rows of
    unknown level that are no suspects.

    A suspect is examined again only while it has derivations left: they are counted when the fact
    is examined, and one less when the first fact that one depends on becomes a suspect.

    A program of dependents has the start fact for its head; its last step is the fact that depends
    on it, looked up in its table by all of its terms that are known. So that no derivation is met
    twice, an atom before that of the start fact must be distinct from it.

    A derivation that holds part of the time of a fact, or under conditions beyond its program, does
    not count. A suspect that has one is *undecided*.

    Args:
        tables: those of the component; their levels are changed, and costs added to.
        due: per table the facts that lost a derivation, (m, arity + 2), and its index of all terms.
        bound: the cell from which on facts may be lost; all of a row after it is lost together.

    Returns:
        How many became suspects, the rederived ones included; whether any fact may be left that
        lost a derivation; and per table the positions of the rows that are lost, which have unknown
        levels now, and of the undecided ones among them.
    """
    search = _SuspectSearch(tables, bound)
    for number, (facts, index) in enumerate(due):
        search.enter(number, facts, index)
    return search.settle()


class _SuspectSearch:
    """The facts of one component that are due, suspects, or rederived."""

    def __init__(self, tables: Sequence[Table], bound: int) -> None:
        self._tables = [SuspectTable(each) for each in tables]
        self._bound = bound
        self._end = 0
        self._rederiving = False
        self._count = 0
        self._kept = False
        self._rederived: list[tuple[SuspectTable, int]] = []

    def enter(self, number: int, facts: Rows, index: Index) -> None:
        """Facts that lost a derivation are due."""
        for fact in facts.tolist():
            for r in index.of_row(fact):
                self._reach(Arrival(number, r, fact[-2], fact[-1], -1, sure=True))

    def settle(self) -> tuple[int, bool, list[tuple[Column, Column]]]:
        """Go up level by level; see the function."""
        while levels := [*self._levels()]:
            self._end = ((min(levels) >> ROUND_BITS) + 1) << ROUND_BITS
            while any(map(self._examine, self._tables)):
                pass
            self._rederive_waiting(UNKNOWN_LEVEL)
        if any(table.met_unknown or table.dependents.met_unknown for table in self._tables):
            self._end = SUSPECT_LEVEL
            for table in self._tables:
                table.waiting = [(r, 0) for r in table.suspects]
            self._rederive_waiting(SUSPECT_LEVEL)
        return self._count, self._kept, [table.lost() for table in self._tables]

    def _levels(self) -> Iterator[int]:
        for table in self._tables:
            yield from map(table.level, table.due)
            yield from (level for _, level in table.waiting)

    def _examine(self, table: SuspectTable) -> bool:
        """Make suspects of what is due and has no derivation; whether anything was due."""
        due = [r for r in table.due if table.level(r) < self._end]
        for r in due:
            del table.due[r]
            answer = table.ask(r, table.level(r), self._bound, UNKNOWN_LEVEL)
            if answer.found >= 0:
                self._kept = True
            else:
                if answer.later < UNKNOWN_LEVEL:
                    table.waiting.append((r, answer.later))
                table.counts[r] = answer.count
                self._spread(table, r, SUSPECT_LEVEL)
                self._count += 1
                table.suspects[r] = None
                table.levels[r] = SUSPECT_LEVEL
        return bool(due)

    def _rederive_waiting(self, unknown: int) -> None:
        """Rederive what follows from facts below the end of the round."""
        self._rederiving = True
        for table in self._tables:
            waiting, table.waiting = table.waiting, []
            for r, level in waiting:
                if table.levels[r] != SUSPECT_LEVEL or not (
                    table.counts[r] or self._end == SUSPECT_LEVEL
                ):
                    continue
                if level >= self._end:
                    table.waiting.append((r, level))
                    continue
                answer = table.ask(r, self._end, self._bound, unknown)
                if answer.found >= 0:
                    self._rederive(table, r, answer.found)
                    continue
                table.counts[r] = answer.count
                if answer.later < UNKNOWN_LEVEL:
                    table.waiting.append((r, answer.later))
        for table, r in self._rederived:  # it grows on the way
            self._spread(table, r, unknown)
        self._rederived.clear()
        self._rederiving = False

    def _rederive(self, table: SuspectTable, r: int, level: int) -> None:
        self._kept = True
        del table.counts[r]
        table.levels[r] = min(level + 1, UNKNOWN_LEVEL)
        self._rederived.append((table, r))

    def _spread(self, table: SuspectTable, r: int, unknown: int) -> None:
        """Reach what may depend on a fact."""
        for begin in table.dependents_begins:
            for arrival in table.dependents.heads(table, r, begin, self._bound, unknown):
                self._reach(arrival)

    def _reach(self, at: Arrival) -> None:
        """A fact lost a derivation of a level, or may be rederived by it."""
        table, r = self._tables[at.number], at.r
        begin, end = table.rows[r, -2:].tolist()
        own = int(table.levels[r])
        if begin >= at.hi or end <= at.lo:
            return
        covers = at.hi >= end and at.lo <= max(begin, self._bound)
        if self._rederiving != (own == SUSPECT_LEVEL) or (
            not self._rederiving and r in table.counts
        ):
            if not self._rederiving and at.sure and covers and at.level < UNKNOWN_LEVEL:
                table.counts[r] -= 1  # it is one that was counted
        elif not self._rederiving:
            if at.level < own or at.level == UNKNOWN_LEVEL:
                table.due[r] = None
            else:
                self._kept = True
        elif not (at.sure and covers):
            table.undecided[r] = None
        elif at.level >= self._end:
            table.counts[r] += 1
            table.waiting.append((r, at.level))
        else:
            self._rederive(table, r, at.level)
