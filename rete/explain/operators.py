"""Metric operators as people write them, with their ranges in ticks."""

from __future__ import annotations

from typing import Final

from rete.delta import POS_INF
from rete.plan import Cells, Dilate, Erode, Shift, Since

_NAMES: Final[dict[tuple[type[Dilate | Erode | Since], bool], str]] = {
    (Dilate, False): "DiamondMinus",
    (Dilate, True): "DiamondPlus",
    (Erode, False): "BoxMinus",
    (Erode, True): "BoxPlus",
    (Since, False): "Since",
    (Since, True): "Until",
}


def operator(plan: Dilate | Erode | Since | Shift) -> str:
    """Its name and range: ``DiamondMinus (0,5]``. What a head is under a box is a diamond here."""
    if isinstance(plan, Shift):
        return f"shift {plan.by:+d}"
    return f"{name_of(plan)} {range_text(plan.rho)}"


def name_of(plan: Dilate | Erode | Since) -> str:
    """``DiamondMinus``."""
    return _NAMES[type(plan), plan.future]


def range_text(rho: Cells) -> str:
    """A range of distances in ticks: ``[0,5]``, ``(0,inf)``."""
    lo, hi = rho
    right = "inf)" if hi >= POS_INF else f"{hi >> 1}{')]'[hi & 1]}"
    return f"{'[('[lo & 1]}{lo >> 1},{right}"
