"""Deadlines: until when the hypotheses of an entry may arrive.

A ground atom of time t is future-possible at τ iff τ < t + δ [CruzFilipe22, Definition 1]; one
whose time is not known always is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rete.delta import POS_INF, Column, Rows
from rete.dictionary import Dictionary
from rif.terms import Literal, Variable
from temporal.hypothetical.ast import Atom
from temporal.hypothetical.delays import Delays
from temporal.hypothetical.masks import Name, names_of


class Deadlines:
    """Of all hypotheses of a schematic answer, where some of its variables are bound."""

    __slots__ = ("_parts",)

    def __init__(
        self, hypotheses: Sequence[Atom], names: Sequence[Name], delays: Delays, terms: Dictionary
    ) -> None:
        self._parts = [_Deadline(atom, names, delays, terms) for atom in hypotheses]

    def of(self, values: Rows) -> Rows:
        """Of each hypothesis t + δ, (n, hypotheses), for values (n, names); `POS_INF`: no end."""
        out = np.empty((len(values), len(self._parts)), np.int64)
        for place, part in enumerate(self._parts):
            out[:, place] = part.of(values)
        return out

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        for part in self._parts:
            part.forget()


class _Deadline:
    """That of one hypothesis; its delay is looked up once for each of its known arguments."""

    __slots__ = ("_atom", "_column", "_delays", "_known", "_most", "_terms", "_things")

    def __init__(
        self, atom: Atom, names: Sequence[Name], delays: Delays, terms: Dictionary
    ) -> None:
        self._atom, self._delays, self._terms = atom, delays, terms
        time = (True, atom.time.variable or "")
        self._column = names.index(time) if time in names else -1
        self._things: dict[str, int] = {}
        if delays.depends(atom.predicate):
            self._things = {
                name[1]: column
                for column, name in enumerate(names)
                if not name[0] and name in names_of(atom)
            }
        self._most = delays.of(atom)
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, values: Rows) -> Column | int:
        if self._atom.time.variable is not None and self._column < 0:
            return POS_INF
        delay = self._delay(values) if self._things else self._most
        time = self._atom.time.offset
        return time + delay if self._column < 0 else values[:, self._column] + time + delay

    def forget(self) -> None:
        self._known = {}

    def _delay(self, values: Rows) -> Column:
        things = np.ascontiguousarray(values[:, list(self._things.values())])
        firsts, which = self._terms.distinct(things)
        keys = map(tuple, things[firsts].tolist())
        return np.array([self._of_instances(key) for key in keys], np.int64)[which]

    def _of_instances(self, ids: tuple[int, ...]) -> int:
        found = self._known.get(ids)
        if found is None:
            bound = dict(zip(self._things, map(self._terms.term, ids), strict=True))
            args = []
            for arg in self._atom.args:
                value = bound.get(arg.name, arg) if isinstance(arg, Variable) else arg
                assert isinstance(value, Literal | Variable)
                args.append(value)
            atom = Atom(self._atom.predicate, tuple(args), self._atom.time)
            found = self._known[ids] = self._delays.of(atom)
        return found
