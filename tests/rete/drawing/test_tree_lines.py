"""A tree as lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from rete.drawing.tree_lines import tree_lines


def test_each_node_is_drawn_beneath_that_above_it() -> None:
    below = {"a": ["b", "c"], "b": ["d"]}
    lines = tree_lines(["a", "e"], lambda node, level: (f"{node} {level}", below.get(node, ())))
    assert list(lines) == ["├─ a 1", "│  ├─ b 2", "│  │  └─ d 3", "│  └─ c 2", "└─ e 1"]


def test_a_tree_may_be_deeper_than_a_recursion() -> None:
    def show(node: int, level: int) -> tuple[str, Iterator[int]]:
        return str(level), iter([node + 1] if node < 5000 else [])

    last = [line for line, _ in zip(tree_lines([0], show), count(), strict=False)][-1]
    assert last.endswith("└─ 5001")
