"""With which values a set of hypotheses is a part of that of an entry: conditions on its row.

A variable of the smaller set may stand for any term. A term of the entry is a constant, a column of
its row, or a variable that is free, which stands for itself alone. So whether two terms are the
same is known, or it is an equality between columns of the row.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary, constant
from rif.syntax.terms import Literal
from temporal.containment import StepBudget, containments, fewest_unbound_first, weakest
from temporal.hypothetical.evidence.entry_table import EntryTable
from temporal.hypothetical.output.rival_states import Mask
from temporal.hypothetical.syntax.ast import (
    ObjectTerm,
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    TimeTerm,
    variables_of,
)

RowTerm: TypeAlias = tuple[int | SortedVariable | None, int]
"""A column of a row or a free variable, and what is added to it; None: the constant, or number."""
Equality: TypeAlias = tuple[int, int | None, int]
"""A column, what it is equal to, and what is added to that."""

MOST_STEPS: Final = 10_000
"""Beyond so many steps for a table, rows are compared one by one."""
_Bindings: TypeAlias = Mapping[SortedVariable, RowTerm]


class RowAtom(NamedTuple):
    """An atom of an entry: predicate and arity, terms, of which the last is its time, variables."""

    name: tuple[str, int]
    terms: tuple[RowTerm, ...]
    variables: frozenset[SortedVariable]


class Embedding(NamedTuple):
    """A condition with which a set of hypotheses is a part of that of an entry.

    Attributes:
        atoms: the bits of the hypotheses that it becomes.
        equalities: what must be equal.
        bounds: columns, and the least that they must be.
    """

    atoms: int
    equalities: frozenset[Equality]
    bounds: frozenset[tuple[int, int]]

    def of(self, columns: Container[int | None]) -> Embedding:
        """The embedding with the conditions on ``columns`` alone."""
        equal = (each for each in self.equalities if each[0] in columns)
        return self._replace(
            equalities=frozenset(e for e in equal if e[1] is None or e[1] in columns),
            bounds=frozenset(each for each in self.bounds if each[0] in columns),
        )

    def shifted(self, by: int) -> Embedding:
        """The embedding with conditions on other columns."""
        return self._replace(
            equalities=frozenset(
                (column + by, None if other is None else other + by, difference)
                for column, other, difference in self.equalities
            ),
            bounds=frozenset((column + by, least) for column, least in self.bounds),
        )

    def implies(self, other: Embedding) -> bool:
        """Whether it is one only where ``other`` is."""
        has_all = self.atoms & other.atoms == other.atoms
        return has_all and other.equalities <= self.equalities and other.bounds <= self.bounds

    def holds(self, rows: Rows) -> Mask:
        """Where its conditions are true, but for the atoms."""
        found = np.ones(len(rows), np.bool_)
        for column, other, by in self.equalities:
            found &= rows[:, column] == (by if other is None else rows[:, other] + by)
        for column, least in self.bounds:
            found &= rows[:, column] >= least
        return found


_State: TypeAlias = tuple[_Bindings, Embedding]


class SetForm:
    """The hypotheses of a schematic answer, some of whose variables are columns of a row.

    Attributes:
        least: the least numbers of the free times.
        known: the least numbers of the columns that are times.
        bound: the variables that are columns.
    """

    __slots__ = ("answer", "atoms", "bound", "known", "least")

    def __init__(
        self,
        schematic: SchematicAnswer,
        places: Mapping[SortedVariable, RowTerm],
        terms: Dictionary,
    ) -> None:
        """Begin; where variables are columns or values, ``places`` has these."""

        def row_term(term: ObjectTerm | TimeTerm) -> RowTerm:
            if isinstance(term, Literal):
                return None, constant(str(term), terms)
            if not isinstance(term, TimeTerm):
                return places.get((False, term.name), ((False, term.name), 0))
            if term.variable is None:
                return None, term.offset
            base, by = places.get((True, term.variable), ((True, term.variable), 0))
            return base, by + term.offset

        def row_atom(atom: TemporalAtom) -> RowAtom:
            found = *map(row_term, atom.args), row_term(atom.time)
            return RowAtom((atom.predicate, len(found)), found, variables_of(atom))

        self.answer = row_atom(schematic.answer)
        self.atoms = tuple(map(row_atom, schematic.hypotheses))
        least = {(True, name): number for name, number in schematic.least}
        self.least = {each: number for each, number in least.items() if each not in places}
        self.known = {
            column: least.get(each, 0) - by
            for each, (column, by) in places.items()
            if each[0] and isinstance(column, int)
        }
        self.bound = frozenset(places)

    @classmethod
    def of_columns(
        cls,
        schematic: SchematicAnswer,
        names: Collection[SortedVariable],
        first: int,
        terms: Dictionary,
    ) -> SetForm:
        """The form of rows in which ``names`` are bound, whose columns begin with ``first``."""
        places = {name: (first + place, 0) for place, name in enumerate(names)}
        return cls(schematic, places, terms)

    @classmethod
    def of_row(cls, table: EntryTable, values: Sequence[int], terms: Dictionary) -> SetForm:
        """The form of one row of ``table``."""
        pairs = zip(table.names, values, strict=False)
        return cls(table.schematic, {name: (None, int(value)) for name, value in pairs}, terms)

    def ordered(self, awaited: int) -> list[RowAtom]:
        """The hypotheses with these bits, each with as few variables as none before has."""
        awaiting = (atom for place, atom in enumerate(self.atoms) if awaited >> place & 1)
        bound = {*self.answer.variables, *self.bound}
        return fewest_unbound_first(awaiting, bound, lambda atom: atom.variables)

    def may_wait(self, bits: int) -> bool:
        """Whether what has arrived may be without these, and bind what the row has."""
        others = [atom for place, atom in enumerate(self.atoms) if not bits >> place & 1]
        names = frozenset[SortedVariable]().union(*(atom.variables for atom in others))
        return bool(others) and self.bound <= names


class _Mapping(NamedTuple):
    """The search for what maps the atoms of one set to those of another."""

    one: SetForm
    other: SetForm
    budget: StepBudget
    ignores_least: bool

    def images(self, atom: RowAtom, state: _State) -> Iterator[_State]:
        """``state`` with ``atom`` as each of the others that may wait."""
        bindings, found = state
        for place, target in enumerate(self.other.atoms):
            self.budget.spend()
            bits = found.atoms | 1 << place
            if target.name == atom.name and self.other.may_wait(bits):
                yield from self.mapped(atom, target, bindings, found._replace(atoms=bits))

    def mapped(
        self, atom: RowAtom, target: RowAtom, bindings: _Bindings, found: Embedding
    ) -> Iterator[_State]:
        """``atom`` as ``target``, if it can be that: the bindings, and the conditions."""
        bound, equal, least = {**bindings}, {*found.equalities}, {*found.bounds}
        for (variable, by), (base, offset) in zip(atom.terms, target.terms, strict=True):
            image: RowTerm = variable, by
            if isinstance(variable, tuple):
                if variable not in bound:
                    image = bound[variable] = base, offset - by
                    if variable[0] and not self._is_bounded(variable, image, least):
                        return
                start, shift = bound[variable]
                image = start, shift + by
            if image == (base, offset):
                continue
            columns = {image[0]: image[1], base: offset}
            if len(columns) == 1 or any(isinstance(each, tuple) for each in columns):
                return
            numbers = sorted((each for each in columns if isinstance(each, int)), reverse=True)
            first, second = [*numbers, None][:2]
            assert first is not None
            equal.add((first, second, columns[second] - columns[first]))
        yield bound, Embedding(found.atoms, frozenset(equal), frozenset(least))

    def _is_bounded(
        self, variable: SortedVariable, image: RowTerm, bounds: set[tuple[int, int]]
    ) -> bool:
        """Whether a time may be what it becomes; where a column decides, that is a condition."""
        base, by = image
        least = self.one.least.get(variable, 0)
        if isinstance(base, int):
            if self.other.known.get(base, 0) + by < least:
                bounds.add((base, least - by))
            return True
        if base is None:
            return by >= least
        return self.ignores_least or self.other.least.get(base, 0) + by >= least


def embeddings(
    one: SetForm,
    other: SetForm,
    budget: StepBudget,
    awaited: int = -1,
    *,
    ignores_least: bool = False,
) -> list[Embedding]:
    """The conditions for the set of ``one`` to be a part of that of ``other``, which has evidence.

    Of ``one`` the hypotheses with the bits of ``awaited`` count. If it has columns, these are other
    ones than those of ``other``. A free time of ``other`` is any from its least on; if that is
    ignored, any that is late enough. Costs the search of `containments`.

    Raises:
        TooManySteps: the budget is spent.
    """
    mapping, atoms = _Mapping(one, other, budget, ignores_least), one.ordered(awaited)
    nothing = Embedding(0, frozenset(), frozenset())
    starts = mapping.mapped(one.answer, other.answer, {}, nothing)
    found = (each for start in starts for each in containments(atoms, start, mapping.images))
    return weakest(each for _, each in found)
