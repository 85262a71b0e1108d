"""What can be said of items only with what came before: their kind, inherited stamps, transactions.

A retraction without a stamp of its own has the largest stamp of its source so far, rounded as that
was. A transaction counts as a whole: if one of its items is bad, so are all. What is bad moves no
time, so nothing inherits the stamp of an item that a transaction takes with it.
"""

from __future__ import annotations

import numpy as np

from r4.errors import Flaw
from r4.stream.elements import Column, Rows
from r4.stream.judged_elements import (
    BAD,
    ELEMENT,
    END,
    END_TERM,
    FLAW,
    KIND,
    PLACE,
    ROUNDED,
    TICK,
    WHAT,
    JudgedElements,
)
from r4.time.ticks import NEG_INF, Kind, Tick


def judge_in_sequence(items: JudgedElements, kind: Kind, high: Tick) -> Column:
    """Judge ``items`` in place; their keys, (n,), which never descend.

    Args:
        items: From `Judge.items`, their blocks without bad items.
        kind: Of all stamps of the run; `Kind.NONE` while there is none.
        high: The largest stamp before them in their source; `NEG_INF` if there is none.
    """
    table = items.table
    element = table[:, WHAT] == ELEMENT
    stamped = table[:, TICK] > NEG_INF
    _refuse(table, np.flatnonzero(element & stamped & (table[:, KIND] != kind)), Flaw.OTHER_KIND)
    refuse_transactions(items)
    keys = _keys(table, high)
    waiting = np.flatnonzero((table[:, WHAT] == ELEMENT) & ~stamped)
    while len(waiting):
        before = table[waiting]
        _inherit(table, waiting, kind, keys)
        failed = _failed(items)
        if not len(failed):
            break
        # Up to there all is judged; behind it, other stamps may be the largest.
        block = _blocks_of(items) == failed[0]
        again = ~block[waiting]
        waiting = waiting[again]
        table[waiting] = before[again]
        _refuse(table, np.flatnonzero(block & (table[:, WHAT] != BAD)), Flaw.NOT_WHOLE)
        keys = _keys(table, high)
    return keys


def _keys(table: Rows, high: Tick) -> Column:
    return np.maximum.accumulate(np.maximum(table[:, TICK], high))


def _refuse(table: Rows, which: Column, flaw: Flaw) -> None:
    table[which, WHAT], table[which, FLAW], table[which, TICK] = BAD, flaw, NEG_INF


def _inherit(table: Rows, waiting: Column, kind: Kind, keys: Column) -> None:
    """Give retractions without a stamp the largest one before them."""
    none = keys[waiting] == NEG_INF
    _refuse(table, waiting[none], Flaw.NO_STAMP_YET)
    heirs = waiting[~none]
    tick, end, ended = keys[heirs], table[heirs, END], table[heirs, END_TERM] > 0
    other = ended & (table[heirs, KIND] != kind)
    # The stamp is a tick; an end that was rounded down to it lies behind it.
    early = ended & ((end < tick) | ((end == tick) & (table[heirs, ROUNDED] == 0)))
    table[heirs, TICK], table[heirs, KIND] = tick, kind
    _refuse(table, heirs[early], Flaw.ENDS_TOO_EARLY)
    _refuse(table, heirs[other], Flaw.OTHER_KIND)


def refuse_transactions(items: JudgedElements) -> None:
    """Refuse all of each block that has a bad item."""
    if len(failed := _failed(items)):
        good = items.table[:, WHAT] != BAD
        along = good & np.isin(_blocks_of(items), failed)
        _refuse(items.table, np.flatnonzero(along), Flaw.NOT_WHOLE)


def _failed(items: JudgedElements) -> Column:
    """The blocks that have both bad items and others."""
    if not len(items.origin.chunk.blocks):
        return np.empty(0, np.int64)
    block = _blocks_of(items)
    bad = items.table[:, WHAT] == BAD
    failed = np.intersect1d(block[bad], block[~bad])
    return failed[failed >= 0]


def _blocks_of(items: JudgedElements) -> Column:
    """The block that each item is in; -1: in none."""
    blocks, place = items.origin.chunk.blocks, items.table[:, PLACE]
    block = np.searchsorted(blocks[:, 0], place, side="right") - 1
    return np.where((place >= 0) & (place < blocks[block, 1]), block, -1)
