"""Rows as they are, in other forms, in Python: as `rete.kernels.rows._projection`, readable."""

from __future__ import annotations

import numpy as np

from rete.arrays.delta import Column, Rows


def project(rows: Rows, places: Column, constants: Column) -> Rows:
    """The columns ``places`` of ``rows``, and ``constants``, with their time.

    ``places`` has a column, or ~c for the constant at c. The rows themselves, if these are all of
    their columns, in their order; else new ones.
    """
    k = rows.shape[1] - 2
    if (places >= k).any() or (~places >= len(constants)).any():
        raise IndexError(places)
    if np.array_equal(places, np.arange(k)):
        return rows
    out = np.empty((len(rows), len(places) + 2), np.int64)
    out[:, :-2] = np.where(places < 0, 0, rows[:, np.maximum(places, 0)] if k else 0)
    for column in np.flatnonzero(places < 0).tolist():
        out[:, column] = constants[~places[column]]
    out[:, -2:] = rows[:, -2:]
    return out


def concatenate(parts: list[Rows]) -> Rows:
    """All rows of ``parts``, of which there is one at least; if only one has any, that itself."""
    if len({rows.shape[1] for rows in parts}) > 1:
        message = f"rows of {', '.join(str(rows.shape[1]) for rows in parts)} columns"
        raise ValueError(message)
    some = [rows for rows in parts if len(rows)]
    if len(some) < 2:  # noqa: PLR2004 - nothing to copy
        return some[0] if some else parts[0]
    return np.concatenate(some)


def reaches_beyond(rows: Rows, lo: int, hi: int) -> bool:
    """Whether any row begins before ``lo`` or ends after ``hi``."""
    return bool(len(rows) and (rows[:, -2].min() < lo or rows[:, -1].max() > hi))


def clip(rows: Rows, lo: int, hi: int) -> Rows:
    """The pieces of ``rows`` from ``lo`` to ``hi``, half-open, in their order.

    The rows themselves, if that is all of them; else new ones.
    """
    if not reaches_beyond(rows, lo, hi):
        return rows
    found = rows[(rows[:, -1] > lo) & (rows[:, -2] < hi)]
    np.maximum(found[:, -2], lo, out=found[:, -2])
    np.minimum(found[:, -1], hi, out=found[:, -1])
    return found
