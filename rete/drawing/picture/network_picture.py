"""The network as a picture in SVG.

From left to right: facts come in, patterns let them through, joins and tests combine them, rules
conclude. What a rule concludes and a pattern may match goes back in, dashed, around the picture.
A colour is a rule; what several rules share is dark, and says how many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rete.drawing.diagram import Diagram, DiagramNode, Kind
from rete.drawing.picture import boxes, shapes, svg
from rete.drawing.picture.boxes import Box
from rete.drawing.picture.scene import BAR, MARGIN, TOP, ReturnEdge, Scene
from rete.drawing.picture.svg import INPUT, SHARED, Point, colour, colour_of
from rete.drawing.text_tree import summary

_DASHES: Final = "6 4"
_BEND: Final = 10.0
_REPEAT: Final = 1400.0
"""After so many pixels the text of a long bar is repeated."""
_NARROWEST: Final = 640.0
_LONGEST: Final = 60
"""Characters of the title."""
_HEADING: Final = 8.4
"""Width of a character of a heading."""


def as_svg(diagram: Diagram) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    return Picture(diagram).svg()


class Picture:
    """A picture that is laid out; its width and height are in pixels."""

    def __init__(self, diagram: Diagram) -> None:
        self._diagram = diagram
        self._scene = Scene(diagram)
        right, self._floor = self._scene.field
        names = diagram.names
        self._title = boxes.shortened(names.title, _LONGEST)
        self._summary = summary(diagram)
        if names.window:
            self._summary += f" · a streamed fact holds for {names.window}"
        title = max(boxes.units(self._title) * 13.0, len(self._summary) * 7.5)
        self.width = max(right + MARGIN, title + 2 * MARGIN, _NARROWEST)
        self._inner = self.width - 2 * MARGIN
        rows = -(-len(list(_entries(diagram))) // _columns(self._inner))
        self.height = self._floor + 34 + rows * _ROW + MARGIN / 2

    def svg(self) -> str:
        """The document; the same for equal diagrams."""
        parts = [
            *self._headings(),
            *self._input(),
            *(line for way in self._scene.returns() for line in self._return_edge(way)),
            *self._flow(),
            *(self._node(node) for node in self._diagram.nodes),
            *_legend(self._diagram, (MARGIN, self._floor + 34), self._inner),
        ]
        title, size = f"Network of {self._diagram.names.title}", (self.width, self.height)
        return svg.document(title, size, parts, description=self._summary)

    # What frames the network

    def _headings(self) -> Iterator[str]:
        yield svg.text((MARGIN, 38), self._title, "title")
        yield svg.text((MARGIN, 58), self._summary, "sub")
        if not self._diagram.nodes:
            yield svg.text((MARGIN, TOP), "There is nothing to derive.", "sub")
        scene = self._scene
        for first, last, texts in self._zones():
            left = scene.lefts[first] - 12
            width = scene.lefts[last] + scene.layout.widths[last] + 12 - left
            yield svg.rect((left, TOP - 42), (width, scene.bottom - TOP + 50), "field", rx=6)
            text = next((text for text in texts if len(text) * _HEADING < width - 20), "")
            yield svg.text((left + 10, TOP - 24), text, "zone")

    def _zones(self) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """First and last column, and headings of which the first that fits is taken."""
        last = len(self._scene.lefts) - 1
        if last > 0:
            yield 0, 0, ("facts that match", "facts")
            yield last, last, ("what the rules conclude", "conclusions", "rules")
        if last > 1:
            yield 1, last - 1, ("joined, tested, computed", "joined")

    def _input(self) -> Iterator[str]:
        given = [node for node in self._diagram.nodes if node.given]
        if not given:
            return
        scene = self._scene
        top, bottom = TOP - 42, scene.bottom + 8
        yield svg.rect((MARGIN, top), (BAR, bottom - top), rx=5, fill=INPUT)
        x = MARGIN + BAR / 2 + 4
        y = top + 12
        while y < bottom - 60:
            rotation = f"rotate(90 {svg.number(x - 8)} {svg.number(y)})"
            text = "facts: streams, static data"
            if y + len(text) * 8 > bottom:
                text = "facts"
            yield svg.text((x - 8, y), text, "bar", transform=rotation)
            y += _REPEAT
        for node in given:
            end = scene.entry(node)
            line = svg.wave((MARGIN + BAR, end[1]), (end[0] - 6, end[1]))
            yield svg.path(line, "line", stroke=INPUT, stroke_width=1.2)
            yield shapes.arrow(end, INPUT)

    # Edges

    def _flow(self) -> Iterator[str]:
        for node in self._diagram.nodes:
            begin, end = self._scene.stub(node)
            if node.kind != "rule" and end > begin[0]:
                yield self._stroke(svg.wave(begin, (end, begin[1])), node.rules)
        for segment in self._scene.segments():
            line = svg.wave(segment.begin, segment.end)
            if segment.through > segment.end[0]:
                line += f"H{svg.number(segment.through)}"
            yield self._stroke(line, segment.rules)
            if segment.arrives:
                yield shapes.arrow(segment.end, colour_of(segment.rules))

    @staticmethod
    def _stroke(d: str, rules: tuple[int, ...]) -> str:
        width = 1.5 if len(rules) == 1 else 2.2
        return svg.path(d, "line", stroke=colour_of(rules), stroke_width=width)

    def _return_edge(self, way: ReturnEdge) -> Iterator[str]:
        stroke = colour_of(way.rules)
        yield self._dashed(way.trunk, stroke, recursive=way.recursive)
        for points, recursive in (*way.stems, *way.branches):
            yield self._dashed(points, stroke, recursive=recursive)
        for points, _ in way.branches:
            yield shapes.arrow(points[-1], stroke)

    @staticmethod
    def _dashed(points: tuple[Point, ...], stroke: str, *, recursive: bool) -> str:
        return svg.path(
            svg.bent(points, _BEND),
            "line",
            stroke=stroke,
            stroke_width=2.4 if recursive else 1.4,
            stroke_dasharray=_DASHES,
        )

    # Nodes

    def _node(self, node: DiagramNode) -> str:
        corner, box = self._scene.corner(node.number), self._scene.boxes[node.number]
        return box.draw(corner, () if node.kind == "rule" else self._marks(node, corner, box))

    @staticmethod
    def _marks(node: DiagramNode, corner: Point, box: Box) -> Iterator[str]:
        """Its number; from right to left the chips of the rules, and that it is shared; a sign."""
        x, y = corner
        yield svg.text((x + 1, y - 4), f"#{node.number}", "id")
        right = x + box.width - 6
        if len(node.rules) <= boxes.CHIPS:
            for rule in reversed(node.rules):
                width = boxes.chip_width(rule)
                right -= width
                yield shapes.pill((right, y - 8), str(rule), width - 2, colour(rule))
        if node.shared:
            badge = boxes.badge(node)
            width = len(badge) * boxes.SMALL_PITCH + 12
            yield shapes.pill((right - width, y - 8), badge, width - 2, SHARED)
        sign = x + boxes.PADDING, y + boxes.PADDING + 2
        if node.kind == "join":
            yield (shapes.bow_tie if node.label else shapes.times)(sign, box.stroke)
        elif node.kind == "antijoin":
            yield shapes.half_tie(sign, box.stroke)


# What shapes and colours mean

_CELL: Final = 400.0
_ROW: Final = 30.0
_SIGN: Final = 44.0


def _legend(diagram: Diagram, at: Point, width: float) -> Iterator[str]:
    columns = _columns(width)
    for i, (sign, meaning) in enumerate(_entries(diagram)):
        x = at[0] + (i % columns) * _CELL
        y = at[1] + (i // columns) * _ROW
        yield f'<g transform="translate({svg.number(x)} {svg.number(y)})">{sign}'
        yield svg.text((_SIGN + 8, 14), meaning, "legend") + "</g>"


def _columns(width: float) -> int:
    return max(1, int(width // _CELL))


_LINE: Final = "#5d6877"
_OPERATORS: Final[tuple[tuple[Kind, str, str], ...]] = (
    (
        "join",
        shapes.bow_tie((14, 5), _LINE),
        "joins what agrees on these variables, while all of it holds",
    ),
    (
        "antijoin",
        shapes.half_tie((14, 5), _LINE),
        "lets through what agrees with none, while it does",
    ),
    ("filter", "", "lets through what passes a test"),
    ("function", "", "computes a value"),
    ("solve", "", "finds each value that passes a test"),
    ("metric", "", "moves what holds in time"),
)
"""Kinds of operator, with the sign in their shape and what they do."""


def _entries(diagram: Diagram) -> Iterator[tuple[str, str]]:
    """Signs and what they mean; only of what the picture shows."""
    kinds = {node.kind for node in diagram.nodes}
    size = _SIGN, 20.0
    if "pattern" in kinds:
        yield (
            shapes.outline("pattern", (0, 0), size, _LINE),
            "lets through the facts that match a pattern",
        )
        free = svg.spans((4, 14), [("?x", "bound"), (" ?y", "free")], "m")
        yield free, "a value that is passed on · any value"
    for kind, sign, meaning in _OPERATORS:
        if kind in kinds:
            yield shapes.outline(kind, (0, 0), size, _LINE) + sign, meaning
    if "rule" in kinds:
        band = svg.rect((0, 0), (_SIGN, 7), fill=colour(1), rx=3)
        yield shapes.outline("rule", (0, 0), size, colour(1)) + band, "what a rule concludes"
    if any(node.shared for node in diagram.nodes):
        sign = shapes.outline("pattern", (0, 4), (_SIGN, 16), SHARED, 2.4) + shapes.pill(
            (22, -1), "3", 18, SHARED
        )
        yield sign, "one node that so many rules share"
    derived = [edge.recursive for edge in diagram.edges if edge.derived]
    if not all(derived):
        yield _dashed(1.5), "derived facts that may match patterns go back in"
    if any(derived):
        yield _dashed(2.6), "those that lead to the same rule again: recursion"


def _dashed(width: float) -> str:
    return svg.path(
        f"M0 10H{_SIGN:g}", "line", stroke=colour(1), stroke_width=width, stroke_dasharray=_DASHES
    )
