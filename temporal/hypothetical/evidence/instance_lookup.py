"""Look-ups: a number for each instance of an atom, asked once for each of its known arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import SortedVariable, TemporalAtom, variables_of


class InstanceLookup:
    """What is asked of an atom some of whose variables are bound."""

    __slots__ = ("_ask", "_atom", "_known", "_most", "_terms", "_things")

    def __init__(
        self,
        atom: TemporalAtom,
        names: Sequence[SortedVariable],
        ask: Callable[[TemporalAtom], int],
        terms: Dictionary,
        *,
        depends: bool,
    ) -> None:
        """Begin; ``depends`` says whether the number is not the same for all instances."""
        self._atom, self._ask, self._terms = atom, ask, terms
        self._things: dict[str, int] = {}
        if depends:
            self._things = {
                name[1]: column
                for column, name in enumerate(names)
                if not name[0] and name in variables_of(atom)
            }
        self._most = ask(atom)
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, values: Rows) -> Column | int:
        """The number for each row of values (n, names), or that for all."""
        if not self._things:
            return self._most
        things = np.ascontiguousarray(values[:, list(self._things.values())])
        firsts, which = self._terms.distinct(things)
        keys = map(tuple, things[firsts].tolist())
        found: Column = np.array([self._of_instances(key) for key in keys], np.int64)[which]
        return found

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._known = {}

    def _of_instances(self, ids: tuple[int, ...]) -> int:
        found = self._known.get(ids)
        if found is None:
            bound = dict(zip(self._things, map(self._terms.term, ids), strict=True))
            args = []
            for arg in self._atom.args:
                value = bound.get(arg.name, arg) if isinstance(arg, Variable) else arg
                assert isinstance(value, Literal | Variable)
                args.append(value)
            atom = TemporalAtom(self._atom.predicate, tuple(args), self._atom.time)
            found = self._known[ids] = self._ask(atom)
        return found
