"""An explanation as a picture in SVG: what is asserted on the left, what follows on the right.

Each fact is one box, however often it is used. A colour is a rule, as in the picture of a network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from r4.clock import Clock
from r4.explain.text import Lines
from r4.explain.tree import Absence, Asserted, Concluded, Condition, Explanation, Node, Tree
from r4.explain.wording import rule_name, term
from rete.delta import POS_INF
from rete.explain import Names, shapes, svg
from rete.explain.boxes import HEADER, LINE, PADDING, PITCH, SMALL_LINE, SMALL_PITCH, wrapped
from rete.explain.diagram import Kind
from rete.explain.layout import Layout, arrange
from rete.explain.names import Label, Piece
from rete.explain.style import INPUT, STYLE, colour
from rete.explain.svg import Point

_MARGIN: Final = 24.0
_GAP: Final = 46.0
"""Between two columns."""
_WIDEST: Final = 44
"""Characters of a line."""
_ENDS: Final = "#c4512a"
"""The rim of what ends first."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its text.

    Attributes:
        kind: its shape.
        rule: the rule that derives it; 0: none does.
        title: what stands in its head, if a rule derives it.
        ends: whether it is the first to end.
    """

    kind: Kind
    lines: tuple[str, ...]
    notes: tuple[str, ...]
    rule: int = 0
    title: str = ""
    ends: bool = False

    @property
    def size(self) -> Point:
        """Width and height."""
        width = max(
            max(map(len, self.lines), default=0) * PITCH,
            max(map(len, self.notes), default=0) * SMALL_PITCH,
            len(self.title) * PITCH * 1.1,
        )
        height = len(self.lines) * LINE + len(self.notes) * SMALL_LINE + 2 * PADDING - 2
        side = PADDING + 6 * (self.kind == "filter")
        return width + 2 * side, height + HEADER * bool(self.title)


def as_svg(found: Explanation, names: Names, clock: Clock) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere."""
    lines = Lines(names, clock)
    said = list(lines.head(found))
    parts: list[str] = [svg.text((_MARGIN, 38), said[0], "title")]
    at, widest = 60.0, len(said[0]) * 13.0
    for line in said[1:]:
        parts.append(svg.text((_MARGIN, at), line, "sub"))
        at, widest = at + 18, max(widest, len(line) * 7.5)
    titled = [(lines.title(found, i, tree), tree) for i, tree in enumerate(found.trees, 1)]
    if found.last is not None:
        titled.append((lines.title_of_last(found.last), found.last))
    for title, tree in titled:
        at += 28
        parts.append(svg.text((_MARGIN, at), title, "zone"))
        drawn = _Drawn(tree, names, lines, (_MARGIN, at + 18))
        parts += drawn.parts()
        at += 18 + drawn.layout.height
        widest = max(widest, drawn.right, len(title) * 8.4)
    width, height = svg.number(widest + 2 * _MARGIN), svg.number(at + _MARGIN)
    begin = (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" xml:space="preserve" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    )
    page = svg.rect((0.5, 0.5), (widest + 2 * _MARGIN - 1, at + _MARGIN - 1), "page", rx=8)
    title = svg.element("title", escape(said[0]))
    return "\n".join([begin, title, f"<style>{STYLE}</style>", page, *parts, "</svg>"])


class _Drawn:
    """One tree, laid out."""

    def __init__(self, tree: Tree, names: Names, lines: Lines, corner: Point) -> None:
        self._names = names
        self._lines = lines
        self._whole = tree.span
        self._corner = corner
        self.boxes: dict[int, Box] = {}
        self._edges: dict[tuple[int, int], None] = {}
        self._numbers: dict[object, int] = {}
        for node in tree.nodes:
            self._add(node)
        sizes = {number: box.size for number, box in self.boxes.items()}
        # Backwards from the root, so that a leaf stands beside what it is used for.
        self.layout: Layout = arrange(sizes, ((target, source) for source, target in self._edges))
        self._lefts: list[float] = []
        at = corner[0]
        for width in reversed(self.layout.widths):
            self._lefts.insert(0, at)
            at += width + _GAP
        self.right = at - _GAP

    def _add(self, node: Node) -> int:
        key: object = node.fact if isinstance(node, Asserted | Concluded) else node
        number = self._numbers.setdefault(key, len(self._numbers))
        again = isinstance(node, Concluded) and node.again
        if number not in self.boxes and not again:
            self.boxes[number] = self._box(node)
        if isinstance(node, Concluded):
            self._edges.update(((self._add(each), number), None) for each in node.because)
        return number

    def _box(self, node: Node) -> Box:
        match node:
            case Condition(text):
                return Box("filter", self._wrapped(((Piece(text),),)), ())
            case Absence(span=span):
                ends = span.until == self._whole.until < POS_INF
                words = tuple((Piece(word),) for word in node.text.split(" "))
                return Box("antijoin", self._wrapped(words), (), ends=ends)
            case Asserted():
                ends = node.span.until == self._whole.until < POS_INF
                note = self._lines.origin(node).strip()
                words = tuple((Piece(word),) for word in note.split(" "))
                notes = tuple(
                    "".join(piece.text for piece in line) for line in wrapped(words, _WIDEST + 8)
                )
                return Box("pattern", self._fact(node), notes, ends=ends)
            case Concluded():
                title = rule_name(self._names, node.rule)
                when = (self._lines.span(node.span),)
                return Box("rule", self._fact(node), when, node.rule, title)

    def _fact(self, node: Asserted | Concluded) -> tuple[str, ...]:
        pieces = [Piece(term(self._names, text)) for text in node.fact.terms]
        return self._wrapped(self._names.fact(node.fact.relation, pieces))

    @staticmethod
    def _wrapped(label: Label) -> tuple[str, ...]:
        return tuple("".join(piece.text for piece in line) for line in wrapped(label, _WIDEST))

    def parts(self) -> Iterator[str]:
        """The elements of the picture."""
        for source, target in self._edges:
            yield from self._edge(source, target)
        for number, box in self.boxes.items():
            yield self._node(box, self._place(number))

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
        return svg.element("g", "".join(parts))
