"""Delete/Rederive [Gupta93]: recursive components without levels lose their deletion candidates.

What still follows from the rest is derived again. But a fact that follows by a rule whose body no
fact of the component feeds is not deleted: such a derivation is not circular, and all it depends on
is settled [Hu18].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import POS_INF, Rows, concat_or_empty
from rete.graph.plan import questions_about_source
from rete.graph.streams import Component, FactTable, Node, Stream
from rete.kernels import COVERS, clip, reaches_beyond
from rete.network.components import feeders_of
from rete.nodes.scan import Scan
from rete.retraction.loss_propagation import LossPropagation, RowsByRule
from rete.storage.row_algebra import subtract
from rete.storage.stem import Stem


class _Candidates(NamedTuple):
    """Deletion candidates of a node, for which another derivation is searched.

    Attributes:
        rows: the candidates; of a table, facts.
        circular: whether rules whose bodies the component does not feed derive none of them.
    """

    rows: Rows
    circular: bool


class DeleteRederive:
    """Deletes what may depend on lost facts, and derives again what still follows."""

    __slots__ = ("_losses",)

    def __init__(self, losses: LossPropagation) -> None:
        self._losses = losses

    def settle(self, component: Component) -> None:
        """Decide what a component loses; all components that feed it are settled."""
        deleted = self._delete(component)
        begun = perf_counter()
        self._rederive(deleted)
        self._losses.settling -= perf_counter() - begun

    def _delete(self, component: Component) -> dict[Node, list[_Candidates]]:
        """Delete all that lost a derivation; returns the candidates for another one.

        Where nothing was pending, only what is lost can have another one, as nothing else was
        derived before. A scan that sees the facts of one table of the component gets back what that
        table does, unless it was given suspects, which the table may never lose.
        """
        losses = self._losses
        instances, comparison = losses.instances, losses.comparison
        deleted: dict[Node, list[_Candidates]] = {}
        suspects, component.suspect_rows = component.suspect_rows, []
        losses.leader = None if suspects or instances else component
        for stream, rows in suspects:
            self._deliver_within(component, stream, rows)
        while component.unsettled_nodes:
            node = component.take_unsettled()
            circular = False
            if isinstance(node, Stream):
                assert node.stem is not None
                candidates = comparison.union(node.deletion_candidates)
                candidates, pieces = self._extended(node.stem, candidates)
                node.deletion_candidates = []
                stale = bool(node.pending) and losses.retract_pending(node, candidates)
                losses.lose(node, pieces)
                if not (stale or suspects) and self._sees_one_table(node):
                    continue
                if not (stale or instances or node.gate is not None):
                    candidates = pieces
            else:
                by_rule, node.deletion_candidates = node.deletion_candidates, []
                stale = losses.retract_pending_facts(node, by_rule)
                candidates = comparison.union([rows for _, rows in by_rule])
                candidates, pieces = self._extended(node.facts, candidates)
                lost = self._not_derived_outside(node, pieces)
                if node.by_rule:
                    lost_by_rule = [(rule, lost) for rule in node.by_rule]
                    losses.drop(node, [*by_rule, *lost_by_rule], [])
                elif stale and not instances:
                    candidates = subtract(candidates, subtract(pieces, lost))
                elif not instances:
                    candidates, circular = lost, True
                losses.lose_facts(node, lost, component)
            if len(candidates):
                deleted.setdefault(node, []).append(_Candidates(candidates, circular))
        return deleted

    def _sees_one_table(self, stream: Stream) -> bool:
        """Whether it is a scan whose facts are asserted, or in one table of its component.

        Each of its rows is of one fact; else another fact may be what it is made of.
        """
        plan = stream.plan
        if not (isinstance(plan, Scan) and plan.is_injective):
            return False
        if not self._losses.search.is_plain_scan(stream):
            return False
        tables = self._losses.layers.tables_of(stream, plan.relation)
        return len(tables) == 1 and tables[0].component is stream.component

    def _deliver_within(self, component: Component, stream: Stream, rows: Rows) -> None:
        """Notify what reads a stream in its component of suspects.

        Others are notified once a table has lost facts: what stays is no loss to them.
        """
        if stream.stem is not None:
            self._losses.deliver(stream, rows)
            return
        for node in stream.linear:
            out = node.apply(rows) if node.output.component is component else rows[:0]
            if len(out):
                self._deliver_within(component, node.output, out)
        for terminal in stream.terminals:
            if terminal.table.component is component:
                self._losses.deliver_facts(terminal.table, terminal.rule, terminal.facts(rows))

    def _not_derived_outside(self, table: FactTable, facts: Rows) -> Rows:
        """The pieces of ``facts`` that no body outside of the component of the table derives.

        What one does is not circular, so it stays.
        """
        outer = feeders_of(table).outer
        if not (outer.feeders and len(facts)):
            return facts
        search, comparison = self._losses.search, self._losses.comparison
        if not self._losses.instances:
            return search.not_derived(outer, facts)
        found = [search.of_head(*each, comparison.questions(facts)) for each in outer.feeders]
        return comparison.unsupported(facts, concat_or_empty(found, table.relation.arity))

    def _extended(self, stem: Stem, candidates: Rows) -> tuple[Rows, Rows]:
        """``candidates``, and all of a row beyond the horizon where they reach a part of it.

        Else operators would carry the loss of a piece along the row, step by step, without end.
        Second, what ``stem`` has of these.
        """
        first, last = self._losses.horizon
        pieces = stem.meet(candidates, self._losses.bound)
        if self._losses.instances or not reaches_beyond(pieces, first, last):
            return candidates, pieces
        rows = stem.at(stem.find(np.ascontiguousarray(pieces[:, :-1]), COVERS))
        after = clip(rows[pieces[:, -1] > last], last, POS_INF)
        final = min(self._losses.bound - stem.retention, first)  # what lies before stays
        before = clip(rows[pieces[:, -2] < first], final, first)
        before = before[before[:, -2] < before[:, -1]]
        candidates = self._losses.comparison.union([candidates, after, before])
        return candidates, stem.meet(candidates, self._losses.bound)

    def _rederive(self, deleted: Mapping[Node, Sequence[_Candidates]]) -> None:
        """Make pending what still follows in one step; the agenda goes on from there."""
        for node, parts in deleted.items():
            candidates = self._losses.comparison.union([part.rows for part in parts])
            if isinstance(node, Stream):
                assert node.stem is not None
                rederived = self._rederived(node, candidates)
                if len(rederived):
                    needed = rederived[:, -1] > self._losses.bound - node.stem.retention
                    node.pending.append(rederived[needed])
                    self._losses.schedule(node)
            else:
                circular = all(part.circular for part in parts)
                found = self._derived(node, candidates, circular=circular)
                self._losses.reinsert(node, found, candidates)

    def _derived(self, table: FactTable, candidates: Rows, *, circular: bool) -> RowsByRule:
        """What of deletion candidates rules derive; by each rule, where that makes a difference.

        It does not to a set of facts, for which one rule is named, the first of the component if it
        has any; but what is parked beyond the horizon is kept by rule.
        Of ``circular`` ones it was found before what other rules than those of the component do.
        """
        losses = self._losses
        if losses.instances or table.by_rule or reaches_beyond(candidates, *losses.horizon):
            return losses.search.of_facts(table, losses.comparison.questions(candidates))
        if not table.feeders:
            return []
        inner, outer = feeders_of(table)
        rest = losses.search.not_derived(inner, candidates)
        if not circular:
            rest = losses.search.not_derived(outer, rest)
        (_, head), *_ = inner.feeders or table.feeders
        return [(head.rule, subtract(candidates, rest))]

    def _rederived(self, stream: Stream, candidates: Rows) -> Rows:
        """What may be absorbed anew: of a negation the left rows, pending before its gate."""
        if stream.gate is not None:
            known = tuple(range(stream.plan.width))
            about = questions_about_source(stream.plan, candidates, known)
            return self._losses.search.rows(stream.sources[0], *about)
        found = self._losses.still_derived(stream, candidates)
        return self._losses.comparison.among(found, candidates) if self._losses.instances else found
