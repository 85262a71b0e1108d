"""View maintenance: what is lost when facts are asserted no longer.

A deletion candidate is a row that lost a derivation. Whether the row is lost with that, each node
that remembers it decides in its turn. All nodes that feed it are settled then, so a search for
another derivation (`DerivationSearch`) decides; derivations are not counted. In a recursive
component it is settled first which facts still follow: by levels (`SupportLevels`) where facts have
them, else see `rete.retraction.delete_rederive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from rete.arrays.delta import Rows, concat, concat_or_empty
from rete.graph.streams import Component, FactTable, Stream, rank_of
from rete.network.layers import Layers
from rete.nodes.scan import Scan
from rete.retraction.delete_rederive import DeleteRederive
from rete.retraction.loss_propagation import (
    DeltaHandler,
    LossPropagation,
    NodeScheduler,
    RowsByRule,
    TableListener,
)
from rete.retraction.support_levels import SupportLevels
from rete.storage.row_algebra import coalesce, subtract

_FEW: Final = 4
"""Up to so many rules are searched for facts that another rule derived."""

LostRows: TypeAlias = Mapping[Stream, list[Rows]]


class ViewMaintenance(LossPropagation):
    """Carries deletion candidates through the components, and removes what is lost."""

    def __init__(
        self,
        layers: Layers,
        schedule: NodeScheduler,
        on_gain: DeltaHandler,
        on_loss: TableListener,
        *,
        instances: bool,
    ) -> None:
        super().__init__(layers, schedule, on_gain, on_loss, instances=instances)
        self._delete_rederive = DeleteRederive(self)

    def settle(self, component: Component) -> None:
        """Decide what the nodes of a component lose; all components that feed it are settled."""
        if component.recursive and not component.leveled:
            self._delete_rederive.settle(component)
            return
        lost: dict[FactTable, Rows] = {}
        still = component.recursive and not component.has_pending
        if component.recursive:
            simple = still and not (component.suspect_rows or self._tables_overlap(component))
            lost, flowed = self._settle_facts(component)
            if simple and flowed is not None and self._are_lost(flowed):
                self._lose_all(component, lost, flowed)
                return
        tables: dict[FactTable, None] = dict.fromkeys(lost)
        self.settled = component if still else None
        try:
            while component.unsettled_nodes:
                node = min(component.unsettled_nodes, key=rank_of)
                del component.unsettled_nodes[node]
                if isinstance(node, Stream):
                    self._decide(node)
                elif component.recursive:
                    tables[node] = None
                else:
                    self._decide_table(node)
        finally:
            self.settled = None
        for table in tables:
            self._keep_by_rule(table, lost.get(table), still=still)

    def _settle_facts(self, component: Component) -> tuple[dict[FactTable, Rows], LostRows | None]:
        """What the tables of a recursive component lose; readers outside of them are notified.

        And the rows that flowed through its streams, if all of them are lost; see
        `SupportLevels.flowed`.
        """
        streams, component.suspect_rows = component.suspect_rows, []
        tables: list[tuple[FactTable, Rows]] = []
        for node in component.unsettled_nodes:
            if isinstance(node, Stream):
                streams += ((node, rows) for rows in node.deletion_candidates)
            else:
                tables += ((node, rows) for _, rows in node.deletion_candidates)
        levels = SupportLevels(component, self.layers, self.search, self.bound)
        lost = levels.settle(streams, tables)
        self.overdeleted += levels.overdeleted
        for table, rows in lost.items():
            self.notify(table, rows)
        return lost, levels.flowed

    def _tables_overlap(self, component: Component) -> bool:
        """Whether two tables of a component may have the same fact."""
        in_background = {not table.answers for table in component.tables}
        return len(in_background) > 1 or bool(self.layers.classes)

    def _are_lost(self, flowed: LostRows) -> bool:
        """Whether all rows that flowed on from deletion candidates are lost.

        The facts derived from them are, so it is about rows from which no fact was derived.
        """
        return all(
            stream.injective
            or stream.stem is None
            or (
                isinstance(stream.plan, Scan)
                and not len(self.search.still_scanned(stream, self.comparison.union(parts)))
            )
            for stream, parts in flowed.items()
        )

    def _lose_all(
        self,
        component: Component,
        lost: Mapping[FactTable, Rows],
        flowed: LostRows,
    ) -> None:
        """Remove what flowed through a component, and notify other components."""
        for node in component.unsettled_nodes:
            node.deletion_candidates = []
        component.unsettled_nodes.clear()
        for stream, parts in flowed.items():
            rows = self.comparison.union(parts)
            self.notify_readers(stream, rows, component)
            if stream.stem is not None:
                stream.stem.remove(rows, self.bound)
        for table, rows in lost.items():
            is_observed = (
                table.listener is not None or table.ticks is not None
            )  # exactly what is dropped
            for rule, stem in table.by_rule.items():
                table.drop(rule, stem.meet(rows, self.bound) if is_observed else rows, self.bound)

    def _decide(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        candidates = self.comparison.union(stream.deletion_candidates)
        stream.deletion_candidates = []
        stale = self.retract_pending(stream, candidates)
        pieces = stem.meet(candidates, self.bound)
        if stream.injective and not (stale or self.instances):
            found = None
            lost = pieces
        else:
            found = self.still_derived(stream, candidates if stale else pieces)
            lost = self.comparison.unsupported(pieces, found)
        self.lose(stream, lost)
        if found is not None and (stale or self.instances):
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
        else:
            asked = candidates if stale or self.instances else pieces
            found = self.search.of_facts(table, self.comparison.questions(asked))
            derived = concat_or_empty((rows for _, rows in found), table.relation.arity)
            lost = self.comparison.unsupported(pieces, derived)
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
        if self.retract_pending_facts(table, by_rule):
            if lost is not None:
                by_rule += ((rule, lost) for rule in table.rules)
            candidates = coalesce(concat([rows for _, rows in by_rule]))
            found = self.search.of_facts(table, candidates)
            self.drop(table, by_rule, found)
            self.reinsert(table, found, candidates)
            return
        for rule, stem in table.by_rule.items():
            gone = [] if lost is None else [lost]
            if theirs := [rows for of, rows in by_rule if of == rule]:
                rows = concat(theirs)
                if still and self._is_kept_by_few_rules(
                    table
                ):  # a fact that no other rule derives is of this one
                    others = [other for of, other in table.by_rule.items() if of != rule]
                    rows = concat([other.meet(rows, self.bound) for other in others])
                rows = coalesce(rows)
                kept = rows if lost is None else subtract(rows, lost)
                gone.append(self.search.no_longer_derived(table, kept, rule))
            if gone:
                table.drop(rule, stem.meet(concat(gone), self.bound), self.bound)

    def _is_kept_by_few_rules(self, table: FactTable) -> bool:
        """Whether each fact of ``table`` is kept for some rule, and there are few rules."""
        return 1 < len(table.by_rule) <= _FEW and not (table.orphaned or self.layers.classes)
