"""Candidate flow: which facts of a component may have lost a derivation."""

from __future__ import annotations

from collections.abc import Iterable

from rete.arrays.delta import Rows, concat
from rete.graph.streams import Component, FactTable, Stream, rank_of
from rete.network.components import inner_readers
from rete.nodes.scan import Scan
from rete.storage.row_algebra import coalesce


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
