"""What the signs of the picture mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rete.explain import svg
from rete.explain.svg import Point

HEIGHT: Final = 26.0
_SMALL: Final = 6.1
"""Width of a character, at a font size of 11."""
_GAP: Final = 22.0


def legend(at: Point, *, derived_only: bool, repeats: bool) -> Iterator[str]:
    """The elements, in a line from ``at`` on."""
    x, y = at
    for sign, width, meaning in _entries(derived_only=derived_only, repeats=repeats):
        yield f'<g transform="translate({svg.number(x)} {svg.number(y)})">{sign}'
        yield svg.text((width + 6, 4), meaning, "legend") + "</g>"
        x += width + 6 + len(meaning) * _SMALL + _GAP


def _entries(*, derived_only: bool, repeats: bool) -> Iterator[tuple[str, float, str]]:
    if not derived_only:
        yield svg.rect((0, -3), (20, 6), "given"), 20, "in the data"
    yield svg.rect((0, -3), (20, 6), "derived"), 20, "follows"
    yield svg.element("circle", cx=5, cy=0, r=4.2, class_="derived"), 9, "with this end"
    yield svg.element("circle", cx=5, cy=0, r=4.2, class_="derived open"), 9, "without it"
    yield svg.path("M0 -3H10V-7L21 0L10 7V3H0Z", "derived"), 21, "for ever"
    yield svg.rect((0, -3), (20, 6), "derived dense"), 20, "3\u00d7: so many, close together"
    if repeats:
        yield svg.rect((0, -6), (20, 12), "period"), 20, "period"
        copies = svg.rect((0, -6), (20, 12), "again") + svg.rect((20, -6), (20, 12), "anew")
        yield copies, 40, "and again, for ever"
