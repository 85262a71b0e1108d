"""The agenda: which delta next, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from rete.delta import NEG_INF, POS_INF, Rows, concat
from rete.layers import Layers
from rete.network import Network
from rete.nodes.base import Stream
from rete.nodes.join import Side
from rete.nodes.terminal import FactTable
from rete.plan import Relation

Told: TypeAlias = Callable[[FactTable, Rows], None]


class LimitReached(Exception):
    """More facts were derived at once than was allowed; another `Agenda.run` would go on."""


class Agenda:
    """Carries deltas from node to node, lowest rank first.

    Nodes never call each other: each is given a delta and returns one. Derived facts enter the
    alpha network again as soon as their table has taken them in, so a recursive component runs
    semi-naively until it is quiet, and what reads its facts comes after it.

    Attributes:
        bound: the frontier in cells; rows that ended there may be forgotten.
        derived: gained facts so far.
        limit: the most facts that one `run` may gain; None: any number.
    """

    def __init__(self, layers: Layers, told: Told, limit: int | None = None) -> None:
        self._layers = layers
        self.bound = NEG_INF
        self.derived = 0
        self.limit = limit
        self._told = told
        self._heap: list[tuple[int, Stream | FactTable]] = []
        self._later: list[tuple[Side, Rows, int]] = []
        for network in layers.networks:
            self.admit(network)

    def admit(self, network: Network, since: int = NEG_INF) -> None:
        """Begin with a network: what needs no fact holds from the cell ``since`` on."""
        always = np.array([[since, POS_INF]], np.int64)
        for unit in network.units:
            self._deliver(unit, always)

    def push(self, relation: Relation, rows: Rows) -> None:
        """Facts of ``relation`` become known, (n, arity + 2), valid times in cells."""
        for stream, found in self._layers.asserted(relation, rows):
            self._deliver(stream, found)

    def repeat(self, network: Network, relation: Relation, rows: Rows) -> None:
        """Facts that the others know become known to ``network``."""
        for stream, found in network.route(relation, rows):
            self._deliver(stream, found)

    def run(self) -> None:
        """Work until nothing is pending. What tables gain is told in the order it is found.

        Raises:
            LimitReached: it goes on beyond the limit.
        """
        heap, later = self._heap, self._later
        most = None if self.limit is None else self.derived + self.limit
        while heap or later:
            if most is not None and self.derived > most:
                message = f"more than {self.limit:,} facts were derived at once"
                raise LimitReached(message)
            if not heap:
                self._probe(*later.pop())
                continue
            _, node = heappop(heap)
            if isinstance(node, Stream):
                self._build(node)
            else:
                gains = node.absorb(self.bound)
                if len(gains):
                    self.derived += len(gains)
                    if node.answers:
                        self._told(node, gains)
                    if node.feeds:
                        for stream, found in self._layers.derived(node, gains):
                            self._deliver(stream, found)

    def _deliver(self, stream: Stream, rows: Rows) -> None:
        """Hand ``rows`` to a stream: at once if it remembers nothing, else when its turn comes."""
        if stream.stem is not None:
            if not stream.pending:
                heappush(self._heap, (stream.rank, stream))
            stream.pending.append(rows)
        else:
            self._pass_on(stream, rows)

    def _build(self, stream: Stream) -> None:
        stem = stream.stem
        assert stem is not None
        pending, stream.pending = stream.pending, []
        gains = stem.absorb(concat(pending), self.bound)
        if not len(gains):
            return
        for side in stream.sides:
            if limit := side.limit(stem.before):
                self._probe(side, gains, limit)
        self._pass_on(stream, gains)

    def _probe(self, side: Side, gains: Rows, limit: int) -> None:
        """Probe with a slice of ``gains``; the rest waits until what that made is taken in."""
        end = side.slice
        pairs = side.probe(gains[:end], limit)
        if end < len(gains):
            self._later.append((side, gains[end:], limit))
        if len(pairs):
            self._deliver(side.output, pairs)

    def _pass_on(self, stream: Stream, rows: Rows) -> None:
        for node in stream.linear:
            out = node.apply(rows)
            if len(out):
                self._deliver(node.output, out)
        for terminal in stream.terminals:
            table = terminal.table
            if not table.pending:
                heappush(self._heap, (table.rank, table))
            table.pending.append((terminal.rule, terminal.facts(rows)))
