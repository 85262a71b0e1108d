"""A tree as lines for a terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node")


def tree_lines(
    roots: Iterable[Node], show: Callable[[Node, int], tuple[str, Iterable[Node]]]
) -> Iterator[str]:
    """``├─ a``, ``│  └─ b``: each node beneath that above it. No recursion, as trees may be deep.

    ``show`` gives the line of a node at a level, from 1, and the nodes below it. It is called in
    the order of the lines.
    """
    stack = [("", deque(roots))]
    while stack:
        indent, rest = stack[-1]
        if not rest:
            stack.pop()
            continue
        line, below = show(rest.popleft(), len(stack))
        yield f"{indent}{'├─' if rest else '└─'} {line}"
        stack.append((f"{indent}{'│  ' if rest else '   '}", deque(below)))
