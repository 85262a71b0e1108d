"""Boxes of a picture: text in a shape, with a band for the rule that gives it.

How wide a text is depends on the fonts of whoever looks at it; so labels are in a fixed pitch, and
widths are counted in characters, with room to spare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias
from unicodedata import east_asian_width

from rete.drawing.diagram import Kind
from rete.drawing.names import Ink, Label, Piece, Word
from rete.drawing.picture import shapes, svg
from rete.drawing.picture.svg import Point

Line: TypeAlias = tuple[Piece, ...]

PITCH: Final = 7.3
"""Width of a character of a label, at a font size of 12; common fonts have 6.6 to 7.23."""
LINE: Final = 16.0
SMALL_PITCH: Final = 5.8
SMALL_LINE: Final = 13.0
PADDING: Final = 9.0
HEADER: Final = 20.0

_LEAST: Final = 6
_SLANTED: Final = frozenset({"filter", "function", "solve"})


@dataclass(frozen=True, slots=True)
class Box:
    """What is written in a node, and how it is drawn.

    Attributes:
        lines: texts, or pieces, of which a blank first one is an indent.
        notes: small lines beneath.
        content: width of what is in it, the indent included.
        stroke: colour of the rim, and of the band.
        title: what stands in the band above the lines; none has no band.
        indent: what stands left of the lines: the sign of a join.
        heavy: whether the rim is broad.
    """

    kind: Kind
    lines: tuple[Line | str, ...]
    notes: tuple[str, ...]
    tooltip: str
    content: float
    stroke: str
    title: str = ""
    indent: float = 0.0
    heavy: bool = False

    @property
    def side(self) -> float:
        """What is left free at each side: the points of a hexagon, a slant take room."""
        return PADDING + (6.0 if self.kind in _SLANTED else 0.0)

    @property
    def header(self) -> float:
        """Height of the band above the lines."""
        return HEADER if self.title else 0.0

    @property
    def width(self) -> float:
        """From rim to rim."""
        return self.content + 2 * self.side

    @property
    def height(self) -> float:
        """From rim to rim."""
        text = self.header + len(self.lines) * LINE + len(self.notes) * SMALL_LINE
        return text + 2 * PADDING - 2

    def draw(self, at: Point, marks: Iterable[str] = ()) -> str:
        """Its elements, and the ``marks`` at its rim; ``at`` is its upper left corner."""
        x, y = at
        size = self.width, self.height
        parts = [shapes.outline(self.kind, at, size, self.stroke, 2.6 if self.heavy else 1.4)]
        if self.title:
            parts.append(svg.rect(at, (size[0], HEADER), rx=3, fill=self.stroke))
            parts.append(svg.text((x + PADDING, y + 14), self.title, "head"))
        parts += marks
        left, line = x + self.side, y + self.header + PADDING + 11
        for text in self.lines:
            parts.append(_draw_line((left + self.indent, line), text))
            line += LINE
        for note in self.notes:
            parts.append(svg.text((left, line - 2), note, "n"))
            line += SMALL_LINE
        return svg.group(self.tooltip, *parts)


def _draw_line(at: Point, line: Line | str) -> str:
    if isinstance(line, str):
        return svg.text(at, line, "m")
    (x, y), shift = at, 0.0
    if not line[0].text.strip():  # the indent is a place, not text
        shift = len(line[0].text) * PITCH
        line = line[1:]
    shown = [(piece.text, piece.ink if piece.ink != "plain" else "") for piece in line]
    return svg.spans((x + shift, y), shown, "m")


def wrapped(label: Label, most: int) -> list[Line]:
    """The label in lines of at most ``most`` characters; all but the first are indented by two."""
    lines: list[list[Piece]] = []
    room = 0
    for word in label:
        fitting = _fitting(word, most - 2)
        length = units_of(fitting)
        if lines and length + 1 <= room:
            lines[-1] += [Piece(" "), *fitting]
            room -= length + 1
        else:
            indent = [Piece("  ")] if lines else []
            lines.append([*indent, *fitting])
            room = most - 2 * len(indent) - length
    return [tuple(line) for line in lines]


def _fitting(word: Word, most: int) -> Word:
    pieces = list(word)
    excess = units_of(pieces) - most
    while excess > 0:
        i = max(range(len(pieces)), key=lambda k: units(pieces[k].text))
        long = units(pieces[i].text)
        if long <= _LEAST:
            break
        ink: Ink = pieces[i].ink
        pieces[i] = Piece(shortened(pieces[i].text, max(_LEAST, long - excess)), ink)
        excess = units_of(pieces) - most
    return tuple(pieces)


def shortened(text: str, most: int) -> str:
    """The text without its middle, if it is too long; of an IRI the end says most."""
    if units(text) <= most:
        return text
    head = most // 3
    kept = text[:head]
    tail = ""
    for char in reversed(text):
        if units(kept) + 1 + units(tail) + units(char) > most:
            break
        tail = char + tail
    return f"{kept}…{tail}"


def units(text: str) -> int:
    """Width in characters; those of East Asia count two."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def units_of(pieces: Iterable[Piece]) -> int:
    """Width of pieces in characters."""
    return sum(units(piece.text) for piece in pieces)
