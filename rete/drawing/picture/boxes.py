"""The text of a node, broken into lines, and the box that it fits.

How wide a text is depends on the fonts of whoever looks at it; so labels are in a fixed pitch, and
widths are counted in characters, with room to spare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias
from unicodedata import east_asian_width

from rete.drawing.diagram import DiagramNode
from rete.drawing.names import Ink, Label, Names, Piece, Word, plain
from rete.drawing.text_tree import listed

Line: TypeAlias = tuple[Piece, ...]

PITCH: Final = 7.3
"""Width of a character of a label, at a font size of 12; common fonts have 6.6 to 7.23."""
LINE: Final = 16.0
SMALL_PITCH: Final = 5.8
SMALL_LINE: Final = 13.0
PADDING: Final = 9.0
HEADER: Final = 20.0
CHIPS: Final = 5
"""Rules that a node shows a chip each of; of more it shows the number."""

_WIDEST: Final = 40
"""Characters of a line; a longer word loses its middle."""
_LEAST: Final = 6
_SLANTED: Final = frozenset({"filter", "function", "solve"})
_NOTES: Final = 4
"""Lines of what is called otherwise that are shown; the tooltip has all."""


@dataclass(frozen=True, slots=True)
class Box:
    """What is written in a node, and how large it is.

    Attributes:
        lines: of the label; a blank first piece is an indent.
        notes: small lines beneath.
        indent: what stands left of the lines: the sign of a join.
        side: what is left free at each side.
        header: height of the band above the lines.
    """

    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    indent: float
    side: float
    header: float
    width: float
    height: float


def box(node: DiagramNode, names: Names, *, names_feeders: bool = False) -> Box:
    """The box of ``node``; ``names_feeders``: a pattern names the rules that feed it."""
    most = _WIDEST
    lines = [line for label in node.label for line in wrapped(label, most)]
    indent = 0.0
    header = 0.0
    least = badge_width(node)
    if node.kind == "join":
        indent = 24.0
        lines = lines or [(Piece("every pair"),)]
    elif node.kind == "antijoin":
        indent = 24.0
        lines = [(Piece("unless there is"),), *lines]
    elif node.kind == "rule":
        header = HEADER
        least = units(rule_name(node, names)) * PITCH * 1.1
    notes = tuple(_notes(node))
    if names_feeders and node.fed:
        notes += (f"{'also ' * node.given}from {listed(node.fed)}",)
    width = max(
        least,
        indent + max((units_of(line) for line in lines), default=0) * PITCH,
        max((units(note) for note in notes), default=0) * SMALL_PITCH,
    )
    height = header + len(lines) * LINE + len(notes) * SMALL_LINE
    # The points of a hexagon and the slant of a parallelogram take room at both sides.
    side = PADDING + (6.0 if node.kind in _SLANTED else 0.0)
    height += 2 * PADDING - 2
    return Box(tuple(lines), notes, indent, side, header, width + 2 * side, height)


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
    return f"shared by {len(node.rules)}" if node.shared else ""


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
    """The word, its longest pieces shortened until it fits."""
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


def rule_name(node: DiagramNode, names: Names) -> str:
    """What stands in the band of a rule."""
    return shortened(names.rule(node.rules[0]), _WIDEST)
