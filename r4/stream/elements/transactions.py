"""Judging in sequence: the kind of stamps, inherited stamps, and transactions.

These depend on what came before in the source. A retraction without a stamp of its own has the
largest stamp of its source so far, rounded as that was. A transaction counts as a whole: if one of
its elements is bad, so are all. Bad data moves no time, so nothing inherits the stamp of an element
that is bad because its transaction is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r4.errors import Flaw
from r4.stream.elements.judged_elements import (
    BAD,
    ELEMENT,
    END,
    END_TERM,
    FLAW,
    KIND,
    PLACE,
    ROUNDED,
    TICK,
    VERDICT,
    JudgedElements,
)
from r4.time.ticks import NEG_INF, Kind, Tick
from rete.arrays.delta import Column, Rows


class AheadBound(NamedTuple):
    """How far ahead a stamp may be.

    Attributes:
        reach: Ticks by which it may exceed ``begin`` and the largest stamp before it.
        begin: Where time begins; `NEG_INF`: with the first stamp, which may be any.
    """

    reach: Tick
    begin: Tick = NEG_INF


def judge_in_sequence(
    elements: JudgedElements,
    blocks: Rows,
    kind: Kind,
    high: Tick,
    bound: AheadBound | None = None,
) -> Column:
    """Judge ``elements`` in place; their merge keys, (n,), which never descend.

    They are of one chunk, after `refuse_transactions`, and ``blocks`` as in `Chunk`. ``high`` is
    the largest stamp before them in their source, or `NEG_INF`. None: no stamp is too far ahead.
    """
    if bound is None:
        return _judge(elements, blocks, kind, high)
    reach, begin = bound
    table = elements.table
    keys = np.full(len(table), high, np.int64)
    place = 0
    while place < len(table):
        part = JudgedElements(table[place:], elements.triples, elements.retracted)
        given = part.table.copy()
        keys[place:] = _judge(part, blocks, kind, high)
        before = np.maximum(np.append(high, keys[place:-1]), begin)
        over = np.flatnonzero(
            part.where(ELEMENT) & (before > NEG_INF) & (part.table[:, TICK] > before + reach)
        )
        if not len(over):
            break
        # What comes before is judged; what comes behind is judged anew without it.
        block = _blocks_of(part, blocks)
        first = last = int(over[0])
        if block[first] >= 0:
            first, last = np.flatnonzero(block == block[first])[[0, -1]].tolist()
        _refuse_ahead(part.table, over[:1], int(before[over[0]]) + reach)
        along = first + np.flatnonzero(part.table[first : last + 1, VERDICT] != BAD)
        _refuse(part.table, along, Flaw.NOT_WHOLE)
        part.table[last + 1 :] = given[last + 1 :]
        high = int(keys[place + first - 1]) if first else high
        most = max(high, begin) + reach
        last += _refuse_more_ahead(part.table[last + 1 :], block[last + 1 :], kind, most)
        keys[place + first :] = high
        place += last + 1
    return keys


def refuse_ahead(elements: JudgedElements, most: Tick) -> None:
    """Refuse the elements with a stamp above ``most``."""
    ahead = elements.where(ELEMENT) & (elements.table[:, TICK] > most)
    _refuse_ahead(elements.table, np.flatnonzero(ahead), most)


def _refuse_more_ahead(table: Rows, block: Column, kind: Kind, most: Tick) -> int:
    """Refuse those at the begin of ``table`` that are ahead as the one before; how many."""
    ahead = (table[:, VERDICT] == ELEMENT) & (table[:, TICK] > most)
    others = np.flatnonzero(~ahead | (block >= 0) | (table[:, KIND] != kind))
    count = int(others[0]) if len(others) else len(table)
    _refuse_ahead(table, np.arange(count), most)
    return count


def _judge(elements: JudgedElements, blocks: Rows, kind: Kind, high: Tick) -> Column:
    table = elements.table
    element = table[:, VERDICT] == ELEMENT
    stamped = table[:, TICK] > NEG_INF
    _refuse(table, np.flatnonzero(element & stamped & (table[:, KIND] != kind)), Flaw.OTHER_KIND)
    refuse_transactions(elements, blocks)
    keys = _keys(table, high)
    unstamped = np.flatnonzero((table[:, VERDICT] == ELEMENT) & ~stamped)
    while len(unstamped):
        before = table[unstamped]
        _inherit(table, unstamped, kind, keys)
        failed = _failed(elements, blocks)
        if not len(failed):
            break
        # Up to there all is judged; behind it, other stamps may be the largest.
        whole = _blocks_of(elements, blocks) == failed[0]
        again = ~whole[unstamped]
        unstamped = unstamped[again]
        table[unstamped] = before[again]
        _refuse(table, np.flatnonzero(whole & (table[:, VERDICT] != BAD)), Flaw.NOT_WHOLE)
        keys = _keys(table, high)
    return keys


def _keys(table: Rows, high: Tick) -> Column:
    return np.maximum.accumulate(np.maximum(table[:, TICK], high))


def _refuse(table: Rows, which: Column, flaw: Flaw) -> None:
    table[which, VERDICT], table[which, FLAW], table[which, TICK] = BAD, flaw, NEG_INF


def _refuse_ahead(table: Rows, which: Column, most: Tick) -> None:
    _refuse(table, which, Flaw.AHEAD)
    table[which, END] = most


def _inherit(table: Rows, unstamped: Column, kind: Kind, keys: Column) -> None:
    """Give retractions without a stamp the largest stamp before them."""
    none = keys[unstamped] == NEG_INF
    _refuse(table, unstamped[none], Flaw.NO_STAMP_YET)
    inherits = unstamped[~none]
    tick, end, ended = keys[inherits], table[inherits, END], table[inherits, END_TERM] > 0
    other = ended & (table[inherits, KIND] != kind)
    # The stamp is a tick; an end that was rounded down to it lies behind it.
    early = ended & ((end < tick) | ((end == tick) & (table[inherits, ROUNDED] == 0)))
    table[inherits, TICK], table[inherits, KIND] = tick, kind
    _refuse(table, inherits[early], Flaw.ENDS_TOO_EARLY)
    _refuse(table, inherits[other], Flaw.OTHER_KIND)


def refuse_transactions(elements: JudgedElements, blocks: Rows) -> None:
    """Refuse all of each block that has bad data."""
    if len(failed := _failed(elements, blocks)):
        along = ~elements.where(BAD) & np.isin(_blocks_of(elements, blocks), failed)
        _refuse(elements.table, np.flatnonzero(along), Flaw.NOT_WHOLE)


def _failed(elements: JudgedElements, blocks: Rows) -> Column:
    """The numbers of the blocks that have both bad data and others."""
    if not len(blocks):
        return np.empty(0, np.int64)
    block = _blocks_of(elements, blocks)
    bad = elements.where(BAD)
    failed = np.intersect1d(block[bad], block[~bad])
    return failed[failed >= 0]


def _blocks_of(elements: JudgedElements, blocks: Rows) -> Column:
    """(n,) the number of the block that each is in; -1: in none."""
    if not len(blocks):
        return np.full(len(elements), -1, np.int64)
    place = elements.table[:, PLACE]
    block = np.searchsorted(blocks[:, 0], place, side="right") - 1
    return np.where((place >= 0) & (place < blocks[block, 1]), block, -1)
