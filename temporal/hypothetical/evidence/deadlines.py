"""Deadlines: until when the hypotheses of an entry may arrive.

A ground atom of time t is future-possible at τ iff τ < t + δ [CruzFilipe22, Definition 1]; one
whose time is not known always is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import POS_INF, Rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom


class Deadlines:
    """The deadlines of all hypotheses of a schematic answer in which some variables are bound."""

    __slots__ = ("_delays",)

    def __init__(
        self,
        hypotheses: Sequence[TemporalAtom],
        names: Sequence[SortedVariable],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self._delays = [InstanceLookup(atom, names, delays, terms) for atom in hypotheses]

    def of(self, values: Rows) -> Rows:
        """The deadlines t + δ, (n, hypotheses), for values (n, names); `POS_INF`: there is none."""
        out = np.full((len(values), len(self._delays)), POS_INF, np.int64)
        for position, delay in enumerate(self._delays):
            time = delay.times(values)
            if time is not None:
                out[:, position] = time + delay.of(values)
        return out

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for delay in self._delays:
            delay.forget()
