"""Style of the picture: colours, on light pages and on dark ones, and the legend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rete.drawing.picture import svg
from rete.drawing.picture.svg import Point

STYLE: Final = (
    svg.STYLE
    + """
.r{text-anchor:end}
.c{text-anchor:middle}
.grid{stroke:#e3e8ee}
.rule{stroke:#c3ccd7;fill:none}
.frame{stroke:#5d6877;fill:none;stroke-width:1.2}
.period{fill:#c99a2e;fill-opacity:.3}
.again{fill:#c99a2e;fill-opacity:.16}
.anew{fill:#c99a2e;fill-opacity:.08}
.turn{stroke:#b07d06;fill:none;stroke-dasharray:3 3}
.given{fill:#7d8999;stroke:#7d8999}
.derived{fill:#2c6fbb;stroke:#2c6fbb}
rect.given,rect.derived,path.given,path.derived{stroke:none}
.open{fill:#fff}
.dense{fill-opacity:.55}
.part{fill:#c4512a;font-size:12px;font-weight:bold}
@media (prefers-color-scheme:dark){
text,.title{fill:#e6edf3}
.sub,.legend,.n,.zone{fill:#aab6c4}
.page{fill:#0d1117;stroke:#30363d}
.grid{stroke:#222a33}
.rule{stroke:#3d4752}
.frame{stroke:#aab6c4}
.given{fill:#8e9aa9;stroke:#8e9aa9}
.derived{fill:#5aa2f0;stroke:#5aa2f0}
.open{fill:#0d1117}
.part{fill:#ff8f66}
}
""".rstrip()
)


LEGEND_HEIGHT: Final = 26.0
_SMALL: Final = 6.1
"""Width of a character, at a font size of 11."""
_GAP: Final = 22.0


def draw_legend(at: Point, *, derived_only: bool, repeats: bool) -> Iterator[str]:
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
