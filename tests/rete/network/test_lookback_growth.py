"""How long rows are needed in a cycle of nodes: as by rounds over all nodes, in fewer of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import networkx as nx
import pytest

from rete.arrays.delta import POS_INF
from rete.network import lookback

ENDLESS = POS_INF - 1000
"""What cycles lengthen for ever may then be shortened by a few cells."""


def by_rounds(
    members: set[int], cells: dict[int, int], found: Callable[[int], int]
) -> dict[int, int]:
    """As in the algorithm of Bellman and Ford: as many rounds as there are nodes, and one more."""
    for _ in range(len(members) + 1):
        larger = {node: min(max(found(node), cells[node]), POS_INF) for node in sorted(members)}
        if all(cells[node] == larger[node] for node in members):
            return cells
        cells.update(larger)
    return {**cells, **dict.fromkeys(members, POS_INF)}


@pytest.mark.parametrize("first", range(0, 2000, 500))
def test_nodes_grow_to_the_same_in_few_rounds(first: int) -> None:
    endless = 0
    for seed in range(first, first + 500):
        random = Random(seed)  # noqa: S311 - cases that are always the same
        count = random.randint(1, 9)
        graph: nx.DiGraph = nx.DiGraph()
        graph.add_nodes_from(range(count))
        for _ in range(random.randint(0, 3 * count)):
            edge = random.randrange(count), random.randrange(count)
            graph.add_edge(*edge, by=random.choice((0, 0, 0, 1, 3, -1, -4)))
        start = {node: random.choice((0, 0, 1, 7)) for node in graph}
        found = grown(graph, start, lookback._grow)
        expected = grown(graph, start, None)
        assert found == expected
        endless += max(expected.values()) == POS_INF
    assert 150 < endless < 350


def grown(graph: nx.DiGraph, start: dict[int, int], grow) -> dict[int, int]:
    cells = dict(start)

    def found(node: int) -> int:
        sources = graph.predecessors(node)
        return max((max(0, cells[s] + graph.edges[s, node]["by"]) for s in sources), default=0)

    for members in list(nx.strongly_connected_components(graph))[::-1]:
        if grow is None:
            cells.update(by_rounds(members, cells, found))
        else:
            grow(graph.pred, members, cells, found)
    return {node: POS_INF if many > ENDLESS else many for node, many in cells.items()}
