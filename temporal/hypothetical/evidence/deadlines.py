"""Deadlines: until when the hypotheses of an entry may arrive.

A ground atom of time t is future-possible at τ iff τ < t + δ [CruzFilipe22, Definition 1]; one
whose time is not known always is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import POS_INF, Rows, columns
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom


class Deadlines:
    """The deadlines of all hypotheses of a schematic answer in which some variables are bound."""

    __slots__ = ("_columns", "_delays", "_factors", "_shifts")

    def __init__(
        self,
        hypotheses: Sequence[TemporalAtom],
        names: Sequence[SortedVariable],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self._delays = [InstanceLookup(atom, names, delays, terms) for atom in hypotheses]
        timed = [delay.time_column >= 0 for delay in self._delays]
        self._columns = columns(max(0, delay.time_column) for delay in self._delays)
        self._factors = columns(timed)
        self._shifts = columns(
            POS_INF if each.time is None else each.time + each.common_number
            for each in self._delays
        )

    def of(self, values: Rows) -> Rows:
        """The deadlines t + δ, (n, hypotheses), for values (n, names); `POS_INF`: there is none."""
        if not values.shape[1]:
            return np.repeat(self._shifts[None], len(values), axis=0)
        out: Rows = values.take(self._columns, axis=1)
        out *= self._factors
        out += self._shifts
        for position, delay in enumerate(self._delays):
            if delay.differs and delay.time is not None:
                out[:, position] += delay.of(values) - delay.common_number
        return out
