"""Support levels: which facts of a recursive component still follow, found before any of them goes.

A fact that lost a derivation may have another one; in recursion that may depend on the fact itself.
Levels tell: a fact was derived from facts of lower levels, so a derivation from lower levels is
never circular. The method is Delete/Rederive [Gupta93] in the order in which [Even81] keeps
distances while edges go: only facts without a derivation below their level are touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, UNKNOWN_LEVEL, Rows, columns, empty
from rete.graph.streams import Component, FactTable
from rete.kernels.support.pure_suspects import DependentArguments
from rete.network.components import populated_tables
from rete.network.layers import Layers
from rete.retraction.proof_programs import MissingConstants
from rete.retraction.rule_bodies import TableRule, rules_of
from rete.retraction.table_programs import DependentPrograms, DerivationPrograms
from rete.storage.row_algebra import all_columns

FactsByTable: TypeAlias = Mapping[FactTable, Rows]
"""Facts per table, (n, arity + 2)."""

_NO_DEPENDENTS: Final[DependentArguments] = columns([0]), columns([]), [], columns([])
"""No programs."""


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
        self._derivations: dict[tuple[FactTable, int | None], DerivationPrograms] = {}
        self._dependents: dict[FactTable, DependentPrograms] = {}
        self._missing = MissingConstants()

    def apply_to(self, component: Component) -> bool:
        """Whether facts of a component have levels, and programs can derive them.

        Most levels are to be known: a row that has none is a suspect as a whole, at all its times.
        """
        return (
            component.leveled
            and not self._layers.classes  # else a fact may represent others
            and _are_known(component)
        )

    def suspects(self, component: Component, due: FactsByTable, bound: int) -> Suspects:
        """Which facts do not follow any more, if those that are ``due`` lost a derivation.

        The kernel examines them; see `rete.kernels.support.pure_levels.settle`. Nothing is removed,
        but facts that follow from others than before get another level.
        """
        tables = populated_tables(component)
        if not any(map(len, due.values())) or not tables:
            return Suspects(0, whole=True, lost={}, undecided={})
        if self._layers.base_table is not None:
            self._layers.base_table.index()  # what waits there may have missing constants
        if self._missing.have_come():
            self._derivations.clear()
            self._dependents.clear()
            self._missing = MissingConstants()
        arguments, asked = [], []
        rules: dict[FactTable, list[TableRule]] = {}
        for table in tables:
            facts, rows = table.facts, due.get(table, empty(table.relation.arity))
            assert facts.leveled
            derivations = self._derivations_of(table, rows)
            others = self._dependents.get(table)
            if others is None or others.tables != tables or not others.are_current(table):
                rules = rules or {each: rules_of(each) for each in tables}
                others = DependentPrograms(self._layers, table, self._missing, rules)
                self._dependents[table] = others
            programs = derivations.arguments(), others.arguments()
            arguments.append((facts.store, *programs))
            asked.append((rows, facts.index(tuple(range(facts.width)))))
        overdeleted, kept, found = kernels.settle(arguments, asked, bound)
        for table, (_, (*_, costs), _) in zip(tables, arguments, strict=True):
            self._derivations[table, None].learn(costs)
        least = min(int(rows[:, -2].min(initial=POS_INF)) for rows in due.values())
        since = max(bound, least)  # no operator moves rows in time: before that nothing is lost
        lost, undecided = (
            {
                table: _since(table.facts.at(places), since)
                for table, places in zip(tables, each, strict=True)
                if len(places)
            }
            for each in zip(*found, strict=True)
        )
        return Suspects(overdeleted, not (kept or undecided), lost, undecided)

    def not_derived(self, table: FactTable, facts: Rows, rule: int) -> tuple[Rows, Rows]:
        """Those of ``facts`` that ``rule`` does not derive any more, and those not known to be.

        All facts are settled. (n, arity + 2), disjoint. The kernel searches one derivation of each:
        to it they are a table of their own, on which nothing depends.
        """
        programs = self._derivations_of(table, facts, rule)
        arguments = programs.arguments()
        own = kernels.FactStore(facts.shape[1] - 2)
        own.fill(facts, np.full(len(facts), UNKNOWN_LEVEL - 1))
        due = facts, own.index(all_columns(own.width))
        tables = [(own, arguments, _NO_DEPENDENTS)]
        _, _, [(lost, undecided)] = kernels.settle(tables, [due], NEG_INF)
        programs.learn(arguments[-1])
        gone = np.zeros(len(facts), np.bool_)
        gone[lost] = True
        gone[undecided] = False
        return facts[gone], facts[undecided]

    def _derivations_of(
        self, table: FactTable, facts: Rows, rule: int | None = None
    ) -> DerivationPrograms:
        found = self._derivations.get((table, rule))
        if found is None or not found.are_current(table):
            found = DerivationPrograms(self._layers, table, facts, self._missing, rule)
            self._derivations[table, rule] = found
        return found


def _are_known(component: Component) -> bool:
    """Whether most rows have a level; counted again when an eighth of them have come since."""
    tables = component.tables
    came = sum([table.facts.came for table in tables])
    if came >= component.count_levels_at:
        kept = [table.facts for table in tables if table.facts.leveled]
        rows = sum(stem.n for stem in kept)
        unknown = sum(stem.store.unknown_levels() for stem in kept)
        component.knows_levels = 2 * unknown <= rows
        component.count_levels_at = came + rows // 8
    return component.knows_levels


def _since(rows: Rows, bound: int) -> Rows:
    np.maximum(rows[:, -2], bound, out=rows[:, -2])
    return rows if bound < rows[:, -1].min() else rows[bound < rows[:, -1]]
