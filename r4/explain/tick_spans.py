"""Cells as ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from r4.explain.explanation import TickSpan
from rete.arrays.delta import NEG_INF, POS_INF


def to_ticks(lo: int, hi: int) -> TickSpan:
    """Cells as ticks: the first tick in, and the first no longer in."""
    return TickSpan(
        lo if lo == NEG_INF else (lo + 1) >> 1,
        hi if hi == POS_INF else (hi + 1) >> 1,
        after=lo > NEG_INF and bool(lo & 1),
        through=hi < POS_INF and bool(hi & 1),
    )


def span_at(cells: Iterable[tuple[int, int]], tick: int) -> TickSpan | None:
    """The run of intervals, in cells, that a tick lies in: such that no tick is between them."""
    run: TickSpan | None = None
    for span in (to_ticks(lo, hi) for lo, hi in sorted(cells)):
        if span.since >= span.until:
            continue
        if run is None or span.since > run.until:
            if run is not None and tick < run.until:
                break
            run = span
        elif span.until >= run.until:
            through = span.through and (span.until > run.until or run.through)
            run = replace(run, until=span.until, through=through)
    return run if run is not None and run.since <= tick < run.until else None
