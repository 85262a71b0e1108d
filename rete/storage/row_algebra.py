"""The algebra of rows: what a SteM does, for rows that no SteM has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns

_ONE: Final = 3
"""Columns of a row of one term."""
_MANY_ROWS: Final = 256
_SPARSE: Final = 64
"""Repeats are looked for among so many rows, of terms that are at most so often as many."""


@cache
def all_columns(width: int) -> Column:
    """The positions of so many columns; not to be written to."""
    return columns(range(width))


@cache
def probed_columns(width: int) -> Column:
    """The same as `rete.kernels.probe` takes those of what is probed."""
    return columns([~c for c in range(width)])


coalesce = kernels.united
"""The maximal intervals of rows; the rows themselves, if they are that."""


def coalesce_starts(rows: Rows) -> Rows:
    """Each start of ``rows`` once, with its greatest end."""
    store = kernels.FactStore(rows.shape[1] - 2)
    kernels.absorb_starts(store.index(all_columns(rows.shape[1] - 1)), rows)
    return store.rows(0, store.end)


def unite(parts: Sequence[Rows]) -> Rows:
    """The union of some rows, of which there is one matrix at least, maximal."""
    return coalesce(kernels.concatenate([*parts]))


subtract = kernels.difference
"""The pieces of rows that others do not cover."""


def join_rows(
    left: Rows, mine: Sequence[int], right: Rows, theirs: Sequence[int], keep: Sequence[int]
) -> Rows:
    """Pairs of rows that agree on columns and overlap; ``keep`` as of `rete.kernels.probe`."""
    store = kernels.FactStore(right.shape[1] - 2)
    try:
        store.fill(right)
    except OverflowError:
        return _join_numbers(left, mine, right, theirs, keep)
    index, key = store.index(positions(tuple(theirs))), positions(tuple(mine))
    pairs, _ = kernels.probe(left, key, index, store.end, positions(tuple(keep)))
    return pairs


def _join_numbers(
    left: Rows, mine: Sequence[int], right: Rows, theirs: Sequence[int], keep: Sequence[int]
) -> Rows:
    """As `join_rows`, of numbers that need more than 32 bits: a store has their ranks."""
    width = len(mine)
    asked, stored = left[:, [*mine]].ravel(), right[:, [*theirs]].ravel()
    _, ranks = np.unique(np.concatenate([asked, stored]), return_inverse=True)
    numbered = [
        np.column_stack([part.reshape(-1, width), np.arange(len(rows)), rows[:, -2:]])
        for rows, part in ((left, ranks[: len(asked)]), (right, ranks[len(asked) :]))
    ]
    found = join_rows(numbered[0], range(width), numbered[1], range(width), (width, ~width))
    out = np.empty((len(found), len(keep) + 2), np.int64)
    for place, column in enumerate(keep):
        source, number = (left, 0) if column >= 0 else (right, 1)
        out[:, place] = source[found[:, number], column if column >= 0 else ~column]
    out[:, -2:] = found[:, -2:]
    return out


def project(rows: Rows, keep: Sequence[int]) -> Rows:
    """The columns ``keep`` of ``rows``, with their time."""
    return kernels.project(rows, positions(tuple(keep)), _NO_CONSTANTS)


_NO_CONSTANTS: Final = columns([])


@cache
def positions(places: tuple[int, ...]) -> Column:
    """Column positions as kernels take them; not to be written to."""
    return columns(places)


def begin_at(rows: Rows, cell: int) -> Rows:
    """The pieces of ``rows`` that hold from ``cell`` on; ``rows`` themselves, if all do."""
    return rows if cell == NEG_INF else kernels.clip(rows, cell, POS_INF)


def always(*parts: Column | Rows) -> Rows:
    """Rows of these columns, or blocks of columns, that hold at all times."""
    blocks = [part[:, None] if part.ndim == 1 else part for part in parts]
    width = sum(block.shape[1] for block in blocks)
    found = np.empty((len(blocks[0]), width + 2), np.int64)
    np.concatenate(blocks, axis=1, out=found[:, :width])
    found[:, width:] = NEG_INF, POS_INF
    return found


@cache
def _one_more(width: int) -> Column:
    return columns([*range(width), ~0])


@lru_cache(maxsize=64)
def _constant(term: int) -> Column:
    return columns([term])


def append_term(rows: Rows, term: Column | int) -> Rows:
    """``rows`` with one more term, after the others."""
    width = rows.shape[1]
    if isinstance(term, int):
        return kernels.project(rows, _one_more(width - 2), _constant(term))
    out = np.empty((len(rows), width + 1), np.int64)
    out[:, : width - 2] = rows[:, :-2]
    out[:, width - 2] = term
    out[:, width - 1 :] = rows[:, -2:]
    return out


def without_repeats(rows: Rows) -> Rows:
    """``rows``, in any order, with each once where they are many, of one term, and of one time.

    So rules as ``?s a rdfs:Resource`` give each term once, and not for each triple that has it.
    """
    if rows.shape[1] != _ONE or len(rows) < _MANY_ROWS or (rows[:, 1:] != rows[0, 1:]).any():
        return rows
    top = int(rows[:, 0].max())
    if top > _SPARSE * len(rows):
        return rows
    found = np.zeros(top + 1, np.bool_)
    found[rows[:, 0]] = True
    terms = np.flatnonzero(found)
    out = np.empty((len(terms), 3), np.int64)
    out[:, 0], out[:, 1:] = terms, rows[0, 1:]
    return out
