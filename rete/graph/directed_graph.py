"""Directed graphs of what feeds what, and their strongly connected components.

Every start of a network asks for these. All else that is asked of a graph is for the few: networkx
answers it, from `as_networkx`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from rif.syntax.strong_components import strong_components

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
    return list(reversed(list(strong_components(graph.successors))))


def number_components(components: Iterable[Iterable[N]]) -> dict[N, int]:
    """Per node the number of its component, from 0."""
    return {node: number for number, nodes in enumerate(components) for node in nodes}
