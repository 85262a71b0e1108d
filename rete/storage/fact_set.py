"""Facts as a set, and which rules derive them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import NEG_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.storage.stem import Stem
from rete.terms.relations import Head, Relation

FactSetListener: TypeAlias = "Callable[[FactSet, Rows], None]"


class FactSet:
    """Facts of some heads that may derive the same: what answers are read from.

    It has, for each fact, its maximal intervals (or one row for each start). Where several rules
    may derive the same fact, it has the same for each rule as well, so that an answer can name
    the least rule that derives it.

    Attributes:
        answers: whether its facts are answers; else they are not kept by rule.
        heads: those that feed it, with their rules.
        by_rule: per rule what it derived, if that is kept.
        listener: is notified of facts that a rule derives, or derives no longer; None: nobody is.
        merged_into: the set that took over its facts; see `survivor`.
    """

    __slots__ = (
        "_first_rule",
        "answers",
        "by_rule",
        "facts",
        "heads",
        "listener",
        "merged_into",
        "relation",
    )

    def __init__(self, relation: Relation, *, instances: bool, answers: bool) -> None:
        self.relation = relation
        self.answers = answers
        self.heads: list[tuple[int, Head]] = []
        self._first_rule = 0
        self.facts = Stem(relation.arity, instances=instances)
        self.by_rule: dict[int, Stem] = {}
        self.listener: FactSetListener | None = None
        self.merged_into: Self | None = None

    @property
    def rules(self) -> list[int]:
        """Numbers of the rules that feed it, ascending."""
        return sorted({rule for rule, _ in self.heads})

    @property
    def survivor(self) -> Self:
        """The set that is used in its place: itself, or what took over its facts."""
        found = self
        while found.merged_into is not None:
            found = found.merged_into
        return found

    @property
    def answer_facts(self) -> FactSet:
        """What answers are read from."""
        return self.survivor

    def add(self, heads: Iterable[tuple[int, Head]]) -> None:
        """These heads feed it too; each with its rule, that of no head before."""
        before = self.rules
        self.heads += heads
        rules = self.rules
        self._first_rule = rules[0] if rules else 0
        if len(rules) < 2 or not self.answers:  # noqa: PLR2004 - nothing to distinguish
            return
        for rule in rules:
            if rule not in self.by_rule:
                stem = self.by_rule[rule] = Stem(
                    self.relation.arity, instances=self.facts.instances
                )
                stem.keep_ended = self._derives_open_answer
                if [rule] == before:  # what it has so far is of the one rule it had
                    stem.absorb(self.facts.content(), NEG_INF)

    def may_hold(self, heads: Iterable[Head]) -> bool:
        """Whether one of its heads may derive the same fact as one of ``heads``."""
        return any(head.unifies(own) for head in heads for _, own in self.heads)

    def merge(self, other: Self) -> None:
        """Take over the facts of ``other``, none of which it has, and be used in its place."""
        rules = {rule: other.of_rule(rule) for rule in other.rules}
        FactSet.add(self, other.heads)
        self.facts.absorb(other.facts.content(), NEG_INF)
        for rule, rows in rules.items():
            if rule in self.by_rule:  # not if both are fed by the same one rule
                self.by_rule[rule].absorb(rows, NEG_INF)
        other.merged_into = self

    def of_rule(self, rule: int) -> Rows:
        """What ``rule`` derived."""
        return self.by_rule.get(rule, self.facts).content()

    def drop(self, rule: int, rows: Rows, bound: int) -> None:
        """``rule`` derives ``rows`` no longer; facts are kept by rule."""
        self.by_rule[rule].remove(rows, bound)
        if self.listener is not None:
            self.listener(self, rows)

    def rule_at(self, rows: Rows) -> Column:
        """Per row the least rule that derives it where it begins."""
        if not self.by_rule:
            least = np.empty(len(rows), np.int64)
            least.fill(self._first_rule)  # of few rows in half of the time of `np.full`
            return least
        least = np.zeros(len(rows), np.int64)
        rules = self.rules
        queries = np.ascontiguousarray(rows[:, :-1])
        mode = kernels.BEGINS_AT if self.facts.instances else kernels.COVERS
        for rule in rules:
            found = self.by_rule[rule].find(queries, mode) >= 0
            least[found & (least == 0)] = rule
        return least

    def expire(self, bound: int) -> None:
        """Forget what ended before ``bound``."""
        # What is kept by rule depends on which facts are still there: these go first.
        for stem in (self.facts, *self.by_rule.values()):
            stem.expire(bound - 1)

    @property
    def stems(self) -> list[Stem]:
        """All its SteMs."""
        return [self.facts, *self.by_rule.values()]

    def saved(self) -> State:
        """Its facts, and those by rule."""
        rules = [{"rule": rule, **stem.saved()} for rule, stem in self.by_rule.items()]
        return {"facts": self.facts.saved(), "rules": rules}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Have what was saved of one with the same heads, and nothing else."""
        self.facts.restore(given.part("facts"), alive)
        parts = given.parts("rules", len(self.by_rule))
        for part, (rule, stem) in zip(parts, self.by_rule.items(), strict=True):
            part.integer("rule", rule, rule)
            stem.restore(part, alive)

    def _derives_open_answer(self, rows: Rows) -> npt.NDArray[np.bool_]:
        # The end of an answer is printed with the rule of its start, whose own row may have ended.
        found = self.facts.find(
            np.ascontiguousarray(rows[:, :-1]),
            kernels.BEGINS_AT if self.facts.instances else kernels.COVERS,
        )
        facts = self.facts.at(found)
        gives: npt.NDArray[np.bool_] = (rows[:, -2] <= facts[:, -2]) & (facts[:, -2] < rows[:, -1])
        return gives & (found >= 0) & (facts[:, -1] > rows[:, -1])
