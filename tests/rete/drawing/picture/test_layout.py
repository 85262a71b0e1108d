"""Boxes are laid out in columns, without overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rete.drawing.picture.layout import Layout, arrange_columns


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[int, tuple[float, float]], list[tuple[int, int]]]:
    count = draw(st.integers(0, 14))
    sides = st.floats(10, 80)
    sizes = {node: (draw(sides), draw(sides)) for node in range(count)}
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    return sizes, draw(st.lists(st.sampled_from(pairs), max_size=25)) if pairs else []


def columns_of(layout: Layout) -> list[list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for vertex in sorted(layout.middles, key=layout.middles.__getitem__):
        found.setdefault(vertex[1], []).append(vertex)
    return [found[layer] for layer in sorted(found)]


SIZES = dict.fromkeys(range(11), (10.0, 10.0)) | {0: (10.0, 53.0), 3: (10.0, 29.0)}


@given(graphs())
@example((SIZES, [(0, 1), (1, 4), (3, 4), (4, 6)]))
def test_nothing_of_a_column_overlaps(
    graph: tuple[dict[int, tuple[float, float]], list[tuple[int, int]]],
) -> None:
    sizes, edges = graph
    ends = set(sizes) - {source for source, _ in edges}
    layout = arrange_columns(sizes, edges, ends)

    def half(vertex: tuple[int, int]) -> float:
        node, layer = vertex
        return sizes[node][1] / 2 if layout.layers[node] == layer else 0.0

    for column in columns_of(layout):
        for above, under in pairwise(column):
            room = layout.middles[under] - layout.middles[above] - half(above) - half(under)
            assert room > 8.9
    assert all(layout.layers[a] < layout.layers[b] for a, b in edges)
    assert len({layout.layers[node] for node in ends}) <= 1
    for source, target in edges:
        way = layout.way(source, target)
        assert all(vertex in layout.middles for vertex in way)
        assert [layer for _, layer in way] == list(
            range(layout.layers[source], layout.layers[target] + 1)
        )
    assert all(
        -1e-6 <= layout.middles[v] - half(v) <= layout.middles[v] + half(v) <= layout.height + 1e-6
        for v in layout.middles
    )


def test_parts_that_have_nothing_in_common_stand_close() -> None:
    sizes = dict.fromkeys(range(40), (50.0, 20.0))
    edges = [(0, 1)] + [(a, a + 1) for a in range(2, 39, 2)]
    layout = arrange_columns(sizes, edges)
    assert layout.height == pytest.approx(20 * 20 + 19 * 28, abs=1)


def test_a_chain_is_a_straight_line() -> None:
    layout = arrange_columns(dict.fromkeys(range(5), (50.0, 20.0)), [(n, n + 1) for n in range(4)])
    assert len(set(layout.middles.values())) == 1
