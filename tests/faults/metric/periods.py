"""Faults in how models repeat, and in queries about them."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Final
from unittest.mock import patch

import numpy as np

import temporal.model.materialisation
import temporal.periods.periodic_model
from rete.arrays.delta import Cells, Rows
from rete.graph.streams import FactTable
from rete.inference import agenda
from temporal.mtl.analysis import ProgramAnalysis, analyse
from temporal.mtl.ast import MetricProgram
from temporal.periods import period_search, tails
from temporal.periods.change_points import ChangePoints, Relations
from temporal.periods.period_search import EVERYWHERE, Periods, find_periods
from temporal.periods.periodic_model import PeriodicModel
from temporal.periods.tails import Tail, WindowSignatures, find_tail, sign_windows
from temporal.periods.unfolding import reflect, repeat_rows
from temporal.periods.windows import Repetition, Ruler, place_windows
from tests.faults.detection import Fault


def certificate_of_short_windows() -> AbstractContextManager[object]:
    """Windows of half of the depth are enough, not of twice as much."""

    def shorter(found: ChangePoints, width: int, settled: int) -> Tail | None:
        return find_tail(found, width // 4, settled)

    return patch.object(period_search, "find_tail", shorter)


def period_of_a_step_more() -> AbstractContextManager[object]:
    """The outer window lies one step of the ruler too far out."""

    def farther(tail: Tail, frame: Ruler) -> Repetition:
        found = place_windows(tail, frame)
        return replace(found, far=found.far + frame.step)

    return patch.object(period_search, "place_windows", farther)


def equal_signatures_are_equal_windows() -> AbstractContextManager[object]:
    """A hash of a few bits, which may collide; what it says is not verified."""
    onset = tails._onset

    def poor(found: ChangePoints, width: int) -> WindowSignatures:
        marks = sign_windows(found, width)
        return WindowSignatures(marks.cells, marks.windows & 3)

    def unverified(found: ChangePoints, period: int, end: int) -> int | None:
        return min(onset(found, period, end) or end, found.first)

    stack = ExitStack()
    stack.enter_context(patch.object(tails, "sign_windows", poor))
    stack.enter_context(patch.object(tails, "_onset", unverified))
    return stack


def onset_forgotten() -> AbstractContextManager[object]:
    """What repeats does so from the data on."""
    right = tails._onset

    def onset(found: ChangePoints, period: int, end: int) -> int | None:
        return None if right(found, period, end) is None else found.first

    return patch.object(tails, "_onset", onset)


def known_beyond_the_horizon() -> AbstractContextManager[object]:
    """What has not been derived yet is taken to be false, a window beyond the horizon too."""

    def early(facts: Relations[object], frame: Ruler, horizon: Cells = EVERYWHERE) -> Periods:
        if horizon != EVERYWHERE:
            horizon = horizon[0] - 2 * frame.width, horizon[1] + 2 * frame.width
        return find_periods(facts, frame, horizon)

    return patch.object(temporal.model.materialisation, "find_periods", early)


def lost_sign_of_the_left() -> AbstractContextManager[object]:
    """What repeats on the left is not turned back to where it was."""
    return patch.object(Repetition, "mirrored", lambda repeat: repeat)


def left_turned_by_a_cell() -> AbstractContextManager[object]:
    """Mirrored, an instant becomes the gap beside it."""

    def turned(rows: Rows) -> Rows:
        found = reflect(rows)
        found[:, -2:] -= np.abs(found[:, -2:]) < 1 << 61
        return found

    return patch.object(temporal.periods.periodic_model, "reflect", turned)


def scale_dropped() -> AbstractContextManager[object]:
    """The depth of a program is that of its numbers, not of ticks."""

    def shallow(program: MetricProgram) -> ProgramAnalysis:
        found = analyse(program)
        return replace(found, depth=found.depth / found.scale)

    return patch.object(temporal.model.materialisation, "analyse", shallow)


def what_waits_is_lost() -> AbstractContextManager[object]:
    """What lies beyond the horizon is not derived when that is widened."""

    def unpark(table: FactTable, _horizon: Cells | None = None) -> bool:
        table.parked = {}
        return False

    return patch.object(agenda, "unpark", unpark)


def some_turns_are_all() -> AbstractContextManager[object]:
    """What repeats does so a thousand times."""

    def some(rows: Rows, source: Cells, lo: int, hi: int) -> Rows:
        return repeat_rows(rows, source, lo, min(hi, source[1] + 1000 * (source[1] - source[0])))

    return patch.object(temporal.periods.periodic_model, "repeat_rows", some)


def some_time_is_throughout() -> AbstractContextManager[object]:
    """A fact is said to hold throughout some time if it does at the end of it."""

    def covered(rows: Rows, _lo: int, hi: int) -> bool:
        return bool(((rows[:, -2] < hi) & (hi <= rows[:, -1])).any())

    return patch.object(temporal.periods.periodic_model, "_covered", covered)


def a_turn_holds_what_any_does() -> AbstractContextManager[object]:
    """Asked of a time longer than a turn, what holds in none of it but the first is said to."""
    right = PeriodicModel.holds

    def holds(
        model: PeriodicModel[object], name: object, terms: tuple[int, ...], lo: int, hi: int
    ) -> bool:
        turn = 2 * max(model.left.shift, model.right.shift)
        return right(model, name, terms, lo, min(hi, lo + turn - 1))

    return patch.object(PeriodicModel, "holds", holds)


FAULTS: Final[tuple[Fault, ...]] = (
    certificate_of_short_windows,
    period_of_a_step_more,
    equal_signatures_are_equal_windows,
    onset_forgotten,
    known_beyond_the_horizon,
    lost_sign_of_the_left,
    left_turned_by_a_cell,
    scale_dropped,
    what_waits_is_lost,
    some_turns_are_all,
    some_time_is_throughout,
    a_turn_holds_what_any_does,
)
