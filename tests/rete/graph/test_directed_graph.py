"""Strongly connected components, as networkx finds them."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from rete.graph.directed_graph import DirectedGraph, feeders_first, number_components

EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


@given(st.sets(st.integers(0, 14)), EDGES)
def test_components_are_those_of_networkx_in_its_order(
    nodes: set[int], edges: list[tuple[int, int]]
) -> None:
    graph: DirectedGraph[int] = DirectedGraph()
    graph.add_nodes(nodes)
    graph.add_edges(edges)
    other: nx.DiGraph[int] = nx.DiGraph()
    other.add_nodes_from(nodes)
    other.add_edges_from(edges)
    assert [*graph] == [*other]
    assert {*graph.edges()} == {*graph.as_networkx().edges} == {*other.edges}
    components = feeders_first(graph)
    assert components[::-1] == [*nx.strongly_connected_components(other)]
    number = number_components(components)
    assert all(number[source] <= number[target] for source, target in edges)


def test_a_long_path_needs_no_deep_recursion() -> None:
    graph: DirectedGraph[int] = DirectedGraph()
    graph.add_edges((number, number + 1) for number in range(20_000))
    assert feeders_first(graph) == [{number} for number in range(20_001)]
