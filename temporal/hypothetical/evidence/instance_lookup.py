"""Look-ups of a number for each instance of an atom, computed once for each set of arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, variables_of


class InstanceLookup:
    """A number for each instance of an atom some of whose variables are bound."""

    __slots__ = ("_atom", "_columns", "_common_number", "_number_of", "_numbers", "_terms")

    def __init__(
        self,
        atom: TemporalAtom,
        names: Sequence[SortedVariable],
        number_of: Callable[[TemporalAtom], int],
        terms: Dictionary,
        *,
        depends: bool,
    ) -> None:
        """Begin; ``depends`` says whether the number is not the same for all instances."""
        self._atom, self._number_of, self._terms = atom, number_of, terms
        self._columns: dict[str, int] = {}
        if depends:
            self._columns = {
                name[1]: column
                for column, name in enumerate(names)
                if not name[0] and name in variables_of(atom)
            }
        self._common_number = number_of(atom)
        self._numbers: dict[tuple[int, ...], int] = {}

    def of(self, values: Rows) -> Column | int:
        """The number for each row of values (n, names), or the one for all."""
        if not self._columns:
            return self._common_number
        object_ids = np.ascontiguousarray(values[:, list(self._columns.values())])
        firsts, which = self._terms.distinct(object_ids)
        keys = map(tuple, object_ids[firsts].tolist())
        found: Column = np.array([self._of_instances(key) for key in keys], np.int64)[which]
        return found

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._numbers = {}

    def _of_instances(self, ids: tuple[int, ...]) -> int:
        found = self._numbers.get(ids)
        if found is None:
            bound = dict(zip(self._columns, map(self._terms.term, ids), strict=True))
            args = []
            for arg in self._atom.args:
                value = bound.get(arg.name, arg) if isinstance(arg, Variable) else arg
                assert isinstance(value, Literal | Variable)
                args.append(value)
            atom = TemporalAtom(self._atom.predicate, tuple(args), self._atom.time)
            found = self._numbers[ids] = self._number_of(atom)
        return found
