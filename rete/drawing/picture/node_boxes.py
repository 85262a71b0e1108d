"""The box of a node of the network, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rete.drawing.diagram import DiagramNode
from rete.drawing.names import Names, Piece, plain
from rete.drawing.picture.boxes import (
    PITCH,
    SMALL_PITCH,
    Box,
    Line,
    shortened,
    units,
    units_of,
    wrapped,
)
from rete.drawing.picture.svg import colour_of
from rete.drawing.text_tree import listed

CHIPS: Final = 5
"""Rules that a node shows a chip each of; of more it shows the number."""
_WIDEST: Final = 40
"""Characters of a line; a longer word loses its middle."""
_NOTES: Final = 4
"""Lines of what is called otherwise that are shown; the tooltip has all."""


def box(node: DiagramNode, names: Names, *, names_feeders: bool = False) -> Box:
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
