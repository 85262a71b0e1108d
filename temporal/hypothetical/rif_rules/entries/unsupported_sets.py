"""The sets of hypotheses of derivations without evidence, and the rows that they make needless.

Such a set has no rows: its variables and the time of its head are free. So whether it is a part of
the set of a row follows from the ids of that row alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from rete.arrays.delta import Column, Rows
from temporal.hypothetical.rif_rules.entries.embeddings import (
    Conjunction,
    HypothesisForm,
    conjunctions,
)
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask


class UnsupportedSets:
    """Compares rows of evidence with the sets of derivations without evidence."""

    def __init__(
        self, readers: Sequence[EvidenceReader], unsupported: Sequence[EvidenceReader]
    ) -> None:
        """Begin, with the readers of rows, and of what has no rows."""
        self._readers = readers
        self._sets = [
            (each, HypothesisForm(each, point=True, names_fact=True)) for each in unsupported
        ]
        self._conditions = cache(self._conditions_of)

    def are_parts(self, kinds: Column, values: Rows) -> Mask:
        """Of rows, with ``kinds`` as of `Comparison.of`: is one of the sets a part of theirs?"""
        found = np.zeros(len(kinds), np.bool_)
        for kind in np.flatnonzero(np.bincount(kinds)).tolist() if self._sets else ():
            for reader, condition in self._conditions(kind):
                some = np.flatnonzero(kinds == kind)
                row = values[some]
                equal = [row[:, p] == row[:, q] for p, q in condition.inner]
                equal += [row[:, q] == reader.tail[p] for p, q in condition.cross]
                found[some] |= np.all(equal, axis=0)
        return found

    def _conditions_of(self, kind: int) -> list[tuple[EvidenceReader, Conjunction]]:
        """With which equalities a set is a part of that of a row."""
        form = HypothesisForm(self._readers[kind >> 1], point=bool(kind & 1), names_fact=True)
        return [(reader, each) for reader, one in self._sets for each in conjunctions(one, form)]
