"""The dependency graph of nodes: from scans to tables, and back to the scans their facts may match.

An edge from a table to a scan says that a fact of the table may match the scan, as far as the
constants of heads and patterns tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, product

from rete.graph.directed_graph import DirectedGraph
from rete.graph.streams import FactTable, Node, Stream
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.planning.unification import ConstantPattern, unifiable_groups
from rete.terms.relations import Relation


class UnificationHub:
    """All tables before it feed all scans after it: fewer edges than one for each pair."""

    __slots__ = ()


def dependency_graph(
    layers: Layers, networks: Sequence[Network]
) -> DirectedGraph[Node | UnificationHub]:
    """The graph of ``networks``, which are among those of ``layers``.

    Linear in the nodes, times the different sets of places of constants; see `unifiable_groups`.
    """
    graph: DirectedGraph[Node | UnificationHub] = DirectedGraph()
    for network in networks:
        graph.add_nodes(network.streams.values())
        graph.add_nodes(network.tables)
        graph.add_edges(_forward_edges(network))
    graph.add_edges(_edges_to_scans(layers, networks))
    return graph


def positions_of_nodes(networks: Sequence[Network]) -> dict[Node, int]:
    """Where each node stands on the way from scans to tables, in the order of ``networks``.

    Streams stand as they were built, each after its sources, and a table after all that feed it.
    """
    number = count()
    place: dict[Node, int] = {}
    for network in networks:
        place.update(zip(network.tables, number, strict=False))  # some may have no feeder left
        for stream in network.streams.values():
            place[stream] = next(number)
            for terminal in stream.terminals:
                place[terminal.table] = next(number)
    return place


def _forward_edges(network: Network) -> Iterator[tuple[Stream, Node]]:
    for stream in network.streams.values():
        for source in stream.sources:
            yield source, stream
        for terminal in stream.terminals:
            yield stream, terminal.table


def _edges_to_scans(
    layers: Layers, networks: Sequence[Network]
) -> Iterator[tuple[FactTable | UnificationHub, UnificationHub | Stream]]:
    """Which tables may derive what which scans match.

    Where equal terms have one representative, more may match than constants tell; but then the
    background repeats facts for them by rules that everything feeds and that feed everything.
    """
    tables: dict[Relation, dict[FactTable, None]] = {}
    for network in networks:
        for table in network.tables:
            tables.setdefault(table.relation, {})[table] = None
    for network in networks:
        scans: dict[Relation, list[tuple[ConstantPattern, Stream]]] = {}
        for plan, stream in network.streams.items():
            if isinstance(plan, Scan):
                scans.setdefault(plan.relation, []).append((plan.key, stream))
        for relation, asking in scans.items():
            heads = {
                (head.key, table): None
                for table in tables.get(relation, ())
                if layers.reaches(table, network)
                for _, head in table.heads
            }
            for some, others in unifiable_groups(heads, asking):
                if len(some) * len(others) <= len(some) + len(others):
                    yield from product(some, others)
                else:
                    hub = UnificationHub()
                    yield from ((table, hub) for table in some)
                    yield from ((hub, stream) for stream in others)
