"""Doubts: which facts of a recursive component still follow, known before any of them goes.

What lost a derivation may have another one; in recursion that may rest on the fact itself. Levels
tell: a fact was derived from facts of lower levels, so a derivation from lower levels cannot go
round in a circle. A fact that has none any more is in doubt: it leaves its table, and what may
rest on it is asked in turn. This goes from the lowest level up, a stretch at a time. What follows
from what is settled by then is no longer in doubt; its level is now above that of those facts.
What is in doubt at the end is lost.

On a fact whose level is not known any other may rest. So it is asked before all others, whatever
it may rest on; it is in doubt then, and has a known level if it is found again. What nothing made
doubtful is what others may rest on in the end.

It is Delete/Rederive [Gupta93] in the order in which [Even81] keeps distances while edges go. Only
facts without a derivation below their level are touched, and SteMs, tables by rule and what lies
beyond the component see nothing but what is lost in the end, as in [Motik15].

Where derivations are few, as in a tree, nearly all that may rest on what is lost is lost, and to
ask level by level is for nothing. So the doubts begin with a *rush*: facts are in doubt unasked,
and all are asked at once when no more are reached. It ends when it finds that it is wrong too
often; those that it doubted are then asked at their levels. Where it was wrong, and the first time,
the doubts begin with levels.

Where programs tell, and the rush doubted nothing, one kernel goes up the levels by itself; it marks
what is in doubt by its level, and only what is lost leaves a table.
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
from rete.network.layers import Layers
from rete.nodes.graph import Component, FactTable, Stream
from rete.provenance.backward_evaluation import SupportBasis
from rete.retraction.derivation_search import DerivationSearch
from rete.retraction.suspect_flow import RowsByTable, SuspectFlow
from rete.retraction.suspects import LevelQueue, SuspectSet
from rete.storage.row_algebra import append_term, coalesce, project, subtract

_MANY: Final = 4096
"""So many facts are asked about at once, before those in doubt are asked again."""
_AT_ONCE: Final = 1 << 16
"""So many are asked at once when all in doubt are: what is made of them fits the cache."""
_FEW: Final = 64
"""So many facts are in doubt unasked before some are asked whether that is right."""
_SAMPLE: Final = 256
"""About so many of them."""
_MORE: Final = 8
"""And that times as many before the next time."""
_RIGHT: Final = 0.9
"""The part of them that must have no derivation left."""
_LEAST: Final = 0
"""The level at which facts are asked whose own is not known: they are in doubt, and given one."""


class SupportLevels:
    """Settles what the tables of one component lose.

    Attributes:
        overdeleted: facts that were in doubt.
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
        self._asked = 0
        self.overdeleted = 0

    def settle(
        self, streams: Iterable[tuple[Stream, Rows]], tables: Iterable[tuple[FactTable, Rows]]
    ) -> dict[FactTable, Rows]:
        """What the tables lose, and hold no longer, as rows and facts lost a derivation."""
        for stream, rows in streams:
            self._flow.enter(stream, rows)
        for table, rows in tables:
            self._flow.reach(table, rows)
        rushed = self._component.unasked_limit
        if rushed is not None and self._overdelete_first(max(_FEW, rushed)):
            self._component.unasked_limit = _MORE * self.overdeleted
            return self._lost()
        self._flow.passed = None
        if not self._settled():
            self._ask(NEG_INF)
            self._go_up()
        lost = self._lost()
        right = sum(map(len, lost.values())) >= _RIGHT * self._asked
        self._component.unasked_limit = 0 if right else None
        return lost

    def _lost(self) -> dict[FactTable, Rows]:
        """What is in doubt."""
        return {table: facts.all() for table, facts in self._suspects.items()}

    @property
    def flowed(self) -> Mapping[Stream, list[Rows]] | None:
        """What flowed on from the streams, if each fact that may rest on it is lost; see `SuspectFlow`."""
        return self._flow.passed

    def _overdelete_first(self, most: int) -> bool:
        """Doubt what may rest on facts in doubt, unasked, while that is right; whether to the end.

        ``most`` facts are in doubt before some are asked whether it is.
        """
        count = 0
        unasked: RowsByTable = {}
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
                    unasked.setdefault(table, []).append(rows)
        else:
            self._resolve_all(UNKNOWN_LEVEL + 1)
            return True
        for table, rows in reached.items():
            self._flow.reach(table, project(rows, range(table.relation.arity)))
        for table, parts in unasked.items():
            for rows in parts:
                self._waiting.put(table, rows)
        return False

    def _is_right(self, reached: Mapping[FactTable, Rows]) -> bool:
        """Whether nearly none of some facts has a derivation left."""
        asked = found = 0
        for table, rows in reached.items():
            some = rows[:: 1 + len(rows) // _SAMPLE].copy()
            some[:, -3] = UNKNOWN_LEVEL + 1
            basis = SupportBasis(self._component, known_levels_only=False)
            asked += len(some)
            found += sum(map(len, self._search.derivable(table, some, basis, [])))
        return found <= (1 - _RIGHT) * asked

    def _settled(self) -> bool:
        """Settle all at once, if one kernel can."""
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
        self._asked = max(count, sum(map(len, due.values())))
        for table, rows in lost.items():
            np.maximum(rows[:, -2], self._bound, out=rows[:, -2])
            table.facts.remove(rows, self._bound)
            self._suspects[table] = SuspectSet(table.relation.arity)
            self._suspects[table].add(rows)
        return True

    def _go_up(self) -> None:
        """Ask what may rest on facts in doubt, level by level."""
        while levels := [*self._due.levels(), *self._waiting.levels()]:
            end = _next(np.concatenate(levels))
            while due := self._due.take(end):
                self._ask(min(self._examine(table, parts) for table, parts in due.items()))
            self._resolve(self._waiting.take(end), end)
        # All that is due is done, so facts of unknown level that nothing made doubtful stand.
        if self._suspects and any(map(self._has_unknown, self._component.tables)):
            self._resolve_all(UNKNOWN_LEVEL + 1)

    def _ask(self, level: int) -> None:
        """What may rest on facts in doubt, the least of them of ``level``, is due."""
        for table, parts in self._flow.run().items():
            self._due.put(table, _reached(table, parts, level))

    def _examine(self, table: FactTable, parts: list[Rows]) -> int:
        """Doubt what has no derivation below its level; the least of their levels."""
        key = tuple(range(table.relation.arity))
        rows = coalesce(concat(parts))
        if table in self._suspects:
            facts = table.facts
            kept = columns([*(~c for c in key), len(key)])
            rows = facts.probe(rows, columns(key), facts.n, facts.index(key), kept)
        self._asked += len(rows)
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
        """From now on ``rows``, which the table holds, are in doubt; what rests on them may be."""
        self.overdeleted += len(rows)
        table.facts.remove(rows, self._bound)
        if table not in self._suspects:
            self._suspects[table] = SuspectSet(table.relation.arity)
        self._suspects[table].add(rows)
        self._flow.of_facts(table, rows)

    def _resolve(self, waiting: RowsByTable, end: int) -> None:
        """Let what follows from facts below the level ``end`` be in doubt no longer."""
        while waiting:
            for table, parts in waiting.items():
                if table in self._suspects:
                    places = range(table.relation.arity)
                    rows = coalesce(concat([project(rows, places) for rows in parts]))
                    self._found(table, self._suspects[table].meet(rows, self._bound), end)
            waiting = self._flow.run()

    def _resolve_all(self, end: int) -> None:
        """The same of all that is in doubt, a part at a time."""
        for table, facts in self._suspects.items():
            rows = facts.all()
            for begin in range(0, len(rows), _AT_ONCE):
                self._found(table, rows[begin : begin + _AT_ONCE], end)
        self._resolve(self._flow.run(), end)

    def _found(self, table: FactTable, rows: Rows, end: int) -> None:
        """Of ``rows``, which are in doubt, those are no longer that follow from such facts."""
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
        """Whether the level of a fact that holds from now on is not known."""
        levels, n = table.facts.levels, table.facts.n
        assert levels is not None
        if levels[:n].max(initial=0) < UNKNOWN_LEVEL:
            return False
        return bool((table.facts.rows[:n, -1][levels[:n] == UNKNOWN_LEVEL] > self._bound).any())


def _reached(table: FactTable, parts: list[Rows], above: int = NEG_INF) -> Rows:
    """What of ``parts`` the table holds ``above`` a level, with that at which to ask it."""
    rows = table.facts.leveled(coalesce(concat(parts)), above)
    levels = rows[:, -3]
    levels[levels == UNKNOWN_LEVEL] = _LEAST
    return rows


def _next(levels: Column) -> int:
    """Up to which level to go, exclusive: to the end of a stretch, and past many facts."""
    many = min(_MANY, len(levels) - 1)
    level = int(np.partition(levels, many)[many])
    return ((level >> ROUND_BITS) + 1) << ROUND_BITS
