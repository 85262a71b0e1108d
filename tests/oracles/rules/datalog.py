"""Datalog over assertions with valid time, straight from the definitions: slow and obvious.

Nothing is shared with the packages under test but the classes of the syntax tree. Rules are
applied naively until nothing is new, stratum by stratum: for `Program.facts` once per instant at
which anything changes, for `Program.instances` to (fact, e, n) as they are defined [S3].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rif.syntax.ast import Document, Forall, Formula, Group, Implies
from rif.syntax.terms import IRI
from tests.oracles.rules.formulas import ALWAYS, Evaluator, Fact, Instance, Store, Time
from tests.oracles.rules.strata import strata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


Model: TypeAlias = "tuple[dict[Fact, int], int]"
"""The derived facts with the numbers of their rules, and the rounds it took."""


class Answer(NamedTuple):
    """An answer: a derived fact, when it begins and ceases, and the number of its rule.

    What follows from static data alone begins at minus infinity; a run of it is the end of that.
    """

    fact: Fact
    e: Time
    n: Time
    rule: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule or a fact (without body) of a document; ``name`` is what answers call it."""

    number: int
    name: int | str
    head: tuple[Formula, ...]
    body: Formula | None


@dataclass(frozen=True, slots=True)
class Answers:
    """E0 with the numbers of its rules, what begins at some time, and the rounds it took."""

    background: dict[Fact, int]
    runs: list[Answer]
    rounds: int


def runs_of_models(times: Iterable[Time], model: Callable[[Time], Model]) -> Answers:
    """Maximal runs of what is in the ``model`` at an instant, which changes at ``times`` only."""
    background, most = model(-math.inf)
    open_runs: dict[Fact, tuple[Time, int]] = {
        fact: (-math.inf, rule) for fact, rule in background.items()
    }
    runs: list[Answer] = []
    for now in sorted({*times} - {-math.inf, math.inf}):
        derived, rounds = model(now)
        most = max(most, rounds)
        for fact in open_runs.keys() - derived.keys():
            e, rule = open_runs.pop(fact)
            runs.append(Answer(fact, e, now, rule))
        for fact in derived.keys() - open_runs.keys():
            open_runs[fact] = now, derived[fact]
    runs += [
        Answer(fact, e, math.inf, rule) for fact, (e, rule) in open_runs.items() if e > -math.inf
    ]
    return Answers(background, runs, most)


def rules_of(document: Document) -> list[Rule]:
    """Rules and facts in the order of the text, numbered alike from 1."""
    found: list[Rule] = []

    def visit(item: Forall | Implies | Formula | Group) -> None:
        if isinstance(item, Group):
            for member in item.items:
                visit(member)
            return
        clause = item.clause if isinstance(item, Forall) else item
        iri = item.meta.iri if item.meta else None
        number = len(found) + 1
        name = iri.value if isinstance(iri, IRI) else number
        if isinstance(clause, Implies):
            found.append(Rule(number, name, clause.head, clause.body))
        else:
            found.append(Rule(number, name, (clause,), None))

    if document.group:
        visit(document.group)
    return found


def always(facts: Iterable[Fact]) -> list[Instance]:
    """Facts without their time."""
    return [Instance(fact, -math.inf, math.inf) for fact in facts]


class Program:
    """The rules of a document, ready to be applied to instances."""

    def __init__(self, document: Document) -> None:
        everything = rules_of(document)
        self.names: dict[int, int | str | None] = {rule.number: rule.name for rule in everything}
        self._document = document  # the evaluator goes by the identity of its parts
        self._evaluator = Evaluator()
        rules = [(rule, rule.body) for rule in everything if rule.body is not None]
        levels = strata([(rule.head, body) for rule, body in rules])
        self.strata = [
            [rule for (rule, _), level in zip(rules, levels, strict=True) if level == number]
            for number in sorted({*levels})
        ]
        self._given = [
            Instance(fact, -math.inf, math.inf)
            for rule in everything
            if rule.body is None
            for fact in self._evaluator.heads(rule.head[0], {})
        ]

    def consequences(
        self,
        instances: Iterable[Instance],
        rules: Iterable[Rule] | None = None,
        negated: Iterable[Instance] | None = None,
    ) -> Iterator[Answer]:
        """What rules derive from ``instances`` in one step; of all rules, the least first.

        A negation is true of what does not follow from ``negated``, if given.
        """
        store = Store(instances, None if negated is None else Store(negated))
        everything = sorted(chain(*self.strata), key=lambda rule: rule.number)
        for rule in everything if rules is None else rules:
            assert rule.body is not None
            for env, e, n in self._evaluator.solve(rule.body, ALWAYS, store):
                for head in rule.head:
                    for fact in self._evaluator.heads(head, env):
                        yield Answer(fact, e, n, rule.number)

    def least_model(self, base: Iterable[Fact]) -> tuple[dict[Fact, int], int]:
        """What is derived in the least model over ``base``, by which least rule; the rounds.

        With negation that is the perfect model: a stratum is complete before the next one begins.
        """
        model, rounds = set(base), 0
        derived: dict[Fact, int] = {}
        for rules in self.strata:
            while not (derived := self._derived(model, rules)).keys() <= model:
                model |= derived.keys()
                rounds += 1
        if len(self.strata) > 1:
            derived = self._derived(model, None)
        return derived, rounds

    def _derived(self, model: set[Fact], rules: Iterable[Rule] | None) -> dict[Fact, int]:
        found: dict[Fact, int] = {}
        for run in self.consequences(always(model), rules):
            found.setdefault(run.fact, run.rule)
        return found

    def is_stable(self, base: Iterable[Fact], model: set[Fact]) -> bool:
        """Whether ``model`` is the least one of the rules whose negations refer to ``model``.

        So it is a stable model; of stratified rules there is one (Gelfond and Lifschitz, 1988).
        """
        least = set(base)
        while True:
            runs = self.consequences(always(least), negated=always(model))
            new = {run.fact for run in runs} - least
            if not new:
                return least == model
            least |= new

    def facts(self, assertions: Iterable[Instance]) -> Answers:
        """Maximal runs of each derived fact, E0 aside. Static data hold from minus infinity."""
        known = {*assertions, *self._given}
        times = {time for _, e, n in known for time in (e, n)}
        return runs_of_models(
            times, lambda now: self.least_model(fact for fact, e, n in known if e <= now < n)
        )

    def instances(self, assertions: Iterable[Instance]) -> Answers:
        """The least fixpoint on (f, e), each with the greatest n; the derived ones are answers.

        Of rules without negation: what ends when something begins has no such instances.
        """
        best: dict[tuple[Fact, Time], Time] = {}
        for fact, e, n in (*assertions, *self._given):
            best[fact, e] = max(n, best.get((fact, e), n))
        rounds = 0
        while True:
            derived: dict[tuple[Fact, Time], tuple[Time, int]] = {}
            for fact, e, n, rule in self.consequences(Instance(*key, n) for key, n in best.items()):
                most, least = derived.get((fact, e), (n, rule))
                derived[fact, e] = max(most, n), min(least, rule)
            better = {key: n for key, (n, _) in derived.items() if n > best.get(key, -math.inf)}
            if not better:
                break
            best |= better
            rounds += 1
        background = {fact: rule for (fact, e), (_, rule) in derived.items() if e == -math.inf}
        runs = [
            Answer(*key, n, rule)
            for key, (n, rule) in derived.items()
            if key[1] > -math.inf or n < math.inf
        ]
        return Answers(background, runs, rounds)
