"""Row matrices in Python: what `rete.kernels.rows._matrix` has of use here."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import NEG_INF, Rows

DEAD = NEG_INF - 1
"""The end of a row that is there no longer: before every begin, so nothing meets it."""
VACANT = DEAD - 1
"""The end of a row that was removed, or united with another."""


def matrix(rows: list[list[int]], width: int) -> Rows:
    """The row matrix of ``rows`` of so many terms, (n, width + 2)."""
    return np.array(rows, np.int64).reshape(len(rows), width + 2)
