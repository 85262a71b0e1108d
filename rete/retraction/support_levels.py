"""Support levels: which facts of a recursive component still follow, found before any of them goes.

A fact that lost a derivation may have another one; in recursion that may depend on the fact itself.
Levels tell: a fact was derived from facts of lower levels, so a derivation from lower levels is
never circular. The method is Delete/Rederive [Gupta93] in the order in which [Even81] keeps
distances while edges go: only facts without a derivation below their level are touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from rete import kernels
from rete.arrays.delta import POS_INF, Rows, empty
from rete.graph.streams import Component, FactTable
from rete.network.components import populated_tables
from rete.network.layers import Layers
from rete.retraction.subsumption import TableRule, heads_of
from rete.retraction.table_programs import DependentPrograms, DerivationPrograms

FactsByTable: TypeAlias = Mapping[FactTable, Rows]
"""Facts per table, (n, arity + 2)."""


class Suspects(NamedTuple):
    """What a component loses by what its programs say.

    Attributes:
        overdeleted: how many facts were suspects, those included that are not lost.
        whole: whether all facts that lost a derivation by any rule are lost.
        lost: the facts that are suspects in the end.
        undecided: those among them of which programs cannot tell whether they still follow.
    """

    overdeleted: int
    whole: bool
    lost: dict[FactTable, Rows]
    undecided: dict[FactTable, Rows]


class SupportLevels:
    """Finds the suspects of recursive components; keeps the programs of their tables."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._derivations: dict[FactTable, DerivationPrograms] = {}
        self._dependents: dict[FactTable, DependentPrograms] = {}

    def apply_to(self, component: Component) -> bool:
        """Whether facts of a component have levels, and programs can derive them."""
        return component.leveled and not self._layers.classes  # else a fact may represent others

    def suspects(self, component: Component, due: FactsByTable, bound: int) -> Suspects:
        """Which facts do not follow any more, if those that are ``due`` lost a derivation.

        The kernel examines them; see `rete.kernels.pure_support_levels.settle`. Nothing is removed,
        but facts that follow from others than before get another level.
        """
        tables = populated_tables(component)
        if not any(map(len, due.values())) or not tables:
            return Suspects(0, whole=True, lost={}, undecided={})
        arguments, asked = [], []
        heads: dict[FactTable, list[TableRule]] = {}
        for table in tables:
            facts, arity = table.facts, table.relation.arity
            rows = due.get(table, empty(arity))
            derivations = self._derivations.get(table)
            if derivations is None or not derivations.are_current(table):
                derivations = DerivationPrograms(self._layers, table, rows)
                self._derivations[table] = derivations
            dependents = self._dependents.get(table)
            if (
                dependents is None
                or dependents.tables != tables
                or not dependents.are_current(table)
            ):
                heads = heads or {each: heads_of(each) for each in tables}
                dependents = self._dependents[table] = DependentPrograms(self._layers, table, heads)
            assert facts.levels is not None
            arguments.append(
                (
                    facts.rows,
                    facts.n,
                    facts.levels,
                    derivations.arguments(),
                    dependents.arguments(),
                )
            )
            index = facts.index(tuple(range(arity)))
            facts.ready(index)
            asked.append((rows, index))
        overdeleted, kept, found = kernels.settle(arguments, asked, bound)
        for table, (*_, (*_, costs), _) in zip(tables, arguments, strict=True):
            self._derivations[table].learn(costs)
        least = min(int(rows[:, -2].min(initial=POS_INF)) for rows in due.values())
        since = max(bound, least)  # no operator moves rows in time: before that nothing is lost
        lost, undecided = (
            {
                table: _since(table.facts.rows[places], since)
                for table, places in zip(tables, each, strict=True)
                if len(places)
            }
            for each in zip(*found, strict=True)
        )
        whole = not (kept or undecided or any(self._derivations[each].subsumed for each in tables))
        return Suspects(overdeleted, whole, lost, undecided)


def _since(rows: Rows, bound: int) -> Rows:
    """The pieces of ``rows`` from the cell ``bound`` on."""
    np.maximum(rows[:, -2], bound, out=rows[:, -2])
    return rows if bound < rows[:, -1].min() else rows[bound < rows[:, -1]]
