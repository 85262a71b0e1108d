"""Maintenance: what facts that hold no longer take with them.

Minus rows say that a row lost a derivation; whether it is lost with that, each node that remembers
decides when its turn comes. All that feeds it is settled then, so another derivation (`Supports`)
settles the matter; no count of derivations is kept for it. In a recursive component it is settled
first which facts still follow (`Doubts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from rete.components import Component
from rete.delta import NEG_INF, POS_INF, Rows, concat, together
from rete.doubts import Doubts
from rete.feeding import Node
from rete.founding import Foundations
from rete.horizon import unpark
from rete.kernels import COVERS
from rete.layers import Layers
from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable
from rete.pieces import Pieces
from rete.plan import AntiJoin, Relation, Scan
from rete.stem import Stem
from rete.unions import lacking, united

Wake: TypeAlias = Callable[[Node], None]
Gained: TypeAlias = Callable[[Stream, Rows], None]
Lost: TypeAlias = Callable[[FactTable, Rows], None]
Flowed: TypeAlias = Mapping[Stream, list[Rows]]
ByRule: TypeAlias = list[tuple[int, Rows]]


class Maintenance:
    """Carries minus rows through the components, and makes room for what follows anew.

    Attributes:
        bound: the frontier in cells: nothing is lost before it.
        overdeleted: facts that were deleted or in doubt so far.
    """

    def __init__(
        self, layers: Layers, wake: Wake, gained: Gained, told: Lost, *, instances: bool
    ) -> None:
        self._layers = layers
        self._foundations = Foundations(layers)
        self._pieces = Pieces(instances=instances)
        self._wake = wake
        self._gained = gained
        self._told = told
        self._instances = instances
        self.bound = NEG_INF
        self.overdeleted = 0

    def withdraw(self, relation: Relation, rows: Rows) -> None:
        """Facts of ``relation``, of representatives, are asserted no longer."""
        self._lost(relation, rows, self._layers.withdrawn(relation, rows), None)

    def deliver(self, stream: Stream, rows: Rows) -> None:
        """``rows`` of a stream lost a derivation."""
        if not len(rows):
            return
        if stream.stem is None:
            self._pass_on(stream, rows)
            return
        stream.minus.append(rows)
        self._note(stream)

    def deliver_facts(self, table: FactTable, rule: int, rows: Rows) -> None:
        """Facts lost a derivation by ``rule``."""
        if len(rows):
            unpark(table)  # what waits may have lost it, too
            table.minus.append((rule, rows))
            self._note(table)

    def settle(self, component: Component) -> None:
        """Decide what the nodes of a component lose; what feeds it is settled."""
        if component.recursive and not component.leveled:
            self._rederive(self._delete(component))
            return
        lost: dict[FactTable, Rows] = {}
        if component.recursive:
            simple = not (component.doubted or component.has_pending or self._overlap(component))
            lost, flowed = self._settle_facts(component)
            if simple and flowed is not None and self._are_lost(flowed):
                self._lose_all(component, lost, flowed)
                return
        tables: dict[FactTable, None] = dict.fromkeys(lost)
        while component.minus:
            node = min(component.minus, key=_rank)
            del component.minus[node]
            if isinstance(node, Stream):
                self._decide(node)
            elif component.recursive:
                tables[node] = None
            else:
                self._decide_table(node)
        for table in tables:
            self._keep_by_rule(table, lost.get(table))

    def _settle_facts(self, component: Component) -> tuple[dict[FactTable, Rows], Flowed | None]:
        """What the tables of a recursive component lose; all beyond them is told.

        And what flowed through its streams, if it is all of that; see `Doubts.flowed`.
        """
        streams, component.doubted = component.doubted, []
        tables: list[tuple[FactTable, Rows]] = []
        for node in component.minus:
            if isinstance(node, Stream):
                streams += ((node, rows) for rows in node.minus)
            else:
                tables += ((node, rows) for _, rows in node.minus)
        doubts = Doubts(component, self._layers, self._foundations, self.bound)
        lost = doubts.settle(streams, tables)
        self.overdeleted += doubts.overdeleted
        for table, rows in lost.items():
            self._tell(table, rows)
        return lost, doubts.flowed

    def _overlap(self, component: Component) -> bool:
        """Whether two tables of a component may say the same."""
        beneath = {not table.answers for table in component.tables}
        return len(beneath) > 1 or bool(self._layers.same)

    def _are_lost(self, flowed: Flowed) -> bool:
        """Whether what flowed on from rows that lost a derivation is lost itself.

        No fact of it follows in another way, so what is left are rows of which no fact was made.
        """
        return all(
            stream.exact
            or stream.stem is None
            or (
                isinstance(stream.plan, Scan)
                and not len(self._foundations.scanned(stream, self._pieces.union(parts)))
            )
            for stream, parts in flowed.items()
        )

    def _lose_all(
        self,
        component: Component,
        lost: Mapping[FactTable, Rows],
        flowed: Flowed,
    ) -> None:
        """Take out what flowed through a component; other components are told."""
        for node in component.minus:
            node.minus = []
        component.minus.clear()
        for stream, parts in flowed.items():
            rows = self._pieces.union(parts)
            self._spread(stream, rows, component)
            if stream.stem is not None:
                stream.stem.remove(rows, self.bound)
        for table, rows in lost.items():
            for rule, stem in table.by_rule.items():
                table.drop(rule, stem.meet(rows, self.bound), self.bound)

    def _note(self, node: Node) -> None:
        node.component.minus[node] = None
        self._wake(node)

    def _pass_on(self, stream: Stream, rows: Rows, but: Component | None = None) -> None:
        for node in stream.linear:
            if node.output.component is not but:
                self.deliver(node.output, node.apply(rows))
        for terminal in stream.terminals:
            if terminal.table.component is not but:
                self.deliver_facts(terminal.table, terminal.rule, terminal.facts(rows))

    def _spread(self, stream: Stream, lost: Rows, but: Component | None = None) -> None:
        """Tell all readers of a stream ``but`` those in a component.

        It still holds what it is about to lose.
        """
        for side in stream.sides:
            if side.output.component is not but:
                for pairs in side.slices(lost):
                    self.deliver(side.output, pairs)
        for gate in stream.passing:
            if gate.output.component is not but:
                self.deliver(gate.output, gate.project(lost))
        for gate in stream.barring:
            self._gained(gate.output, gate.opens(lost))
        self._pass_on(stream, lost, but)

    # recursive components without levels

    def _delete(self, component: Component) -> list[tuple[Node, Rows]]:
        """Delete all that lost a derivation; the candidates for another one."""
        deleted: list[tuple[Node, Rows]] = []
        doubted, component.doubted = component.doubted, []
        for stream, rows in doubted:
            self.deliver(stream, rows)
        while component.minus:
            node = min(component.minus, key=_rank)
            del component.minus[node]
            if isinstance(node, Stream):
                assert node.stem is not None
                candidates = self._endless(node.stem, self._pieces.union(node.minus))
                node.minus = []
                self._retract_pending(node, candidates)
                self._lose(node, node.stem.meet(candidates, self.bound))
            else:
                minus, node.minus = node.minus, []
                self._retract_pending_facts(node, minus)
                candidates = self._pieces.union([rows for _, rows in minus])
                candidates = self._endless(node.facts, candidates)
                lost = node.facts.meet(candidates, self.bound)
                self._drop(node, [*minus, *((rule, lost) for rule in node.by_rule)], [])
                self._lose_facts(node, lost, component)
            deleted.append((node, candidates))
        return deleted

    def _endless(self, stem: Stem, candidates: Rows) -> Rows:
        """The same, to the end of time where what is held goes on for ever.

        Else metric operators would carry the loss of a piece along it, step by step, for ever.
        """
        if self._instances:
            return candidates
        pieces = stem.meet(candidates, self.bound)
        held = stem.find(np.ascontiguousarray(pieces[:, :-1]), COVERS)
        longer = pieces[(stem.rows[held, -1] >= POS_INF) & (pieces[:, -1] < POS_INF)]
        longer[:, -1] = POS_INF
        return self._pieces.union([candidates, longer]) if len(longer) else candidates

    def _rederive(self, deleted: list[tuple[Node, Rows]]) -> None:
        """Let what still follows in one step be taken in anew; the agenda goes on from there."""
        parts: dict[Node, list[Rows]] = {}
        for node, rows in deleted:
            parts.setdefault(node, []).append(rows)
        for node, rows_of in parts.items():
            candidates = self._pieces.union(rows_of)
            if isinstance(node, Stream):
                renewed = self._renewed(node, candidates)
                node.pending.append(renewed[renewed[:, -1] > self.bound - node.late])
                self._wake(node)
            else:
                asked = self._pieces.questions(candidates)
                self._again(node, self._foundations.of_facts(node, asked), candidates)

    def _renewed(self, stream: Stream, candidates: Rows) -> Rows:
        """What may come in anew: of a gate the left rows, which wait before it."""
        if stream.gate is not None:
            assert isinstance(stream.plan, AntiJoin)
            known = tuple(range(stream.plan.width))
            return self._foundations.left(stream, stream.plan, candidates, known)
        return self._pieces.among(self._found(stream, candidates), candidates)

    # streams

    def _lose(self, stream: Stream, lost: Rows) -> None:
        assert stream.stem is not None
        if len(lost):
            self._spread(stream, lost)
            stream.stem.remove(lost, self.bound)

    def _decide(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        minus, stream.minus = stream.minus, []
        candidates = self._pieces.union(minus)
        stale = self._retract_pending(stream, candidates)
        pieces = stem.meet(candidates, self.bound)
        if stream.exact and not self._instances:
            found = None
            lost = pieces
        else:
            found = self._found(stream, candidates if stale else pieces)
            lost = self._pieces.unsupported(pieces, found)
        self._lose(stream, lost)
        if found is not None and (stale or self._instances):
            stream.pending.append(self._pieces.among(found, candidates))
            self._wake(stream)

    def _found(self, stream: Stream, rows: Rows) -> Rows:
        """What of ``rows`` its plan still gives."""
        if isinstance(stream.plan, Scan) and not self._instances:
            return self._foundations.scanned(stream, rows)
        known = tuple(range(stream.plan.width))
        return self._foundations.derived(stream, self._pieces.questions(rows), known)

    def _retract_pending(self, stream: Stream, candidates: Rows) -> bool:
        """Take candidates out of what waits to come in: it may rest on what is no more."""
        pending = [rows for rows in stream.pending if len(rows)]
        if not pending or stream.gate is not None:  # a gate looks at what is held itself
            return False
        stream.pending = [self._pieces.without(concat(pending), candidates)]
        return True

    # tables

    def _decide_table(self, table: FactTable) -> None:
        minus, table.minus = table.minus, []
        candidates = self._pieces.union([rows for _, rows in minus])
        stale = self._retract_pending_facts(table, minus)
        pieces = table.facts.meet(candidates, self.bound)
        found: ByRule = []
        if table.exact and not self._instances:
            lost = pieces
        else:
            asked = candidates if stale or self._instances else pieces
            found = self._foundations.of_facts(table, self._pieces.questions(asked))
            every = together((rows for _, rows in found), table.relation.arity)
            lost = self._pieces.unsupported(pieces, every)
        self._drop(table, [*minus, *((rule, lost) for rule in table.by_rule)], found)
        self._lose_facts(table, lost)
        if stale or self._instances:
            self._again(table, found, candidates)

    def _lose_facts(self, table: FactTable, lost: Rows, component: Component | None = None) -> None:
        if len(lost):
            self.overdeleted += len(lost)
            table.facts.remove(lost, self.bound)
            self._tell(table, lost, component)

    def _keep_by_rule(self, table: FactTable, lost: Rows | None) -> None:
        """The facts of ``table`` are settled: now by which rules they hold, and what waits."""
        minus, table.minus = table.minus, []
        stale = self._retract_pending_facts(table, minus)
        if lost is not None:
            minus += ((rule, lost) for rule in table.rules)
        if not minus or not (table.by_rule or stale):
            return
        candidates = united(concat([rows for _, rows in minus]))
        asked = candidates if stale or lost is None else lacking(candidates, lost)
        found = self._foundations.of_facts(table, asked, None if stale else {r for r, _ in minus})
        self._drop(table, minus, found)
        if stale:
            self._again(table, found, candidates)

    def _drop(self, table: FactTable, minus: ByRule, found: ByRule) -> None:
        """Of the rows that lost a derivation by a rule, drop what was not found by it."""
        for rule, stem in table.by_rule.items():
            theirs = [rows for of, rows in minus if of == rule]
            if not theirs:
                continue
            gone = stem.meet(self._pieces.union(theirs), self.bound)
            if not self._instances:  # else what it still gives is given anew
                mine = together((rows for of, rows in found if of == rule), table.relation.arity)
                gone = self._pieces.unsupported(gone, mine)
            table.drop(rule, gone, self.bound)

    def _again(self, table: FactTable, found: ByRule, candidates: Rows) -> None:
        """What was found of ``candidates`` is to be taken in anew."""
        for rule, rows in found:
            theirs = self._pieces.among(rows, candidates)
            table.pending.append((rule, theirs[theirs[:, -1] > self.bound - table.late]))
        self._wake(table)

    def _retract_pending_facts(self, table: FactTable, minus: ByRule) -> bool:
        pending = [(rule, rows) for rule, rows in table.pending if len(rows)]
        if not pending:
            return False
        table.pending = []
        for rule, rows in pending:
            gone = [lost for of, lost in minus if of == rule]
            rest = self._pieces.without(rows, concat(gone)) if gone else rows
            table.pending.append((rule, rest))
        return True

    def _tell(self, table: FactTable, lost: Rows, component: Component | None = None) -> None:
        """Tell all that ``table`` holds ``lost`` no longer; ``component`` as of `Layers.lost`."""
        if len(lost):
            if table.answers:
                self._told(table, lost)
            if table.feeds:
                rest = self._layers.lost(table, lost, component)
                self._lost(table.relation, lost, rest, table)

    def _lost(self, relation: Relation, rows: Rows, rest: Rows, source: FactTable | None) -> None:
        """Facts that ``source`` said, or nobody: the ``rest`` of them is said by nothing else."""
        for stream, found in self._layers.shown(relation, rest, source):
            self.deliver(stream, found)
        own = None if source is None else source.component
        if self._layers.in_doubt(relation, own):  # what another says may have rested on it
            others = rows if self._instances else lacking(self._layers.named(relation, rows), rest)
            for stream, found in self._layers.shown(relation, others, source):
                if stream.component.recursive and stream.component is not own:
                    stream.component.doubted.append((stream, found))
                    self._wake(stream)


def _rank(node: Node) -> int:
    return node.rank
