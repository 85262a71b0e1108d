"""Where the nodes of a layered picture stand [Sugiyama81].

Nodes stand in columns, one a layer; what has no source is in the first one, and a node is as near
to it as its sources allow. An edge that spans several columns runs through each of them at a
height of its own, so that it crosses no box; all edges of one source share that way, its *trunk*.
The order within a column comes from barycentres, heights from least squares.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import networkx as nx

Vertex: TypeAlias = tuple[int, int]
"""A node and a layer: its own, or a later one that its trunk runs through."""
Columns: TypeAlias = list[list[Vertex]]

_GAPS: Final = {(True, True): 28.0, (False, True): 20.0, (True, False): 10.0, (False, False): 9.0}
"""Least distances: between boxes, of a trunk above a box (where its marks are), of one below, and
between trunks."""
_WORK: Final = 400_000
"""So many links are looked at, all sweeps together: a thousand nodes take about a second."""
_SWEEPS: Final = 40
_STRAIGHTENINGS: Final = 2
_STRAIGHT: Final = 4.0
"""What it costs to bend a trunk, where a bend between two boxes costs 1."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Places, in the unit of the sizes; heights are counted from 0 at the top.

    Attributes:
        layers: per node its column, from 0.
        middles: per vertex its height: of a node that of its middle, of a trunk that of the line.
        widths: per column that of its widest node.
        steepest: per column but the last the greatest rise of a link to the next one.
    """

    layers: Mapping[int, int]
    middles: Mapping[Vertex, float]
    widths: tuple[float, ...]
    steepest: tuple[float, ...]
    height: float

    def way(self, source: int, target: int) -> list[Vertex]:
        """The vertices that an edge runs through, its ends included."""
        return _way(self.layers, source, target)


def _way(layers: Mapping[int, int], source: int, target: int) -> list[Vertex]:
    first, last = layers[source], layers[target]
    return [*((source, layer) for layer in range(first, last)), (target, last)]


def arrange_columns(
    sizes: Mapping[int, tuple[float, float]],
    edges: Iterable[tuple[int, int]],
    last: Collection[int] = (),
) -> Layout:
    """The layout of an acyclic graph.

    Args:
        sizes: width and height of each node, in the order of preference from top to bottom.
        edges: from source to target.
        last: nodes without outgoing edge that stand together in the last column.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(sizes)
    graph.add_edges_from(edges)
    layers = _layers(graph, last)
    links = _links(graph, layers)
    columns = _ordered(sizes, layers, links)
    heights = {
        (node, layer): sizes[node][1] if layers[node] == layer else 0.0
        for column in columns
        for node, layer in column
    }
    middles = _settled(columns, links, heights)
    widths = [0.0] * len(columns)
    for node, layer in layers.items():
        widths[layer] = max(widths[layer], sizes[node][0])
    steepest = [0.0] * max(0, len(columns) - 1)
    for source, target in links.pairs:
        rise = abs(middles[source] - middles[target])
        steepest[source[1]] = max(steepest[source[1]], rise)
    bottom = max((middles[v] + heights[v] / 2 for v in middles), default=0.0)
    return Layout(layers, middles, tuple(widths), tuple(steepest), bottom)


def _layers(graph: nx.DiGraph[int], last: Collection[int]) -> dict[int, int]:
    layers = {
        node: layer
        for layer, generation in enumerate(nx.topological_generations(graph))
        for node in generation
    }
    if last:
        others = [layer for node, layer in layers.items() if node not in last]
        layers.update(dict.fromkeys(last, max(others, default=-1) + 1))
    return layers


@dataclass(frozen=True, slots=True)
class _Links:
    """Lines between neighbouring columns."""

    pairs: tuple[tuple[Vertex, Vertex], ...]
    before: Mapping[Vertex, Sequence[Vertex]]
    after: Mapping[Vertex, Sequence[Vertex]]


def _links(graph: nx.DiGraph[int], layers: Mapping[int, int]) -> _Links:
    pairs: dict[tuple[Vertex, Vertex], None] = {}
    for source, target in graph.edges:
        pairs.update(dict.fromkeys(pairwise(_way(layers, source, target))))
    before: dict[Vertex, list[Vertex]] = defaultdict(list)
    after: dict[Vertex, list[Vertex]] = defaultdict(list)
    for a, b in pairs:
        after[a].append(b)
        before[b].append(a)
    return _Links(tuple(pairs), before, after)


# Order


def _ordered(sizes: Iterable[int], layers: Mapping[int, int], links: _Links) -> Columns:
    """Columns with few crossings: sweeps to and fro, each column by the means of the one before."""
    columns: Columns = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for node in sizes:
        columns[layers[node]].append((node, layers[node]))
    for _, (node, layer) in links.pairs:
        if layers[node] != layer:
            columns[layer].append((node, layer))
    columns = [list(dict.fromkeys(column)) for column in columns]
    best, fewest = columns, _crossings(columns, links)
    for sweep in range(_sweeps(links)):
        columns = [list(column) for column in columns]
        forward = sweep % 2 == 0
        order = range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1)
        for i in order:
            near = columns[i - 1] if forward else columns[i + 1]
            _sort_by_means(columns[i], near, links.before if forward else links.after)
        crossings = _crossings(columns, links)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _sort_by_means(
    column: list[Vertex], near: list[Vertex], links: Mapping[Vertex, Sequence[Vertex]]
) -> None:
    """Sort by the mean place of the neighbours; who has none keeps its share of the height."""
    place = {vertex: i for i, vertex in enumerate(near)}
    scale = len(near) / max(1, len(column))
    means: dict[Vertex, float] = {}
    for i, vertex in enumerate(column):
        places = [place[other] for other in links.get(vertex, ())]
        means[vertex] = sum(places) / len(places) if places else i * scale
    column.sort(key=means.__getitem__)


