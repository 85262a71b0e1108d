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
from temporal.hypothetical.rif_rules.entries.embeddings import (
    Conjunction,
    HypothesisForm,
    conjunctions,
)
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
        entries = np.empty(len(rows), np.int64)
        firsts: list[Column] = []
        count = 0
        for kind in np.flatnonzero(np.bincount(kinds)).tolist():
            some = np.flatnonzero(kinds == kind)
            form = self._form(kind)
            parts = [facts[some], *rows[some][:, form.used].T, *([last[some]] * form.timed)]
            first, which = self._terms.distinct(np.column_stack(parts))
            entries[some] = count + which
            firsts.append(some[first])
            count += len(first)
        chosen = np.concatenate(firsts) if firsts else columns([])
        merged = np.arange(count)
        beaten = columns([])
        if count > 1 and np.bincount(facts[chosen]).max() > 1:
            shapes = kinds[[some[0] for some in firsts]].tolist()
            values = [
                self._readers[kind >> 1].values(rows[some])
                for kind, some in zip(shapes, firsts, strict=True)
            ]
            forms = map(self._form, shapes)
            sizes = np.concatenate([*map(HypothesisForm.sizes, forms, values)])
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

    def _pairs(self, kinds: Column, parts: Sequence[Rows], last: Column, facts: Column) -> Rows:
        """The pairs of sets of a fact of which the first is a part of the second, for values.

        The values of a kind are a part. There is a join for each conjunction, of all kinds that
        have it.
        """
        values = np.zeros((len(kinds), max(part.shape[1] for part in parts)), np.int64)
        start = 0
        for part in parts:
            values[start : start + len(part), : part.shape[1]] = part
            start += len(part)
        number = np.repeat(np.arange(len(parts)), [*map(len, parts)])
        present = np.zeros((int(facts.max()) + 1, len(parts)), np.int64)
        np.add.at(present, (facts, number), 1)
        rival = present.sum(axis=1)[facts] > 1
        together = present.T @ present
        of: dict[Conjunction, Mask] = {}
        kept = kinds[np.flatnonzero(np.diff(number, prepend=-1))].tolist()
        for a, b in np.argwhere(together > 0).tolist():
            for each in self._conjunctions(kept[a], kept[b]):
                if a != b or each != self._form(kept[a]).equality:  # equal ones are one already
                    of.setdefault(each, np.zeros(together.shape, np.bool_))[a, b] = True
        found: list[Rows] = [np.empty((0, 2), np.int64)]
        for each, allowed in of.items():
            left, right = np.nonzero(allowed)
            mine = np.flatnonzero(rival & np.isin(number, left))
            theirs = np.flatnonzero(rival & np.isin(number, right))
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
