"""Where a turn is cut into batches: after what is static, and around what takes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from r4.stream.batch import Batch
from r4.stream.elements import GRAPH, SUBJECT, Column, Mask, Rows
from r4.stream.judged_elements import NAME, PLAIN, SIZE, TAKEN, TICK, WHAT
from r4.stream.merge import MergedElements
from r4.stream.source import StreamOptions
from r4.stream.watermark import FrontierMoves
from r4.time.ticks import NEG_INF, Tick


@dataclass(frozen=True, slots=True)
class Admission:
    """The items of a turn, judged by the frontier; columns are (n,).

    Attributes:
        good: Elements in time.
        late: Elements below the frontier.
        plain: Default-graph triples.
        start, end: When the triples of an item hold.
        static: How many items stand before the first good element ever.
        moved: How time moves with them, for each line that elements are late below; the frontier
            last.
    """

    good: Mask
    late: Mask
    plain: Mask
    start: Column
    end: Column
    static: int
    moved: tuple[FrontierMoves, ...]


@dataclass(frozen=True, slots=True)
class _BatchRange:
    """The items of a batch: ``begin`` up to ``end``, exclusive.

    Attributes:
        takes_back: Whether they take back.
        completes: As of a batch.
    """

    begin: int
    end: int
    takes_back: bool = False
    completes: bool = True


def cut_batches(
    turn: MergedElements,
    sifted: Admission,
    last: Tick,
    options: StreamOptions,
    held: tuple[Rows | Column, ...],
) -> Iterator[Batch]:
    """The batches of a turn; some may say nothing new.

    Args:
        turn: The items.
        sifted: What they are.
        last: The largest stamp before them.
        options: What batches are to tell.
        held: Ids that are held elsewhere.
    """
    sizes = turn.table[:, SIZE]
    begins = _begins(sizes)
    kept = np.repeat((sifted.good & (sifted.start < sifted.end)) | sifted.plain, sizes)
    start, end = np.repeat(sifted.start, sizes), np.repeat(sifted.end, sizes)
    name = np.repeat(turn.table[:, NAME], sizes) if options.names else start[:0]
    taken_begins = _begins(turn.table[:, TAKEN])
    for part in _chosen(turn, sifted, last, options):
        items = slice(part.begin, part.end)
        a, b = begins[part.begin], begins[part.end]
        back = slice(taken_begins[part.begin], taken_begins[part.end])
        # Names are held as long as they are told; and so is what later batches mention.
        rest = (*held, turn.triples[b:], turn.table[part.begin :, NAME], turn.taken[back.start :])
        chosen = slice(a, b) if kept[a:b].all() else a + np.flatnonzero(kept[a:b])
        rows = turn.triples[chosen], start[chosen], end[chosen]
        told = name[chosen] if options.names else name
        if part.begin < sifted.static:
            if len(rows[0]):
                yield Batch(*rows, NEG_INF, NEG_INF, rest, told, completes=False)
            continue
        last = max(last, int(turn.table[items, TICK].max(initial=NEG_INF)))
        moments = sifted.moved if options.lines else ()
        before = tuple(int(moved.before[part.begin]) for moved in moments)
        if not part.takes_back:
            lines = tuple(int(moved.before[part.end]) for moved in sifted.moved)
            yield Batch(
                *(*rows, lines[-1], last, rest, told),
                completes=part.completes,
                before=before,
                lines=lines if options.lines else (),
            )
            continue
        lines = tuple(int(moved.after[part.end - 1]) for moved in sifted.moved)
        taken = turn.taken[back][np.repeat(sifted.good[items], turn.table[items, TAKEN])]
        whole = taken[:, SUBJECT] == 0
        yield Batch(
            *(*rows, lines[-1], last, rest, told, taken[whole, GRAPH], taken[~whole]),
            before=before,
            lines=lines if options.lines else (),
        )


def _chosen(
    turn: MergedElements, sifted: Admission, last: Tick, options: StreamOptions
) -> Iterator[_BatchRange]:
    """The items of each batch, cut as is asked for."""
    if options.each:
        return _each(turn, sifted)
    return _grown(turn, sifted, last) if options.lines else _parts(turn, sifted)


def _begins(sizes: Column) -> Column:
    """Where what belongs to each item begins, and the end."""
    begins = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=begins[1:])
    return begins


def _parts(turn: MergedElements, sifted: Admission) -> Iterator[_BatchRange]:
    """The items of each batch. Elements that take back and have no triples come together."""
    if sifted.static:
        yield _BatchRange(0, sifted.static)
    at = sifted.static
    taking = np.flatnonzero(sifted.good & (turn.table[:, TAKEN] > 0))
    if len(taking):
        order = np.cumsum(sifted.good | sifted.plain)[taking]
        empty = turn.table[taking, SIZE] == 0
        after = sifted.moved[-1].after[taking]
        joins = (np.diff(order) == 1) & empty[1:] & empty[:-1] & (np.diff(after) == 0)
        firsts = np.flatnonzero(np.append(True, ~joins))
        lasts = np.append(firsts[1:] - 1, len(taking) - 1)
        for first, end in zip(taking[firsts].tolist(), (taking[lasts] + 1).tolist(), strict=True):
            if at < first:
                yield _BatchRange(at, first)
            yield _BatchRange(first, end, takes_back=True)
            at = end
    # Time may move behind the last item, as a source ends with it.
    yield _BatchRange(at, len(turn.table))


def _grown(turn: MergedElements, sifted: Admission, last: Tick) -> Iterator[_BatchRange]:
    """The items of each batch, where the largest stamp grows with the first of a batch alone."""
    if sifted.static:
        yield _BatchRange(0, sifted.static, completes=False)
    ticks = np.where(sifted.good, turn.table[:, TICK], NEG_INF)
    highest = np.maximum.accumulate(np.append(last, ticks))
    taking = np.flatnonzero(sifted.good & (turn.table[:, TAKEN] > 0))
    cuts = np.unique(np.concatenate((np.flatnonzero(np.diff(highest)), taking, taking + 1)))
    inner = cuts[(cuts > sifted.static) & (cuts < len(turn.table))].tolist()
    edges = [sifted.static, *inner, len(turn.table)]
    takes = set(taking.tolist())
    for begin, end in pairwise(edges):
        completes = bool(sifted.good[begin:end].any())
        yield _BatchRange(begin, end, takes_back=begin in takes, completes=completes)


def _each(turn: MergedElements, sifted: Admission) -> Iterator[_BatchRange]:
    """The items of each batch, where every element ends one, be it late or bad data."""
    if sifted.static:
        yield _BatchRange(0, sifted.static, completes=False)
    at = sifted.static
    what = turn.table[:, WHAT]
    completed = (what != PLAIN) & (turn.table[:, NAME] > 0)  # what is malformed is no element
    taking = sifted.good & (turn.table[:, TAKEN] > 0)
    for item in (at + np.flatnonzero(completed[at:])).tolist():
        if taking[item] and at < item:
            yield _BatchRange(at, item, completes=False)
            at = item
        yield _BatchRange(at, item + 1, takes_back=bool(taking[item]))
        at = item + 1
    yield _BatchRange(at, len(turn.table), completes=False)
