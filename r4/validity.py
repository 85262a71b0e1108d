"""The valid time of facts that come in, from ticks to cells."""

from __future__ import annotations

import numpy as np

from r4.program import Program
from r4.time import NO_END
from rete.delta import NEG_INF, POS_INF, Column


def always(count: int) -> tuple[Column, Column]:
    """That of so many facts that always hold."""
    return np.full(count, NEG_INF), np.full(count, POS_INF)


def valid(program: Program, start: Column, end: Column) -> tuple[Column, Column]:
    """That of facts from ``start`` on; to ``end``, or as long as the window of ``program`` says."""
    window = program.window
    last = POS_INF // 2 if window is None else start + window
    ticks = np.where(end == NO_END, last, end)
    hi = np.where(ticks >= POS_INF // 2, POS_INF, 2 * ticks)
    if window is None and program.metric:
        hi = np.where(end == NO_END, 2 * start + 1, hi)
    return 2 * start, hi
