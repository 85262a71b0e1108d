"""Lookback: how late rows may come to a node, and how long they must be kept.

Asserted facts do not begin before the frontier, unless they come from another shard that derived
them (`Layers.lateness`). An operator of the future makes rows that lie before those it reads:
``DiamondPlus [0,5]`` of a fact that is asserted at 7 holds from 2 on. So on each stream rows may
come that begin up to its *lateness* before the frontier, and what it has is final only up to there.
Where recursion looks ahead there is no such bound: nothing is final.

What a SteM has is needed as long as something may meet it (`Stem.retention`, counted from the end
of a row back from the frontier), which is:

* for a reader that reads a row at its own time, as long as rows of that time may come; if facts may
  be retracted, as long as facts of that time may be lost that are derived from it;
* for an operator that moves rows in time, as its `Plan.retention` says.

Such a probe stops at the next SteM or table, so these times add up along the nesting of operators
only as far as that, and nowhere in recursion.
"""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx

from rete.arrays.delta import POS_INF
from rete.graph.plan import MetricOperator
from rete.graph.streams import FactTable, Node, Stream
from rete.network.dependency_graph import UnificationHub, dependency_graph
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.planning.strata import feeders_first
from rete.terms.relations import Relation


def measure_lookback(layers: Layers) -> None:
    """Set the lateness of all nodes, and the retention of their SteMs.

    All nodes are ranked. Costs what `dependency_graph` does, where there is a metric operator.
    """
    plans = (plan for network in layers.networks for plan in network.streams)
    if not layers.lateness and not any(isinstance(plan, MetricOperator) for plan in plans):
        return
    graph = dependency_graph(layers, layers.networks)
    late = _lateness_of_nodes(graph, layers.lateness)
    needed = {node: late[node] for node in graph}
    for network in layers.networks:
        _add_needs(network, late, needed, retracts=layers.base_table is not None)
    needed = {node: min(cells + layers.history, POS_INF) for node, cells in needed.items()}
    longest = 0
    for node in graph:
        if isinstance(node, Stream):
            node.lateness = late[node]
            longest = max(longest, needed[node])
            if node.stem is not None:
                node.stem.retention = needed[node]
        elif isinstance(node, FactTable):
            node.lateness = late[node]
            scans = [needed[stream] for stream in _fed_scans(graph, node)]
            node.facts.retention = max([needed[node], *scans])
            for stem in node.by_rule.values():
                stem.retention = min(late[node] + layers.history, POS_INF)
            for stem in node.parked.values():
                stem.retention = node.facts.retention
    if layers.base_table is not None:
        layers.base_table.retention = longest
    layers.retention = longest


def _lateness_of_nodes(
    graph: nx.DiGraph[Node | UnificationHub], asserted: Mapping[Relation, int]
) -> dict[Node | UnificationHub, int]:
    """Per node how many cells before the frontier rows that come there may begin.

    The longest path, as in the algorithm of Bellman and Ford: so many rounds as a component has
    nodes find it, unless a cycle makes it longer for ever. Costs that many visits of each, at most.
    """
    late = dict.fromkeys(graph, 0)
    for node in graph:
        if isinstance(node, Stream) and isinstance(node.plan, Scan):
            late[node] = asserted.get(node.plan.relation, 0)
    for members in feeders_first(graph):
        rounds = 0
        while _is_later(graph, members, late):
            rounds += 1
            if rounds > len(members):
                late.update(dict.fromkeys(members, POS_INF))
                break
    return late


def _is_later(
    graph: nx.DiGraph[Node | UnificationHub],
    members: set[Node | UnificationHub],
    late: dict[Node | UnificationHub, int],
) -> bool:
    """Whether a round through ``members`` has made the lateness of some of them greater."""
    grown = False
    for node in members:
        if isinstance(node, Stream) and node.sources:
            found = min(node.plan.lateness([late[source] for source in node.sources]), POS_INF)
        else:
            found = max((late[before] for before in graph.predecessors(node)), default=0)
        if found > late[node]:
            late[node] = found
            grown = True
    return grown


def _add_needs(
    network: Network,
    late: dict[Node | UnificationHub, int],
    needed: dict[Node | UnificationHub, int],
    *,
    retracts: bool,
) -> None:
    """Raise the cells that the rows of each stream are ``needed`` to what its readers need."""
    for stream in reversed(network.streams.values()):
        if retracts:  # what a table loses late may have other derivations
            tables = (late[terminal.table] for terminal in stream.terminals)
            needed[stream] = max([needed[stream], *tables])
        own = late[stream] if stream.stem is not None else needed[stream]
        wants = stream.plan.retention(own, retracts=retracts)
        for source, want in zip(stream.sources, wants, strict=True):
            needed[source] = min(max(needed[source], want), POS_INF)


def _fed_scans(graph: nx.DiGraph[Node | UnificationHub], table: FactTable) -> list[Stream]:
    """The scans that are shown the facts of ``table``."""
    found: list[Stream] = []
    for node in graph.successors(table):
        streams = graph.successors(node) if isinstance(node, UnificationHub) else [node]
        found += (stream for stream in streams if isinstance(stream, Stream))
    return found
