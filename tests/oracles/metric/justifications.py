"""Whether a fact follows at a time from some assertions, by the definitions: slow and obvious."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.negation import Naf
from tests.oracles.metric.dependencies import layers
from tests.oracles.metric.streams import Env, Model, stretch_of
from tests.oracles.rules.datalog import rules_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from rif.syntax.ast import Document, Formula
    from tests.oracles.metric.operators import Truth
    from tests.oracles.rules.formulas import Fact, Instance

Given = tuple["Fact", "Truth"]
"""A fact with the cells in which it is asserted."""


class MetricState:
    """What holds in the whole state, and what follows from a part of what is asserted."""

    def __init__(self, document: Document, assertions: list[Instance], until: int) -> None:
        self._layers = layers(rules_of(document))
        self.model = Model(self._layers, assertions, stretch_of(self._layers, assertions, until))
        self._asserted = assertions
        for rules in self._layers:
            self.model.complete(rules)

    def derived(self, fact: Fact) -> Truth:
        """When a fact is derived."""
        found = 0
        for truth in self.model.derived.get(fact, {}).values():
            found |= truth
        return found

    def from_some(self, given: Collection[Given], fact: Fact) -> Truth:
        """When ``fact`` is true by ``given`` alone, what is negated being that of the whole."""
        part = _Part(self, given)
        for rules in self._layers:
            part.complete(rules)
        return part.truth(fact)


class _Part(Model):
    def __init__(self, whole: MetricState, given: Collection[Given]) -> None:
        super().__init__(whole._layers, whole._asserted, whole.model.stretch)
        self._whole = whole.model
        self.asserted.clear()
        for fact, truth in given:
            self.asserted[fact] |= truth

    def _eval(self, formula: Formula, env: Env) -> Truth:
        if isinstance(formula, Naf):
            return self.stretch.always & ~self._whole.eval(formula.body, env)
        return super()._eval(formula, env)
