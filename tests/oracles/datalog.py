"""Datalog over assertions with valid time, straight from the definitions: slow and obvious.

Nothing is shared with the packages under test but the classes of the syntax tree. Rules are
applied naively until nothing is new: for `Program.facts` once per instant at which anything
changes, for `Program.instances` to (fact, e, n) as they are defined [S3].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rif.ast import Document, Forall, Formula, Group, Implies
from rif.terms import IRI
from tests.oracles.formulas import ALWAYS, Evaluator, Fact, Instance, Store, Time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Run(NamedTuple):
    """An answer: a derived fact, when it begins and ceases, and the number of its rule."""

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
    runs: list[Run]
    rounds: int


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


class Program:
    """The rules of a document, ready to be applied to instances."""

    def __init__(self, document: Document) -> None:
        everything = rules_of(document)
        self.names = {rule.number: rule.name for rule in everything}
        self._document = document  # the evaluator goes by the identity of its parts
        self._evaluator = Evaluator()
        self._rules = [rule for rule in everything if rule.body is not None]
        self._given = [
            Instance(fact, -math.inf, math.inf)
            for rule in everything
            if rule.body is None
            for fact in self._evaluator.heads(rule.head[0], {})
        ]

    def consequences(self, instances: Iterable[Instance]) -> Iterator[Run]:
        """What the rules derive from ``instances`` in one step."""
        store = Store(instances)
        for rule in self._rules:
            assert rule.body is not None
            for env, e, n in self._evaluator.solve(rule.body, ALWAYS, store):
                for head in rule.head:
                    for fact in self._evaluator.heads(head, env):
                        yield Run(fact, e, n, rule.number)

    def least_model(self, base: Iterable[Fact]) -> tuple[dict[Fact, int], int]:
        """What is derived in the least model over ``base``, by which least rule; the rounds."""
        model, rounds = set(base), 0
        while True:
            derived: dict[Fact, int] = {}
            for run in self.consequences(Instance(fact, -math.inf, math.inf) for fact in model):
                derived.setdefault(run.fact, run.rule)
            if derived.keys() <= model:
                return derived, rounds
            model |= derived.keys()
            rounds += 1

    def facts(self, assertions: Iterable[Instance]) -> Answers:
        """Maximal runs of each derived fact, E0 aside. Static data hold from minus infinity."""
        known = {*assertions, *self._given}
        changes = sorted({time for _, e, n in known for time in (e, n)} - {-math.inf, math.inf})
        background, most = self.least_model(fact for fact, e, _ in known if e == -math.inf)
        begun: dict[Fact, tuple[Time, int]] = {}
        runs: list[Run] = []
        for now in changes:
            derived, rounds = self.least_model(fact for fact, e, n in known if e <= now < n)
            most = max(most, rounds)
            for fact in begun.keys() - derived.keys():
                e, rule = begun.pop(fact)
                runs.append(Run(fact, e, now, rule))
            for fact in derived.keys() - begun.keys() - background.keys():
                begun[fact] = now, derived[fact]
        runs += [Run(fact, e, math.inf, rule) for fact, (e, rule) in begun.items()]
        return Answers(background, runs, most)

    def instances(self, assertions: Iterable[Instance]) -> Answers:
        """The least fixpoint on (f, e), each with the greatest n; the derived ones are answers."""
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
        runs = [Run(*key, n, rule) for key, (n, rule) in derived.items() if key[1] != -math.inf]
        return Answers(background, runs, rounds)
