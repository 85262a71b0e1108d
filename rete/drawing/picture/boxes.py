"""Boxes of a picture: text in a shape, with a band for the rule that gives it; boxes of nodes.

How wide a text is depends on the fonts of whoever looks at it; so labels are in a fixed pitch, and
widths are counted in characters, with room to spare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias
from unicodedata import east_asian_width

from rete.drawing.diagram import DiagramNode, Kind
from rete.drawing.names import Ink, Label, Names, Piece, Word, plain
from rete.drawing.picture import shapes, svg
from rete.drawing.picture.svg import Point, colour_of
from rete.drawing.text_tree import listed

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


# Nodes of the network

CHIPS: Final = 5
"""Rules that a node shows a chip each of; of more it shows the number."""
_WIDEST: Final = 40
"""Characters of a line; a longer word loses its middle."""
_NOTES: Final = 4
"""Lines of what is called otherwise that are shown; the tooltip has all."""


def node_box(node: DiagramNode, names: Names, *, names_feeders: bool = False) -> Box:
    """The box of ``node``; ``names_feeders``: a pattern names the rules that feed it."""
    lines: list[Line] = [line for label in node.label for line in wrapped(label, _WIDEST)]
    title = ""
    indent = 24.0 if node.kind in {"join", "antijoin"} else 0.0
    least = badge_width(node)
    if node.kind == "join":
        lines = lines or [(Piece("every pair"),)]
    elif node.kind == "antijoin":
        lines = [(Piece("unless there is"),), *lines]
    elif node.kind == "rule":
        title = shortened(names.rule(node.rules[0]), _WIDEST)
        least = units(title) * PITCH * 1.1
    notes = tuple(_notes(node))
    if names_feeders and node.fed:
        notes += (f"{'also ' * node.given}from {listed(node.fed)}",)
    content = max(
        least,
        indent + max((units_of(line) for line in lines), default=0) * PITCH,
        max((units(note) for note in notes), default=0) * SMALL_PITCH,
    )
    tip, stroke = "\n".join(tooltip(node, names)), colour_of(node.rules)
    return Box(
        node.kind, tuple(lines), notes, tip, content, stroke, title, indent, heavy=node.shared
    )


def _notes(node: DiagramNode) -> Iterator[str]:
    if node.signed:
        yield shortened(node.builtin, 2 * _WIDEST)
    if node.unmatched:
        yield "nothing gives such facts"
    if node.recursive:
        yield "recursive"
    lines = [line for text in node.renamings for line in _renaming(text)]
    yield from lines[:_NOTES]
    if len(lines) > _NOTES:
        yield "…"


def _renaming(text: str) -> Iterator[str]:
    words = tuple(
        (Piece(shortened(pair, _WIDEST)),) for pair in text.replace(", ", ",\n").split("\n")
    )
    return ("".join(piece.text for piece in line) for line in wrapped(words, _WIDEST))


def badge(node: DiagramNode) -> str:
    """What marks a shared node."""
    return f"shared by {len(node.rules)}"


def badge_width(node: DiagramNode) -> float:
    """Width of the marks on the upper edge of a box."""
    if node.kind == "rule":
        return 0.0
    number = (len(str(node.number)) + 2) * SMALL_PITCH
    chips = len(node.rules) if len(node.rules) <= CHIPS else 0
    marks = sum(chip_width(rule) for rule in node.rules[:chips])
    return number + marks + (len(badge(node)) * SMALL_PITCH + 12 if node.shared else 0)


def chip_width(rule: int) -> float:
    """Width of the chip of a rule, and the gap after it."""
    return len(str(rule)) * SMALL_PITCH + 10


def tooltip(node: DiagramNode, names: Names) -> Iterator[str]:
    """All there is to say about a node, line by line."""
    kind = names.rule(node.rules[0]) if node.kind == "rule" else node.kind
    yield f"#{node.number} {kind}"
    yield from map(plain, node.label)
    if node.builtin:
        yield node.builtin
    if node.kind != "rule":
        yield f"passes on {' '.join(node.columns) or 'whether there is a match'}"
        yield f"for {listed(node.rules)}"
    yield from node.renamings
    if node.fed:
        yield f"{'also ' * node.given}given by {listed(node.fed)}"
