"""Directed graphs of what feeds what, and their strongly connected components.

Every start of a network asks for these. All else that is asked of a graph is for the few: networkx
answers it, from `as_networkx`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import networkx as nx

N = TypeVar("N", bound=Hashable)


class DirectedGraph(Generic[N]):
    """Nodes and edges, each once, in the order in which they were added."""

    __slots__ = ("predecessors", "successors")

    def __init__(self) -> None:
        self.successors: dict[N, dict[N, None]] = {}
        self.predecessors: dict[N, dict[N, None]] = {}

    def __iter__(self) -> Iterator[N]:
        return iter(self.successors)

    def __len__(self) -> int:
        return len(self.successors)

    def add_nodes(self, nodes: Iterable[N]) -> None:
        """Add what is no node yet."""
        for node in nodes:
            self.successors.setdefault(node, {})
            self.predecessors.setdefault(node, {})

    def add_edges(self, edges: Iterable[tuple[N, N]]) -> None:
        """Add edges, and their nodes."""
        for source, target in edges:
            self.add_nodes((source, target))
            self.successors[source][target] = None
            self.predecessors[target][source] = None

    def edges(self) -> Iterator[tuple[N, N]]:
        """All edges, by their sources."""
        for source, targets in self.successors.items():
            for target in targets:
                yield source, target

    def as_networkx(self) -> nx.DiGraph[N]:
        """The same graph, for whatever else is asked of it."""
        import networkx as nx  # noqa: PLC0415 - takes longer to import than all of R4's rete

        graph: nx.DiGraph[N] = nx.DiGraph()
        graph.add_nodes_from(self)
        graph.add_edges_from(self.edges())
        return graph


def feeders_first(graph: DirectedGraph[N]) -> list[set[N]]:
    """The strongly connected components of a graph, each after those that feed it. Linear."""
    # The algorithm goes depth first, so it finds a component before those that feed it.
    return list(reversed(list(_strong_components(graph))))


def number_components(components: Iterable[Iterable[N]]) -> dict[N, int]:
    """Per node the number of its component, from 0."""
    return {node: number for number, nodes in enumerate(components) for node in nodes}


def _strong_components(graph: DirectedGraph[N]) -> Iterator[set[N]]:
    """The components, each after those that it feeds [Tarjan72].

    A node is numbered when it is reached. The least number that is reached from it by way of nodes
    of no finished component is its own iff it is the first of its component.
    """
    reached: dict[N, int] = {}
    least: dict[N, int] = {}
    finished: set[N] = set()
    unfinished: list[N] = []
    for start in graph:
        if start in reached:
            continue
        reached[start] = least[start] = len(reached)
        unfinished.append(start)
        path = [(start, iter(graph.successors[start]))]
        while path:
            node, ahead = path[-1]
            for target in ahead:
                if target not in reached:
                    reached[target] = least[target] = len(reached)
                    unfinished.append(target)
                    path.append((target, iter(graph.successors[target])))
                    break
                if target not in finished:
                    least[node] = min(least[node], reached[target])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    least[before] = min(least[before], least[node])
                if least[node] == reached[node]:
                    component = {unfinished.pop()}
                    while node not in component:
                        component.add(unfinished.pop())
                    finished |= component
                    yield component
