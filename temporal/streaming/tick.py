"""Rescaling: cells of a finer tick, when a number comes that the present tick does not divide."""

from __future__ import annotations

from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.network.network import Network
from rete.storage.stem import Stem

_BEFORE_ALL: Final = NEG_INF
"""A bound at which nothing is forgotten."""


def rescale_cell(cell: int, factor: int) -> int:
    """The same begin or end of an interval in cells of ticks ``factor`` times finer."""
    if cell <= NEG_INF or cell >= POS_INF:
        return cell
    return 2 * (cell >> 1) * factor + (cell & 1)


def rescale_cells(cells: Column, factor: int) -> Column:
    """The same of many."""
    finite = (cells > NEG_INF) & (cells < POS_INF)
    found = 2 * (np.where(finite, cells, 0) >> 1) * factor + (cells & 1)
    rescaled: Column = np.where(finite, found, cells)
    return rescaled


def rescale_rows(rows: Rows, factor: int) -> Rows:
    """Rows whose last two columns are cells, at their new cells."""
    found = rows.copy()
    found[:, -2] = rescale_cells(rows[:, -2], factor)
    found[:, -1] = rescale_cells(rows[:, -1], factor)
    return found


def move_rows(before: Network, after: Network, factor: int) -> None:
    """Move all that one network remembers to another of the same plans, whose ticks are finer.

    Nothing is pending, and ``after`` has no rows. O(rows).
    """
    for old, new in zip(before.streams.values(), after.streams.values(), strict=True):
        assert type(old.plan) is type(new.plan)
        _move(old.stem, new.stem, factor)
        for mine, theirs in zip(old.node.stems, new.node.stems, strict=True):
            _move(mine, theirs, factor)
    for given, table in zip(before.tables, after.tables, strict=True):
        assert given.relation == table.relation
        _move(given.facts, table.facts, factor)
        for rule, stem in given.parked.items():
            parked = table.parked[rule] = Stem(table.relation.arity, instances=False)
            parked.retention = table.facts.retention
            _move(stem, parked, factor)


def _move(old: Stem | None, new: Stem | None, factor: int) -> None:
    if old is not None and new is not None:
        new.absorb(rescale_rows(old.content(), factor), _BEFORE_ALL)
