"""Access paths: how the pairs of a join are found backwards, from some of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import Column, Rows, columns, empty
from rete.graph.plan import Plan
from rete.kernels import Index, unpaired
from rete.storage.stem import Stem

_SAMPLE: Final = 4096
_QUESTIONS: Final = 8
"""So many rows and questions are sampled to estimate which side of a join to probe first."""

ColumnSources: TypeAlias = Mapping[int, int]
"""Column of one side → the column of the questions that gives it."""


@dataclass(frozen=True, slots=True)
class AccessPath:
    """One side is probed first, with its known columns; then the other, with what that adds.

    Attributes:
        taken: the columns that go from the first probe to the second.
        keep: all columns of the left side, then those of the right.
        keys: a cache of `unpaired`.
    """

    first: Stem
    first_key: Column
    first_index: Index
    taken: Column
    second: Stem
    second_key: Column
    second_index: Index
    keep: Column
    keys: dict[tuple[int, ...], tuple[Column, Column]] = field(default_factory=dict)

    def pairs(self, asked: Rows) -> Rows:
        """Pairs of a left and a right row, all columns of both: (n, left + right + 2)."""
        first, second = self.first, self.second
        found = first.probe(asked, self.first_key, first.end, self.first_index, self.taken)
        if not len(found):
            return empty(len(self.keep))
        return second.probe(found, self.second_key, second.end, self.second_index, self.keep)

    def unpaired(self, rows: Rows, places: tuple[int, ...]) -> Rows:
        """The pieces of ``rows``, whose columns ``places`` are questions, that no pair covers.

        See `rete.kernels.unpaired`.
        """
        keys = self.keys.get(places)
        if keys is None:
            at = columns([*places, *range(-self.first.width, 0)])  # ~c stays ~c
            keys = self.keys[places] = at[self.first_key], at[self.taken[self.second_key]]
        first, second = self.first, self.second
        one, two = self.first_index, self.second_index
        return unpaired(rows, keys[0], one, first.end, keys[1], two, second.end)


def choose_access_path(
    plan: Plan, left: Stem, right: Stem, known: Sequence[int], asked: Rows
) -> AccessPath:
    """The path from the columns ``known`` of a plan of two sources, none of which it computes.

    ``asked`` are questions like those to come.
    """
    lefts: dict[int, int] = {}
    rights: dict[int, int] = {}
    begin = left.width
    for place, column in enumerate(known):
        at = plan.columns[column]
        (lefts if at < begin else rights).setdefault(at if at < begin else at - begin, place)
    on = [(mine, theirs - begin) for mine, theirs in plan.equated]
    for mine, theirs in on:  # what is known of one side of a key is known of both
        if theirs in rights:
            lefts.setdefault(mine, rights[theirs])
        elif mine in lefts:
            rights[theirs] = lefts[mine]
    mine_all = range(left.width)
    if rights and (not lefts or _fan_out(right, rights, asked) < _fan_out(left, lefts, asked)):
        keep = [*(~c for c in mine_all), *range(right.width)]
        return _path(right, rights, left, lefts, [(b, a) for a, b in on], keep)
    keep = [*mine_all, *(~c for c in range(right.width))]
    return _path(left, lefts, right, rights, on, keep)


def _path(  # noqa: PLR0913, PLR0917 - two sides, and what connects them
    first: Stem,
    ours: ColumnSources,
    second: Stem,
    others: ColumnSources,
    on: Sequence[tuple[int, int]],
    keep: Sequence[int],
) -> AccessPath:
    joined = {theirs for _, theirs in on}
    more = {column: place for column, place in others.items() if column not in joined}
    return AccessPath(
        first,
        columns(ours.values()),
        first.index(tuple(ours)),
        columns([*(~c for c in range(first.width)), *more.values()]),
        second,
        columns([*(mine for mine, _ in on), *range(first.width, first.width + len(more))]),
        second.index((*(theirs for _, theirs in on), *more)),
        columns(keep),
    )


def _fan_out(stem: Stem, places: ColumnSources, asked: Rows) -> float:
    """An estimate of how many rows of ``stem`` agree with a question, from a sample of both."""
    step = max(1, stem.n // _SAMPLE)
    rows = stem.store.rows(0, stem.end, step)
    some = asked[:: max(1, len(asked) // _QUESTIONS)][:_QUESTIONS]
    agree = np.ones((len(some), len(rows)), np.bool_)
    for column, place in places.items():
        agree &= some[:, place, None] == rows[:, column]
    return step * (int(np.count_nonzero(agree)) + 1)
