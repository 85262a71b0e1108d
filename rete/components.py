"""The components of all networks: nodes that feed each other, in the order in which they act."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx

from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable
from rete.plan import TRIPLES, AntiJoin, Apply, Filter, Join, Scan, Solve, Unit
from rete.unify import Key, meetings

if TYPE_CHECKING:
    from rete.layers import Layers

Node: TypeAlias = Stream | FactTable


class Component:
    """A strongly connected component of the graph of all nodes.

    What reaches it from others is settled when its turn comes. The *level* of a fact in a table of
    a recursive component counts the rounds that were done when it was derived: it has a derivation
    from facts of lower levels alone, so what is held up by lower levels is not held up by itself.

    Attributes:
        recursive: whether its nodes feed each other.
        minus: the nodes that wait to be told whether they lose what lost a derivation.
    """

    __slots__ = ("minus", "recursive")

    def __init__(self, *, recursive: bool) -> None:
        self.recursive = recursive
        self.minus: dict[Node, None] = {}


def arrange(layers: Layers) -> None:
    """Give every node its component and its rank: what feeds comes before what is fed.

    Linear in the networks, but for the pairs of heads and scans that constants do not tell apart.
    """
    graph = _graph(layers)
    place = {node: number for number, node in enumerate(graph)}
    condensed = nx.condensation(graph)
    rank = 0
    for number in nx.lexicographical_topological_sort(condensed):
        members = condensed.nodes[number]["members"]
        component = Component(recursive=len(members) > 1)
        for node in _inside(graph, members, place):
            node.component = component
            node.rank = rank
            rank += 1
    _keep_levels(layers)
    nodes = [node for node in place if isinstance(node, Stream | FactTable)]
    calm = {node for node in nodes if _calm(node, graph)}
    for node in nodes:
        if isinstance(node, FactTable):
            node.exact = node in calm and _exact_table(node, calm)
        else:
            node.exact = node in calm and _exact(node, calm)


def _keep_levels(layers: Layers) -> None:
    """Let the tables of recursive components keep levels from now on."""
    for network in layers.networks:
        for table in network.tables:
            if table.component.recursive and not table.facts.instances:
                table.facts.keep_levels()


def _calm(node: Node, graph: nx.DiGraph[object]) -> bool:
    """Whether what it is told is lost is lost: neither it nor what feeds it is recursive."""
    before: list[object] = [node]
    while before:
        for each in graph.predecessors(before.pop()):
            if not isinstance(each, Stream | FactTable):
                before.append(each)
            elif each.component.recursive:
                return False
    return not node.component.recursive


def _inside(
    graph: nx.DiGraph[object], members: Iterable[object], place: dict[object, int]
) -> Iterator[Node]:
    """The nodes of a component, the way from scans to tables giving the order."""
    inner = graph.subgraph(members).copy()
    back = [edge for edge in inner.edges if not isinstance(edge[0], Stream)]
    inner.remove_edges_from(back)
    for node in nx.lexicographical_topological_sort(inner, key=place.__getitem__):
        if isinstance(node, Stream | FactTable):
            yield node


def _graph(layers: Layers) -> nx.DiGraph[object]:
    graph: nx.DiGraph[object] = nx.DiGraph()
    for network in layers.networks:
        for stream in network.streams.values():
            graph.add_node(stream)
            graph.add_edges_from((source, stream) for source in stream.sources)
            graph.add_edges_from((stream, terminal.table) for terminal in stream.terminals)
        graph.add_nodes_from(network.tables)  # some may be fed no longer
    graph.add_edges_from(_feedback(layers))
    return graph


def _feedback(layers: Layers) -> Iterator[tuple[object, object]]:
    """Which tables may derive what which scans match, through a node of its own for many."""
    for network in layers.networks:
        scans: dict[object, list[tuple[Key, Stream]]] = {}
        for plan, stream in network.streams.items():
            if isinstance(plan, Scan):
                scans.setdefault(plan.relation, []).append((plan.key, stream))
        for relation, fed in scans.items():
            tables = [
                table
                for table in dict.fromkeys(t for each in layers.networks for t in each.tables)
                if table.relation == relation and layers.reaches(table, network)
            ]
            heads = {(head.key, table): None for table in tables for _, head in table.heads}
            if relation == TRIPLES and layers.same:  # then a constant matches other terms too
                nothing = (None,) * TRIPLES.arity
                heads = {(nothing, table): None for table in tables}
            for some, others in meetings(heads, fed):
                if len(some) * len(others) < len(some) + len(others) + 8:
                    yield from product(some, others)
                else:
                    meeting = object()
                    yield from ((table, meeting) for table in some)
                    yield from ((meeting, stream) for stream in others)


def _exact_table(table: FactTable, calm: set[Node]) -> bool:
    """Whether each of its facts has one derivation."""
    if len(table.feeders) != 1:
        return False
    stream, terminal = table.feeders[0]
    return terminal.tells_apart(stream.plan.width) and _source_is_exact(stream, calm)


def _source_is_exact(stream: Stream, calm: set[Node]) -> bool:
    return stream in calm and (stream.stem is not None or _exact(stream, calm))


def _exact(stream: Stream, calm: set[Node]) -> bool:
    """Whether each of its rows has one derivation, so that what loses it is lost."""
    plan = stream.plan
    match plan:
        case Unit():
            return True
        case Scan():
            told = {*plan.keep, *(place for place, _ in plan.constants)}
            for left, right in plan.equal:
                told |= {left, right} if told & {left, right} else set()
            return len(told) == plan.relation.arity
        case Join():
            lefts = {c for c in plan.keep if c >= 0}
            rights = {~c for c in plan.keep if c < 0}
            lefts |= {mine for mine, theirs in plan.on if theirs in rights}
            rights |= {theirs for mine, theirs in plan.on if mine in lefts}
            whole = len(lefts) == plan.left.width and len(rights) == plan.right.width
            return whole and all(source in calm for source in stream.sources)
        case AntiJoin():
            return False
        case Filter() | Apply() | Solve():
            told = set(plan.keep)
            return len(told) == plan.source.width and _source_is_exact(stream.sources[0], calm)
