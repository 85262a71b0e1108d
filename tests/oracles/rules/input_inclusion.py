"""Input inclusion by definition: what is asserted beside what is derived.

At each instant that is the state and what the rules derive from it; a fact of both is derived.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.oracles.rules.datalog import Answer, Answers, Program, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rif.syntax.ast import Document
    from tests.oracles.rules.formulas import Fact, Instance, Time


class ProgramWithInput(Program):
    """The rules of a document, with what is asserted among the answers.

    Facts of the document have their own numbers, all else that is only asserted the last, whose
    name is ``None``.
    """

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._last = len(self.names) + 1
        self.names[self._last] = None
        self._numbers: dict[Fact, int] = {}
        for rule in rules_of(document):
            if rule.body is None:
                for fact in self._evaluator.heads(rule.head[0], {}):
                    self._numbers.setdefault(fact, rule.number)

    def least_model(self, base: Iterable[Fact]) -> tuple[dict[Fact, int], int]:
        asserted = {fact: self._numbers.get(fact, self._last) for fact in base}
        derived, rounds = super().least_model(asserted)
        return asserted | {
            fact: min(rule, asserted.get(fact, rule)) for fact, rule in derived.items()
        }, rounds

    def instances(self, assertions: Iterable[Instance]) -> Answers:
        asserted = [*assertions, *self._given]
        answers = super().instances(assertions)
        found: dict[tuple[Fact, Time], tuple[Time, int]] = {
            (fact, e): (n, rule) for fact, e, n, rule in answers.runs
        }
        background = dict(answers.background)
        for fact, e, n in asserted:
            number = self._numbers.get(fact, self._last) if e == -math.inf else self._last
            if e == -math.inf:
                background[fact] = min(number, background.get(fact, number))
            else:
                most, least = found.get((fact, e), (n, number))
                found[fact, e] = max(most, n), min(least, number)
        runs = [Answer(*key, n, rule) for key, (n, rule) in found.items()]
        return Answers(background, runs, answers.rounds)
