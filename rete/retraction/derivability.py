"""Derivability: which facts of a table have a derivation from lower levels; a kernel decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rete import kernels
from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, columns
from rete.graph.streams import Component, FactTable
from rete.network.layers import Layers
from rete.retraction.proof_programs import ProgramWriter
from rete.retraction.subsumption import heads_of

if TYPE_CHECKING:
    from rete.kernels.pure_support_search import IndexedRows

_GROWN: Final = 2
"""With so many times as many rows, other orders of atoms may be better."""
_SMALL: Final = 4096
"""So many more rows are not enough to write programs anew."""
_KEPT: Final = 0.5
"""By what the experience with a program is multiplied each time there is more."""


class Derivability(NamedTuple):
    """Which facts are derivable, (n,) each.

    Attributes:
        level: of a derivation from below the level that was asked for; -1: none was found.
        later: of the lowest derivation that is not below; `UNKNOWN_LEVEL`: none.
        unsure: 1 where programs cannot decide: a derivation holds part of the time, or has further
            conditions.
    """

    level: Column
    later: Column
    unsure: Column


class LoadedPrograms:
    """Programs as kernels take them.

    They are right for one component, and good while its tables have about the size they have now.

    Attributes:
        code: all of them.
        begins: where each begins.
    """

    def __init__(self, layers: Layers, component: Component, programs: ProgramWriter) -> None:
        """Copy the code that ``programs`` has written."""
        self._layers = layers
        self._component = component
        self.code = columns(programs.code)
        self.begins = columns(programs.begins)
        self._asserted = programs.asserted
        self._missing = programs.missing
        self._sources = [
            (stem, stem.index(places), leveled) for stem, places, leveled in programs.sources
        ]
        self._size = self._rows
        self._outgrown = False

    @property
    def _rows(self) -> int:
        """How many rows their sources have."""
        return sum(stem.n for stem, _, _ in self._sources)

    def are_current(self, table: FactTable) -> bool:
        """Whether they are still right for ``table``, and not outgrown."""
        if table.component is not self._component or self._outgrown:
            return False
        if self._missing.have_come():
            return False
        asserted = self._layers.asserted_stem
        return all(asserted(relation) is stem for relation, stem in self._asserted.items())

    def sources(self) -> list[IndexedRows]:
        """The rows that they look into, as they are now."""
        self._outgrown = self._rows > _GROWN * self._size + _SMALL
        return [
            (stem.rows, stem.n, index, stem.levels if leveled else None)
            for stem, index, leveled in self._sources
        ]


class DerivationPrograms(LoadedPrograms):
    """The heads of one table as programs, those first that derived most facts at the least cost."""

    def __init__(
        self, layers: Layers, table: FactTable, facts: Rows, rule: int | None = None
    ) -> None:
        """Write them, of one ``rule`` or all; ``facts`` (n, …) are a sample of the questions."""
        programs = ProgramWriter(layers, table.component, facts)
        for head in heads_of(table, rule):
            if len(table.feeders) == 1 and not table.orphaned:
                head.body.drop_head_tests()
            programs.add(head.body, head.since)
        super().__init__(layers, table.component, programs)
        self._experience = np.zeros((len(programs.begins), 2))

    def prove(self, facts: Rows, *, known_levels_only: bool) -> Derivability:
        """Look for derivations of ``facts``, (n, arity + 3), with the level to stay below.

        With ``known_levels_only`` a derivation from facts of unknown level does not count.
        """
        found = np.full(len(facts), -1)
        later = np.full(len(facts), UNKNOWN_LEVEL)
        unsure = np.zeros(len(facts), np.int64)
        unknown = UNKNOWN_LEVEL if known_levels_only else UNKNOWN_LEVEL + 1
        code, begins, sources, costs = self.arguments()
        kernels.prove(facts, code, begins, sources, unknown, found, later, unsure, costs)
        self.learn(costs)
        return Derivability(found, later, unsure)

    def arguments(self) -> tuple[Column, Column, list[IndexedRows], Rows]:
        """Their code, where they begin (the best first), their sources, and room for costs."""
        costs = np.zeros((len(self.begins), 2), np.int64)
        return self.code, self.begins[self._order()], self.sources(), costs

    def learn(self, costs: Rows) -> None:
        """Take into account what each cost and derived since `arguments`, in that order."""
        order, used = self._order(), costs[:, 0] > 0
        experience = self._experience
        experience[order[used]] = _KEPT * experience[order[used]] + costs[used]

    def _order(self) -> Column:
        experience = self._experience
        return np.argsort(-experience[:, 1] / (experience[:, 0] + 1), kind="stable")
