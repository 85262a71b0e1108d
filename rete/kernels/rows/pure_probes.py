"""Probes of row matrices, and routing, in Python: as `rete.kernels.rows._probes`, readable."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.kernels.rows.pure_matrix import matrix
from rete.kernels.rows.pure_store import Index

Time: TypeAlias = tuple[int, int]


def probe(
    delta: Rows,
    delta_key: Column,
    index: Index,
    limit: int,
    keep: Column,
    most: int = sys.maxsize,
) -> tuple[Rows, int]:
    """Pairs of a delta row and one of the stored rows before ``limit`` that agree and overlap.

    And how many delta rows were met: all, or those up to one with which there are ``most`` pairs or
    more, so that the pairs of a large join come in parts.

    They agree when the columns ``delta_key`` of the one equal the indexed columns of the other; an
    empty key pairs all. The valid time of a pair is the intersection. ``keep`` names the columns of
    the result: c of the delta row, ~c of the stored one. Rows that the index lacks are entered.
    """
    return pairs(delta, delta[:, -2:], delta_key, index, limit, keep, _stored, most)


def pairs(
    delta: Rows,
    times: Rows,
    delta_key: Column,
    index: Index,
    limit: int,
    keep: Column,
    common: Callable[[Time, Time], Time],
    most: int,
) -> tuple[Rows, int]:
    """As `probe`; a pair has its time from ``common``, but not beyond that of the delta row.

    It is given the time of the delta row in ``times``, (n, 2), and that of the stored one.
    """
    k, sk = delta.shape[1] - 2, index.store.width
    if len(delta_key) != len(index.cols):
        message = f"a key of {len(delta_key)} columns, not of {len(index.cols)}"
        raise ValueError(message)
    key, kept_columns = delta_key.tolist(), keep.tolist()
    out: list[list[int]] = []
    met = 0
    for row, (begin, end) in zip(delta.tolist(), times.tolist(), strict=True):
        met += 1
        for r in index.positions(row, key):
            if r >= limit:
                break
            kept = index.store.rows_held[r].tolist()
            if kept[sk] >= kept[sk + 1]:
                continue
            lo, hi = common((begin, end), (kept[sk], kept[sk + 1]))
            lo, hi = max(row[k], lo), min(row[k + 1], hi)
            if lo < hi:
                out.append([*(row[c] if c >= 0 else kept[~c] for c in kept_columns), lo, hi])
        if len(out) >= most:
            break
    return matrix(out, len(kept_columns)), met


def _stored(_own: Time, stored: Time) -> Time:
    return stored


def route(
    rows: Rows, first: int, second: int, table: Rows, masks: int, counts: Column
) -> tuple[Column, Column, Column]:
    """The classes that rows belong to: touched classes, where each begins, and the rows of each.

    A class is a pair of constants for the columns ``first`` and ``second``, 0 standing for any;
    ``masks`` has bit 1·(first is given) + 2·(second is given) set for the kinds of class there are.
    ``table`` comes from `route_table`; ``counts`` is scratch, one 0 a class, and left so. The cost
    is that of the rows, however many classes there are.
    """
    del counts
    classes = {(a, b): cls for a, b, cls in table.tolist()}
    hits: dict[int, list[int]] = {}
    for i, row in enumerate(rows.tolist()):
        for c in range(4):
            if masks >> c & 1:
                cls = classes.get((row[first] if c & 1 else 0, row[second] if c & 2 else 0))
                if cls is not None:
                    hits.setdefault(cls, []).append(i)
    starts = np.cumsum([0, *map(len, hits.values())], dtype=np.int64)
    order = [i for members in hits.values() for i in members]
    return np.array(list(hits), np.int64), starts, np.array(order, np.int64)


def route_table(keys: Rows) -> Rows:
    """The table of `route` for the classes ``keys`` (n, 2): rows (first, second, class)."""
    return np.column_stack((keys, np.arange(len(keys), dtype=np.int64)))


class Selection:
    """What a pattern asks of a fact, and keeps of it.

    Attributes:
        equal: (e, 2): two positions of equal terms.
        keep: (k,): the columns of the result, to which the valid time is added.
        repeats: whether rows of the result may be the same.
    """

    __slots__ = ("equal", "keep", "repeats")

    def __init__(self, equal: Rows, keep: Column, *, repeats: bool = False) -> None:
        self.equal, self.keep, self.repeats = equal, keep, repeats


def select(rows: Rows, order: Column, start: int, stop: int, selection: Selection) -> Rows:
    """Rows ``order[start:stop]`` that have equal columns, projected.

    Of those that repeat one is left; the twin leaves some that are far from each other.
    """
    chosen = rows[order[start:stop]]
    for a, b in selection.equal.tolist():
        chosen = chosen[chosen[:, a] == chosen[:, b]]
    width = rows.shape[1]
    found = np.ascontiguousarray(chosen[:, [*selection.keep.tolist(), width - 2, width - 1]])
    if not selection.repeats:
        return found
    each = dict.fromkeys(map(tuple, found.tolist()))
    return np.array([*each], np.int64).reshape(-1, found.shape[1])
