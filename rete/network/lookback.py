"""Lookback: how late rows may come to a node, and how long they must be kept.

Asserted facts do not begin before the frontier, unless they come from another shard that derived
them (`Layers.lateness`). An operator of the future makes rows that lie before those it reads:
``DiamondPlus [0,5]`` of a fact that is asserted at 7 holds from 2 on. So on each stream rows may
come that begin up to its *lateness* before the frontier, and what it has is final only up to there.
Where recursion looks ahead there is no such bound: nothing is final.

What a SteM has is needed as long as something may meet it (`Stem.retention`, counted from the end
of a row back from the frontier), which is:

* for a reader that reads a row at its own time, as long as rows of that time may come;
* for an operator that moves rows in time, as its `Plan.retention` says.

Such a probe stops at the next SteM or table. But facts that are retracted are lost whole, the part
before the frontier included, as operators look back on it. So where facts may be retracted, rows
may be lost or gained as long ago as answers depend on them: the times add up along the nesting of
operators, from answers back to asserted facts. In recursion through operators of the past there is
no bound: a fact may depend on all that was there before. With `Layers.retractable` nothing older is
retracted, so that bounds it: no row that ends before that, and the lateness of its stream, is lost,
and times add up only up to the next SteM or table.

An asserted fact is needed as long as the scans that may match it need it; by its predicate, as
patterns differ by that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeAlias

from rete.arrays.delta import POS_INF
from rete.graph.directed_graph import DirectedGraph, feeders_first
from rete.graph.plan import MetricOperator, Plan
from rete.graph.streams import FactTable, Node, Stream
from rete.network.components import dependency_graph
from rete.network.layers import Layers
from rete.nodes.known import Known
from rete.nodes.scan import Scan
from rete.planning.unification import UnificationHub
from rete.storage.base_table import FactRetention
from rete.terms.relations import Relation

_Node: TypeAlias = Node | UnificationHub


class _Losses(NamedTuple):
    """How rows may be lost.

    ``retracts``: facts may be retracted. ``adds_up``: at any time, so that answers from long ago
    change, and the times of all operators between add up.
    """

    retracts: bool
    adds_up: bool


def measure_lookback(layers: Layers) -> None:
    """Set the lateness of all nodes, and the retention of their SteMs.

    All nodes are ranked. Costs what `dependency_graph` does, where there is, or was, a metric
    operator.
    """
    plans = (plan for network in layers.networks for plan in network.streams)
    elsewhere = layers.lateness or layers.needed or layers.retention
    if not elsewhere and not any(map(_looks_back, plans)):
        return
    graph = dependency_graph(layers, layers.networks)
    late = _lateness_of_nodes(graph, layers.lateness)
    retracts, since = layers.base_table is not None, layers.retractable
    changing = late
    if since is not None:  # and what is retracted waits until the answers are final
        changing = _lateness_of_nodes(graph, layers.lateness, since + _final(late))
    losses = _Losses(retracts=retracts, adds_up=retracts and since is None)
    needed = {
        node: min(cells + layers.history, POS_INF)
        for node, cells in _needs_of_nodes(graph, changing, layers.needed, losses).items()
    }
    for node in graph:
        if isinstance(node, Stream):
            node.lateness, node.retention = late[node], needed[node]
            if node.stem is not None:
                node.stem.retention = needed[node]
        elif isinstance(node, FactTable):
            node.lateness = late[node]
            node.facts.retention = needed[node]
            for stem in (*node.by_rule.values(), *node.parked.values()):
                stem.retention = needed[node]
    _keep_in_stores(layers, needed)
    _keep_what_passed(graph)
    layers.retention = max((needed[node] for node in graph), default=0)
    if layers.base_table is not None:
        layers.base_table.retention = layers.retention
        if layers.background is None:  # whose terms may be other ones than those of patterns
            layers.base_table.by_relation = _retention_of_asserted(graph, needed)


def _needs_of_what_passed(needed: Mapping[_Node, int]) -> dict[_Node, int]:
    """Per stream below a `Known` how long its rows are needed above it, where that has an end.

    The graph is cut there, so nothing is added up round a cycle. A rule may leave whose answers are
    looked back on: then those are lost, and with them what led to them and followed from them.
    """
    found: dict[_Node, int] = {}
    for node, cells in needed.items():
        if isinstance(node, Stream) and isinstance(node.plan, Known) and cells < POS_INF:
            (source,) = node.sources
            if cells > found.get(source, needed[source]):
                found[source] = cells
    return found


def _keep_in_stores(layers: Layers, needed: Mapping[_Node, int]) -> None:
    """Let stores keep facts as long as the scan or table that needs them longest."""
    for network in layers.networks:
        for store in network.stores.values():
            tables = [needed[table] for table in network.tables if table.facts is store]
            store.retention = max([*tables, *(view.retention for view in store.views)], default=0)


def _keep_what_passed(graph: DirectedGraph[_Node]) -> None:
    """Let the SteM below a `Known` keep rows as long as what is above asks for them.

    What is below is settled before the clock, so nothing else is asked for there.
    """
    reached: list[_Node] = []
    for node in graph:
        if isinstance(node, Stream) and isinstance(node.plan, Known):
            stem = node.sources[0].stem
            assert stem is not None
            stem.retention = max(stem.retention, node.retention)
            reached.append(node)
    seen = set(reached)
    while reached:
        node = reached.pop()
        if isinstance(node, Stream):
            node.follows_known = True
        for reader in graph.successors[node]:
            if reader not in seen:
                seen.add(reader)
                reached.append(reader)


def _looks_back(plan: Plan) -> bool:
    return isinstance(plan, MetricOperator) or plan.touching > 0


def _retention_of_asserted(
    graph: DirectedGraph[_Node], needed: Mapping[_Node, int]
) -> dict[Relation, FactRetention]:
    """Per relation how long its asserted facts are needed by the scans that may match them."""
    found: dict[Relation, tuple[dict[int, int], list[int]]] = {}
    for node in graph:
        if isinstance(node, Stream) and isinstance(node.plan, Scan):
            relation = node.plan.relation
            by_term, other = found.setdefault(relation, ({}, [0]))
            places = [place for place, _ in node.plan.constants]
            if relation.routing[0] in places:
                term = int(node.constants[places.index(relation.routing[0])])
                by_term[term] = max(by_term.get(term, 0), needed[node])
            else:
                other.append(needed[node])
    return {
        relation: FactRetention.by_term(relation.routing[0], by_term, max(other))
        for relation, (by_term, other) in found.items()
    }


def _lateness_of_nodes(
    graph: DirectedGraph[_Node], asserted: Mapping[Relation, int], least: int = 0
) -> dict[_Node, int]:
    """Per node how many cells before the frontier rows that come there may begin.

    Those of a scan ``asserted`` cells before it, or the ``least``, if that is more.
    """
    late = dict.fromkeys(graph, 0)
    for node in graph:
        if isinstance(node, Stream) and isinstance(node.plan, Scan):
            late[node] = max(asserted.get(node.plan.relation, 0), least)

    def lateness(node: _Node) -> int:
        if isinstance(node, Stream) and node.sources:
            return node.plan.lateness([late[source] for source in node.sources])
        return max((late[before] for before in graph.predecessors[node]), default=0)

    for members in feeders_first(graph):
        _grow(graph.predecessors, members, late, lateness)
    return late


def _final(late: Mapping[_Node, int]) -> int:
    """How many cells behind the frontier the answers are that are not final."""
    tables = (node for node in late if isinstance(node, FactTable) and node.answers)
    return max((late[table] for table in tables), default=0)


def _needs_of_nodes(
    graph: DirectedGraph[_Node],
    late: dict[_Node, int],
    elsewhere: Mapping[Relation, int],
    losses: _Losses,
) -> dict[_Node, int]:
    """Per node how many cells after their end its rows are needed: the longest path, too.

    Answers are final when the last of them is: so long they are needed themselves. Other shards
    may need derived facts longer.
    """
    final = _final(late) if losses.adds_up else 0
    needed = {node: max(late[node], final) for node in graph}
    for node in graph:
        if isinstance(node, FactTable):
            needed[node] = max(needed[node], elsewhere.get(node.relation, 0))

    def need(node: _Node) -> int:
        readers = graph.successors[node]
        wants = (_need(node, reader, late, needed, losses) for reader in readers)
        return max(wants, default=0)

    components = [*reversed(feeders_first(graph))]
    for members in components:
        _grow(graph.successors, members, needed, need)
    passed = _needs_of_what_passed(needed) if losses.adds_up else {}
    if passed:
        needed.update(passed)
        for members in components:
            _grow(graph.successors, members, needed, need)
    return needed


def _need(
    node: _Node, reader: _Node, late: dict[_Node, int], needed: dict[_Node, int], losses: _Losses
) -> int:
    """How many cells after their end rows of ``node`` are needed by ``reader``."""
    if isinstance(reader, FactTable):
        if losses.adds_up:
            return needed[reader]
        return late[reader] if losses.retracts else 0
    if not (isinstance(reader, Stream) and reader.sources):
        return needed[reader]
    own = needed[reader] if losses.adds_up or reader.stem is None else late[reader]
    wants = reader.node.retention(own, retracts=losses.retracts)
    pairs = zip(reader.sources, wants, strict=True)
    touching = late[node] + reader.plan.touching
    return max(touching, *(want for source, want in pairs if source is node))


def _grow(
    before: Mapping[_Node, Collection[_Node]],
    members: set[_Node],
    cells: dict[_Node, int],
    found: Callable[[_Node], int],
) -> None:
    """Raise the ``cells`` of the nodes of a component to what is ``found`` until none is larger.

    What is found for a node follows from the nodes ``before`` it. Each node comes after those, but
    for the edges that close a cycle; so a round carries a value along a path as far as the next of
    these edges. The longest path has at most one to each node that has any. If so many rounds do
    not end it, a cycle makes it longer for ever.
    """
    order = list(members)
    closing = 0
    if len(members) > 1:
        import networkx as nx  # noqa: PLC0415 - for recursion below metric operators alone

        inside = ((one, node) for node in members for one in before[node] if one in members)
        component = nx.DiGraph(inside)
        order = list(nx.dfs_postorder_nodes(component))[::-1]
        places = {node: place for place, node in enumerate(order)}
        closing = sum(
            any(places[one] > places[node] for one in component.predecessors(node))
            for node in order
        )
    for _ in range(closing + 3):
        grown = False
        for node in order:
            larger = min(found(node), POS_INF)
            if larger > cells[node]:
                cells[node] = larger
                grown = True
        if not grown:
            return
    cells.update(dict.fromkeys(members, POS_INF))
