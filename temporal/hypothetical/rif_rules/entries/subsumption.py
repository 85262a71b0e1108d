"""Which sets of hypotheses are minimal: none makes another needless that is a part of it.

Whether a set of one shape is a part of one of another is a few conjunctions of equalities between
their columns (`embeddings`), found once. Rows are compared by joins on such columns, within a fact.
So a comparison costs the pairs that agree, not all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.storage.row_algebra import always, join_rows
from temporal.hypothetical.rif_rules.entries.embeddings import (
    Conjunction,
    Evaluation,
    HypothesisForm,
    TestInstance,
    conjunctions,
)
from temporal.hypothetical.rif_rules.entries.evidence_reader import (
    Mask,
    Table,
    at_places,
    padded_table,
)
from temporal.hypothetical.rif_rules.entries.evidence_store import EvidenceStore

_MOST_JOINS: Final = 256
"""For so many sets of kinds that stand together the joins are kept."""


class ConjunctionColumns(NamedTuple):
    """Conjunctions for pairs of c kinds of sets, by number, in columns.

    Attributes:
        allowed: (k, c, c) for which pairs each is.
        ones, others: (c, k) for which kinds each is, as the first or the second of a pair.
        places: (k, p, 2) the pairs of places of both that are equal; behind them a place of 0.
        inner: (k, q, 2) those of the second.
        timed, shift: (k,) 1 if last ticks are compared, too, the first so many cells later.
        tests: of each what must be true.
    """

    allowed: Mask
    ones: Mask
    others: Mask
    places: Table
    inner: Table
    timed: Column
    shift: Column
    tests: tuple[frozenset[TestInstance], ...]

    @classmethod
    def of(cls, found: Mapping[Conjunction, Mask], kinds: int, nothing: int) -> ConjunctionColumns:
        """The columns of ``found``; at the place ``nothing`` all values are alike."""
        allowed = np.array([*found.values()], np.bool_).reshape(-1, kinds, kinds)
        ones, others = (np.logical_or.reduce(allowed, axis=axis).T for axis in (2, 1))
        return cls(
            *(allowed, ones, others),
            padded_table([[*each.cross] for each in found], 0, nothing, 2)[:-1],
            padded_table([[*each.inner] for each in found], 0, nothing, 2)[:-1],
            columns(each.shift is not None for each in found),
            columns(each.shift or 0 for each in found),
            tuple(each.tests for each in found),
        )


class Comparison:
    """Compares the sets of hypotheses of rows of evidence."""

    def __init__(self, store: EvidenceStore) -> None:
        self._terms, self._tests = store.terms, Evaluation(store.readers, store.terms)
        kinds = [(reader, point) for reader in store.readers for point in (False, True)]
        self._forms = [HypothesisForm(reader, point=point) for reader, point in kinds]
        self._used = np.zeros((len(self._forms), store.shapes.width), np.int64)
        for used, form in zip(self._used, self._forms, strict=True):
            used[form.used] = 1
        self._timed = np.array([form.timed for form in self._forms], np.int64)
        self._conjunctions = cache(
            lambda one, other: conjunctions(self._forms[one], self._forms[other])
        )
        self._joins = lru_cache(_MOST_JOINS)(self._joins_of)

    def of(
        self, kinds: Column, values: Rows, last: Column, facts: Column, alive: Mask
    ) -> tuple[Column, Mask]:
        """Compare rows within their facts: kinds, values and last ticks are as of `EvidenceStore`.

        Per row the number of its entry, as sets that are the same are one; and per entry whether
        it is minimal: none that is ``alive`` makes it needless.
        """
        if len(kinds) == 1:
            return np.zeros(1, np.int64), alive
        keys = np.empty((len(kinds), 3 + values.shape[1]), np.int64)
        keys[:, 0], keys[:, 1], keys[:, 2] = facts, kinds, last * self._timed[kinds]
        np.multiply(values, self._used.take(kinds, axis=0), out=keys[:, 3:])
        sets, entries = self._terms.distinct(keys)
        minimal = np.zeros(len(sets), np.bool_)
        of = facts[sets]
        one = other = rivals = of[:0]
        if len(of) > 1:
            rivals = (np.bincount(of)[of] > 1).nonzero()[0]
        if len(rivals):
            some = sets[rivals]
            kinds, values = kinds[some], values.take(some, axis=0)
            one, other = rivals[self._pairs(kinds, values, last[some], facts[some])].T
            codes = np.concatenate([one * len(sets) + other, other * len(sets) + one])
            which = self._terms.distinct(codes[:, None])[1]
            mutual = np.bincount(which[: len(one)], minlength=len(codes))[which[len(one) :]] > 0
            sizes = np.zeros(len(sets), np.int64)
            sizes[rivals] = self._sizes(kinds, values)
            same = mutual & (sizes[one] == sizes[other])
            merged = np.arange(len(sets))
            np.minimum.at(merged, other[same], one[same])
            beats = ~same & (~mutual | (sizes[one] < sizes[other]))
            one, other, entries = merged[one[beats]], merged[other[beats]], merged[entries]
        minimal[entries[alive]] = True
        minimal[other[minimal[one]]] = False
        return entries, minimal

    def _joins_of(self, kinds: tuple[int, ...], together: bytes) -> ConjunctionColumns:
        """The conjunctions of the pairs of some kinds of sets that have 1 in ``together``."""
        shape = len(kinds), len(kinds)
        found: dict[Conjunction, Mask] = {}
        for a, b in np.argwhere(np.frombuffer(together, np.bool_).reshape(shape)).tolist():
            for each in self._conjunctions(kinds[a], kinds[b]):
                if a != b or each != self._forms[kinds[a]].equality:  # equal ones are one already
                    found.setdefault(each, np.zeros(shape, np.bool_))[a, b] = True
        return ConjunctionColumns.of(found, len(kinds), self._used.shape[1] - 1)

    def _sizes(self, kinds: Column, values: Rows) -> Column:
        """How many different atoms each set has."""
        sizes = np.empty(len(kinds), np.int64)
        for kind in {*kinds.tolist()}:
            some = kinds == kind
            sizes[some] = self._forms[kind].sizes(values.compress(some, axis=0))
        return sizes

    def _pairs(self, kinds: Column, values: Rows, last: Column, facts: Column) -> Rows:
        """The pairs of sets of a fact of which the first is a part of the second; by one join."""
        of_kinds = np.bincount(kinds) > 0
        kept, number = of_kinds.nonzero()[0], (of_kinds.cumsum() - 1)[kinds]
        counts = np.bincount(facts * len(kept) + number, minlength=(facts.max() + 1) * len(kept))
        present = counts.reshape(-1, len(kept))
        together = present.T @ present
        together.ravel()[:: len(kept) + 1] -= present.sum(axis=0)
        joins = self._joins(tuple(kept.tolist()), (together > 0).tobytes())
        mine, by = joins.ones[number].nonzero()
        left = always(by, facts[mine], last[mine] * joins.timed[by])
        places = joins.places.take(by, axis=0)[:, :, 0]
        left = always(left[:, :3], at_places(values, places, mine), mine)
        theirs, by = joins.others[number].nonzero()
        if joins.inner.shape[1]:
            inner = at_places(values, joins.inner.take(by, axis=0), theirs)
            some = (inner[:, :, 0] == inner[:, :, 1]).all(axis=1)
            theirs, by = theirs[some], by[some]
        right = always(by, facts[theirs], (last[theirs] + joins.shift[by]) * joins.timed[by])
        places = joins.places.take(by, axis=0)[:, :, 1]
        right = always(right[:, :3], at_places(values, places, theirs), theirs)
        width = left.shape[1] - 3
        on = range(width)
        pairs = join_rows(left, on, right, on, (0, width, ~width))[:, :3]
        by, one, other = pairs.T
        some = joins.allowed[by, number[one], number[other]] & (one != other)
        for place, calls in enumerate(joins.tests):
            for call in calls:
                tested = (some & (by == place)).nonzero()[0]
                given = values[one[tested]], values[other[tested]]
                some[tested] = self._tests.passes(call, *given)
        return pairs[some, 1:]
