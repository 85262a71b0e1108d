"""Where merged elements are cut into batches: after what is static, and around retractions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise

import numpy as np

from r4.stream.batch import Batch, NeededIds
from r4.stream.elements.judged_elements import (
    ELEMENT,
    ENDS,
    NAME,
    PLAIN,
    RETRACTED,
    SIZE,
    TICK,
    VALID_END,
    VALID_START,
    JudgedElements,
)
from r4.stream.elements.segmentation import GRAPH, SUBJECT
from r4.stream.source import StreamOptions
from r4.stream.watermark import FrontierMoves
from r4.stream.windows import PredicateWindows
from r4.time.ticks import NEG_INF, Tick
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.state_codec import Mask


@dataclass(frozen=True, slots=True)
class _BatchRange:
    """The elements of a batch: ``begin`` up to ``end``, exclusive.

    Attributes:
        retracts: Whether they retract.
        completes: As of a batch.
    """

    begin: int
    end: int
    retracts: bool = False
    completes: bool = True


@dataclass(frozen=True, slots=True)
class _Masks:
    """What decides where to cut; masks are (n,).

    Attributes:
        good: Elements in time.
        plain: Default-graph triples.
        retracting: Good elements that retract something.
        static: How many rows stand before the first good element ever.
    """

    good: Mask
    plain: Mask
    retracting: Mask
    static: int


def cut_batches(  # noqa: PLR0913, PLR0917 - what decides
    elements: JudgedElements,
    moves: Sequence[FrontierMoves],
    stamps: tuple[Tick, Tick],
    options: StreamOptions,
    needed_ids: Iterable[Rows | Column],
    windows: PredicateWindows,
) -> Iterator[Batch]:
    """The batches of admitted elements; some may say nothing new.

    ``moves`` are how time moves with them, for each late bound, the frontier last; ``stamps``
    are the least one so far, and the largest before them; ``needed_ids`` are what the intake needs
    elsewhere; ``windows`` say when triples end that no element and no source does.
    """
    first, last = stamps
    table = elements.table
    sizes, valid_start, valid_end = table[:, SIZE], table[:, VALID_START], table[:, VALID_END]
    good, plain = elements.where(ELEMENT), elements.where(PLAIN)
    static = int(np.count_nonzero(valid_start == NEG_INF))
    masks = _Masks(good, plain, good & (table[:, RETRACTED] > 0), static)
    begins, retracted_begins = _begins(sizes), _begins(table[:, RETRACTED])
    kept = np.repeat((good & (valid_start < valid_end)) | plain, sizes)
    start, end = np.repeat(valid_start, sizes), np.repeat(valid_end, sizes)
    end = windows.ends(elements.triples, start, end)
    name = np.repeat(table[:, NAME], sizes) if options.names else start[:0]
    for part in _ranges(elements, masks, moves[-1], last, options):
        rows = slice(part.begin, part.end)
        a, b = begins[part.begin], begins[part.end]
        own = slice(retracted_begins[part.begin], retracted_begins[part.end])
        # The names of this batch are needed, too, and so is what later batches mention.
        later = elements.triples[b:], table[part.begin :, NAME], elements.retracted[own.start :]
        rest = NeededIds(partial(chain, needed_ids, later))
        chosen = slice(a, b) if kept[a:b].all() else a + np.flatnonzero(kept[a:b])
        facts = elements.triples[chosen], start[chosen], end[chosen]
        names = name[chosen] if options.names else name
        if part.begin < static:
            if len(facts[0]):
                yield Batch(*facts, NEG_INF, NEG_INF, rest, names, completes=False)
            continue
        last = max(last, int(table[rows, TICK].max(initial=NEG_INF)))
        bounds = moves if options.late_bounds else ()
        before = tuple(int(each.before[part.begin]) for each in bounds)
        more = part.end < len(elements)
        if not part.retracts:
            yield Batch(
                *(*facts, int(moves[-1].before[part.end]), last, rest, names),
                completes=part.completes,
                late_before=before,
                late_after=tuple(int(each.before[part.end]) for each in bounds),
                more=more,
                first=first,
            )
            continue
        counted = np.repeat(good[rows], table[rows, RETRACTED])
        retracted = elements.retracted[own][counted]
        tick, ends = np.repeat(table[rows][:, [TICK, ENDS]], table[rows, RETRACTED], 0)[counted].T
        whole = retracted[:, SUBJECT] == 0
        ended = (ends > 0) & ~whole
        single = retracted[~whole & ~ended]
        ending = np.column_stack([retracted[ended], tick[ended]])
        frontier = int(moves[-1].after[part.end - 1])
        yield Batch(
            *(*facts, frontier, last, rest, names, retracted[whole, GRAPH], single, ending),
            late_before=before,
            late_after=tuple(int(each.after[part.end - 1]) for each in bounds),
            more=more,
            first=first,
        )


def _ranges(
    elements: JudgedElements,
    masks: _Masks,
    frontier: FrontierMoves,
    last: Tick,
    options: StreamOptions,
) -> Iterator[_BatchRange]:
    if options.each:
        return _one_each(elements, masks)
    if options.late_bounds:
        return _by_largest_stamp(elements, masks, last)
    return _of_size(_largest(elements, masks, frontier), masks.static, options.most)


def _of_size(ranges: Iterable[_BatchRange], static: int, most: int | None) -> Iterator[_BatchRange]:
    """Ranges cut to ``most`` elements, but for static data, and for what retracts."""
    for each in ranges:
        if most is None or each.retracts or each.begin < static:
            yield each
            continue
        inner = range(each.begin + most, each.end, most)
        for begin, end in pairwise((each.begin, *inner, each.end)):
            yield replace(each, begin=begin, end=end)


def _begins(sizes: Column) -> Column:
    """Where what belongs to each element begins, and the end."""
    begins = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=begins[1:])
    return begins


def _largest(
    elements: JudgedElements, masks: _Masks, frontier: FrontierMoves
) -> Iterator[_BatchRange]:
    """As few batches as can be. Retracting elements without triples come together."""
    at = masks.static
    if at:
        yield _BatchRange(0, at)
    retracting = np.flatnonzero(masks.retracting)
    if len(retracting):
        order = np.cumsum(masks.good | masks.plain)[retracting]
        empty = elements.table[retracting, SIZE] == 0
        after = frontier.after[retracting]
        joins = (np.diff(order) == 1) & empty[1:] & empty[:-1] & (np.diff(after) == 0)
        firsts = np.flatnonzero(np.append(True, ~joins))
        lasts = np.append(firsts[1:] - 1, len(retracting) - 1)
        for first, end in zip(
            retracting[firsts].tolist(), (retracting[lasts] + 1).tolist(), strict=True
        ):
            if at < first:
                yield _BatchRange(at, first)
            yield _BatchRange(first, end, retracts=True)
            at = end
    # Time may move behind the last element, as a source ends with it.
    yield _BatchRange(at, len(elements))


def _by_largest_stamp(elements: JudgedElements, masks: _Masks, last: Tick) -> Iterator[_BatchRange]:
    """Batches in which the largest stamp grows with the first element alone."""
    if masks.static:
        yield _BatchRange(0, masks.static, completes=False)
    ticks = np.where(masks.good, elements.table[:, TICK], NEG_INF)
    highest = np.maximum.accumulate(np.append(last, ticks))
    retracting = np.flatnonzero(masks.retracting)
    cuts = distinct(np.concatenate((np.flatnonzero(np.diff(highest)), retracting, retracting + 1)))
    inner = cuts[(cuts > masks.static) & (cuts < len(elements))].tolist()
    edges = [masks.static, *inner, len(elements)]
    starts = set(retracting.tolist())
    for begin, end in pairwise(edges):
        completes = bool(masks.good[begin:end].any())
        yield _BatchRange(begin, end, retracts=begin in starts, completes=completes)


def _one_each(elements: JudgedElements, masks: _Masks) -> Iterator[_BatchRange]:
    """Batches of one element each, be it good, late or bad data."""
    at = masks.static
    if at:
        yield _BatchRange(0, at, completes=False)
    # What is malformed has no name and is no element.
    completed = ~masks.plain & (elements.table[:, NAME] > 0)
    for row in (at + np.flatnonzero(completed[at:])).tolist():
        if masks.retracting[row] and at < row:
            yield _BatchRange(at, row, completes=False)
            at = row
        yield _BatchRange(at, row + 1, retracts=bool(masks.retracting[row]))
        at = row + 1
    yield _BatchRange(at, len(elements), completes=False)
