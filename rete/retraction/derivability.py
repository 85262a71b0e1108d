"""Proofs: which facts of a table have a derivation from lower levels, told by one kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rete import kernels
from rete.arrays.delta import UNKNOWN_LEVEL, Column, Rows, columns
from rete.network.layers import Layers
from rete.nodes.graph import Component, FactTable
from rete.retraction.proof_programs import ProgramWriter
from rete.retraction.subsumption import heads_of

if TYPE_CHECKING:
    from rete.kernels.pure_support_search import IndexedRows

_GROWN: Final = 2
"""So many times as many rows, and other orders of atoms may be better."""
_SMALL: Final = 4096
"""So many rows more are no reason."""
_KEPT: Final = 0.5
"""What is left of the experience with a program each time there is more."""


class Derivability(NamedTuple):
    """What is known of some facts, (n,) each.

    Attributes:
        level: that of a derivation from below the level that was asked for; -1: none was found.
        later: that of the lowest one which is not below; `UNKNOWN_LEVEL`: none.
        unsure: 1 where it may be otherwise: something holds part of the time, or on conditions.
    """

    level: Column
    later: Column
    unsure: Column


class LoadedPrograms:
    """Programs as the kernels take them.

    They are for a component as it stands, and what they look into as large as it is.

    Attributes:
        code: all of them.
        begins: where each begins.
    """

    def __init__(self, layers: Layers, component: Component, programs: ProgramWriter) -> None:
        """Take them over."""
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
        """How many rows there are to look at."""
        return sum(stem.n for stem, _, _ in self._sources)

    def are_current(self, table: FactTable) -> bool:
        """Whether they are right for ``table`` still."""
        if table.component is not self._component or self._outgrown:
            return False
        if self._missing.have_come():
            return False
        asserted = self._layers.asserted_stem
        return all(asserted(relation) is stem for relation, stem in self._asserted.items())

    def sources(self) -> list[IndexedRows]:
        """What they look into, as it is now."""
        self._outgrown = self._rows > _GROWN * self._size + _SMALL
        return [
            (stem.rows, stem.n, index, stem.levels if leveled else None)
            for stem, index, leveled in self._sources
        ]


class DerivationPrograms(LoadedPrograms):
    """The heads of one table as programs; those go first that settled most at the least cost."""

    def __init__(
        self, layers: Layers, table: FactTable, facts: Rows, rule: int | None = None
    ) -> None:
        """Make them, of one ``rule`` or all; ``facts`` (n, …) are questions like those to come."""
        programs = ProgramWriter(layers, table.component, facts)
        for head in heads_of(table, rule):
            if len(table.feeders) == 1 and not table.orphaned:
                head.body.drop_head_tests()
            programs.add(head.body, head.since)
        super().__init__(layers, table.component, programs)
        self._experience = np.zeros((len(programs.begins), 2))

    def prove(self, facts: Rows, *, known_levels_only: bool) -> Derivability:
        """Look for derivations of ``facts``, (n, arity + 3), with the level to stay below.

        Facts of unknown level do not count if it is to be ``known_levels_only``.
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
        """Their code, where they begin, the best first, what they look into, and room for costs."""
        costs = np.zeros((len(self.begins), 2), np.int64)
        return self.code, self.begins[self._order()], self.sources(), costs

    def learn(self, costs: Rows) -> None:
        """What each of them cost and settled since `arguments`, in that order."""
        order, asked = self._order(), costs[:, 0] > 0
        experience = self._experience
        experience[order[asked]] = _KEPT * experience[order[asked]] + costs[asked]

    def _order(self) -> Column:
        experience = self._experience
        return np.argsort(-experience[:, 1] / (experience[:, 0] + 1), kind="stable")
