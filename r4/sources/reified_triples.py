"""Triples with a time of their own: those that a subject with a time reifies [RDF12].

``:s :v 5 {| :at 3 |}`` asserts a triple, and has a reifier of it, which has the time. So the triple
is one of the element that the reifier names, and holds when that does. What is reified and not
asserted, as ``<< :s :v 5 >> :at 3``, holds at no time.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.errors import Flaw
from r4.rdf.chunks import LineNumbers, StatementFault
from r4.stream.elements.segmentation import GRAPH, SUBJECT
from rete.arrays.delta import Column, Rows

_UNTIMED: Final = "triple terms are not supported yet, but for subjects with the time predicate"
_NOT_ASSERTED: Final = (
    "a triple that has a time, but is not asserted, holds at no time: write it as an annotation, "
    "S P O {| … |}"
)


@dataclass(frozen=True, slots=True)
class ReifiedTriples:
    """The reified triples of a graph; positions are row numbers.

    Attributes:
        of: By reifier with a time, the reified triples that are asserted.
        asserted: Where these are asserted, so that they are not static.
        left_out: Where triples are reified, but asserted nowhere or by a subject without a time,
            each with the reason.
    """

    of: dict[int, list[int]]
    asserted: Column
    left_out: dict[int, str]

    @classmethod
    def among(cls, rows: Rows, timed: AbstractSet[int]) -> ReifiedTriples:
        """The reified triples of ``rows``, (n, 4), in which the graph is the reifier.

        ``timed`` are the subjects with a time. Costs O(n), and a step for each that is reified.
        """
        reified = np.flatnonzero(rows[:, GRAPH] > 0)
        subjects = rows[reified, SUBJECT]
        places: dict[tuple[int, ...], list[int]] = {}
        for row in np.flatnonzero(
            (rows[:, GRAPH] == 0) & np.isin(rows[:, SUBJECT], subjects)
        ).tolist():
            places.setdefault(tuple(rows[row, :GRAPH].tolist()), []).append(row)
        of: dict[int, list[int]] = {}
        asserted: list[int] = []
        left_out: dict[int, str] = {}
        for row in reified.tolist():
            *triple, reifier = rows[row].tolist()
            where = places.get(tuple(triple))
            if reifier not in timed:
                left_out[row] = _UNTIMED
            elif where is None:
                left_out[row] = _NOT_ASSERTED
            else:
                of.setdefault(reifier, []).append(row)
                asserted += where
        return cls(of, np.array(asserted, np.int64), left_out)

    def faults(self, lines: LineNumbers) -> list[StatementFault]:
        """What is left out, as faults of a document."""
        return [
            StatementFault(Flaw.UNSUPPORTED_TERM, 0, lines.line_of(row), why)
            for row, why in self.left_out.items()
        ]
