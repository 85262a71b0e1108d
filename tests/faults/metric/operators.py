"""Faults in operators on intervals."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Final
from unittest.mock import patch

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.nodes.metric.box import Erode, ErodeSide
from rete.nodes.metric.since import SinceZeroNode
from tests.faults.detection import Fault
from tests.faults.streams import join_ignores_time, repeated_variable_unchecked, wrong_projection

_Change = Callable[[int, int, bool], tuple[int, int, bool]]
"""From a range in cells, and whether it is of the future, to others."""


def _all(change: _Change) -> AbstractContextManager[object]:
    """Every operator has another range."""
    stack = ExitStack()
    for name in ("dilate", "probe_eroded", "probe_since"):
        stack.enter_context(_one(name, change))
    return stack


def _one(name: str, change: _Change) -> AbstractContextManager[object]:
    right = getattr(kernels, name)
    first = {"dilate": 1, "probe_eroded": 6, "probe_since": 7}[name]

    def other(*args: object) -> Rows:
        lo, hi, future = args[first : first + 3]
        assert isinstance(lo, int)
        assert isinstance(hi, int)
        changed = change(lo, hi, bool(future))
        found: Rows = right(*args[:first], *changed, *args[first + 3 :])
        return found

    return patch.object(kernels, name, other)


def open_end_of_a_range_is_closed() -> AbstractContextManager[object]:
    """``[1,2)`` is ``[1,2]``."""
    return _all(lambda lo, hi, future: (lo, hi if hi >= POS_INF else hi | 1, future))


def closed_begin_of_a_range_is_open() -> AbstractContextManager[object]:
    """``[1,2]`` is ``(1,2]``."""
    return _all(lambda lo, hi, future: (lo | 1 if lo | 1 < hi else lo, hi, future))


def range_to_infinity_ends() -> AbstractContextManager[object]:
    """After as much time as hardly any data last."""
    return _all(lambda lo, hi, future: (lo, min(hi, 200), future))


def until_looks_back() -> AbstractContextManager[object]:
    """The sign is lost: what is about the future is about the past."""
    return _one("probe_since", lambda lo, hi, _: (lo, hi, False))


def diamond_looks_back() -> AbstractContextManager[object]:
    """The same of diamonds, and of what is concluded for the past."""
    return _one("dilate", lambda lo, hi, _: (lo, hi, False))


def dilation_ends_a_cell_early() -> AbstractContextManager[object]:
    """The last instant is left out, or the gap before it."""
    right = kernels.dilate

    def dilate(rows: Rows, r_lo: int, r_hi: int, future: bool) -> Rows:
        found = right(rows, r_lo, r_hi, future)
        cut = (found[:, -1] < POS_INF) & (found[:, -1] - found[:, -2] > 1)
        found[cut, -1] -= 1
        return found

    return patch.object(kernels, "dilate", dilate)


def box_is_a_diamond() -> AbstractContextManager[object]:
    """At some distance is at every distance."""

    return _boxes_as(kernels.dilate)


def _boxes_as(kernel: Callable[..., Rows]) -> AbstractContextManager[object]:
    """Boxes of each gain by itself are what ``kernel`` gives for it."""

    def probe(side: ErodeSide, gains: Rows, _: int) -> tuple[Rows, int]:
        plan = side.output.plan
        assert isinstance(plan, Erode)
        return kernel(gains, *plan.rho, plan.future), len(gains)

    return patch.object(ErodeSide, "probe", probe)


def box_sees_pieces() -> AbstractContextManager[object]:
    """Intervals that touch are not united before a box looks at them."""

    return _boxes_as(kernels.erode)


def since_without_what_lies_between() -> AbstractContextManager[object]:
    """The left side need not hold all the time, if it ever did."""
    right: Callable[..., tuple[Rows, int]] = kernels.probe_since

    def probe_since(
        delta: Rows, times: Rows, key: Column, index: kernels.Index, limit: int, *rest: object
    ) -> tuple[Rows, int]:
        if rest[4]:  # psi is stored, so the times are those of phi
            times = np.tile(np.array([[NEG_INF, POS_INF]], np.int64), (len(times), 1))
        else:
            rows = index.store.rows(0, index.store.end, living=True)
            rows[:, -2:] = NEG_INF, POS_INF
            store = kernels.FactStore(index.store.width)
            store.fill(rows)
            index, limit = store.index(index.cols), min(limit, store.end)
        return right(delta, times, key, index, limit, *rest)

    return patch.object(kernels, "probe_since", probe_since)


def since_is_not_now() -> AbstractContextManager[object]:
    """With 0 in the range the right side alone is not enough."""
    return patch.object(SinceZeroNode, "apply", lambda _, rows: rows[:0])


FAULTS: Final[tuple[Fault, ...]] = (
    open_end_of_a_range_is_closed,
    closed_begin_of_a_range_is_open,
    range_to_infinity_ends,
    until_looks_back,
    diamond_looks_back,
    dilation_ends_a_cell_early,
    box_is_a_diamond,
    box_sees_pieces,
    since_without_what_lies_between,
    since_is_not_now,
    join_ignores_time,
    repeated_variable_unchecked,
    wrong_projection,
)
