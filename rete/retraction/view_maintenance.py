"""View maintenance: what is lost when facts are asserted no longer.

A deletion candidate is a row that lost a derivation. Whether the row is lost with that, each node
that remembers it decides in its turn. All nodes that feed it are settled then, so a search for
another derivation (`BackwardEvaluation`) decides; derivations are not counted. Where a node has one
source, and each row one derivation, there is nothing to search for: it follows in the turn of its
source. In a recursive component it is settled first which facts still follow: by levels
(`SupportLevels`) where facts have them, else see `rete.retraction.delete_rederive`.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Final

from rete.arrays.delta import NEG_INF, Rows, concat, concat_or_empty, empty
from rete.graph.streams import Component, FactTable, Stream, rank_of
from rete.network.components import feeders_of, inner_readers
from rete.nodes.scan import Scan
from rete.retraction.delete_rederive import DeleteRederive
from rete.retraction.loss_propagation import (
    DeltaCarrier,
    LossPropagation,
    RowsByRule,
    has_seen_all,
)
from rete.retraction.support_levels import SupportLevels
from rete.storage.row_algebra import coalesce, subtract


class CandidateFlow:
    """Deletion candidates on their way through the streams of a component to its tables.

    Nothing is changed on the way. Rows that the SteM of a stream does not have go no further.
    """

    def __init__(self, component: Component, bound: int) -> None:
        """Let the candidates of ``component`` enter; nothing is lost before the cell ``bound``."""
        self._component = component
        self._bound = bound
        self._entered: dict[Stream, list[Rows]] = {}
        self._reached: dict[FactTable, list[Rows]] = {}
        for stream, rows in component.suspect_rows:
            self._enter(stream, rows)
        for node in component.unsettled_nodes:
            if isinstance(node, FactTable):
                self._reach(node, (rows for _, rows in node.deletion_candidates))
            else:
                for rows in node.deletion_candidates:
                    self._enter(node, rows)

    def run(self) -> dict[FactTable, Rows]:
        """The facts that candidates lead to, (n, arity + 2) per table."""
        while self._entered:
            stream = min(self._entered, key=rank_of)
            rows = coalesce(concat(self._entered.pop(stream)))
            assert stream.stem is not None
            # The SteM of a scan has all that was shown to it, unless that is pending.
            if stream.pending or not isinstance(stream.plan, Scan):
                rows = stream.stem.meet(rows, self._bound)
            self._spread(stream, rows)
        return {table: coalesce(concat(parts)) for table, parts in self._reached.items()}

    def _enter(self, stream: Stream, rows: Rows) -> None:
        if not len(rows):
            return
        if stream.stem is None:
            self._pass_on(stream, rows)
        else:
            self._entered.setdefault(stream, []).append(rows)

    def _spread(self, stream: Stream, rows: Rows) -> None:
        own = inner_readers(self._component, stream)
        for side in own.sides:
            for pairs in side.slices(rows):
                self._enter(side.output, pairs)
        for gate in own.passed_gates:
            self._enter(gate.output, gate.project(rows))
        self._pass_on(stream, rows)

    def _pass_on(self, stream: Stream, rows: Rows) -> None:
        own = inner_readers(self._component, stream)
        for node in own.linear:
            self._enter(node.output, node.apply(rows))
        for terminal in own.terminals:
            self._reach(terminal.table, [terminal.facts(rows)])

    def _reach(self, table: FactTable, parts: Iterable[Rows]) -> None:
        self._reached.setdefault(table, []).extend(parts)


_FEW: Final = 4
"""Up to so many rules are searched for facts that another rule derived."""


class ViewMaintenance(LossPropagation):
    """Carries deletion candidates through the components, and removes what is lost."""

    def __init__(self, carrier: DeltaCarrier) -> None:
        super().__init__(carrier)
        self._levels = SupportLevels(carrier.layers)
        self._delete_rederive = DeleteRederive(self)

    def settle(self, component: Component) -> None:
        """Decide what the nodes of a component lose; all components that feed it are settled."""
        begun = perf_counter()
        try:
            if not component.recursive:
                self._settle_node(component)
            elif self._levels.apply_to(component):
                self._settle_by_levels(component)
            else:
                self._delete_rederive.settle(component)
        finally:
            self.leader = None
        self.settling += perf_counter() - begun

    def _settle_node(self, component: Component) -> None:
        self.leader = None if self.instances else component
        node, _ = component.unsettled_nodes.popitem()
        if isinstance(node, Stream):
            self._decide(node)
        else:
            self._decide_table(node)

    def _settle_by_levels(self, component: Component) -> None:
        """Decide the facts first, then the streams, then what each rule derives."""
        due = CandidateFlow(component, self.bound).run()
        component.suspect_rows = []
        since = max(self.bound - component.tables[0].facts.retention, NEG_INF)
        overdeleted, whole, lost, undecided = self._levels.suspects(component, due, since)
        self.overdeleted += overdeleted
        for table, rows in lost.items():
            table.facts.remove(rows, self.bound)
        for table, rows in lost.items():
            self.notify(table, rows)
        tables: dict[FactTable, None] = dict.fromkeys(lost)
        still = not component.has_pending
        self.settled = component if still else None
        self.settled_by_rule = whole
        try:
            while component.unsettled_nodes:
                node = component.take_unsettled()
                if isinstance(node, Stream):
                    self._decide(node)
                else:
                    tables[node] = None
        finally:
            self.settled = None
        for table in tables:
            self._keep_by_rule(table, lost.get(table), still=still)
        for table, rows in undecided.items():
            self.reinsert(table, self.search.of_facts(table, rows), rows)

    def _decide(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        candidates = self.comparison.union(stream.deletion_candidates)
        stream.deletion_candidates = []
        stale = self.retract_pending(stream, candidates)
        if self.instances or stale or not has_seen_all(stream):
            pieces = stem.meet(candidates, self.bound)
        else:
            pieces = candidates
        pieces = stream.node.losable(pieces)
        if not (stale or self.instances):
            self.lose(
                stream, pieces if stream.injective else self.no_longer_derived(stream, pieces)
            )
            return
        found = self.still_derived(stream, candidates if stale else pieces)
        self.lose(stream, self.comparison.unsupported(pieces, found))
        stream.pending.append(self.comparison.among(found, candidates))
        self.schedule(stream)

    def _decide_table(self, table: FactTable) -> None:
        by_rule, table.deletion_candidates = table.deletion_candidates, []
        candidates = self.comparison.union([rows for _, rows in by_rule])
        stale = self.retract_pending_facts(table, by_rule)
        pieces = table.facts.meet(candidates, self.bound)
        found: RowsByRule = []
        if table.injective and not (stale or self.instances):
            lost = pieces
        elif not (stale or self.instances or table.by_rule):
            lost = self.search.not_derived(feeders_of(table).outer, pieces)
        else:
            asked = candidates if stale or self.instances else pieces
            found = self.search.of_facts(table, self.comparison.questions(asked))
            derived = concat_or_empty((rows for _, rows in found), table.relation.arity)
            lost = self.comparison.unsupported(pieces, derived)
        if table.by_rule:
            self.drop(table, [*by_rule, *((rule, lost) for rule in table.by_rule)], found)
        self.lose_facts(table, lost)
        if stale or self.instances:
            self.reinsert(table, found, candidates)

    def _keep_by_rule(self, table: FactTable, lost: Rows | None, *, still: bool) -> None:
        """The facts of ``table`` are settled: now its facts by rule, and what is pending.

        ``still``: whether nothing is pending in its component, so that its rules derived all of its
        facts.
        """
        by_rule, table.deletion_candidates = table.deletion_candidates, []
        if lost is None:
            lost = empty(table.relation.arity)
        for rule in table.by_rule:
            self._drop(table, rule, lost)
        if self.retract_pending_facts(table, by_rule):
            candidates = coalesce(concat([lost, *(rows for _, rows in by_rule)]))
            found = self.search.of_facts(table, candidates)
            self.drop(table, by_rule, found)
            self.reinsert(table, found, candidates)
            return
        for rule in table.by_rule:
            if theirs := [rows for of, rows in by_rule if of == rule]:
                rows = concat(theirs)
                # A fact that no other rule derives is of this one.
                if still and self._is_kept_by_few_rules(table):
                    others = [other for of, other in table.by_rule.items() if of != rule]
                    rows = concat([other.meet(rows, self.bound) for other in others])
                kept = subtract(coalesce(rows), lost)
                self._drop(table, rule, self._no_longer_derived(table, kept, rule))

    def _drop(self, table: FactTable, rule: int, rows: Rows) -> None:
        """Drop ``rows`` of ``rule``, of which ``table`` may lack some."""
        if table.listener is not None or table.ticks is not None:  # they are told of just that
            rows = table.by_rule[rule].meet(rows, self.bound)
        if len(rows):
            table.drop(rule, rows, self.bound)

    def _no_longer_derived(self, table: FactTable, facts: Rows, rule: int) -> Rows:
        if not len(facts):
            return facts
        lost, undecided = self._levels.not_derived(table, facts, rule)
        if not len(undecided):
            return lost
        found = [rows for _, rows in self.search.of_facts(table, undecided, {rule})]
        return concat([lost, subtract(undecided, concat(found))])

    def _is_kept_by_few_rules(self, table: FactTable) -> bool:
        return 1 < len(table.by_rule) <= _FEW and not (table.orphaned or self.layers.classes)
