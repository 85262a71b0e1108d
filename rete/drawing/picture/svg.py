"""Elements of SVG as text: escaped, numbers short; colours and type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, TypeAlias

_COLOURS: Final = (
    "#2c6fbb",
    "#c4512a",
    "#2a8a57",
    "#8748bd",
    "#b07d06",
    "#c0356f",
    "#0c8593",
    "#6d7b1c",
    "#8a5a3c",
    "#4a55d0",
)
SHARED: Final = "#2b3442"
"""What belongs to several rules."""
INPUT: Final = "#8c97a6"

STYLE: Final = """
text{font-family:"DejaVu Sans",Verdana,"Segoe UI",Arial,sans-serif}
text{fill:#1d2530;white-space:pre}
.m{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:12px}
.n,.k{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:9.5px}
.n{fill:#5d6877}
.k{fill:#fff;font-weight:bold}
.free{fill:#98a2b0}
.bound{font-weight:bold}
.title{font-size:19px;font-weight:bold}
.sub{font-size:12px;fill:#5d6877}
.zone{font-size:13px;font-weight:bold;fill:#48536a}
.legend{font-size:11px;fill:#3d4757}
.id{font-size:9px;fill:#98a2b0}
.head{font-size:12px;font-weight:bold;fill:#fff}
.bar{font-size:12px;fill:#fff;font-weight:bold}
.page{fill:#fff;stroke:#d5dbe3}
.field{fill:#f5f7fa}
.pattern,.true{fill:#eaf2fb}
.join{fill:#fff}
.filter{fill:#fff4d9}
.function,.solve{fill:#f4ecfb}
.metric{fill:#e6f5ee}
.rule{fill:#fff}
.line{fill:none}
.halo{fill:none;stroke:#fff}
""".strip()

Attribute: TypeAlias = str | float | None
Point: TypeAlias = tuple[float, float]

_NONE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What XML has no character for."""


def colour(rule: int) -> str:
    """The colour of a rule; the eleventh has that of the first, and its number."""
    return _COLOURS[(rule - 1) % len(_COLOURS)]


def colour_of(rules: tuple[int, ...]) -> str:
    """The colour of what belongs to ``rules``."""
    return colour(rules[0]) if len(rules) == 1 else SHARED


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
        f" {key.rstrip('_').replace('_', '-')}="
        f'"{escaped(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


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
