"""What rows do not cover of others, in Python: as `rete.kernels.rows._coverage`, readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.kernels.rows.pure_index import Index, matrix

VERSION = 21


def uncovered(delta: Rows, delta_key: Column, store: Rows, limit: int, index: Index) -> Rows:
    """The pieces of ``delta`` that none of the first ``limit`` stored rows covers.

    Rows agree as in `probe`; stored rows may overlap. Pieces come in the order of the delta; it is
    returned itself if that is all of it.
    """
    k = delta.shape[1] - 2
    key = delta_key.tolist()
    out: list[list[int]] = []
    for row in delta.tolist():
        at, hi = row[k], row[k + 1]
        agreeing = [r for r in index.positions(row, key) if r < limit]
        for begin, end in sorted(store[agreeing, -2:].tolist()):
            if begin >= hi:
                break
            if begin > at:
                out.append([*row[:k], at, begin])
            at = max(at, end)
        if at < hi:
            out.append([*row[:k], at, hi])
    return delta if out == delta.tolist() else matrix(out, k)


def difference(delta: Rows, others: Rows) -> Rows:
    """The pieces of ``delta`` that no row of ``others`` covers; those may overlap.

    Only as many terms are compared, from the first, as ``others`` have. ``delta`` itself, if that
    is all of it.
    """
    if not len(delta) or not len(others):
        return delta
    key = np.arange(others.shape[1] - 2)
    index = Index(key)
    index.extend(others, len(others))
    return uncovered(delta, key, others, len(others), index)


class Store(Protocol):
    """Rows that are there: ``rows[:n]``."""

    rows: Rows
    n: int


class Lookups:
    """Where rows are looked up, one store after the other, whatever each has by then."""

    __slots__ = ("_found",)

    def __init__(self, found: Iterable[tuple[Store, Column, Index]]) -> None:
        """Of each store: which columns of what is looked up equal those of which index of it."""
        self._found = list(found)

    def uncovered(self, asked: Rows) -> Rows:
        """The pieces of ``asked`` that no row of any store covers; see `rete.kernels.uncovered`."""
        for stem, key, index in self._found:
            if index.n < stem.n:
                index.extend(stem.rows, stem.n)
            asked = uncovered(asked, key, stem.rows, stem.n, index)
        return asked