def _crossings(columns: Columns, links: _Links) -> int:
    count = 0
    for left, right in pairwise(columns):
        place = {vertex: i for i, vertex in enumerate(right)}
        met: list[int] = []
        for vertex in left:
            ends = sorted(place[other] for other in links.after.get(vertex, ()))
            count += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return count


def _sweeps(links: _Links) -> int:
    return max(4, min(_SWEEPS, _WORK // (len(links.pairs) + 1)))


# Heights


def _settled(
    columns: Columns, links: _Links, heights: Mapping[Vertex, float]
) -> dict[Vertex, float]:
    """Heights that keep the order and the gaps, and bend lines little."""
    middles: dict[Vertex, float] = {}
    offsets = [_offsets(column, heights) for column in columns]
    for column, places in zip(columns, offsets, strict=True):
        middles.update(zip(column, places, strict=True))
    everywhere = range(len(columns))
    both = {v: [*links.before.get(v, ()), *links.after.get(v, ())] for v in middles}
    for sweep in range(_sweeps(links)):
        order = everywhere if sweep % 2 == 0 else reversed(everywhere)
        _pull(columns, order, both, offsets, middles)
    # Two bends near the targets are better than a little one in every column.
    for _ in range(_STRAIGHTENINGS):
        _pull(columns, everywhere[1:], links.before, offsets, middles)
    _close_up(columns, offsets, links, heights, middles)
    return middles


def _pull(
    columns: Columns,
    order: Iterable[int],
    near: Mapping[Vertex, Sequence[Vertex]],
    offsets: Sequence[Sequence[float]],
    middles: dict[Vertex, float],
) -> None:
    """Bring each vertex to the mean of those ``near`` it, as far as its column allows."""
    for i in order:
        wanted = []
        weights = []
        for vertex in columns[i]:
            total = pulled = 0.0
            for other in near.get(vertex, ()):
                pull = _STRAIGHT if other[0] == vertex[0] else 1.0
                total += pull
                pulled += pull * middles[other]
            wanted.append(pulled / total if total else middles[vertex])
            weights.append(total or 1.0)
        _place(columns[i], wanted, weights, offsets[i], middles)


def _offsets(column: Sequence[Vertex], heights: Mapping[Vertex, float]) -> list[float]:
    """The heights of a column without any room to spare."""
    offset = 0.0
    offsets = []
    for i, vertex in enumerate(column):
        below = heights[vertex]
        if i:
            above = heights[column[i - 1]]
            offset += (above + below) / 2 + _GAPS[bool(above), bool(below)]
        offsets.append(offset)
    return offsets


def _close_up(
    columns: Columns,
    offsets: Sequence[Sequence[float]],
    links: _Links,
    heights: Mapping[Vertex, float],
    middles: dict[Vertex, float],
) -> None:
    """Move each connected part up, as far as there is room, the highest first.

    Nothing is moved down: where parts interleave, that would push one into another.
    """
    graph: nx.Graph[Vertex] = nx.Graph(links.pairs)
    graph.add_nodes_from(middles)
    part = {v: i for i, vertices in enumerate(nx.connected_components(graph)) for v in vertices}
    slots: dict[int, list[tuple[Vertex, Vertex | None, float]]] = defaultdict(list)
    for column, places in zip(columns, offsets, strict=True):
        for i, vertex in enumerate(column):
            above = column[i - 1] if i else None
            distance = places[i] - places[i - 1] if i else heights[vertex] / 2
            if above is None or part[above] != part[vertex]:
                slots[part[vertex]].append((vertex, above, distance))
    members: dict[int, list[Vertex]] = defaultdict(list)
    for vertex, number in part.items():
        members[number].append(vertex)
    top = min((middles[v] - heights[v] / 2 for v in middles), default=0.0)
    for vertex in middles:
        middles[vertex] -= top
    for number in sorted(members, key=lambda n: min(middles[v] for v in members[n])):
        room = min(
            middles[v] - distance - (0.0 if above is None else middles[above])
            for v, above, distance in slots[number]
        )
        for vertex in members[number]:
            middles[vertex] -= room


def _place(
    column: Sequence[Vertex],
    wanted: Sequence[float],
    weights: Sequence[float],
    offsets: Sequence[float],
    middles: dict[Vertex, float],
) -> None:
    """The heights nearest to ``wanted`` that keep the distances of ``offsets``, by least squares.

    Without the offsets this is isotonic regression: pool adjacent violators. Linear.
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        mean, total, many = want - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, more, count = blocks.pop()
            mean = (mean * total + other * more) / (total + more)
            total += more
            many += count
        blocks.append((mean, total, many))
    i = 0
    for mean, _, many in blocks:
        for _ in range(many):
            middles[column[i]] = mean + offsets[i]
            i += 1
