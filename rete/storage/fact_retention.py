"""Retention of asserted facts: they are kept as long as what reads them looks back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Column, Rows, columns


@dataclass(frozen=True, slots=True)
class FactRetention:
    """How many cells facts of a relation are kept after they ended, by one of their terms.

    Attributes:
        place: of this term, such as the predicate of a triple.
        terms: (n,) those for which patterns have a constant, ascending.
        cells: (n,) of facts with these terms.
        other: of all other facts.
    """

    place: int
    terms: Column
    cells: Column
    other: int

    @classmethod
    def by_term(cls, place: int, cells: Mapping[int, int], other: int) -> FactRetention:
        """Of the ``cells`` that patterns with a constant need, and those without one."""
        terms = sorted(cells)
        return cls(place, columns(terms), columns([max(cells[t], other) for t in terms]), other)

    def of(self, facts: Rows) -> Column:
        """Of each of ``facts``, (n, arity + 2) or more columns. O(n log of the constants)."""
        found = np.full(len(facts), self.other)
        if len(self.terms):
            asked = facts[:, self.place]
            places = np.minimum(np.searchsorted(self.terms, asked), len(self.terms) - 1)
            known = self.terms[places] == asked
            found[known] = self.cells[places[known]]
        return found
