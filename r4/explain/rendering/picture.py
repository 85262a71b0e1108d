"""An explanation as a picture in SVG: what is asserted on the left, what follows on the right.

Each fact is in one box, however often it is used, with those of the same key. A colour
is a rule, as in the picture of a network.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

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
from r4.explain.rendering.picture_boxes import Box, make_box
from r4.explain.rendering.prefixes import with_prefixes
from r4.explain.rendering.text import TextWriter
from r4.time.ticks import StampFormat
from rete.drawing.names import Names
from rete.drawing.picture import shapes, svg
from rete.drawing.picture.boxes import HEADER, LINE, PADDING, SMALL_LINE
from rete.drawing.picture.layout import Layout, arrange_columns
from rete.drawing.picture.style import INPUT, STYLE, colour
from rete.drawing.picture.svg import Point

_MARGIN: Final = 24.0
_LINE: Final = 120
"""Characters of a line above."""
_GAP: Final = 46.0
"""Between two columns."""
_ENDS: Final = "#c4512a"
"""The rim of what ends first."""


def as_svg(found: Explanation, names: Names, clock: StampFormat) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    names, new = with_prefixes(found, names)
    lines = TextWriter(names, clock)
    head = list(lines.head(found))
    parts: list[str] = [svg.text((_MARGIN, 38), head[0], "title")]
    at, widest = 60.0, len(head[0]) * 13.0
    for line in (line for text in head[1:] for line in wrap(text, _LINE)):
        parts.append(svg.text((_MARGIN, at), line, "sub"))
        at, widest = at + 18, max(widest, len(line) * 7.5)
    titled = [(lines.title(found, i, tree), tree) for i, tree in enumerate(found.trees, 1)]
    if found.last is not None:
        titled.append((lines.title_of_last(found.last), found.last))
    for title, tree in titled:
        at += 28
        parts.append(svg.text((_MARGIN, at), title, "zone"))
        drawn = BoxDrawing(*_boxes_of(tree, lines.phrases), (_MARGIN, at + 18))
        parts += drawn.parts()
        at += 18 + drawn.layout.height
        widest = max(widest, drawn.right, len(title) * 8.4)
    for prefix, iri in new:
        if not any(f"{prefix}:" in part for part in parts):
            continue
        line = f"{prefix}: is short for {iri}"
        at += 20
        parts.append(svg.text((_MARGIN, at), line, "sub"))
        widest = max(widest, len(line) * 7.5)
    return page(head[0], parts, (widest + 2 * _MARGIN, at + _MARGIN))


def page(title: str, parts: Sequence[str], size: Point) -> str:
    """The document of a picture with such parts."""
    width, height = size
    frame = svg.rect((0.5, 0.5), (width - 1, height - 1), "page", rx=8)
    head = svg.element("title", svg.escaped(title))
    begin = svg.opening(width, height)
    return "\n".join([begin, head, f"<style>{STYLE}</style>", frame, *parts, "</svg>"])


def _boxes_of(tree: ProofTree, phrases: Phrases) -> tuple[dict[int, Box], list[tuple[int, int]]]:
    """The boxes of a tree by number, and the edges between them."""
    groups, edges = _box_groups(tree)
    numbers = {key: number for number, key in enumerate(groups)}
    boxes = {numbers[key]: make_box(nodes, phrases) for key, nodes in groups.items()}
    return boxes, [(numbers[begin], numbers[end]) for begin, end in edges]


class BoxDrawing:
    """The boxes of one tree, laid out."""

    def __init__(
        self, boxes: Mapping[int, Box], edges: Iterable[tuple[int, int]], corner: Point
    ) -> None:
        """Lay them out; an edge leads from what is used to what follows."""
        self._corner = corner
        self._edges = dict.fromkeys(edges)
        self.boxes = boxes
        sizes = {number: box.size for number, box in self.boxes.items()}
        # Backwards from the root, so that a leaf stands beside what it is used for.
        self.layout: Layout = arrange_columns(
            sizes, ((target, source) for source, target in self._edges)
        )
        self._lefts: list[float] = []
        at = corner[0]
        for width in reversed(self.layout.widths):
            self._lefts.insert(0, at)
            at += width + _GAP
        self.right = at - _GAP

    def parts(self) -> Iterator[str]:
        """The elements of the picture."""
        for begin, end in self._edges:
            yield from self._edge(begin, end)
        for number, drawn in self.boxes.items():
            yield self._node(drawn, self._place(number))

    def _place(self, number: int) -> Point:
        """The upper left corner of a box, which stands at the right of its column."""
        layer = self.layout.layers[number]
        middle = self._corner[1] + self.layout.middles[number, layer]
        width, height = self.boxes[number].size
        return self._lefts[layer] + self.layout.widths[layer] - width, middle - height / 2

    def _edge(self, source: int, target: int) -> Iterator[str]:
        stroke = colour(self.boxes[target].rule)
        x, y = self._place(source)
        width, height = self.boxes[source].size
        at = x + width, y + height / 2
        d = ""
        for vertex in reversed(self.layout.way(target, source)[1:-1]):
            left, middle = self._lefts[vertex[1]], self._corner[1] + self.layout.middles[vertex]
            right = left + self.layout.widths[vertex[1]]
            d += f"{svg.wave(at, (left, middle))}H{svg.number(right)}"
            at = right, middle
        x, y = self._place(target)
        end = x, y + self.boxes[target].size[1] / 2
        d += svg.wave(at, (end[0] - 6, end[1]))
        yield svg.path(d, "line", stroke=stroke, stroke_width=1.5)
        yield shapes.arrow(end, stroke)

    @staticmethod
    def _node(box: Box, at: Point) -> str:
        x, y = at
        width, height = box.size
        stroke = _ENDS if box.ends else colour(box.rule) if box.rule else INPUT
        parts = [shapes.outline(box.kind, at, (width, height), stroke, 2.6 if box.ends else 1.4)]
        line = y + PADDING + 11
        if box.title:
            parts.append(svg.rect(at, (width, HEADER), rx=3, fill=colour(box.rule)))
            parts.append(svg.text((x + PADDING, y + 14), box.title, "head"))
            line += HEADER
        left = x + PADDING + 6 * (box.kind == "filter")
        for text in box.lines:
            parts.append(svg.text((left, line), text, "m"))
            line += LINE
        for text in box.notes:
            parts.append(svg.text((left, line - 2), text, "n"))
            line += SMALL_LINE
        tip = svg.element("title", svg.escaped(box.text))
        return svg.element("g", tip + "".join(parts))


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
