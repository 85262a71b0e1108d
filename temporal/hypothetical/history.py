"""Histories of answers: from when they were possible, how that ended, and a picture of them.

In the picture an answer is a bar while it is possible, with a mark at its end. The more of what it
needs has come in, the darker its bar. Answers that are open together stand in several rows of a
lane.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from rete.drawing.picture import svg
from rete.drawing.picture.boxes import PITCH, SMALL_PITCH
from rete.drawing.picture.svg import Point
from temporal.hypothetical.online_evaluation import Told
from temporal.hypothetical.ranking.top_k import DROPPED_PREFIX, END_OF_INPUT
from temporal.picture.style import STYLE


@dataclass(slots=True)
class History:
    """An answer, from the first line about it to the last.

    Attributes:
        possible: the lines that support it; empty if it is certain at once.
        end: the line that it is certain or withdrawn; None: there is none.
    """

    answer: Mapping[str, str | int]
    possible: list[Told]
    end: Told | None = None

    @property
    def begin(self) -> int:
        """When it is first reported."""
        first = self.possible[0] if self.possible else self.end
        assert first is not None
        return first.tau

    @property
    def is_certain(self) -> bool:
        """Was it confirmed in the end?"""
        return self.end is not None and self.end.status == "answer"

    @property
    def is_open(self) -> bool:
        """Was it undecided when the input ended, or when it was dropped?"""
        because = self.end and self.end.because
        return self.end is None or bool(
            because and (because == END_OF_INPUT or because.startswith(DROPPED_PREFIX))
        )


def histories(told: Iterable[Told]) -> list[History]:
    """The history of each answer, in the order in which they begin.

    What is possible again after it was withdrawn, or dropped, is a history of its own.
    """
    found: list[History] = []
    running: dict[Hashable, History] = {}
    for each in told:
        key = tuple(each.answer.items())
        if key not in running:
            running[key] = History(each.answer, [])
            found.append(running[key])
        if each.status == "supported":
            running[key].possible.append(each)
        else:
            running.pop(key).end = each
    return found


_STYLE: Final = (
    STYLE
    + """
