"""The whole picture of a model: a lane a fact, beneath them the line of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rete.drawing.picture import svg
from rete.drawing.picture.boxes import PITCH, shortened, units
from temporal.model.least_model import Model
from temporal.model.limits import count
from temporal.picture import bands, bars
from temporal.picture.axis import Axis
from temporal.picture.bands import Bands
from temporal.picture.bars import Bars, printable, tooltip
from temporal.picture.lanes import Lane, LaneGroup, groups_of
from temporal.picture.style import LEGEND_HEIGHT, STYLE, draw_legend

_WIDTH: Final = 1120.0
_MARGIN: Final = 28.0
_TOP: Final = 76.0
_LANE: Final = 27.0
_BETWEEN: Final = 10.0
"""Between two predicates."""
_NAME: Final = 34
"""Characters of the name of a fact; the tooltip has more."""
_TITLE: Final = 60
_LINE: Final = 16.0
_LEGEND: Final = 42.0


class ModelPicture:
    """A model as it is drawn.

    Attributes:
        groups: what is drawn of it.
    """

    def __init__(
        self, model: Model, lo: int, hi: int, title: str, *, derived_only: bool = False
    ) -> None:
        """Of the cells ``lo`` to ``hi``, which are finite.

        Raises:
            TooManyIntervals: there are too many intervals.
        """
        if lo >> 1 == hi >> 1:  # one point alone has no width
            lo, hi = lo - 2 * model.scale, hi + 2 * model.scale
        self._model, self._window, self._derived_only = model, (lo, hi), derived_only
        self._title = shortened(printable(title), _TITLE)
        found = groups_of(model, lo, hi, derived_only=derived_only)
        self.groups = [group for group in found if group.lanes]
        self._others = [group for group in found if not group.lanes]
        names = [units(_name(lane)) for group in self.groups for lane in group.lanes]
        left = _MARGIN + max(names, default=0) * PITCH + bars.ARROW + 14
        width = _WIDTH - _MARGIN - bars.ARROW - left
        self._axis = Axis(lo >> 1, hi >> 1, model.scale, model.notation, left, width)
        self._bands = Bands(model.periodic, self._axis, (lo, hi), _TOP)
        self._first = _TOP + (8.0 if model.periodic.is_finite else bands.HEIGHT)
        self._bottom = self._first + sum(map(_height, self.groups)) + _LINE * bool(self._others) + 2

    @property
    def left_out(self) -> int:
        """How many facts that hold in the window are not drawn."""
        return sum(group.more for group in (*self.groups, *self._others))

    def svg(self) -> str:
        """A document of its own: no scripts, no fonts or pictures from elsewhere."""
        height = self._bottom + _LEGEND + LEGEND_HEIGHT
        summary = self._summary()
        parts = [
            svg.text((_MARGIN, 36), self._title, "title"),
            svg.text((_MARGIN, 57), summary, "sub"),
            *self._bands.tints(self._bottom),
            *self._time_line(),
            *self._lanes(),
            *self._above_lanes(),
            *draw_legend(
                (_MARGIN, self._bottom + _LEGEND + 4),
                derived_only=self._derived_only,
                repeats=not self._model.periodic.is_finite,
            ),
        ]
        size = _WIDTH, height
        return f"{svg.document(self._title, size, parts, description=summary, style=STYLE)}\n"

    def _summary(self) -> str:
        lanes = [lane for group in self.groups for lane in group.lanes]
        facts = count(len(lanes) + self.left_out, "fact")
        if self.left_out:
            facts = f"{len(lanes)} of {facts}"
        intervals = count(sum(len(lane.rows) for lane in lanes), "interval")
        summary = f"{facts}, {intervals} in {self._axis.interval(*self._window)}"
        return f"{summary}, less the data" if self._derived_only else summary

    def _above_lanes(self) -> Iterator[str]:
        """The labels above the lanes: those of the bands, or that it is no whole model."""
        if self._model.limit is not None:
            yield svg.text((_MARGIN, 76), f"Not all of the model: {self._model.limit}.", "part")
        elif not self._model.periodic.is_finite:
            yield from self._bands.labels()

    def _time_line(self) -> Iterator[str]:
        """The line of time, and what stands along it."""
        y = self._bottom
        for x, text in self._axis.marks():
            at = svg.number(x)
            yield svg.path(f"M{at} {svg.number(self._first)}V{svg.number(y)}", "grid")
            yield svg.path(f"M{at} {svg.number(y)}v5", "frame")
            yield svg.text((x, y + 17), text, "n c")
        ends = svg.number(self._axis.left - bars.ARROW), svg.number(self._axis.right + bars.ARROW)
        yield svg.path(f"M{ends[0]} {svg.number(y)}H{ends[1]}", "frame")

    def _lanes(self) -> Iterator[str]:
        top = self._first
        for number, group in enumerate(self.groups):
            if number:
                y = svg.number(top + 1)
                yield svg.path(f"M{svg.number(_MARGIN)} {y}H{svg.number(_WIDTH - _MARGIN)}", "rule")
            middle = top + _LANE * 0.7
            for lane in group.lanes:
                yield svg.group(tooltip(lane), svg.text((_MARGIN, middle + 4), _name(lane), "m"))
                yield from Bars(lane, self._axis, self._window).draw(middle)
                middle += _LANE
            if group.more:
                more = f"and {count(group.more, 'more fact')} of {group.predicate}"
                yield svg.text((_MARGIN, middle), printable(more), "n")
            top += _height(group)
        if self._others:
            facts = count(sum(group.more for group in self._others), "fact")
            more = f"and {facts} of {count(len(self._others), 'more predicate')}"
            yield svg.text((_MARGIN, top + _LINE - 4), more, "n")


def _height(group: LaneGroup) -> float:
    return _LANE * len(group.lanes) + _LINE * bool(group.more) + _BETWEEN


def _name(lane: Lane) -> str:
    return shortened(printable(lane.name), _NAME)
