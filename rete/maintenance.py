"""Maintenance: what facts that hold no longer take with them.

Minus rows say that a row lost a derivation; whether it is lost with that, each node that remembers
decides when its turn comes. Outside of recursion it asks for another derivation (`Supports`) and
all that feeds it is settled, so the answer is final; no count of derivations is kept for it. In a
recursive component rows that have no derivation from facts of lower levels are deleted first, then
those that follow from what is left are derived again: Delete/Rederive [Gupta93] with the
well-founded support that keeps it from deleting what has another way [Motik15].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rete import kernels
from rete.components import Component, Node
from rete.delta import NEG_INF, POS_INF, Rows, concat, together
from rete.founding import Foundations
from rete.layers import Layers
from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable
from rete.plan import AntiJoin, Relation, Scan
from rete.stem import MIXED, Stem
from rete.unions import lacking, matched, united, with_term

Wake: TypeAlias = Callable[[Node], None]
Gained: TypeAlias = Callable[[Stream, Rows], None]
Lost: TypeAlias = Callable[[FactTable, Rows], None]


class Maintenance:
    """Carries minus rows through the components, and makes room for what follows anew.

    Attributes:
        bound: the frontier in cells: nothing is lost before it.
        overdeleted: rows of facts that were deleted so far, those derived again included.
    """

    def __init__(
        self, layers: Layers, wake: Wake, gained: Gained, told: Lost, *, instances: bool
    ) -> None:
        self._layers = layers
        self._supports = Foundations(layers)
        self._wake = wake
        self._gained = gained
        self._told = told
        self._instances = instances
        self.bound = NEG_INF
        self.overdeleted = 0

    def withdraw(self, relation: Relation, rows: Rows) -> None:
        """Facts of ``relation`` are asserted no longer."""
        for stream, found in self._layers.withdrawn(relation, rows):
            self.deliver(stream, found)

    def deliver(self, stream: Stream, rows: Rows) -> None:
        """``rows`` of a stream lost a derivation."""
        if not len(rows):
            return
        if stream.stem is None:
            self._pass_on(stream, rows)
            return
        stream.minus.append(rows)
        self._note(stream)

    def settle(self, component: Component) -> None:
        """Decide what the nodes of a component lose; what feeds it is settled."""
        if component.recursive:
            self._rederive(self._overdelete(component))
            return
        while component.minus:
            node, _ = component.minus.popitem()
            if isinstance(node, Stream):
                self._decide(node)
            else:
                self._decide_table(node)

    def _note(self, node: Node) -> None:
        node.component.minus[node] = None
        self._wake(node)

    def _pass_on(self, stream: Stream, rows: Rows) -> None:
        for node in stream.linear:
            self.deliver(node.output, node.apply(rows))
        for terminal in stream.terminals:
            self.deliver_facts(terminal.table, terminal.rule, terminal.facts(rows))

    def deliver_facts(self, table: FactTable, rule: int, rows: Rows) -> None:
        """Facts lost a derivation by ``rule``."""
        if len(rows):
            table.minus.append((rule, rows))
            self._note(table)

    def _spread(self, stream: Stream, lost: Rows) -> None:
        """Tell all readers of a stream; it still holds what it is about to lose."""
        for side in stream.sides:
            for pairs in side.slices(lost):
                self.deliver(side.output, pairs)
        for gate in stream.passing:
            self.deliver(gate.output, gate.project(lost))
        for gate in stream.barring:
            self._gained(gate.output, gate.opens(lost))
        self._pass_on(stream, lost)

    # outside of recursion

    def _decide(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        minus, stream.minus = stream.minus, []
        candidates = self._union(minus)
        stale = self._retract_pending(stream, candidates)
        pieces = stem.meet(candidates, self.bound)
        found = None
        if stream.exact and not self._instances:
            lost = pieces
        else:
            found = self._supports.derived(
                stream, self._questions(candidates if stale else pieces), tuple(range(stem.width))
            )
            lost = self._unsupported(pieces, found)
        self._lose(stream, lost)
        if found is not None and (stale or self._instances):
            stream.pending.append(self._among(found, candidates))
            self._wake(stream)

    def _lose(self, stream: Stream, lost: Rows) -> None:
        assert stream.stem is not None
        if len(lost):
            self._spread(stream, lost)
            stream.stem.remove(lost, self.bound)

    def _decide_table(self, table: FactTable) -> None:
        minus, table.minus = table.minus, []
        candidates = self._union([rows for _, rows in minus])
        stale = self._retract_pending_facts(table, minus)
        pieces = table.facts.meet(candidates, self.bound)
        if table.exact and not self._instances:
            for rule, stem in table.by_rule.items():  # it may have had more rules once
                table.drop(rule, stem.meet(pieces, self.bound), self.bound)
            self._lose_facts(table, pieces)
            return
        asked = self._questions(candidates if stale or self._instances else pieces)
        found = self._supports.of_facts(table, asked)
        arity = table.relation.arity
        lost = self._unsupported(pieces, together((rows for _, rows in found), arity))
        for rule, stem in table.by_rule.items():
            mine = [rows for of, rows in found if of == rule]
            theirs = [rows for of, rows in minus if of == rule]
            if self._instances:  # what it still gives is given anew, as the facts may need it
                table.drop(rule, stem.meet(self._union([lost, *theirs]), self.bound), self.bound)
            elif theirs:
                held = stem.meet(self._union(theirs), self.bound)
                table.drop(rule, self._unsupported(held, together(mine, arity)), self.bound)
        self._lose_facts(table, lost)
        if stale or self._instances:
            for rule, rows in found:
                table.pending.append((rule, self._among(rows, candidates)))
            self._wake(table)

    def _lose_facts(self, table: FactTable, lost: Rows) -> None:
        if not len(lost):
            return
        self.overdeleted += len(lost)
        table.facts.remove(lost, self.bound)
        if table.answers:
            self._told(table, lost)
        if table.feeds:
            for stream, rows in self._layers.lost(table, lost):
                self.deliver(stream, rows)

    # in a recursive component

    def _overdelete(self, component: Component) -> list[tuple[Node, int, Rows]]:
        """Delete what has no derivation from lower levels; what may be derived again.

        That is rows of a stream, or facts of a table with their rule; 0: any rule will do.
        """
        again: list[tuple[Node, int, Rows]] = []
        while component.minus:
            node = min(component.minus, key=_rank)
            del component.minus[node]
            if isinstance(node, Stream):
                again.append((node, 0, self._delete(node)))
            else:
                again += ((node, rule, rows) for rule, rows in self._delete_facts(node))
        return again

    def _delete(self, stream: Stream) -> Rows:
        assert stream.stem is not None
        minus, stream.minus = stream.minus, []
        candidates = self._union(minus)
        stale = self._retract_pending(stream, candidates)
        pieces = stream.stem.meet(candidates, self.bound)
        self._lose(stream, pieces)
        return candidates if stale else pieces

    def _delete_facts(self, table: FactTable) -> list[tuple[int, Rows]]:
        minus, table.minus = table.minus, []
        again = minus if self._retract_pending_facts(table, minus) else []
        pieces = table.facts.meet(self._union([rows for _, rows in minus]), self.bound)
        founded = self._founded(table, pieces)
        arity = table.relation.arity
        lost = self._unsupported(pieces, together((rows for _, rows in founded), arity))
        for rule, stem in table.by_rule.items():
            theirs = [rows for of, rows in minus if of == rule]
            if theirs:
                mine = together((rows for of, rows in founded if of == rule), arity)
                theirs = [self._unsupported(self._union(theirs), mine)]
            held = stem.meet(self._union([lost, *theirs]), self.bound)
            table.drop(rule, held, self.bound)
            again.append((rule, held))
        if not table.by_rule:
            again.append((0, lost))
        self._lose_facts(table, lost)
        return again

    def _founded(self, table: FactTable, pieces: Rows) -> list[tuple[int, Rows]]:
        """What of the pieces has a derivation from facts of lower levels, and by which rule."""
        if table.facts.levels is None or not len(pieces):
            return []
        levels = table.facts.levels_of(pieces)
        certain = levels < MIXED
        asked = with_term(pieces[certain], levels[certain])
        return list(self._supports.founded(table, asked)) if len(asked) else []

    def _rederive(self, again: list[tuple[Node, int, Rows]]) -> None:
        """Let what still follows in one step be derived again; the agenda goes on from there."""
        asked: dict[tuple[Node, int], list[Rows]] = {}
        for node, rule, rows in again:
            if len(rows):
                asked.setdefault((node, rule), []).append(rows)
        for (node, rule), parts in asked.items():
            candidates = self._union(parts)
            questions = self._questions(candidates)
            if isinstance(node, Stream):
                assert node.stem is not None
                if isinstance(node.plan, Scan) and not self._instances:
                    found = self._supports.scanned(node, candidates)
                elif isinstance(node.plan, AntiJoin):  # what waits there has yet to pass the gate
                    known = tuple(range(node.stem.width))
                    found = self._supports.left(node, node.plan, questions, known)
                else:
                    key = tuple(range(node.stem.width))
                    found = self._among(self._supports.derived(node, questions, key), candidates)
                node.pending.append(found)
            elif not rule and not self._instances:
                node.pending += self._supports.again(node, questions)
            else:
                for stream, terminal in node.feeders:
                    if rule in {0, terminal.rule}:
                        rows = self._supports.of_head(stream, terminal, questions)
                        node.pending.append((terminal.rule, self._among(rows, candidates)))
            self._wake(node)

    # rows

    def _questions(self, rows: Rows) -> Rows:
        """What to ask about rows: of instances, any with the same terms, whenever they began."""
        if not self._instances:
            return rows
        asked = rows.copy()
        asked[:, -2], asked[:, -1] = NEG_INF, POS_INF
        return asked

    def _unsupported(self, rows: Rows, found: Rows) -> Rows:
        """The pieces of ``rows`` that ``found`` does not cover."""
        if not len(found) or not len(rows):
            return rows
        return self._stem_of(found).missing(rows) if self._instances else lacking(rows, found)

    def _among(self, found: Rows, candidates: Rows) -> Rows:
        """What of ``found`` answers to ``candidates``."""
        if not len(found):
            return found
        width = found.shape[1] - 2
        if self._instances:
            starts = self._stem_of(candidates)
            place = starts.find(np.ascontiguousarray(found[:, :-1]), kernels.BEGINS_AT)
            return found[place >= 0]
        return matched(found, range(width), candidates, range(width), range(width))

    def _retract_pending(self, stream: Stream, candidates: Rows) -> bool:
        """Take candidates out of what waits to come in: it may rest on what is no more."""
        pending = [rows for rows in stream.pending if len(rows)]
        if not pending or stream.gate is not None:  # a gate looks at what is held itself
            return False
        stream.pending = [self._without(concat(pending), candidates)]
        return True

    def _retract_pending_facts(self, table: FactTable, minus: list[tuple[int, Rows]]) -> bool:
        pending = [(rule, rows) for rule, rows in table.pending if len(rows)]
        if not pending:
            return False
        table.pending = []
        for rule, rows in pending:
            gone = [lost for of, lost in minus if of == rule]
            table.pending.append((rule, self._without(rows, concat(gone)) if gone else rows))
        return True

    def _without(self, rows: Rows, candidates: Rows) -> Rows:
        if not self._instances:
            return lacking(rows, candidates)
        place = self._stem_of(candidates).find(
            np.ascontiguousarray(rows[:, :-1]), kernels.BEGINS_AT
        )
        return rows[place < 0]

    def _union(self, parts: list[Rows]) -> Rows:
        rows = concat(parts)
        return united(rows, instances=self._instances)

    def _stem_of(self, rows: Rows) -> Stem:
        stem = Stem(rows.shape[1] - 2, instances=self._instances)
        stem.absorb(rows, NEG_INF)
        return stem


def _rank(node: Node) -> int:
    return node.rank
