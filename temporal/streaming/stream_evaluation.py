"""Evaluation along time: the network of a query, fed with facts as the frontier passes them.

Facts at or after the frontier wait in a buffer; those before it are in the network, which forgets
what no operator looks back on any more (`rete.network.lookback`). Where rules may derive for ever,
facts are derived up to a horizon that keeps ahead of the frontier, so each step costs what follows
in the time that it covers [Walega19, Algorithm 1].
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows, concat, empty
from rete.arrays.state_codec import Mask
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.network.network import Network
from rete.nodes.metric.since import Since, SinceNode
from rete.storage.row_algebra import subtract
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Relation
from temporal.intervals.interval import MAX_CELL, rescale_rows
from temporal.mtl.ast import PredicateKey
from temporal.mtl.lowering import lower, relation_named
from temporal.streaming.stream_query import ANSWER, Memory, StreamQuery

_LEAST_AHEAD: Final = 2
"""Cells that the horizon keeps ahead of the frontier at least."""


class StreamEvaluation:
    """The network of a query over a stream.

    Attributes:
        frontier: the cell before which all facts are in the network.
        scale: ticks to the unit of time.
        is_dense: whether memory is dense; see `temporal.streaming.stream_query.Memory`.
    """

    def __init__(
        self,
        query: StreamQuery,
        terms: Dictionary,
        scale: int,
        memory: Memory = Memory.AUTO,
        *,
        retracts: bool = False,
    ) -> None:
        """Begin without facts; ``retracts``: facts that are in the network may be retracted.

        Raises:
            RuleErrors: answers are never certain, memory cannot be dense, a rule is too long, or
                has a number too far from 0.
        """
        self.is_dense = query.has_dense_memory(memory, retracts=retracts)
        self._passed: dict[Relation, Stem] | None = {} if retracts and self.is_dense else None
        retracts = retracts and not self.is_dense
        self._query = query
        self._terms = terms
        self._retracts = retracts
        self._buffer: dict[Relation, Rows] = {}
        self.scale = scale
        self.frontier = NEG_INF
        self._build()
        if self.lateness >= POS_INF:
            raise query.refuse_uncertain()

    def _build(self) -> None:
        """Make the network, for the present scale."""
        plans = lower(self._query.program, self.scale)
        answer = relation_named(ANSWER, self._query.arity)

        def make_table(relation: Relation) -> FactTable:
            # Without an owner: facts that are derived may be asserted, too.
            return FactTable(relation, instances=False, answers=relation == answer)

        self._inference = InferenceEngine(
            plans, self._terms, table=make_table, retracts=self._retracts
        )
        base_table = self._inference.layers.base_table
        if base_table is not None:
            base_table.whole = True
        self._histories = [] if base_table is not None else self._keep_histories()
        tables = self._inference.network.tables
        self._answers = [each for each in tables if each.relation == answer]
        depth = int(self._query.analysis.depth * self.scale)
        self._ahead = max(2 * depth, _LEAST_AHEAD)
        self._reach = sum(
            int(end * self.scale)
            for end in (self._query.analysis.depth, self._query.analysis.lookahead or 0)
        )

    def _keep_histories(self) -> list[SinceNode]:
        """The nodes of Since whose right rows would be kept for ever, or too many of them."""
        found = []
        for stream in self._inference.network.streams.values():
            if isinstance(stream.plan, Since) and not stream.plan.future:
                assert isinstance(stream.node, SinceNode)
                if self.is_dense or stream.plan.farthest >= POS_INF:
                    stream.node.keep_history(condenses=self.is_dense)
                    found.append(stream.node)
        if found:
            self._inference.rearrange()  # their sources are needed less long
        return found

    @property
    def lateness(self) -> int:
        """How many cells before the frontier answers may still begin."""
        return max((table.lateness for table in self._answers), default=0)

    @property
    def certain(self) -> int:
        """The cell before which all answers are known."""
        return self.frontier if abs(self.frontier) >= POS_INF else self.frontier - self.lateness

    def held(self) -> int:
        """How many rows are held: in the network, the buffer, and of asserted facts.

        Forgets first what is not needed. O(rows).
        """
        self._update_histories()
        self._inference.expire()
        waiting = sum(map(len, self._buffer.values()))
        return waiting + sum(map(len, self._inference.layers.remembered()))

    def covers(self, rows: Rows) -> Mask:
        """Which rows lie so near to 0 that all they lead to has a cell."""
        limit = MAX_CELL - 2 * self._reach
        ends = rows[:, -2:]
        near = (np.abs(ends) <= limit) | (ends <= NEG_INF) | (ends >= POS_INF)
        return near[:, 0] & near[:, 1]

    def add(self, key: PredicateKey, rows: Rows) -> None:
        """Take in facts, (n, arity + 2), none of which begins before the frontier."""
        relation = relation_named(*key)
        if self._inference.network.reads(relation) and len(rows):
            before = self._buffer.get(relation)
            self._buffer[relation] = rows if before is None else concat([before, rows])

    def advance(self, frontier: int, until: int | None = None) -> None:
        """Move the frontier to a cell, and derive all that begins before it.

        At the end of a stream the frontier is infinite: then up to the cell ``until``.
        """
        if frontier <= self.frontier:
            return
        for relation, rows in list(self._buffer.items()):
            due = rows[:, -2] < frontier
            if due.all():
                del self._buffer[relation]
                self._enter(relation, rows)
            elif due.any():
                self._buffer[relation] = rows[~due]
                self._enter(relation, rows[due])
        self.frontier = frontier
        self._widen(frontier if until is None else until)
        self._inference.run()

    def _enter(self, relation: Relation, rows: Rows) -> None:
        if self._passed is not None:
            passed = self._passed.setdefault(relation, Stem(relation.arity, instances=False))
            passed.absorb(rows, self._inference.bound)
        self._inference.assert_facts(relation, rows)

    def _widen(self, until: int) -> None:
        """Let the horizon reach the cell ``until``, and on, if rules may derive for ever."""
        horizon = self._inference.horizon
        if self._query.analysis.may_be_endless and (horizon is None or horizon[1] < until):
            self._inference.widen((NEG_INF, min(until + self._ahead, POS_INF)))

    def has_passed(self, key: PredicateKey, rows: Rows) -> bool:
        """Whether a part of facts lies before the frontier, or is of facts that began before it.

        Of predicates that the query does not depend on nothing is known, and nothing has.
        """
        if not self._inference.network.reads(relation_named(*key)):
            return False
        if (rows[:, -2] < self.frontier).any():
            return True
        assert self._passed is not None
        passed = self._passed.get(relation_named(*key))
        return passed is not None and len(passed.meet(rows, NEG_INF)) > 0

    def retract(self, key: PredicateKey, rows: Rows) -> bool:
        """Retract facts in some intervals, (n, arity + 2); whether any of them was there.

        Of predicates that the query does not depend on nothing is known, and none is missed.

        Answers that are not certain yet are then as if they had never been asserted.
        """
        relation = relation_named(*key)
        if not self._inference.network.reads(relation):
            return True
        changes = False
        waiting = self._buffer.get(relation, empty(relation.arity))
        left = subtract(waiting, rows)
        if not np.array_equal(left, waiting):
            changes = True
            self._buffer[relation] = left
        base = self._inference.layers.base_table
        if base is not None:
            self._inference.run()
            lost = base.cut(relation, rows, 0, self._inference.bound)
            if len(lost):
                changes = True
                self._inference.withdraw(relation, lost)
                self._inference.run()
        return changes

    def answers(self) -> Rows:
        """The rows of answers, (n, arity + 2), maximal; good until the next step."""
        return concat([empty(self._query.arity), *(each.facts.content() for each in self._answers)])

    def release(self) -> None:
        """Let what ended before the frontier be forgotten; certain answers were read."""
        self._inference.bound = self.frontier
        self._update_histories()
        if self._terms.due:
            self.forget()

    def _update_histories(self) -> None:
        """Move right rows of Since that ended from their SteMs to histories."""
        if not self._histories:
            return
        sides = [tuple(each.stem for each in node.output.sources) for node in self._histories]
        stems = {id(stem): stem for pair in sides for stem in pair if stem is not None}
        ended = {place: stem.ended(self._inference.bound) for place, stem in stems.items()}
        for stem in stems.values():
            stem.expire(self._inference.bound)
        for node, (left, right) in zip(self._histories, sides, strict=True):
            assert node.history is not None
            assert left is not None
            node.history.update(ended[id(right)], left, self._inference.bound)

    def forget(self) -> None:
        """Forget what ended, and the terms that no row has. O(rows + terms)."""
        waiting = [rows[:, :-2] for rows in self._buffer.values()]
        for stem in (self._passed or {}).values():
            stem.expire(self._inference.bound)
            waiting.append(stem.content()[:, :-2])
        self._inference.forget(waiting)

    def rescales_to(self, scale: int) -> bool:
        """Whether all cells of the present stay within bounds with so many ticks to the unit."""
        factor = scale // self.scale
        ends = [abs(self.frontier)] if abs(self.frontier) < POS_INF else []
        for rows in (*self._buffer.values(), *self._inference.layers.remembered()):
            finite = rows[:, -2:][np.abs(rows[:, -2:]) < POS_INF]
            if len(finite):
                ends.append(int(np.abs(finite).max()))
        most = max(ends, default=0) + 2 * self._ahead + 2 * self._reach
        return most * factor < MAX_CELL

    def rescale(self, scale: int) -> None:
        """Go on with ``scale`` ticks to the unit, a multiple of the present scale. O(rows)."""
        factor = scale // self.scale
        if factor == 1:
            return
        before = self._inference
        self.scale = scale
        self._build()
        now = self._inference
        now.bound = _rescale_cell(before.bound, factor)
        self.frontier = _rescale_cell(self.frontier, factor)
        if before.horizon is not None:
            lo, hi = before.horizon
            now.widen((_rescale_cell(lo, factor), _rescale_cell(hi, factor)))
        _move_rows(before.network, now.network, factor)
        if before.layers.base_table is not None:
            assert now.layers.base_table is not None
            for relation, rows in before.layers.base_table.content():
                now.layers.base_table.add(relation, rescale_rows(rows, factor), None, now.bound)
        for stem in (self._passed or {}).values():
            rows = rescale_rows(stem.content(), factor)
            stem.clear()
            stem.absorb(rows, NEG_INF)
        self._buffer = {
            relation: rescale_rows(rows, factor) for relation, rows in self._buffer.items()
        }


def _rescale_cell(cell: int, factor: int) -> int:
    """The same begin or end of an interval in cells of ticks ``factor`` times finer."""
    if cell <= NEG_INF or cell >= POS_INF:
        return cell
    return 2 * (cell >> 1) * factor + (cell & 1)


def _move_rows(before: Network, after: Network, factor: int) -> None:
    """Move all that one network remembers to another of the same plans, whose ticks are finer.

    Nothing is pending, and ``after`` has no rows. O(rows).
    """
    for old, new in zip(before.streams.values(), after.streams.values(), strict=True):
        assert type(old.plan) is type(new.plan)
        _move(old.stem, new.stem, factor)
        for mine, theirs in zip(old.node.stems, new.node.stems, strict=True):
            _move(mine, theirs, factor)
    for given, table in zip(before.tables, after.tables, strict=True):
        assert given.relation == table.relation
        _move(given.facts, table.facts, factor)
        for rule, stem in given.parked.items():
            parked = table.parked[rule] = Stem(table.relation.arity, instances=False)
            parked.retention = table.facts.retention
            _move(stem, parked, factor)


def _move(old: Stem | None, new: Stem | None, factor: int) -> None:
    if old is not None and new is not None:
        new.absorb(rescale_rows(old.content(), factor), NEG_INF)
