"""What rows do not cover of others, in Python: as `rete.kernels.rows._coverage`, readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.kernels.rows.pure_matrix import matrix
from rete.kernels.rows.pure_metric import dilate, probe_eroded
from rete.kernels.rows.pure_probes import probe
from rete.kernels.rows.pure_store import FactStore, Index


def uncovered(delta: Rows, delta_key: Column, index: Index, limit: int) -> Rows:
    """The pieces of ``delta`` that no stored row before ``limit`` covers.

    Rows agree as in `probe`; stored rows may overlap. Pieces come in the order of the delta; it is
    returned itself if that is all of it.
    """
    k = delta.shape[1] - 2
    key = delta_key.tolist()
    out: list[list[int]] = []
    for row in delta.tolist():
        at, hi = row[k], row[k + 1]
        agreeing = [r for r in index.positions(row, key) if r < limit]
        for begin, end in sorted(index.store.rows_held[agreeing, -2:].tolist()):
            if begin >= hi:
                break
            if begin >= end:
                continue
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
    store, key = FactStore(others.shape[1] - 2), np.arange(others.shape[1] - 2)
    store.fill(others)
    return uncovered(delta, key, store.index(key), store.end)


def unpaired(
    delta: Rows,
    first_key: Column,
    first: Index,
    first_limit: int,
    second_key: Column,
    second: Index,
    second_limit: int,
) -> Rows:
    """The pieces of ``delta`` that no pair of rows of two stores covers, at the time of both.

    A first row agrees with one of ``delta`` as the columns ``first_key`` say, a second one with
    both: a column of ``second_key`` is one of ``delta``, or ~c is column c of the first row.
    ``delta`` itself, if that is all of it. Costs the pairs, in the compiled twin up to those by
    which a row is covered; each row goes through the chains of its keys.
    """
    width = delta.shape[1] - 2
    both = columns([*range(width), *(~c for c in range(first.store.width))])
    met, _ = probe(delta, first_key, first, first_limit, both)
    key = columns(c if c >= 0 else width + ~c for c in second_key.tolist())
    pairs, _ = probe(met, key, second, second_limit, columns(range(width)))
    return difference(delta, pairs)


class Operator(NamedTuple):
    """A box or a diamond of stored rows; of a box they must be maximal.

    Attributes:
        is_box: which of them.
        r_lo, r_hi, future: as of `rete.kernels.rows.pure_metric.dilate`.
    """

    is_box: bool
    r_lo: int
    r_hi: int
    future: bool


class Lookups:
    """Where rows are looked up, one store after the other, whatever each has by then."""

    __slots__ = ("_found",)

    def __init__(self, found: Iterable[tuple[Column, Index, Operator | None]]) -> None:
        """Of each store: which columns of what is looked up equal those of which index of it.

        And whether what covers it is an operator of a stored row; None: the row itself.
        """
        self._found = list(found)

    def uncovered(self, asked: Rows) -> Rows:
        """The pieces of ``asked`` that no row of any store covers; see `rete.kernels.uncovered`."""
        for key, index, operator in self._found:
            if operator is None:
                asked = uncovered(asked, key, index, index.store.end)
            else:
                asked = _uncovered_by(operator, asked, key, index)
        return asked


def _uncovered_by(how: Operator, asked: Rows, key: Column, index: Index) -> Rows:
    """The pieces of ``asked`` that no box, or diamond, of a stored row covers."""
    is_box, r_lo, r_hi, future = how
    keep, end = columns(range(asked.shape[1] - 2)), index.store.end
    if is_box:
        found, _ = probe_eroded(asked, key, index, end, keep, r_lo, r_hi, future)
    else:
        there = dilate(asked, r_lo, r_hi, not future)
        found, _ = probe(there, key, index, end, keep)
        found = dilate(found, r_lo, r_hi, future)
    return difference(asked, found)
