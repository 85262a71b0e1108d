"""The order in which facts follow at an instant: the rules run once more over what is asserted.

The state has what holds, but not what it follows from. Where very much leads to a fact, a search
backwards for a proof may go in circles for long. The steps of an evaluation show which instances of
rules use nothing but facts of earlier steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import GroundFact, RuleInstance
from rete.arrays.delta import Rows
from rete.graph.streams import FactTable
from rete.inference.errors import LimitReached
from rete.inference.inference_engine import InferenceEngine

MAX_FACTS: Final = 200_000
"""Facts that are derived at most."""


@dataclass(frozen=True, slots=True)
class DerivationRanks:
    """The step of an evaluation in which each fact was derived first.

    Attributes:
        ranks: per fact the number of that step; what it follows from has lower ones.
    """

    ranks: Mapping[GroundFact, int]

    @classmethod
    def of(cls, state: InstantState) -> DerivationRanks | None:
        """Evaluate the rules over what is asserted at the instant; None: too many facts."""
        ranks: dict[GroundFact, int] = {}
        step = 0

        def gain(table: FactTable, rows: Rows) -> None:
            nonlocal step
            step += 1
            for terms in _terms_at(rows, state.cell):
                ranks.setdefault(GroundFact(table.relation, terms), step)

        def lose(table: FactTable, rows: Rows) -> None:
            for terms in _terms_at(rows, state.cell):
                ranks.pop(GroundFact(table.relation, terms), None)

        live = state.layers
        assert live.base_table is not None
        emits = [emit for network in live.networks for emit in network.emits]
        inference = InferenceEngine(
            emits, live.user_networks[0].terms, answers=lambda _: True, limit=MAX_FACTS
        )
        inference.on_gain, inference.on_loss = gain, lose
        for relation, rows in live.base_table.content():
            held = (rows[:, -2] <= state.cell) & (state.cell < rows[:, -1])
            now = rows[held]
            now[:, -2], now[:, -1] = state.cell, state.cell + 1
            inference.assert_facts(relation, np.unique(now, axis=0))
        try:
            inference.run()
        except LimitReached:
            return None
        return cls(ranks)

    def well_founded_instances(
        self, state: InstantState, facts: Sequence[GroundFact]
    ) -> dict[GroundFact, RuleInstance | None]:
        """Per fact an instance of a rule all of whose body came before it; None: there is none."""
        instances = state.rule_instances(facts)
        later = {
            each
            for fact, found in instances.items()
            for instance in found
            for each in instance.body
            if self._rank(each) >= self._rank(fact)
        }
        given = state.asserted(later)
        return {fact: self._first(fact, found, given) for fact, found in instances.items()}

    def _rank(self, fact: GroundFact) -> int:
        return self.ranks.get(fact, 0)

    def _first(
        self,
        fact: GroundFact,
        instances: Sequence[RuleInstance],
        given: Mapping[GroundFact, object],
    ) -> RuleInstance | None:
        before = self._rank(fact)
        found: dict[tuple[int, int, int], RuleInstance] = {}
        for instance in instances:
            ranks = [0 if each in given else self._rank(each) for each in instance.body]
            if (last := max(ranks, default=0)) < before:
                found.setdefault((last, sum(ranks), instance.rule), instance)
        return found[min(found)] if found else None


def _terms_at(rows: Rows, cell: int) -> Iterator[tuple[int, ...]]:
    held = (rows[:, -2] <= cell) & (cell < rows[:, -1])
    return map(tuple, rows[held, :-2].tolist())
