"""Support levels: which facts of a recursive component still follow, found before any of them goes.

A fact that lost a derivation may have another one; in recursion that may depend on the fact itself.
Levels tell: a fact was derived from facts of lower levels, so a derivation from lower levels is
never circular. A fact that has none any more is a *suspect* (overdeleted until rederived): it
leaves its table, and the facts that may depend on it are examined in turn. This goes from the
lowest level up, the levels of one round at a time. A suspect that follows from facts that are
settled by then is rederived; its level is now above that of those facts. The suspects at the end
are lost.

Any fact may depend on a fact of unknown level. So such a fact is examined before all others, and
as if it had the least level: it becomes a suspect, and has a known level if it is rederived. In the
end, suspects may also be rederived from facts of unknown level that did not become suspects.

It is Delete/Rederive [Gupta93] in the order in which [Even81] keeps distances while edges go. Only
facts without a derivation below their level are touched. SteMs, tables by rule and other components
see nothing but what is lost in the end, as in [Motik15].

Where derivations are few, as in a tree, nearly all that may depend on lost facts is lost, and it is
wasted work to examine it level by level. So it begins with *optimistic overdeletion*: facts become
suspects without being examined, and all are examined at once when no more are reached. It stops
when samples show that it is wrong too often; its suspects are then examined at their levels. Where
it was wrong the last time, and the first time, it is left out.

Where programs can decide, and there are no suspects yet, one kernel goes up the levels by itself;
it marks suspects by their level, and only what is lost leaves a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from rete.arrays.delta import (
    NEG_INF,
    ROUND_BITS,
    UNKNOWN_LEVEL,
    Column,
    Rows,
    columns,
    concat,
    concat_or_empty,
)
from rete.graph.streams import Component, FactTable, Stream
from rete.network.layers import Layers
from rete.provenance.backward_evaluation import SupportBasis
from rete.retraction.derivation_search import DerivationSearch
from rete.retraction.suspect_flow import RowsByTable, SuspectFlow
from rete.retraction.suspects import LevelQueue, SuspectSet
from rete.storage.row_algebra import append_term, coalesce, project, subtract

_MANY: Final = 4096
"""So many facts are examined at once, before suspects are examined again."""
_AT_ONCE: Final = 1 << 16
"""So many are examined at once when all suspects are: their derivations fit the cache."""
_FEW: Final = 64
"""So many facts become suspects unexamined before a sample of them is examined."""
_SAMPLE: Final = 256
"""About so many facts are in the sample."""
_MORE: Final = 8
"""The next sample is taken at that many times as many suspects."""
_RIGHT: Final = 0.9
"""The share of a sample that must have no derivation left."""
_LEAST: Final = 0
"""The level at which facts of unknown level are examined: they become suspects."""


class SupportLevels:
    """Settles what the tables of one component lose.

    Attributes:
        overdeleted: facts that were suspects.
    """

    def __init__(
        self,
        component: Component,
        layers: Layers,
        search: DerivationSearch,
        bound: int,
    ) -> None:
        self._component = component
        self._search = search
        self._bound = bound
        self._flow = SuspectFlow(component, layers, bound)
        self._due = LevelQueue()
        self._waiting = LevelQueue()
        self._suspects: dict[FactTable, SuspectSet] = {}
        self._examined = 0
        self.overdeleted = 0

    def settle(
        self, streams: Iterable[tuple[Stream, Rows]], tables: Iterable[tuple[FactTable, Rows]]
    ) -> dict[FactTable, Rows]:
        """What the tables lose, if ``streams`` and ``tables`` are the deletion candidates.

        The tables do not have it any more.
        """
        for stream, rows in streams:
            self._flow.enter(stream, rows)
        for table, rows in tables:
            self._flow.reach(table, rows)
        limit = self._component.unasked_limit
        if limit is not None and self._overdelete_first(max(_FEW, limit)):
            self._component.unasked_limit = _MORE * self.overdeleted
            return self._lost()
        self._flow.passed = None
        if not self._settle_by_kernel():
            self._add_due(NEG_INF)
            self._go_up()
        lost = self._lost()
        right = sum(map(len, lost.values())) >= _RIGHT * self._examined
        self._component.unasked_limit = 0 if right else None
        return lost

    def _lost(self) -> dict[FactTable, Rows]:
        """All suspects."""
        return {table: facts.all() for table, facts in self._suspects.items()}

    @property
    def flowed(self) -> Mapping[Stream, list[Rows]] | None:
        """What flowed through the streams, if each fact that may depend on it is lost.

        See `SuspectFlow.passed`.
        """
        return self._flow.passed

    def _overdelete_first(self, most: int) -> bool:
        """Optimistic overdeletion: all that may depend on suspects becomes one; whether to the end.

        After ``most`` suspects a sample is examined, and then again; see `_is_right`.
        """
        count = 0
        unexamined: RowsByTable = {}
        while parts_of := self._flow.run():
            reached = {table: _reached(table, parts) for table, parts in parts_of.items()}
            count += sum(map(len, reached.values()))
            if count > most:
                most = _MORE * count
                if not self._is_right(reached):
                    break
            for table, rows in reached.items():
                if len(rows):
                    self._suspect(table, project(rows, range(table.relation.arity)))
                    unexamined.setdefault(table, []).append(rows)
        else:
            self._rederive_all(UNKNOWN_LEVEL + 1)
            return True
        for table, rows in reached.items():
            self._flow.reach(table, project(rows, range(table.relation.arity)))
        for table, parts in unexamined.items():
            for rows in parts:
                self._waiting.put(table, rows)
        return False

    def _is_right(self, reached: Mapping[FactTable, Rows]) -> bool:
        """Whether nearly none of a sample of the facts has a derivation left."""
        sampled = found = 0
        for table, rows in reached.items():
            some = rows[:: 1 + len(rows) // _SAMPLE].copy()
            some[:, -3] = UNKNOWN_LEVEL + 1
            basis = SupportBasis(self._component, known_levels_only=False)
            sampled += len(some)
            found += sum(map(len, self._search.derivable(table, some, basis, [])))
        return found <= (1 - _RIGHT) * sampled

    def _settle_by_kernel(self) -> bool:
        """Settle all by one kernel, if programs can decide; whether they did."""
        if self._suspects or not self._search.programs_decide():
            return False
        due = {table: coalesce(concat(parts)) for table, parts in self._flow.run().items()}
        if not due:
            return True
        count, lost = self._search.settle(due, self._bound)
        if count < 0:
            for table, rows in due.items():
                self._flow.reach(table, rows)
            return False
        self.overdeleted += count
        self._examined = max(count, sum(map(len, due.values())))
        for table, rows in lost.items():
            np.maximum(rows[:, -2], self._bound, out=rows[:, -2])
            table.facts.remove(rows, self._bound)
            self._suspects[table] = SuspectSet(table.relation.arity)
            self._suspects[table].add(rows)
        return True

    def _go_up(self) -> None:
        """Examine what may depend on suspects, level by level."""
        while levels := [*self._due.levels(), *self._waiting.levels()]:
            end = _next_level(np.concatenate(levels))
            while due := self._due.take(end):
                self._add_due(min(self._examine(table, parts) for table, parts in due.items()))
            self._rederive_waiting(self._waiting.take(end), end)
        # All that is due is done, so facts of unknown level that are no suspects stand.
        if self._suspects and any(map(self._has_unknown, self._component.tables)):
            self._rederive_all(UNKNOWN_LEVEL + 1)

    def _add_due(self, level: int) -> None:
        """What may depend on suspects, the least of them of ``level``, is due."""
        for table, parts in self._flow.run().items():
            self._due.put(table, _reached(table, parts, level))

    def _examine(self, table: FactTable, parts: list[Rows]) -> int:
        """Make suspects of facts without derivation below their level; the least such level."""
        key = tuple(range(table.relation.arity))
        rows = coalesce(concat(parts))
        if table in self._suspects:
            facts = table.facts
            kept = columns([*(~c for c in key), len(key)])
            rows = facts.probe(rows, columns(key), facts.n, facts.index(key), kept)
        self._examined += len(rows)
        others: list[Rows] = []
        basis = SupportBasis(self._component, known_levels_only=True)
        for found in self._search.derivable(table, rows, basis, others):
            rows = subtract(rows, project(found, key))
        if not len(rows):
            return UNKNOWN_LEVEL
        self._suspect(table, project(rows, key))
        for found in others:
            self._waiting.put(table, found)
        return int(rows[:, -3].min())

    def _suspect(self, table: FactTable, rows: Rows) -> None:
        """Make ``rows`` of the table suspects, and let what may depend on them be reached."""
        self.overdeleted += len(rows)
        table.facts.remove(rows, self._bound)
        if table not in self._suspects:
            self._suspects[table] = SuspectSet(table.relation.arity)
        self._suspects[table].add(rows)
        self._flow.of_facts(table, rows)

    def _rederive_waiting(self, waiting: RowsByTable, end: int) -> None:
        """Rederive suspects that follow from facts below the level ``end``."""
        while waiting:
            for table, parts in waiting.items():
                if table in self._suspects:
                    places = range(table.relation.arity)
                    rows = coalesce(concat([project(rows, places) for rows in parts]))
                    self._rederive(table, self._suspects[table].meet(rows, self._bound), end)
            waiting = self._flow.run()

    def _rederive_all(self, end: int) -> None:
        """The same for all suspects, a part at a time."""
        for table, facts in self._suspects.items():
            rows = facts.all()
            for begin in range(0, len(rows), _AT_ONCE):
                self._rederive(table, rows[begin : begin + _AT_ONCE], end)
        self._rederive_waiting(self._flow.run(), end)

    def _rederive(self, table: FactTable, rows: Rows, end: int) -> None:
        """Rederive those of the suspects ``rows`` that follow from such facts."""
        if not len(rows):
            return
        asked = append_term(rows, end)
        basis = SupportBasis(self._component, known_levels_only=end <= UNKNOWN_LEVEL)
        others: list[Rows] = []
        parts = [*self._search.derivable(table, asked, basis, others)]
        for found in others:
            self._waiting.put(table, found)
        found = concat_or_empty(parts, table.relation.arity + 1)
        if not len(found):
            return
        self._flow.passed = None
        known = found[:, -3] < UNKNOWN_LEVEL
        for some in (found[known], found[~known]):
            if len(some):
                level = min(int(some[:, -3].max()) + 1, UNKNOWN_LEVEL)
                facts = coalesce(project(some, range(table.relation.arity)))
                table.facts.absorb(facts, self._bound - 1, level)
                self._suspects[table].remove(facts, self._bound)
                self._flow.of_facts(table, facts)

    def _has_unknown(self, table: FactTable) -> bool:
        """Whether the level of a fact is unknown that holds after the frontier."""
        levels, n = table.facts.levels, table.facts.n
        assert levels is not None
        if levels[:n].max(initial=0) < UNKNOWN_LEVEL:
            return False
        return bool((table.facts.rows[:n, -1][levels[:n] == UNKNOWN_LEVEL] > self._bound).any())


def _reached(table: FactTable, parts: list[Rows], above: int = NEG_INF) -> Rows:
    """What of ``parts`` the table has ``above`` a level, with the level at which to examine it."""
    rows = table.facts.leveled(coalesce(concat(parts)), above)
    levels = rows[:, -3]
    levels[levels == UNKNOWN_LEVEL] = _LEAST
    return rows


def _next_level(levels: Column) -> int:
    """Up to which level to go, exclusive: to the end of a round, and past many facts."""
    many = min(_MANY, len(levels) - 1)
    level = int(np.partition(levels, many)[many])
    return ((level >> ROUND_BITS) + 1) << ROUND_BITS
