"""Lanes: the facts of a picture, and when they hold within its window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.kernels import clip
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_writer import lexical
from temporal.model.least_model import Model
from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_model import InfiniteUnfolding
from temporal.text.writer import write_atom, write_constant

MAX_FACTS: Final = 40
"""Facts that are drawn at most."""
MAX_INTERVALS: Final = 2_000_000
"""Intervals that are looked at, at most."""


class TooManyIntervals(ValueError):
    """More intervals than can be looked at; it says how many there may be."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A fact, and when it holds.

    Attributes:
        name: the fact as text.
        rows: (n, 2) cells, maximal, ascending; those that go on outside end a cell beyond it.
        data_cells: (m, 2) cells in which the data say so, within the window.
        from_ever, for_ever: what begins before the window has no beginning; what ends behind it,
            no end.
    """

    name: str
    rows: Rows
    data_cells: Rows
    from_ever: bool
    for_ever: bool


@dataclass(frozen=True, slots=True)
class LaneGroup:
    """The lanes of a predicate.

    Attributes:
        more: how many of its facts are not drawn.
    """

    predicate: str
    lanes: tuple[Lane, ...]
    more: int


def window_of(model: Model) -> tuple[int, int]:
    """The cells that are shown by default: where something happens.

    One repetition more of each period than the segment has; else a little more than all that ends.
    """
    left, right = model.periodic.left, model.periodic.right
    finite = [
        rows[:, -2:][np.abs(rows[:, -2:]) < POS_INF] for rows in model.periodic.facts.values()
    ]
    ends = np.concatenate([np.empty(0, np.int64), *finite])
    if len(ends):
        first, last = int(ends.min()) & ~1, int(ends.max()) | 1
    else:
        first, last = 0, 1
    # A margin on the sides that end, in which their ends are seen.
    margin = 2 * max(model.scale, (last - first) // 32) if len(ends) else 2 * model.scale
    lo = first - margin if left.is_constant else left.period[0] - 2 * left.shift
    hi = last + margin if right.is_constant else right.period[1] + 2 * right.shift
    return lo, hi


def groups_of(model: Model, lo: int, hi: int, *, derived_only: bool) -> list[LaneGroup]:
    """The lanes of the cells ``lo`` to ``hi``, by predicate and arguments.

    Of too many facts each predicate has its share, and of too many predicates the last have none.

    Raises:
        TooManyIntervals: there may be too many intervals to look at.
        InfiniteUnfolding: the window has no end where the model repeats.
    """
    if lo <= NEG_INF or hi >= POS_INF:
        raise InfiniteUnfolding
    if not model.periodic.is_finite and (limit := model.periodic.most(lo, hi)) > MAX_INTERVALS:
        message = f"{limit:,} intervals"
        raise TooManyIntervals(message)
    found: list[tuple[PredicateKey, Rows]] = []
    for key, rows in model.within(lo - 1, hi + 1, derived_only=derived_only):
        within = rows[(rows[:, -2] < hi) & (rows[:, -1] > lo)]
        if len(within):
            found.append((key, within))
    found.sort(key=lambda each: each[0])
    facts = [_facts_of(rows, model.terms) for _, rows in found]
    shares = _shares([len(each) for each in facts], MAX_FACTS)
    groups = []
    for (key, rows), each, share in zip(found, facts, shares, strict=True):
        lanes = [
            _lane(model, key, args, ids, rows, (lo, hi), derived_only=derived_only)
            for args, ids in each[:share]
        ]
        groups.append(LaneGroup(key[0], tuple(lanes), len(each) - share))
    return groups


def _facts_of(rows: Rows, terms: Dictionary) -> list[tuple[tuple[str, ...], Column]]:
    """The distinct arguments of rows, as texts and as ids, sorted by text."""
    distinct = np.unique(rows[:, :-2], axis=0)
    ids = np.unique(distinct)
    words = dict(zip(ids.tolist(), map(lexical, terms.decode_many(ids)), strict=True))
    texts = [tuple(words[term] for term in args) for args in distinct.tolist()]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    return [(texts[position], distinct[position]) for position in order]


def _lane(  # noqa: PLR0913, PLR0917 - whose lane, and what of it
    model: Model,
    key: PredicateKey,
    args: tuple[str, ...],
    ids: Column,
    rows: Rows,
    window: tuple[int, int],
    *,
    derived_only: bool,
) -> Lane:
    whole = _times_of(model.periodic.facts[key], ids)
    data_cells = model.explicit.get(key)
    return Lane(
        write_atom(key[0], map(write_constant, args)),
        _times_of(rows, ids),
        clip(_times_of(data_cells, ids), *window)
        if data_cells is not None and not derived_only
        else whole[:0],
        bool(((whole[:, 0] <= NEG_INF) & (whole[:, 1] > window[0])).any()),
        bool(((whole[:, 1] >= POS_INF) & (whole[:, 0] < window[1])).any()),
    )


def _times_of(rows: Rows, ids: Column) -> Rows:
    """The times of one fact, ascending."""
    times = rows[(rows[:, :-2] == ids).all(axis=1), -2:]
    return times[np.argsort(times[:, 0])]


def _shares(counts: Sequence[int], limit: int) -> list[int]:
    """The number taken of each: all, or as many of one as of another."""
    level = 0
    while sum(min(count, level + 1) for count in counts) <= limit and level < max(
        counts, default=0
    ):
        level += 1
    shares = [min(count, level) for count in counts]
    for position, count in enumerate(counts):
        if sum(shares) < limit and count > level:
            shares[position] += 1
    return shares
