"""Rules that come and go, by definition: that a rule is there is one more condition of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tests.oracles.rules.datalog import Answer, Answers, Program, rules_of, runs_of_models
from tests.oracles.rules.formulas import Fact, Instance, Time
from tests.oracles.streams.output_lines import Line, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from rif.syntax.ast import Document
    from tests.oracles.rules.datalog import Rule
    from tests.oracles.streams.retraction import Assertion

Times = Mapping[int, tuple[Time, Time]]
"""From when and until when rules are there, by their numbers; all others always are."""
_ALWAYS: Final = (-math.inf, math.inf)


class ChangingRules(Program):
    """Rules that come and go: that a rule is there is one more condition of it."""

    def __init__(self, document: Document, times: Times) -> None:
        super().__init__(document)
        self._times = times
        self._given = [
            Instance(fact, *times.get(rule.number, _ALWAYS))
            for rule in rules_of(document)
            if rule.body is None
            for fact in self._evaluator.heads(rule.head[0], {})
        ]

    def consequences(
        self,
        instances: Iterable[Instance],
        rules: Iterable[Rule] | None = None,
        negated: Iterable[Instance] | None = None,
    ) -> Iterator[Answer]:
        for run in super().consequences(instances, rules, negated):
            since, until = self._times.get(run.rule, _ALWAYS)
            e, n = max(run.e, since), min(run.n, until)
            if e < n:
                yield Answer(run.fact, e, n, run.rule)


class RuleSelection(Program):
    """Some of the rules of a document, by their numbers: those that are there at some time."""

    def __init__(self, document: Document, numbers: AbstractSet[int]) -> None:
        super().__init__(document)
        self.strata = [[rule for rule in rules if rule.number in numbers] for rules in self.strata]
        self.given = [
            fact
            for rule in rules_of(document)
            if rule.body is None and rule.number in numbers
            for fact in self._evaluator.heads(rule.head[0], {})
        ]


class ChangingRulesOracle:
    """The oracle of Datalog, for rules that come and go."""

    def __init__(self, document: Document, semantics: str) -> None:
        self.change(document, {})
        self._semantics = semantics
        self._programs: dict[frozenset[int], RuleSelection] = {}
        self._models: dict[tuple[frozenset[int], frozenset[Fact]], tuple[dict[Fact, int], int]] = {}
        self.rounds = 0

    def change(self, document: Document, times: Times) -> None:
        """There are more rules, after those there were, or other times of them."""
        self._document = document
        self._numbers = [rule.number for rule in rules_of(document)]
        self._times: Times = dict(times)

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        known = [Instance(one.fact, one.start, one.until) for one in assertions if one.counts]
        if self._semantics == "facts":
            answers = self._facts(known)
        else:
            answers = ChangingRules(self._document, self._times).instances(known)
        self.rounds = max(self.rounds, answers.rounds)
        return lines_of(answers, self._semantics, math.inf)

    def _facts(self, known: Sequence[Instance]) -> Answers:
        """Maximal runs of what is derived, instant by instant."""
        times = {time for _, e, n in known for time in (e, n)}
        times |= {time for both in self._times.values() for time in both}
        return runs_of_models(times, lambda now: self._model(now, known))

    def _model(self, now: Time, known: Iterable[Instance]) -> tuple[dict[Fact, int], int]:
        """What follows at ``now``; a state that was met before is remembered."""
        there = frozenset(
            number for number in self._numbers if _holds(now, *self._times.get(number, _ALWAYS))
        )
        if there not in self._programs:
            self._programs[there] = RuleSelection(self._document, there)
        state = frozenset(fact for fact, e, n in known if _holds(now, e, n))
        if (there, state) not in self._models:
            program = self._programs[there]
            self._models[there, state] = program.least_model({*state, *program.given})
        return self._models[there, state]


def _holds(now: Time, e: Time, n: Time) -> bool:
    return e <= now < n
