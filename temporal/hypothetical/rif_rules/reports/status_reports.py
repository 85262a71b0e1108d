"""Reports in columns, in order; each can be had as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, columns
from rete.terms.relations import ERROR, TRIPLES, Relation
from temporal.hypothetical.live_entries import ranks_of
from temporal.hypothetical.rif_rules.arrival_chances import UnitCondition
from temporal.hypothetical.rif_rules.entries.evidence_reader import Mask
from temporal.hypothetical.rif_rules.reports.row_lists import RowLists, TripleLists

NO_REASON, TEXT, NEEDLESS, NOT_ARRIVED, RETRACTED = range(5)
"""Kinds of reasons: none, the text of all reports, that less is enough without evidence, a triple
that did not arrive, or that went."""
WITHOUT_EVIDENCE: Final = "possible without evidence"
"""The text of `NEEDLESS`."""


@dataclass(frozen=True, slots=True)
class StatusReports:
    """Reports, in the order of which `sorted` speaks.

    Attributes:
        at: (n,) the largest stamp that was read.
        status: (n,) of each its `Status`.
        relations: those of the facts.
        facts: (n, width) the number of the relation, then the ranks of the arguments.
        lists: evidence and hypotheses; of what is withdrawn none.
        reasons: (n, 4) the kind, and the ranks of the triple.
        text: the reason of the kind `TEXT`.
        rules: (n,) the labels of rules, by number.
        labels: by number less 1.
        confidences: of what is supported, by number; None: chances are not given.
    """

    at: Column
    status: Column
    relations: Sequence[Relation]
    facts: Rows
    lists: RowLists
    reasons: Rows
    text: str
    rules: Column
    labels: Sequence[str | int]
    confidences: Sequence[Fraction] | None

    def __len__(self) -> int:
        return len(self.status)

    def __iter__(self) -> Iterator[StatusReport]:
        return map(self._report, range(len(self)))

    def sorted(self) -> StatusReports:
        """By stamp, status, fact, what is missing, tests."""
        if len(self) <= 1:
            return self
        missing = self.lists.missing.keys(by_time=True)
        order = [
            self.at,
            self.status,
            *self._fact_keys(),
            *missing,
            ranks_of(self.lists.tests.tolist()),
        ]
        return self.take(np.lexsort(tuple(reversed(order))))

    def _fact_keys(self) -> Iterable[Column]:
        """The columns by which facts are in order, as by `AnswerFact.key`."""
        triples = columns(each == TRIPLES for each in self.relations)[self.facts[:, 0]]
        keys = np.where(triples[:, None] > 0, self.facts, 0)
        keys[:, 0] = 0
        others = np.flatnonzero(triples == 0)
        keys[others, 0] = 1 + ranks_of([fact.key for fact in self.facts_at(others.tolist())])
        return keys.T

    def take(self, rows: Column) -> StatusReports:
        """The reports at some places."""
        confidences = self.confidences and [self.confidences[row] for row in rows.tolist()]
        return replace(
            self,
            at=self.at[rows],
            status=self.status[rows],
            facts=self.facts.take(rows, axis=0),
            lists=self.lists.at(rows),
            reasons=self.reasons.take(rows, axis=0),
            rules=self.rules[rows],
            confidences=confidences,
        )

    def about(self, iris: Iterable[str]) -> StatusReports:
        """The reports about a predicate, or a class, of some IRIs."""
        wanted = tuple(iris)
        facts = self.facts_at(range(len(self)))
        mask: Mask = np.array([fact.is_about(wanted) for fact in facts], np.bool_)
        return self.take(np.flatnonzero(mask))

    def facts_at(self, rows: Iterable[int]) -> list[AnswerFact]:
        """The facts of some reports."""
        texts, found = self.lists.ranks.texts, []
        for number, *args in (self.facts[row].tolist() for row in rows):
            relation = self.relations[number]
            found.append(AnswerFact(relation, tuple(texts[args[: relation.arity]].tolist())))
        return found

    def _report(self, number: int) -> StatusReport:
        lists = self.lists
        kind, *ranks = self.reasons[number].tolist()
        reason = self._triple(ranks) if kind in {NOT_ARRIVED, RETRACTED} else None
        evidence = (
            EvidenceTriple(triple, *map(tick, times))
            for triple, times in self._listed(lists.evidence, number)
        )
        missing = (
            MissingTriple(triple, tick(until), is_known=not kind & 1)
            for triple, (until, kind) in self._listed(lists.missing, number)
        )
        return StatusReport(
            Status(int(self.status[number])),
            int(self.at[number]),
            self.facts_at([number])[0],
            tuple(evidence),
            tuple(missing),
            lists.tests[number],
            tick(int(lists.deadlines[number])),
            self.labels[int(self.rules[number]) - 1],
            None if self.confidences is None else self.confidences[number],
            {TEXT: self.text, NEEDLESS: WITHOUT_EVIDENCE, NOT_ARRIVED: reason}.get(kind),
            reason if kind == RETRACTED else None,
        )

    def _listed(self, lists: TripleLists, row: int) -> Iterator[tuple[Triple, list[int]]]:
        for place in range(int(lists.counts[row])):
            yield self._triple(lists.terms[row, place]), lists.times[row, place].tolist()

    def _triple(self, ranks: Column | list[int]) -> Triple:
        s, p, o = self.lists.ranks.texts[ranks].tolist()
        return s, p, o


def tick(cell: int) -> int | None:
    """The tick of a cell; None: it lies beyond all."""
    return None if cell <= NEG_INF or cell >= POS_INF else cell >> 1


Triple: TypeAlias = tuple[str, str, str]
"""Canonical texts; a free variable is ``?name``."""


class Status(IntEnum):
    """The status of a fact, in the order in which reports of one time stand."""

    WITHDRAWN = 0
    CONFIRMED = 1
    SUPPORTED = 2


@dataclass(frozen=True, slots=True)
class AnswerFact:
    """The fact of an answer; its free variables are ``?name``."""

    relation: Relation
    args: tuple[str, ...]

    @property
    def triple(self) -> Triple | None:
        """Its terms, if it is a triple."""
        if self.relation != TRIPLES:
            return None
        s, p, o = self.args
        return s, p, o

    def is_about(self, iris: Iterable[str]) -> bool:
        """Is its predicate, or its class, one of ``iris``? An error is about all."""
        wanted = {f"<{iri.strip('<>')}>" for iri in iris}
        if self.triple is None:
            return self.is_error or self.relation.op in wanted
        _, predicate, value = self.triple
        return not wanted.isdisjoint(UnitCondition(predicate, value).names)

    @property
    def is_error(self) -> bool:
        """Is it ``rif:error()``?"""
        return self.relation == ERROR

    @property
    def atom(self) -> str:
        """Its text as an atom."""
        return f"{self.relation.op}({' '.join(self.args)})"

    @property
    def key(self) -> tuple[int, tuple[str, ...]]:
        """The sort key of answers: triples first, errors last."""
        if self.triple is not None:
            return 0, self.args
        return (2, ()) if self.is_error else (1, (self.atom,))


@dataclass(frozen=True, slots=True)
class EvidenceTriple:
    """A triple that is there, from when, by the element that asserts it for longest, until when."""

    triple: Triple
    start: int | None
    until: int | None


@dataclass(frozen=True, slots=True)
class MissingTriple:
    """A triple that is missing.

    Attributes:
        until: the last stamp with which it would be of use; None: any.
        is_known: whether no other stamp would be: it is the time of the triple.
    """

    triple: Triple
    until: int | None
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The status of a fact at a time.

    Attributes:
        at: the largest stamp that was read.
        evidence: the triples that are there, by text.
        hypotheses: the triples that are missing, the most urgent first.
        tests: what the missing triples are to pass, in presentation syntax.
        deadline: the largest stamp read by which it can still come true; None: any.
        rule: IRI, or number, of the rule.
        confidence: how probable it is that all comes that is missing; None: no chance is given.
        because: why it is withdrawn: the triple that did not arrive, or a text.
        retracted: the triple that was retracted instead.
    """

    status: Status
    at: int
    fact: AnswerFact
    evidence: tuple[EvidenceTriple, ...]
    hypotheses: tuple[MissingTriple, ...]
    tests: tuple[str, ...]
    deadline: int | None
    rule: str | int
    confidence: Fraction | None
    because: Triple | str | None
    retracted: Triple | None
