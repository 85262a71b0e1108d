"""What the shapes and colours of the picture mean; only of what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from rete.drawing.diagram import Diagram, Kind
from rete.drawing.picture import svg
from rete.drawing.picture.shapes import bow_tie, half_tie, outline, pill
from rete.drawing.picture.style import SHARED, colour
from rete.drawing.picture.svg import Point

_CELL: Final = 400.0
_ROW: Final = 30.0
_SIGN: Final = 44.0

Entry: TypeAlias = tuple[str, str]


def height(diagram: Diagram, width: float) -> float:
    """Height of the legend in a picture that is ``width`` wide."""
    return _ROW * -(-len(list(_entries(diagram))) // _columns(width))


def legend(diagram: Diagram, at: Point, width: float) -> Iterator[str]:
    """The elements of the legend."""
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
        bow_tie((14, 5), _LINE),
        "joins what agrees on these variables, while all of it holds",
    ),
    ("antijoin", half_tie((14, 5), _LINE), "lets through what agrees with none, while it does"),
    ("filter", "", "lets through what passes a test"),
    ("function", "", "computes a value"),
    ("solve", "", "finds each value that passes a test"),
    ("metric", "", "moves what holds in time"),
)
"""Kinds of operator, with the sign in their shape and what they do."""


def _entries(diagram: Diagram) -> Iterator[Entry]:
    kinds = {node.kind for node in diagram.nodes}
    size = _SIGN, 20.0
    if "pattern" in kinds:
        yield outline("pattern", (0, 0), size, _LINE), "lets through the facts that match a pattern"
        free = svg.spans((4, 14), [("?x", "bound"), (" ?y", "free")], "m")
        yield free, "a value that is passed on · any value"
    for kind, sign, meaning in _OPERATORS:
        if kind in kinds:
            yield outline(kind, (0, 0), size, _LINE) + sign, meaning
    if "rule" in kinds:
        band = svg.rect((0, 0), (_SIGN, 7), fill=colour(1), rx=3)
        yield outline("rule", (0, 0), size, colour(1)) + band, "what a rule concludes"
    if any(node.shared for node in diagram.nodes):
        sign = outline("pattern", (0, 4), (_SIGN, 16), SHARED, 2.4) + pill(
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
        f"M0 10H{_SIGN:g}", "line", stroke=colour(1), stroke_width=width, stroke_dasharray="6 4"
    )
