"""Rows with past and future exchanged: what is right for the one side is so for the other."""

from __future__ import annotations

import numpy as np

from rete.delta import NEG_INF, POS_INF, Rows


def reflect(rows: Rows) -> Rows:
    """The instant t becomes -t; infinite ends stay so. Its own inverse."""
    found = rows.copy()
    lo, hi = rows[:, -2], rows[:, -1]
    found[:, -2] = np.where(hi >= POS_INF, NEG_INF, 1 - hi)
    found[:, -1] = np.where(lo <= NEG_INF, POS_INF, 1 - lo)
    return found