.likely{fill:#2c6fbb}
.certain{fill:#2a8a57}
.gone{stroke:#c4512a;stroke-width:2.2;fill:none}
.still{stroke:#2c6fbb;stroke-width:1.8;fill:none}
@media (prefers-color-scheme:dark){.likely{fill:#5aa2f0}.certain{fill:#4fc088}.gone{stroke:#ff8f66}
.still{stroke:#5aa2f0}}
"""
)
_WIDTH: Final = 1120.0
_MARGIN: Final = 28.0
_TOP: Final = 78.0
_ROW: Final = 13.0
_BAR: Final = 7.0
_BETWEEN: Final = 12.0
"""From a lane to the next."""
_MARK: Final = 4.2
_APART: Final = 2 * _MARK + 2
"""What a mark needs behind a bar."""
_LEGEND: Final = 62.0


class Picture:
    """Histories, and how they are drawn; each value of the variable ``lane`` has a lane.

    The lanes are those of ``names``, in order, and of whatever else has answers. ``clock`` writes a
    moment; marks stand at multiples of ``every``.
    """

    def __init__(  # noqa: PLR0913 - what is shown, and how
        self,
        found: Sequence[History],
        lane: str,
        *,
        names: Sequence[str] = (),
        title: str,
        clock: Callable[[int], str] = str,
        every: int,
    ) -> None:
        self._found, self._title, self._clock, self._every = found, title, clock, every
        lanes: dict[str, list[History]] = {name: [] for name in names}
        for each in found:
            lanes.setdefault(str(each.answer[lane]), []).append(each)
        self._lanes = lanes
        moments = [tau for each in found for tau in (each.begin, _last(each))]
        self._begin = min(moments, default=0) // every * every
        self._end = max(-(-max(moments, default=0) // every) * every, self._begin + every)
        self._left = _MARGIN + max(map(len, lanes), default=0) * PITCH + 18

    def svg(self) -> str:
        """A document of its own: no scripts, no fonts or pictures from elsewhere."""
        body, bottom = list[str](), _TOP
        for name, own in self._lanes.items():
            rows = self._rows(own)
            middle = bottom + _BETWEEN / 2 + _ROW * max(len(rows), 1) / 2
            body.append(svg.text((_MARGIN, middle + 4), name, "m"))
            for number, row in enumerate(rows):
                y = bottom + _BETWEEN / 2 + _ROW * (number + 0.5)
                body += (self._answer(each, y) for each in row)
            bottom += _ROW * max(len(rows), 1) + _BETWEEN
            body.append(_line((_MARGIN, bottom), f"H{svg.number(_WIDTH - _MARGIN)}", "rule"))
        height = bottom + _LEGEND
        head = [
            svg.text((_MARGIN, 36), self._title, "title"),
            svg.text((_MARGIN, 57), self._summary(), "sub"),
        ]
        has_open = any(each.is_open for each in self._found)
        legend = _legend(height - 20, has_open=has_open)
        parts = [*head, *self._marks(bottom), *body, *legend]
        return f"{svg.document(self._title, (_WIDTH, height), parts, style=_STYLE)}\n"

    def _summary(self) -> str:
        certain = sum(each.is_certain for each in self._found)
        still = sum(each.is_open for each in self._found)
        gone = len(self._found) - certain - still
        summary = f"{len(self._found)} answers: {certain} confirmed, {gone} withdrawn"
        return f"{summary}, {still} open at the end" if still else summary

    def _x(self, tau: int) -> float:
        share = (tau - self._begin) / (self._end - self._begin)
        return self._left + (_WIDTH - _MARGIN - 12 - self._left) * share

    def _rows(self, own: Sequence[History]) -> list[list[History]]:
        """The answers of a lane, each in the first row in which there is room."""
        rows: list[list[History]] = []
        for each in own:
            room = (row for row in rows if self._x(_last(row[-1])) + _APART <= self._x(each.begin))
            row = next(room, None)
            if row is None:
                rows.append([each])
            else:
                row.append(each)
        return rows

    def _answer(self, each: History, y: float) -> str:
        values = ", ".join(
            f"{name} = {value if isinstance(value, str) else self._clock(value)}"
            for name, value in each.answer.items()
        )
        parts = list[str]()
        shares = [
            (tau, max(len(one.evidence) / (len(one.evidence) + len(one.hypotheses)) for one in of))
            for tau, of in groupby(each.possible, key=lambda one: one.tau)
        ]
        for (tau, share), (end, _) in pairwise([*shares, (_last(each), 0.0)]):
            parts.append(_bar((self._x(tau), y), self._x(end) - self._x(tau), share))
        parts.append(_mark((self._x(_last(each)), y), _kind(each)))
        return svg.group(f"{values}: {self._outcome(each)}", *parts)

    def _outcome(self, each: History) -> str:
        end = each.end
        if end is None or each.is_open:
            return f"possible from {self._clock(each.begin)} on"
        if each.is_certain:
            return f"possible from {self._clock(each.begin)}, certain at {self._clock(end.tau)}"
        summary = f"possible from {self._clock(each.begin)}, withdrawn at {self._clock(end.tau)}"
        return f"{summary}, as {end.because} did not come"

    def _marks(self, bottom: float) -> Iterator[str]:
        for tau in range(self._begin, self._end + 1, self._every):
            x, text = self._x(tau), self._clock(tau)
            yield _line((x, _TOP), f"V{svg.number(bottom)}", "grid")
            yield svg.text((x, bottom + 16), text, "n c")


def _last(each: History) -> int:
    """Until when it is drawn."""
    return each.end.tau if each.end else each.possible[-1].tau


def _line(at: Point, d: str, kind: str) -> str:
    return svg.path(f"M{svg.number(at[0])} {svg.number(at[1])}{d}", kind)


def _kind(each: History) -> str:
    if each.is_open:
        return "still"
    return "certain" if each.is_certain else "gone"


def _mark(at: Point, kind: str) -> str:
    (x, y), size = at, svg.number(2 * _MARK - 2)
    if kind != "gone":
        return svg.element("circle", cx=x, cy=y, r=_MARK, class_=kind)
    corner = x - _MARK + 1, y - _MARK + 1
    return _line(corner, f"l{size} {size}m0 -{size}l-{size} {size}", kind)


def _legend(y: float, *, has_open: bool) -> Iterator[str]:
    x = _MARGIN
    bars = (_bar((x + 24 * position, y), 24.0, (position + 1) / 3) for position in range(2))
    yield from bars
    x += 48
    for kind, text in (
        ("", "possible; darker: more has come in"),
        ("certain", "confirmed"),
        ("gone", "withdrawn"),
        ("still", "open at the end"),
    ):
        if kind == "still" and not has_open:
            continue
        if kind:
            yield _mark((x, y), kind)
        yield svg.text((x + 10, y + 4), text, "legend")
        x += len(text) * SMALL_PITCH + 44


def _bar(at: Point, wide: float, share: float) -> str:
    """A bar around the height of ``at``; of an answer of which such a share has come in."""
    opacity = f"{share**1.4:.2f}"
    return svg.rect((at[0], at[1] - _BAR / 2), (wide, _BAR), "likely", fill_opacity=opacity)
