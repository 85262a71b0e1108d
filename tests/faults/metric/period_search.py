"""Faults of the search for periods, detected by models that are known to repeat."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

from temporal.periods import period_search, tails, windows
from temporal.periods.change_points import ChangePoints
from temporal.periods.tails import Tail, WindowSignatures
from temporal.periods.windows import Repetition, Ruler
from tests.faults.detection import Fault, FaultArea
from tests.generators.draw import from_seed
from tests.generators.metric.periodic_models import model_rows, random_model

_onset, _place_windows, _first_pair = tails._onset, windows.place_windows, tails._first_pair


def onset_too_early() -> AbstractContextManager[object]:
    """As if all repeated from the data on."""

    def early(found: ChangePoints, period: int, end: int) -> int | None:
        return None if _onset(found, period, end) is None else found.first

    return patch.object(tails, "_onset", early)


def period_not_the_least() -> AbstractContextManager[object]:
    """The first and the last of the windows that are equal, not neighbours."""

    def far_apart(marks: WindowSignatures, settled: int, _step: int) -> tuple[int, int] | None:
        cells = marks.cells[: len(marks.windows)]
        for window in marks.windows[cells >= settled]:
            same = cells[(marks.windows == window) & (cells >= settled)]
            if len(same) > 1:
                return int(same[0]), int(same[-1])
        return None

    return patch.object(tails, "_first_pair", far_apart)


def period_of_half_ticks() -> AbstractContextManager[object]:
    """Instants are taken for gaps."""

    def any_parity(marks: WindowSignatures, settled: int, step: int) -> tuple[int, int] | None:
        halved = WindowSignatures(2 * marks.cells, marks.windows)
        pair = _first_pair(halved, 2 * settled, step)
        return pair and (pair[0] // 2, pair[1] // 2)

    return patch.object(tails, "_first_pair", any_parity)


def ruler_of_one_residue() -> AbstractContextManager[object]:
    """The ruler has the last end alone."""

    def one_residue(tail: Tail, frame: Ruler) -> Repetition:
        return _place_windows(tail, Ruler(frame.ends[-1:], frame.depth, frame.step))

    return patch.object(period_search, "place_windows", one_residue)


def _begins(repeat: Repetition) -> tuple[int, int]:
    return min(repeat.near, repeat.far), max(repeat.near, repeat.far)


def _detects(seed: int, fault: Fault) -> bool:
    model = random_model(from_seed(seed))
    horizon = model.first - 300, model.last + 301
    rows = model_rows(model, *horizon)
    with fault():
        found = period_search.find_periods(rows, model.frame, horizon)
    if not (found.left and found.right):
        return True
    return (_begins(found.left), _begins(found.right)) != model.expected()


AREA: Final = FaultArea(
    (onset_too_early, period_not_the_least, period_of_half_ticks, ruler_of_one_residue),
    _detects,
    cases=400,
)
