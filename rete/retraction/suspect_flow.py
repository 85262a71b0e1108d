"""Suspect flow: rows on their way through the streams of a component to its tables.

Nothing is changed on the way: it finds which facts may depend on some rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rete.arrays.delta import concat
from rete.graph.streams import Component, FactTable, InnerReaders, rank_of
from rete.network.components import inner_readers
from rete.network.layers import Layers
from rete.nodes.scan import Scan
from rete.storage.row_algebra import coalesce

if TYPE_CHECKING:
    from rete.arrays.delta import Rows
    from rete.graph.streams import Stream

RowsByTable: TypeAlias = "dict[FactTable, list[Rows]]"
"""Rows per table, in parts that may overlap."""


class SuspectFlow:
    """Which facts of a component may depend on rows that its SteMs have.

    On a stream with a SteM, rows that this does not have go no further.

    Attributes:
        passed: what went on from each stream that has a SteM, or is read by another component, in
            parts that may overlap; None: it is not kept any more.
    """

    def __init__(self, component: Component, layers: Layers, bound: int) -> None:
        self._component = component
        self._layers = layers
        self._bound = bound
        self._entered: dict[Stream, list[Rows]] = {}
        self._reached: RowsByTable = {}
        self.passed: dict[Stream, list[Rows]] | None = {}

    def of_facts(self, table: FactTable, rows: Rows) -> None:
        """Let facts that ``table`` had enter, unless they are asserted or in a settled table."""
        rest = self._layers.lost(table, rows, self._component)
        for stream, found in self._layers.route_from(table.relation, rest, table):
            self.enter(stream, found)

    def enter(self, stream: Stream, rows: Rows) -> None:
        """Let ``rows`` of a stream enter; those of other components do not."""
        if stream.component is self._component and len(rows):
            self._enter(stream, rows)

    def _enter(self, stream: Stream, rows: Rows) -> None:
        """Let some ``rows`` of a stream of the component enter."""
        if stream.stem is None:
            own = inner_readers(self._component, stream)
            if own.has_outer_readers:
                self._keep(stream, rows)
            self._pass_on(own, rows)
        else:
            self._entered.setdefault(stream, []).append(rows)

    def reach(self, table: FactTable, rows: Rows) -> None:
        """Let ``rows`` reach a table at once."""
        if table.component is self._component and len(rows):
            self._reached.setdefault(table, []).append(rows)

    def run(self) -> RowsByTable:
        """The facts that are reached from all that entered since the last call."""
        while self._entered:
            stream = min(self._entered, key=rank_of)
            parts = self._entered.pop(stream)
            rows = coalesce(concat(parts)) if len(parts) > 1 else parts[0]
            assert stream.stem is not None
            # The SteM of a scan has all that was shown to it, unless that is pending.
            known = isinstance(stream.plan, Scan) and not stream.pending
            found = rows if known else stream.stem.meet(rows, self._bound)
            if len(found):
                self._keep(stream, found)
                self._spread(stream, found)
        reached, self._reached = self._reached, {}
        return reached

    def _keep(self, stream: Stream, rows: Rows) -> None:
        if self.passed is not None:
            self.passed.setdefault(stream, []).append(rows)

    def _spread(self, stream: Stream, rows: Rows) -> None:
        own = inner_readers(self._component, stream)
        for side in own.sides:
            for pairs in side.slices(rows):
                if len(pairs):
                    self._enter(side.output, pairs)
        for gate in own.passed_gates:
            self._enter(gate.output, gate.project(rows))
        self._pass_on(own, rows)

    def _pass_on(self, own: InnerReaders, rows: Rows) -> None:
        for node in own.linear:
            found = node.apply(rows)
            if len(found):
                self._enter(node.output, found)
        for terminal in own.terminals:
            self._reached.setdefault(terminal.table, []).append(terminal.facts(rows))
