"""The shapes of nodes, and small signs."""

from __future__ import annotations

from rete.drawing.diagram import Kind
from rete.drawing.picture import svg
from rete.drawing.picture.svg import Point


def outline(kind: Kind, at: Point, size: Point, stroke: str, width: float = 1.4) -> str:
    """The shape of a node of that kind."""
    (x, y), (w, h) = at, size
    middle = y + h / 2
    point = 9.0
    match kind:
        case "filter":
            corners = [
                (x, middle),
                (x + point, y),
                (x + w - point, y),
                (x + w, middle),
                (x + w - point, y + h),
                (x + point, y + h),
            ]
        case "function" | "solve":
            half = point / 2
            corners = [(x + half, y), (x + w + half, y), (x + w - half, y + h), (x - half, y + h)]
        case _:
            shown = "join" if kind == "antijoin" else kind
            radius = {"join": min(14.0, h / 2), "rule": 3.0}.get(shown, 5.0)
            return svg.rect(at, size, shown, rx=radius, stroke=stroke, stroke_width=width)
    d = svg.polygon(corners)
    return svg.path(d, kind, stroke=stroke, stroke_width=width, stroke_linejoin="round")


def bow_tie(at: Point, stroke: str) -> str:
    """The sign of the join of relational algebra, 15 by 10."""
    x, y = at
    left = [(x, y), (x + 15, y + 10), (x + 15, y), (x, y + 10)]
    return svg.path(svg.polygon(left), "line", stroke=stroke, stroke_width=1.5)


def half_tie(at: Point, stroke: str) -> str:
    """The sign of the anti-join of relational algebra: a `bow_tie` without its right half."""
    x, y = at
    left = [(x, y), (x + 13, y + 5), (x, y + 10)]
    return svg.path(svg.polygon(left), "line", stroke=stroke, stroke_width=1.5)


def times(at: Point, stroke: str) -> str:
    """The sign of the Cartesian product, 10 by 10 in the middle of what `bow_tie` takes."""
    x, y = at
    d = f"M{svg.number(x + 3)} {svg.number(y)}l10 10m0 -10l-10 10"
    return svg.path(d, "line", stroke=stroke, stroke_width=1.8)


def pill(at: Point, content: str, width: float, fill: str) -> str:
    """White text on a coloured ground, 14 high."""
    x, y = at
    ground = svg.rect(at, (width, 14), rx=7, fill=fill)
    return ground + svg.text((x + width / 2, y + 10.5), content, "k", text_anchor="middle")


def arrow(at: Point, fill: str) -> str:
    """A head that points to the right, with its tip at ``at``."""
    x, y = at
    return svg.path(svg.polygon([(x, y), (x - 8, y - 4), (x - 8, y + 4)]), fill=fill)
