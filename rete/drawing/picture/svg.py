"""Elements of SVG as text: escaped, numbers short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, TypeAlias

from rete.drawing.picture.style import STYLE

Attribute: TypeAlias = str | float | None
Point: TypeAlias = tuple[float, float]

_NONE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML has no character for."""


def escaped(content: str) -> str:
    """Text as markup, whatever is in it."""
    return escape(_NONE.sub("\N{REPLACEMENT CHARACTER}", content))


def number(value: float) -> str:
    """A coordinate, to a tenth."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def document(
    title: str, size: Point, parts: Iterable[str], *, description: str = "", style: str = STYLE
) -> str:
    """A document of its own: no scripts, no fonts or pictures from elsewhere.

    The ``parts`` are markup, and show the title; ``size`` is in pixels.
    """
    width, height = map(number, size)
    lines = [
        (
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" xml:space="preserve" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        ),
        element("title", escaped(title)),
        *([element("desc", escaped(description))] if description else []),
        f"<style>{style}</style>",
        rect((0.5, 0.5), (size[0] - 1, size[1] - 1), "page", rx=8),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines)


def element(name: str, content: str = "", /, **attributes: Attribute) -> str:
    """An element; ``content`` is markup. Attributes that are None are left out.

    An underscore in the name of an attribute is a hyphen, one at its end nothing (``class_``).
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def _value(value: str | float) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def group(tooltip: str, *parts: str) -> str:
    """Elements that have a tooltip together."""
    return element("g", element("title", escaped(tooltip)) + "".join(parts))


def text(at: Point, content: str, class_: str = "", **attributes: Attribute) -> str:
    """A line of text; ``at`` is where its base line begins, or what ``text_anchor`` says."""
    x, y = at
    shown = escaped(content)
    return element("text", shown, x=x, y=y, class_=class_ or None, **attributes)


def spans(at: Point, pieces: Iterable[tuple[str, str]], class_: str = "") -> str:
    """A line of text in pieces (text, class)."""
    x, y = at
    content = "".join(
        element("tspan", escaped(piece), class_=kind or None) for piece, kind in pieces
    )
    return element("text", content, x=x, y=y, class_=class_ or None)


def rect(at: Point, size: Point, class_: str = "", **attributes: Attribute) -> str:
    """A rectangle by its upper left corner."""
    (x, y), (width, height) = at, size
    return element(
        "rect", x=x, y=y, width=width, height=height, class_=class_ or None, **attributes
    )


def path(d: str, class_: str = "", **attributes: Attribute) -> str:
    """A path."""
    return element("path", d=d, class_=class_ or None, **attributes)


def polygon(points: Sequence[Point]) -> str:
    """The path of a closed polygon."""
    return f"M{' L'.join(f'{number(x)} {number(y)}' for x, y in points)}Z"


def wave(begin: Point, end: Point) -> str:
    """The path of a line that is level at both ends."""
    (x1, y1), (x2, y2) = begin, end
    if abs(y1 - y2) < 0.05:  # noqa: PLR2004 - less than is written
        return f"M{number(x1)} {number(y1)}H{number(x2)}"
    middle = number((x1 + x2) / 2)
    return (
        f"M{number(x1)} {number(y1)}C{middle} {number(y1)} {middle} {number(y2)} "
        f"{number(x2)} {number(y2)}"
    )


def bent(points: Sequence[Point], radius: float) -> str:
    """The path along ``points`` with round corners."""
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        begin = _towards(corner, before, radius)
        end = _towards(corner, after, radius)
        parts.append(f"L{number(begin[0])} {number(begin[1])}")
        parts.append(f"Q{number(corner[0])} {number(corner[1])} {number(end[0])} {number(end[1])}")
    parts.append(f"L{number(points[-1][0])} {number(points[-1][1])}")
    return "".join(parts)


def _towards(corner: Point, other: Point, radius: float) -> Point:
    (x1, y1), (x2, y2) = corner, other
    length = abs(x2 - x1) + abs(y2 - y1)  # the sides are level or upright
    share = min(radius, length / 2) / length if length else 0.0
    return x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
