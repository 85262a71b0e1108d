"""Deadlines: until when the hypotheses of an entry may arrive.

A ground atom of time t is future-possible at τ iff τ < t + δ [CruzFilipe22, Definition 1]; one
whose time is not known always is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows
from rete.terms.dictionary import Dictionary
from temporal.hypothetical.arrival.delays import DelayBounds
from temporal.hypothetical.evidence.instance_lookup import InstanceLookup
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, time_column


class Deadlines:
    """The deadlines of all hypotheses of a schematic answer in which some variables are bound."""

    __slots__ = ("_parts",)

    def __init__(
        self,
        hypotheses: Sequence[TemporalAtom],
        names: Sequence[SortedVariable],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self._parts = [_HypothesisDeadline(atom, names, delays, terms) for atom in hypotheses]

    def of(self, values: Rows) -> Rows:
        """The deadlines t + δ, (n, hypotheses), for values (n, names); `POS_INF`: there is none."""
        out = np.empty((len(values), len(self._parts)), np.int64)
        for position, part in enumerate(self._parts):
            out[:, position] = part.of(values)
        return out

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for part in self._parts:
            part.forget()


class _HypothesisDeadline:
    """The deadline of one hypothesis."""

    __slots__ = ("_atom", "_column", "_delays")

    def __init__(
        self,
        atom: TemporalAtom,
        names: Sequence[SortedVariable],
        delays: DelayBounds,
        terms: Dictionary,
    ) -> None:
        self._atom = atom
        self._column = time_column(atom, names)
        depends = delays.depends(atom.predicate)
        self._delays = InstanceLookup(atom, names, delays.of, terms, depends=depends)

    def of(self, values: Rows) -> Column | int:
        if self._atom.time.variable is not None and self._column < 0:
            return POS_INF
        delay = self._delays.of(values)
        time = self._atom.time.offset
        return time + delay if self._column < 0 else values[:, self._column] + time + delay

    def forget(self) -> None:
        self._delays.forget()
