"""An explanation as a picture in SVG: what is asserted on the left, what follows on the right.

Each fact is in one box, however often it is used, with those of the same key. A colour
is a rule, as in the picture of a network.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from r4.explain.explanation import (
    AssertedNode,
    BuiltinNode,
    DerivedNode,
    Explanation,
    InnerNode,
    ProofTree,
    TreeNode,
)
from r4.explain.rendering.grouping import Omission, Shown, instance_key, leaf_key, shown_children
from r4.explain.rendering.phrases import Phrases
from r4.explain.rendering.picture_boxes import make_box
from r4.explain.rendering.prefixes import with_prefixes
from r4.explain.rendering.text import TextWriter
from r4.time.ticks import StampFormat
from rete.drawing.names import Names
from rete.drawing.picture.boxes import Box
from rete.drawing.picture.proof_sheet import Edge, ProofSheet


def as_svg(found: Explanation, names: Names, clock: StampFormat) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    names, new = with_prefixes(found, names)
    lines = TextWriter(names, clock)
    sheet = ProofSheet(lines.head(found))
    titled = [(lines.title(found, i, tree), tree) for i, tree in enumerate(found.trees, 1)]
    if found.last is not None:
        titled.append((lines.title_of_last(found.last), found.last))
    for title, tree in titled:
        sheet.add_tree(title, *_boxes_of(tree, lines.phrases))
    for prefix, iri in new:
        if any(f"{prefix}:" in part for part in sheet.parts):
            sheet.add_note(f"{prefix}: is short for {iri}")
    return sheet.svg()


def _boxes_of(tree: ProofTree, phrases: Phrases) -> tuple[dict[int, Box], list[Edge]]:
    """The boxes of a tree by number, and the edges between them."""
    groups, edges = _box_groups(tree)
    numbers = {key: number for number, key in enumerate(groups)}
    boxes = {numbers[key]: make_box(nodes, phrases) for key, nodes in groups.items()}
    return boxes, [(numbers[begin], numbers[end]) for begin, end in edges]


def _box_groups(
    tree: ProofTree,
) -> tuple[dict[Hashable, list[TreeNode | Omission]], list[tuple[Hashable, Hashable]]]:
    """The nodes of a tree by the keys of their boxes, and the edges between these."""
    groups: dict[Hashable, list[TreeNode | Omission]] = {}
    keys: dict[Hashable, Hashable] = {}
    below: dict[Hashable, list[TreeNode | Omission]] = {}
    stack: list[TreeNode | Omission] = [tree.root]
    while stack:
        node = stack.pop()
        if isinstance(node, BuiltinNode) or (isinstance(node, DerivedNode) and node.again):
            continue
        key = _key(node)
        if isinstance(node, InnerNode):
            mine = [each for part in shown_children(node) for each in _each(part)]
            tests = [each for each in mine if isinstance(each, BuiltinNode)]
            if key not in groups and tests:
                groups[_tests(key)] = list(tests)
            below.setdefault(key, []).extend(mine)
            stack += reversed(mine)
        groups.setdefault(key, []).append(node)
        keys[_place(node)] = key
    edges = [
        (_tests(key) if isinstance(each, BuiltinNode) else keys[_place(each)], key)
        for key, nodes in below.items()
        for each in nodes
    ]
    return groups, edges


def _each(part: Shown) -> Sequence[TreeNode | Omission]:
    return part if isinstance(part, tuple) else (part,)


def _place(node: TreeNode | Omission) -> Hashable:
    """A key by which a repeated node finds the one that is explained."""
    return (node.fact, node.span) if isinstance(node, AssertedNode | DerivedNode) else node


def _tests(key: Hashable) -> Hashable:
    """The key of the box of the tests of a box."""
    return key, "if"


def _key(node: TreeNode | Omission) -> Hashable:
    """A key of the box of a node: equal keys share a box."""
    match node:
        case AssertedNode():
            return leaf_key(node)
        case DerivedNode():
            return instance_key(node)
    return node
