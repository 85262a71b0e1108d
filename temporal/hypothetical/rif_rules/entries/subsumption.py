"""Which sets of hypotheses are minimal: none makes another needless that is a part of it.

Whether a set of one shape is a part of one of another is a few conjunctions of equalities between
their columns (`embeddings`), found once. Rows are compared by joins on such columns, within a fact.
So a comparison costs the pairs that agree, not all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.storage.row_algebra import always, join_rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.rif_rules.entries.embeddings import HypothesisForm, conjunctions
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask


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

    def __init__(self, readers: Sequence[EvidenceReader], terms: Dictionary) -> None:
        self._readers = readers
        self._terms = terms
        self._form = cache(lambda kind: HypothesisForm(readers[kind >> 1], point=bool(kind & 1)))
        self._conjunctions = cache(
            lambda one, other: conjunctions(self._form(one), self._form(other))
        )

    def of(
        self, kinds: Column, rows: Rows, last: Column, facts: Column, alive: Mask
    ) -> ComparedSets:
        """Compare rows.

        Args:
            kinds: (n,) twice the number of the reader, and 1 more if a row holds at one tick.
            rows: (n, width) their ids.
            last: (n,) their last ticks, in cells.
            facts: (n,) the number of the fact of each; rows of one fact are compared.
            alive: (n,) which of them may make others needless.
        """
        entries, sizes = np.empty(len(rows), np.int64), columns([])
        firsts: list[Column] = []
        count = 0
        values: dict[int, Rows] = {}
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            some = np.flatnonzero(kinds == kind)
            form = self._form(kind)
            parts = [facts[some], *rows[some][:, form.used].T, *([last[some]] * form.timed)]
            first, which = self._terms.distinct(np.column_stack(parts))
            entries[some] = count + which
            firsts.append(some[first])
            values[kind] = self._readers[kind >> 1].values(rows[firsts[-1]])
            sizes = np.append(sizes, form.sizes(values[kind]))
            count += len(first)
        chosen = np.concatenate(firsts) if firsts else columns([])
        merged = np.arange(count)
        beaten = columns([])
        if np.bincount(facts[chosen], minlength=1).max() > 1:
            pairs = self._pairs(kinds[chosen], values, last[chosen], facts[chosen])
            one, other = pairs.T
            codes = np.concatenate([one * count + other, other * count + one])[:, None]
            which = self._terms.distinct(codes)[1]
            mutual = np.bincount(which[: len(one)], minlength=len(codes))[which[len(one) :]] > 0
            same = mutual & (sizes[one] == sizes[other])
            np.minimum.at(merged, other[same], one[same])
            beats = ~same & (~mutual | (sizes[one] < sizes[other]))
            one, beaten = merged[one[beats]], merged[other[beats]]
        entries = merged[entries]
        minimal = np.zeros(count, np.bool_)
        minimal[entries[alive]] = True
        if len(beaten):
            minimal[beaten[minimal[one]]] = False
        return ComparedSets(entries, minimal)

    def _pairs(self, kinds: Column, values: dict[int, Rows], last: Column, facts: Column) -> Rows:
        """The pairs of sets of a fact of which the first is a part of the second, for values."""
        numbers = {kind: np.flatnonzero(kinds == kind) for kind in values}
        present = np.zeros((int(facts.max()) + 1, len(values)), np.int64)
        np.add.at(present, (facts, np.searchsorted([*values], kinds)), 1)
        present[present.sum(axis=1) == 1] = 0  # alone
        together = (present > 0).astype(np.int64).T @ present
        found: list[Rows] = [np.empty((0, 2), np.int64)]
        kept = [*values]
        for a, b in np.argwhere(together > 0).tolist():
            left, right = kept[a], kept[b]
            mine, theirs = numbers[left], numbers[right]
            for each in self._conjunctions(left, right):
                if left == right and each == self._form(left).equality:
                    continue  # equal ones are one already
                inner = np.ones(len(theirs), np.bool_)
                for p, q in each.inner:
                    inner &= values[right][:, p] == values[right][:, q]
                keys = [(facts[mine], facts[theirs])]
                keys += [(values[left][:, p], values[right][:, q]) for p, q in each.cross]
                if each.shift is not None:
                    keys.append((last[mine], last[theirs] + each.shift))
                found.append(_joined(mine, theirs, keys, inner))
        pairs: Rows = np.concatenate(found)
        return pairs


def _joined(
    mine: Column, theirs: Column, keys: Sequence[tuple[Column, Column]], some: Mask
) -> Rows:
    """The pairs of different ones that agree on keys, of some of ``theirs``."""
    on = range(len(keys))
    left = always(*(key for key, _ in keys), mine)
    right = always(*(key[some] for _, key in keys), theirs[some])
    pairs = join_rows(left, on, right, on, (len(on), ~len(on)))[:, :2]
    found: Rows = pairs[pairs[:, 0] != pairs[:, 1]]
    return found
