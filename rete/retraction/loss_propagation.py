"""Loss propagation: deletion candidates on their way from node to node, and what is lost taken out.

A deletion candidate is a row that lost a derivation. Whether it is lost with that is decided
elsewhere: by `rete.retraction.view_maintenance`, or `rete.retraction.delete_rederive`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from rete.arrays.delta import NEG_INF, POS_INF, Cells, Rows, concat, concat_or_empty
from rete.graph.streams import Component, FactTable, Node, Stream
from rete.network.components import is_internal
from rete.network.horizon import cancel_parked
from rete.network.layers import Layers
from rete.provenance.backward_evaluation import BackwardEvaluation
from rete.storage.row_algebra import coalesce, subtract
from rete.storage.row_comparison import RowComparison
from rete.terms.relations import Relation

TableListener: TypeAlias = Callable[[FactTable, Rows], None]
RowsByRule: TypeAlias = list[tuple[int, Rows]]
_ALWAYS: Final[Cells] = NEG_INF, POS_INF


class DeltaCarrier(Protocol):
    """An agenda, which carries gains; `rete.inference.agenda.Agenda` documents its attributes."""

    layers: Layers
    bound: int
    horizon: Cells | None
    on_loss: TableListener

    def schedule(self, node: Node) -> None:
        """Let the turn of a node come."""

    def deliver(self, stream: Stream, rows: Rows) -> None:
        """Hand a stream what it gains."""


def has_seen_all(stream: Stream) -> bool:
    """Whether a stream has all that it may lose: a scan has, if it was there from the first."""
    return not stream.sources and stream.network.since == NEG_INF


class LossPropagation:
    """Passes deletion candidates to the readers of a node, and takes out what is lost.

    Attributes:
        search: evaluates plans backwards, in search of other derivations.
        comparison: compares rows as facts are kept: by instance, if ``instances``.
        overdeleted: facts that were deleted or suspects so far.
        settling: seconds so far in which components were settled, less those in which what was
            deleted was derived again.
        settled: the component whose lost facts are known, while its streams are settled; or None.
        settled_by_rule: whether it is known, too, what each of its rules derives no longer.
        leader: the component in whose turn streams that follow lose at once; see `deliver`.
    """

    def __init__(self, carrier: DeltaCarrier) -> None:
        self.layers = carrier.layers
        self.search = BackwardEvaluation(carrier.layers)
        self.instances = carrier.layers.user_networks[0].instances
        self.comparison = RowComparison(instances=self.instances)
        self.schedule = carrier.schedule
        self._carrier = carrier
        self.overdeleted = 0
        self.settling = 0.0
        self.settled: Component | None = None
        self.settled_by_rule = False
        self.leader: Component | None = None

    @property
    def bound(self) -> int:
        """The frontier in cells: nothing is lost before it."""
        return self._carrier.bound

    @property
    def horizon(self) -> Cells:
        """Between which cells facts are derived."""
        return self._carrier.horizon or _ALWAYS

    def withdraw(self, relation: Relation, rows: Rows) -> None:
        """Facts of ``relation``, of representatives, are asserted no longer."""
        self._notify_scans(relation, rows, self.layers.withdrawn(relation, rows), None)

    def deliver(self, stream: Stream, rows: Rows) -> None:
        """``rows`` of a stream lost a derivation.

        Whether they are lost is decided in its turn. A stream that follows loses them at once,
        unless others of its rows wait for its turn.
        """
        if not len(rows):
            return
        if stream.stem is None:
            self.pass_on(stream, rows)
            return
        leader = self.leader
        if (
            leader is not None
            and stream.follows
            and (stream.component is leader or not (leader.recursive or stream.component.recursive))
            and not (stream.pending or stream.deletion_candidates)
        ):
            rows = coalesce(rows)
            was_shown = has_seen_all(stream)
            self.lose(stream, rows if was_shown else stream.stem.meet(rows, self.bound))
            return
        stream.deletion_candidates.append(rows)
        self._enqueue(stream)

    def deliver_facts(self, table: FactTable, rule: int, rows: Rows) -> None:
        """Facts lost a derivation by ``rule``."""
        if len(rows):
            table.deletion_candidates.append((rule, rows))
            self._enqueue(table)

    def _enqueue(self, node: Node) -> None:
        nodes = node.component.unsettled_nodes
        if not nodes:  # else one is on the agenda, and all are settled with it
            self.schedule(node)
        nodes[node] = None

    def pass_on(self, stream: Stream, rows: Rows) -> None:
        """Pass candidates to linear nodes and tables that read a stream."""
        for node in stream.linear:
            if self.settled is None or self._is_notified(node.output):
                self.deliver(node.output, node.apply(rows))
        for terminal in stream.terminals:
            table = terminal.table
            table.deletion_candidates.append((terminal.rule, terminal.facts(rows)))
            self._enqueue(table)

    def _is_notified(self, stream: Stream) -> bool:
        """Whether a stream is passed candidates: not those that are `settled` with their facts."""
        return self.settled is None or not is_internal(
            self.settled, stream, by_rule=not self.settled_by_rule
        )

    def notify_readers(self, stream: Stream, lost: Rows) -> None:
        """Notify all readers of a stream of what it loses.

        The SteM still has what it is about to lose.
        """
        for side in stream.sides:
            if self.settled is None or self._is_notified(side.output):
                for pairs in side.slices(lost):
                    self.deliver(side.output, pairs)
        for gate in stream.passed_gates:
            if self._is_notified(gate.output):
                self.deliver(gate.output, gate.project(lost))
        for gate in stream.closed_gates:
            self._carrier.deliver(gate.output, gate.opened_by(lost))
        if stream.linear or stream.terminals:
            self.pass_on(stream, lost)

    def lose(self, stream: Stream, lost: Rows) -> None:
        """Take ``lost`` out of the SteM of a stream, and notify its readers."""
        assert stream.stem is not None
        if len(lost):
            self.notify_readers(stream, lost)
            stream.stem.remove(lost, self.bound)

    def lose_facts(self, table: FactTable, lost: Rows, component: Component | None = None) -> None:
        """Take ``lost`` out of a table, and notify; ``component`` as of `Layers.lost`."""
        if len(lost):
            self.overdeleted += len(lost)
            table.facts.remove(lost, self.bound)
            self.notify(table, lost, component)

    def notify(self, table: FactTable, lost: Rows, component: Component | None = None) -> None:
        """Notify all that ``table`` has ``lost`` no longer; ``component`` as of `Layers.lost`."""
        if len(lost):
            if table.observer is not None:
                table.observer.lose(lost)
            if table.answers:
                self._carrier.on_loss(table, lost)
            if table.feeds:
                rest = self.layers.lost(table, lost, component)
                self._notify_scans(table.relation, lost, rest, table)

    def _notify_scans(
        self, relation: Relation, rows: Rows, rest: Rows, source: FactTable | None
    ) -> None:
        """Notify scans of facts that ``source`` lost, or the base table (None).

        The ``rest`` of them is neither asserted nor in any table: scans lose it. What is left is in
        another table; in a recursive component that may depend on the lost facts.
        """
        if len(rest):
            for stream, found in self.layers.route_from(relation, rest, source):
                self.deliver(stream, found)
        if rest is rows and not self.instances:
            return  # nothing of them is in another table
        own = None if source is None else source.component
        if self.layers.may_be_suspect(relation, own):  # what another table has may depend on it
            others = (
                rows
                if self.instances
                else subtract(self.layers.as_representatives(relation, rows), rest)
            )
            found_others = self.layers.route_from(relation, others, source) if len(others) else ()
            for stream, found in found_others:
                if stream.component.recursive and stream.component is not own:
                    stream.component.suspect_rows.append((stream, found))
                    self.schedule(stream)

    def still_derived(self, stream: Stream, rows: Rows) -> Rows:
        """What of ``rows`` the plan of a stream still derives."""
        rest = self.search.unmatched(stream, rows)
        if rest is not None:
            return subtract(rows, rest)
        known = tuple(range(stream.plan.width))
        return self.search.derived(stream, self.comparison.questions(rows), known)

    def no_longer_derived(self, stream: Stream, rows: Rows) -> Rows:
        """The pieces of ``rows`` that the plan of a stream does not derive any more."""
        rest = self.search.unmatched(stream, rows)
        if rest is not None:
            return rest
        known = tuple(range(stream.plan.width))
        found = self.search.derived(stream, self.comparison.questions(rows), known)
        return self.comparison.unsupported(rows, found)

    def drop(self, table: FactTable, candidates: RowsByRule, found: RowsByRule) -> None:
        """Drop by rule the deletion candidates for which no derivation by the rule was found."""
        for rule, stem in table.by_rule.items():
            theirs = [rows for of, rows in candidates if of == rule]
            if not theirs:
                continue
            gone = stem.meet(self.comparison.union(theirs), self.bound)
            if not self.instances:  # else what the rule still derives is absorbed anew
                mine = concat_or_empty(
                    (rows for of, rows in found if of == rule), table.relation.arity
                )
                gone = self.comparison.unsupported(gone, mine)
            table.drop(rule, gone, self.bound)

    def reinsert(self, table: FactTable, found: RowsByRule, candidates: Rows) -> None:
        """Make pending what was found of ``candidates``, to be absorbed anew.

        Found are pieces of the candidates; of instances, what they have at any time.
        """
        for rule, rows in found:
            if not len(rows):
                continue
            theirs = self.comparison.among(rows, candidates) if self.instances else rows
            if self.bound > NEG_INF:
                theirs = theirs[theirs[:, -1] > self.bound - table.facts.retention]
            if len(theirs):
                table.pending.append((rule, theirs))
        self.schedule(table)

    def retract_pending(self, stream: Stream, candidates: Rows) -> bool:
        """Take candidates out of what is pending, as that may depend on lost facts.

        Returns whether anything was pending.
        """
        pending = [rows for rows in stream.pending if len(rows)] if stream.pending else []
        if not pending or stream.gate is not None:  # a gate checks what is stored itself
            return False
        stream.pending = [self.comparison.without(concat(pending), candidates)]
        return True

    def retract_pending_facts(self, table: FactTable, candidates: RowsByRule) -> bool:
        """The same for a table; what is parked is pending, too.

        Where facts are kept by rule, of each rule what it lost; else a derivation by another rule
        is searched again, too.
        """
        if not (table.parked or table.pending):
            return False
        was_parked = []
        if table.parked:
            was_parked = [cancel_parked(table, rule, rows) for rule, rows in candidates]
        pending = [(rule, rows) for rule, rows in table.pending if len(rows)]
        if not pending:
            return any(was_parked)
        table.pending = []
        for rule, rows in pending:
            gone = [lost for of, lost in candidates if of == rule or not table.by_rule]
            rest = self.comparison.without(rows, concat(gone)) if gone else rows
            table.pending.append((rule, rest))
        return True
