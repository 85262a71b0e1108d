"""Cells as ticks."""

from __future__ import annotations

from r4.explain.tree import Span
from rete.delta import NEG_INF, POS_INF


def in_ticks(lo: int, hi: int) -> Span:
    """Cells as ticks: the first tick in, and the first no longer in."""
    return Span(
        lo if lo == NEG_INF else (lo + 1) >> 1,
        hi if hi == POS_INF else (hi + 1) >> 1,
        after=lo > NEG_INF and bool(lo & 1),
        through=hi < POS_INF and bool(hi & 1),
    )
