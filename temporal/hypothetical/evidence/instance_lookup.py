"""Look-ups of a number for each instance of an atom, computed once for each set of arguments.

Deadlines are made of them: until when the hypotheses of an entry may arrive. A ground atom of time
t is future-possible at τ iff τ < t + δ [CruzFilipe22, Definition 1]; one whose time is not known
always is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.arrays.delta import POS_INF, Column, Rows, columns
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal
from temporal.hypothetical.arrival.lateness import ArrivalProspects, DelayBounds
from temporal.hypothetical.resolution.unification import Substitution
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, variables_of


class InstanceLookup:
    """A number, and the time, for each instance of an atom some of whose variables are bound.

    Attributes:
        common_number: that of all instances; of those without a pattern, if they differ.
        time_column: the column of the time; -1: the time is fixed, or free.
        time: what is added to that, or the fixed time; None: it is free.
    """

    def __init__(
        self,
        atom: TemporalAtom,
        names: Sequence[SortedVariable],
        source: DelayBounds | ArrivalProspects,
        terms: Dictionary,
    ) -> None:
        self._atom, self._source, self._terms = atom, source, terms
        time = (True, atom.time.variable or "")
        self.time_column = names.index(time) if time in names else -1
        is_free = atom.time.variable is not None and time not in names
        self.time = None if is_free else atom.time.offset
        self._columns: dict[str, int] = {}
        if source.depends(atom.predicate):
            self._columns = {
                name[1]: column
                for column, name in enumerate(names)
                if not name[0] and name in variables_of(atom)
            }
        self.common_number = source.of(atom)
        self._numbers: dict[tuple[int, ...], int] = {}
        self._sweeps = terms.sweeps

    def of(self, values: Rows) -> Column:
        """The number for each row of values (n, names)."""
        if not self._columns:
            return np.full(len(values), self.common_number)
        if self._sweeps < self._terms.sweeps:
            self._numbers, self._sweeps = {}, self._terms.sweeps
        object_ids = np.ascontiguousarray(values[:, list(self._columns.values())])
        firsts, which = self._terms.distinct(object_ids)
        keys = map(tuple, object_ids[firsts].tolist())
        found: Column = np.array([self._of_instances(key) for key in keys], np.int64)[which]
        return found

    def times(self, values: Rows) -> Column | None:
        """The time of the atom for each row of values; None: it is free."""
        if self.time is None:
            return None
        if self.time_column < 0:
            return np.full(len(values), self.time)
        found: Column = values[:, self.time_column] + self.time
        return found

    @property
    def differs(self) -> bool:
        """Whether instances have numbers of their own."""
        return bool(self._columns)

    def _of_instances(self, ids: tuple[int, ...]) -> int:
        found = self._numbers.get(ids)
        if found is None:
            terms = (term for e in ids if isinstance(term := self._terms.term(e), Literal))
            bound = Substitution(dict(zip(self._columns, terms, strict=True)))
            found = self._numbers[ids] = self._source.of(bound.atom(self._atom))
        return found


class Deadlines:
    """The deadlines of all hypotheses of a schematic answer in which some variables are bound."""

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
