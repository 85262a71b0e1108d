"""The order in which facts follow at an instant: the rules run once more over what is asserted.

What holds is known, but not what it rests on; where very much leads to a fact, to search backwards
for a proof may go in circles for long. The steps of an evaluation tell which instances of rules
rest on nothing but what came before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import GroundFact, RuleInstance
from rete.agenda import Agenda, LimitReached
from rete.arrays.delta import NEG_INF, Rows
from rete.network.layers import Layers
from rete.network.network import Network
from rete.nodes.graph import FactTable
from rete.planning.strata import has_negation
from rete.storage.base_table import BaseTable

MOST: Final = 200_000
"""Facts that are derived at most."""


@dataclass(frozen=True, slots=True)
class DerivationRanks:
    """When each derived fact was first found.

    Attributes:
        rounds: per fact the number of the step in which it was; what it rests on came before.
    """

    rounds: Mapping[GroundFact, int]

    @classmethod
    def of(cls, ground: InstantState) -> DerivationRanks | None:
        """Evaluate the rules over what is asserted at the instant; None: that takes too long."""
        rounds: dict[GroundFact, int] = {}
        step = 0

        def tell(table: FactTable, rows: Rows) -> None:
            nonlocal step
            step += 1
            for terms in _now(rows, ground.cell):
                rounds.setdefault(GroundFact(table.relation, terms), step)

        def lose(table: FactTable, rows: Rows) -> None:
            for terms in _now(rows, ground.cell):
                rounds.pop(GroundFact(table.relation, terms), None)

        live = ground.layers
        assert live.base_table is not None
        emits = [emit for network in live.networks for emit in network.emits]
        layers = Layers(Network(emits, live.user_networks[0].terms))
        agenda = Agenda(layers, tell, MOST, lost=lose)
        if any(has_negation(emit.source) for emit in emits):
            layers.base_table = BaseTable(instances=False)
            agenda.maintain()
        for relation, rows in live.base_table.content():
            held = (rows[:, -2] <= ground.cell) & (ground.cell < rows[:, -1])
            now = rows[held]
            now[:, -2], now[:, -1] = ground.cell, ground.cell + 1
            now = np.unique(now, axis=0)
            if layers.base_table is not None:
                layers.base_table.add(relation, now, None, NEG_INF)
            agenda.push(relation, now)
        try:
            agenda.run()
        except LimitReached:
            return None
        return cls(rounds)

    def founded(
        self, ground: InstantState, facts: Sequence[GroundFact]
    ) -> dict[GroundFact, RuleInstance | None]:
        """Per fact an instance of a rule all of whose body came before it; None: there is none."""
        ways = ground.ways(facts)
        later = {
            each
            for fact, found in ways.items()
            for way in found
            for each in way.body
            if self._round(each) >= self._round(fact)
        }
        given = ground.asserted(later)
        return {fact: self._first(fact, found, given) for fact, found in ways.items()}

    def _round(self, fact: GroundFact) -> int:
        return self.rounds.get(fact, 0)

    def _first(
        self, fact: GroundFact, ways: Sequence[RuleInstance], given: Mapping[GroundFact, object]
    ) -> RuleInstance | None:
        before = self._round(fact)
        best: tuple[int, int, int] | None = None
        found = None
        for way in ways:
            rounds = [0 if each in given else self._round(each) for each in way.body]
            rank = max(rounds, default=0), sum(rounds), way.rule
            if rank[0] < before and (best is None or rank < best):
                best, found = rank, way
        return found


def _now(rows: Rows, cell: int) -> Iterator[tuple[int, ...]]:
    """The terms of those rows that hold at ``cell``."""
    held = (rows[:, -2] <= cell) & (cell < rows[:, -1])
    return map(tuple, rows[held, :-2].tolist())
