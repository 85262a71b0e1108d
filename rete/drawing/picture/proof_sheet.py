"""Trees of boxes beneath each other: on the left what is used, on the right what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final, TypeAlias

from rete.drawing.diagram import Kind
from rete.drawing.picture import shapes, svg
from rete.drawing.picture.boxes import PITCH, SMALL_PITCH, Box
from rete.drawing.picture.layout import Layout, arrange_columns
from rete.drawing.picture.svg import INPUT, Point, colour

Edge: TypeAlias = tuple[int, int]
"""From the number of what is used to that of what follows."""

_MARGIN: Final = 24.0
_LINE: Final = 120
"""Characters of a line above."""
_GAP: Final = 46.0
"""Between two columns."""
_ENDS: Final = "#c4512a"
"""The rim of what ends first."""
_PLAIN: Final = colour(0)
"""The edges to what no rule gives."""


def proof_box(  # noqa: PLR0913 - what is written where
    kind: Kind,
    lines: Sequence[str],
    text: str,
    notes: Sequence[str] = (),
    *,
    rule: int = 0,
    title: str = "",
    ends: bool = False,
) -> Box:
    """A box of a proof, with ``text`` as its tooltip.

    The ``title`` of the ``rule`` that derives it is in a band; 0: none does. What ``ends`` first
    has a red rim.
    """
    content = max(
        max(map(len, lines), default=0) * PITCH,
        max(map(len, notes), default=0) * SMALL_PITCH,
        len(title) * PITCH * 1.1,
    )
    stroke = _ENDS if ends else colour(rule) if rule else INPUT
    return Box(kind, tuple(lines), tuple(notes), text, content, stroke, title, heavy=ends)


class ProofSheet:
    """A picture to which texts and trees are added from top to bottom."""

    def __init__(self, head: Iterable[str]) -> None:
        """Begin with lines, of which the first is the title."""
        self._title, *others = head
        self.parts = [svg.text((_MARGIN, 38), self._title, "title")]
        self._at, self._widest = 60.0, len(self._title) * 13.0
        for line in (line for text in others for line in wrap(text, _LINE)):
            self._text(line, "sub", 7.5)
            self._at += 18

    def _text(self, text: str, kind: str, pitch: float) -> None:
        self.parts.append(svg.text((_MARGIN, self._at), text, kind))
        self._widest = max(self._widest, len(text) * pitch)

    def add_tree(self, title: str, boxes: Mapping[int, Box], edges: Iterable[Edge]) -> None:
        """Draw a tree below its title; an edge has the colour of the rule it leads to."""
        self._at += 28
        self._text(title, "zone", 8.4)
        drawn = _Tree(boxes, edges, (_MARGIN, self._at + 18))
        self.parts += drawn.parts()
        self._at += 18 + drawn.layout.height
        self._widest = max(self._widest, drawn.right)

    def add_note(self, text: str) -> None:
        """Write a line."""
        self._at += 20
        self._text(text, "sub", 7.5)

    def svg(self) -> str:
        """The document."""
        size = self._widest + 2 * _MARGIN, self._at + _MARGIN
        return svg.document(self._title, size, self.parts)


class _Tree:
    """The boxes of one tree, laid out."""

    def __init__(self, boxes: Mapping[int, Box], edges: Iterable[Edge], corner: Point) -> None:
        """Lay them out; an edge leads from what is used to what follows."""
        self._corner = corner
        self._edges = dict.fromkeys(edges)
        self._boxes = boxes
        sizes = {number: (box.width, box.height) for number, box in boxes.items()}
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
        for number, box in self._boxes.items():
            yield box.draw(self._place(number))

    def _place(self, number: int) -> Point:
        layer = self.layout.layers[number]
        middle = self._corner[1] + self.layout.middles[number, layer]
        box = self._boxes[number]
        return self._lefts[layer] + self.layout.widths[layer] - box.width, middle - box.height / 2

    def _edge(self, source: int, target: int) -> Iterator[str]:
        box, above = self._boxes[source], self._boxes[target]
        stroke = above.stroke if above.title else _PLAIN
        x, y = self._place(source)
        at = x + box.width, y + box.height / 2
        d = ""
        for vertex in reversed(self.layout.way(target, source)[1:-1]):
            left, middle = self._lefts[vertex[1]], self._corner[1] + self.layout.middles[vertex]
            right = left + self.layout.widths[vertex[1]]
            d += f"{svg.wave(at, (left, middle))}H{svg.number(right)}"
            at = right, middle
        x, y = self._place(target)
        end = x, y + above.height / 2
        d += svg.wave(at, (end[0] - 6, end[1]))
        yield svg.path(d, "line", stroke=stroke, stroke_width=1.5)
        yield shapes.arrow(end, stroke)
