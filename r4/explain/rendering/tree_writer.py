"""A proof tree as lines of text and as values for JSON, in whatever language nodes are written."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from r4.explain.explanation import DerivedNode, InnerNode, OperatorNode, TreeNode
from r4.explain.rendering.grouping import Shown
from rete.drawing.export import Json
from rete.drawing.text_tree import tree_lines

DEEPEST: Final = 100
"""Levels of a tree in JSON; what is deeper is a tree of its own, as many readers recurse."""


def tree_text(
    root: TreeNode,
    line: Callable[[Shown, Shown | None], str],
    below: Callable[[Shown, int], Sequence[Shown]],
    reasons: Callable[[Shown], Hashable | None],
) -> Iterator[str]:
    """The root, and beneath it the tree.

    ``line`` gives a node, with one above it that has the same ``reasons`` below it, if there is;
    ``below`` what is shown below a node at a level, of which the root is 0; ``reasons`` a key.
    """
    explained: dict[Hashable, Shown] = {}

    def show(node: Shown, level: int) -> tuple[str, Sequence[Shown]]:
        key = reasons(node)
        like = None if key is None else explained.get(key)
        if key is not None and like is None:
            explained[key] = node
        return line(node, like), below(node, level) if like is None else ()

    first, others = show(root, 0)
    yield first
    yield from tree_lines(others, show)


def tree_values(root: TreeNode, write: Callable[[TreeNode], dict[str, Json]]) -> dict[str, Json]:
    """The tree at the key ``proof``; at ``continued`` the nodes that are too deep for it.

    ``write`` gives a node without those below it.
    """
    deeper: deque[InnerNode] = deque()
    explained: set[int] = set()

    def show(node: TreeNode, depth: int) -> Json:
        value = write(node)
        if not isinstance(node, InnerNode):
            return value
        marked = isinstance(node, DerivedNode | OperatorNode) and node.again
        if marked or (node.children and id(node) in explained):
            return value | {"again": True}
        if depth == DEEPEST:
            deeper.append(node)
            return value | {"again": True}
        explained.add(id(node))
        return value | {"because": [show(each, depth + 1) for each in node.children]}

    found: dict[str, Json] = {"proof": show(root, 0)}
    if deeper:
        found["continued"] = continued = list[Json]()
        while deeper:
            continued.append(show(deeper.popleft(), 0))
    return found
