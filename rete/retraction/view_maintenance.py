"""Maintenance: what facts that hold no longer take with them.

Minus rows say that a row lost a derivation; whether it is lost with that, each node that remembers
decides when its turn comes. All that feeds it is settled then, so another derivation (`Supports`)
settles the matter; no count of derivations is kept for it. In a recursive component it is settled
first which facts still follow (`SupportLevels`), if levels tell; else see `rete.retraction.delete_rederive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from rete.arrays.delta import Rows, concat, concat_or_empty
from rete.network.layers import Layers
from rete.nodes.graph import Component, FactTable, Stream, rank_of
from rete.planning.plan import Scan
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
"""So many rules are asked for what another one gives."""

LostRows: TypeAlias = Mapping[Stream, list[Rows]]


class ViewMaintenance(LossPropagation):
    """Carries minus rows through the components, and makes room for what follows anew."""

    def __init__(
        self,
        layers: Layers,
        wake: NodeScheduler,
        gained: DeltaHandler,
        told: TableListener,
        *,
        instances: bool,
    ) -> None:
        super().__init__(layers, wake, gained, told, instances=instances)
        self._rederiving = DeleteRederive(self)

    def settle(self, component: Component) -> None:
        """Decide what the nodes of a component lose; what feeds it is settled."""
        if component.recursive and not component.leveled:
            self._rederiving.settle(component)
            return
        lost: dict[FactTable, Rows] = {}
        still = component.recursive and not component.has_pending
        if component.recursive:
            simple = still and not (component.suspect_rows or self._overlap(component))
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
        """What the tables of a recursive component lose; all beyond them is told.

        And what flowed through its streams, if it is all of that; see `SupportLevels.flowed`.
        """
        streams, component.suspect_rows = component.suspect_rows, []
        tables: list[tuple[FactTable, Rows]] = []
        for node in component.unsettled_nodes:
            if isinstance(node, Stream):
                streams += ((node, rows) for rows in node.deletion_candidates)
            else:
                tables += ((node, rows) for _, rows in node.deletion_candidates)
        doubts = SupportLevels(component, self.layers, self.search, self.bound)
        lost = doubts.settle(streams, tables)
        self.overdeleted += doubts.overdeleted
        for table, rows in lost.items():
            self.notify(table, rows)
        return lost, doubts.flowed

    def _overlap(self, component: Component) -> bool:
        """Whether two tables of a component may say the same."""
        beneath = {not table.answers for table in component.tables}
        return len(beneath) > 1 or bool(self.layers.classes)

    def _are_lost(self, flowed: LostRows) -> bool:
        """Whether what flowed on from rows that lost a derivation is lost itself.

        No fact of it follows in another way, so what is left are rows of which no fact was made.
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
        """Take out what flowed through a component; other components are told."""
        for node in component.unsettled_nodes:
            node.deletion_candidates = []
        component.unsettled_nodes.clear()
        for stream, parts in flowed.items():
            rows = self.comparison.union(parts)
            self.notify_readers(stream, rows, component)
            if stream.stem is not None:
                stream.stem.remove(rows, self.bound)
        for table, rows in lost.items():
            told = table.listener is not None or table.ticks is not None  # exactly what is dropped
            for rule, stem in table.by_rule.items():
                table.drop(rule, stem.meet(rows, self.bound) if told else rows, self.bound)

    def _decide(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        minus, stream.deletion_candidates = stream.deletion_candidates, []
        candidates = self.comparison.union(minus)
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
        minus, table.deletion_candidates = table.deletion_candidates, []
        candidates = self.comparison.union([rows for _, rows in minus])
        stale = self.retract_pending_facts(table, minus)
        pieces = table.facts.meet(candidates, self.bound)
        found: RowsByRule = []
        if table.injective and not (stale or self.instances):
            lost = pieces
        else:
            asked = candidates if stale or self.instances else pieces
            found = self.search.of_facts(table, self.comparison.questions(asked))
            every = concat_or_empty((rows for _, rows in found), table.relation.arity)
            lost = self.comparison.unsupported(pieces, every)
        self.drop(table, [*minus, *((rule, lost) for rule in table.by_rule)], found)
        self.lose_facts(table, lost)
        if stale or self.instances:
            self.reinsert(table, found, candidates)

    def _keep_by_rule(self, table: FactTable, lost: Rows | None, *, still: bool) -> None:
        """The facts of ``table`` are settled: now by which rules they hold, and what waits.

        ``still``: whether nothing waits in its component, so that its rules gave all it holds.
        """
        minus, table.deletion_candidates = table.deletion_candidates, []
        if self.retract_pending_facts(table, minus):
            if lost is not None:
                minus += ((rule, lost) for rule in table.rules)
            candidates = coalesce(concat([rows for _, rows in minus]))
            found = self.search.of_facts(table, candidates)
            self.drop(table, minus, found)
            self.reinsert(table, found, candidates)
            return
        for rule, stem in table.by_rule.items():
            gone = [] if lost is None else [lost]
            if theirs := [rows for of, rows in minus if of == rule]:
                rows = concat(theirs)
                if still and self._rules_tell(table):  # what no other gives, this one does
                    others = [given for of, given in table.by_rule.items() if of != rule]
                    rows = concat([given.meet(rows, self.bound) for given in others])
                rows = coalesce(rows)
                kept = rows if lost is None else subtract(rows, lost)
                gone.append(self.search.no_longer_derived(table, kept, rule))
            if gone:
                table.drop(rule, stem.meet(concat(gone), self.bound), self.bound)

    def _rules_tell(self, table: FactTable) -> bool:
        """Whether each fact of ``table`` is one of a rule, and few of them are to be looked at."""
        return 1 < len(table.by_rule) <= _FEW and not (table.orphaned or self.layers.classes)
