"""Which sets of hypotheses are minimal: none makes another needless that is a part of it.

Whether a set of one shape is a part of one of another is a few conjunctions of equalities between
their columns (`embeddings`), found once. Rows are compared by joins on such columns, within a fact.
So a comparison costs the pairs that agree, not all pairs.

The set of a derivation without evidence has no rows: its variables and the time of its head are
free. So whether it is a part of the set of a row follows from the values of that row alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.storage.row_algebra import always, join_rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.rif_rules.entries.embeddings import (
    Conjunction,
    HypothesisForm,
    conjunctions,
)
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask

_MOST_JOINS: Final = 256
"""For so many sets of kinds that stand together the joins are kept."""


class ComparedSets(NamedTuple):
    """Sets of hypotheses of rows, compared within their facts.

    Attributes:
        entries: (n,) per row the number of its entry: sets that are the same are one entry.
        minimal: (entries,) whether no other entry that lives makes it needless.
    """

    entries: Column
    minimal: Mask


class Comparison:
    """Compares the sets of hypotheses of rows of evidence."""

    def __init__(
        self,
        readers: Sequence[EvidenceReader],
        unsupported: Sequence[EvidenceReader],
        width: int,
        terms: Dictionary,
    ) -> None:
        """Begin, with readers of rows of ``width`` values, and of derivations without evidence."""
        self._readers, self._terms = readers, terms
        points = (False, True)
        self._forms = [HypothesisForm(each, point=point) for each in readers for point in points]
        self._used = np.zeros((len(self._forms), width), np.int64)
        for used, form in zip(self._used, self._forms, strict=True):
            used[form.used] = 1
        self._timed = np.array([form.timed for form in self._forms], np.int64)
        self._conjunctions = cache(
            lambda one, other: conjunctions(self._forms[one], self._forms[other])
        )
        self._joins = lru_cache(_MOST_JOINS)(self._joins_of)
        self._unsupported = [
            (each, HypothesisForm(each, point=True, names_fact=True)) for each in unsupported
        ]
        self._conditions = cache(self._conditions_of)

    def of(
        self, kinds: Column, values: Rows, last: Column, facts: Column, alive: Mask
    ) -> ComparedSets:
        """Compare rows.

        Args:
            kinds: (n,) twice the number of the reader, and 1 more if a row holds at one tick.
            values: (n, width) their values.
            last: (n,) their last ticks, in cells.
            facts: (n,) the number of the fact of each; rows of one fact are compared.
            alive: (n,) which of them may make others needless.
        """
        keys = np.empty((len(kinds), 3 + values.shape[1]), np.int64)
        keys[:, 0], keys[:, 1], keys[:, 2] = facts, kinds, last * self._timed[kinds]
        np.multiply(values, self._used[kinds], out=keys[:, 3:])
        sets, entries = self._terms.distinct(keys)
        minimal = np.zeros(len(sets), np.bool_)
        needless = self._have_unsupported(kinds, values)
        of = facts[sets]
        one = other = rivals = of[:0]
        if len(of) > 1:
            rivals = (np.bincount(of)[of] > 1).nonzero()[0]
        if len(rivals):
            some = sets[rivals]
            kinds, values = kinds[some], values[some]
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
        minimal[entries[needless]] = False
        return ComparedSets(entries, minimal)

    def _have_unsupported(self, kinds: Column, values: Rows) -> Mask:
        """Of which rows a set without evidence is a part of their set."""
        found = np.zeros(len(kinds), np.bool_)
        for kind in {*kinds.tolist()} if self._unsupported else ():
            some = np.flatnonzero(kinds == kind)
            row = values[some]
            for reader, condition in self._conditions(kind):
                equal = [row[:, p] == row[:, q] for p, q in condition.inner]
                equal += [row[:, q] == reader.tail[p] for p, q in condition.cross]
                found[some] |= np.all(equal, axis=0)
        return found

    def _conditions_of(self, kind: int) -> list[tuple[EvidenceReader, Conjunction]]:
        """With which equalities a set without evidence is a part of that of a row."""
        form = HypothesisForm(self._readers[kind >> 1], point=bool(kind & 1), names_fact=True)
        found = ((reader, conjunctions(one, form)) for reader, one in self._unsupported)
        return [(reader, each) for reader, some in found for each in some]

    def _joins_of(
        self, kinds: tuple[int, ...], together: bytes
    ) -> Sequence[tuple[Conjunction, Mask]]:
        """Conjunctions for some kinds of sets, and for which pairs of them each; of all that are.

        ``together`` are bytes for all pairs, 1 if sets of both kinds are of one fact.
        """
        shape = len(kinds), len(kinds)
        found: dict[Conjunction, Mask] = {}
        for a, b in np.argwhere(np.frombuffer(together, np.bool_).reshape(shape)).tolist():
            for each in self._conjunctions(kinds[a], kinds[b]):
                if a != b or each != self._forms[kinds[a]].equality:  # equal ones are one already
                    found.setdefault(each, np.zeros(shape, np.bool_))[a, b] = True
        return [*found.items()]

    def _sizes(self, kinds: Column, values: Rows) -> Column:
        """How many different atoms each set has."""
        sizes = np.empty(len(kinds), np.int64)
        for kind in {*kinds.tolist()}:
            some = kinds == kind
            sizes[some] = self._forms[kind].sizes(values[some])
        return sizes

    def _pairs(self, kinds: Column, values: Rows, last: Column, facts: Column) -> Rows:
        """The pairs of sets of a fact of which the first is a part of the second.

        There is a join for each conjunction, of all kinds that have it.
        """
        of_kinds = np.bincount(kinds) > 0
        kept, number = of_kinds.nonzero()[0], (of_kinds.cumsum() - 1)[kinds]
        counts = np.bincount(facts * len(kept) + number, minlength=(facts.max() + 1) * len(kept))
        present = counts.reshape(-1, len(kept))
        together = present.T @ present
        together.ravel()[:: len(kept) + 1] -= present.sum(axis=0)
        found: list[Rows] = [np.empty((0, 2), np.int64)]
        for each, allowed in self._joins(tuple(kept.tolist()), (together > 0).tobytes()):
            mine = allowed.sum(axis=1)[number].nonzero()[0]
            theirs = allowed.sum(axis=0)[number].nonzero()[0]
            for p, q in each.inner:
                theirs = theirs[values[theirs, p] == values[theirs, q]]
            keys = [(facts[mine], facts[theirs])]
            keys += [(values[mine, p], values[theirs, q]) for p, q in each.cross]
            if each.shift is not None:
                keys.append((last[mine], last[theirs] + each.shift))
            pairs = _joined(mine, theirs, keys)
            one, other = pairs.T
            found.append(pairs[allowed[number[one], number[other]] & (one != other)])
        return np.concatenate(found)


def _joined(mine: Column, theirs: Column, keys: Sequence[tuple[Column, Column]]) -> Rows:
    """The pairs of those that agree on keys."""
    on = range(len(keys))
    left = always(*(key for key, _ in keys), mine)
    right = always(*(key for _, key in keys), theirs)
    return join_rows(left, on, right, on, (len(on), ~len(on)))[:, :2]
