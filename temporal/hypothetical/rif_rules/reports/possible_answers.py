"""Possible answers and status reports as values, in canonical texts and ticks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import Final, TypeAlias

from rete.terms.relations import ERROR, TRIPLES, Relation
from rif.syntax.terms import RDF_TYPE

Triple: TypeAlias = tuple[str, str, str]
"""Canonical texts; a free variable is ``?name``."""

_TYPE: Final = f"<{RDF_TYPE}>"


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
        return predicate in wanted or (predicate == _TYPE and value in wanted)

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
    """A triple that is there.

    Attributes:
        triple: its terms.
        start: when it began to hold, by the element that asserts it for longest; None: always.
        until: when that ends, or ended; None: never.
    """

    triple: Triple
    start: int | None
    until: int | None


@dataclass(frozen=True, slots=True)
class MissingTriple:
    """A triple that is missing.

    Attributes:
        triple: its terms.
        until: the last stamp with which it would be of use; None: any.
        is_known: whether no other stamp would be: it is the time of the triple.
    """

    triple: Triple
    until: int | None
    is_known: bool = False

    @property
    def key(self) -> tuple[bool, int, Triple]:
        """The sort key of hypotheses: the most urgent first."""
        return self.until is None, self.until or 0, self.triple


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The status of a fact at a time.

    Attributes:
        status: the status.
        at: the largest stamp that was read.
        fact: the fact.
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

    @property
    def key(self) -> tuple[object, ...]:
        """The sort key of reports of one time."""
        missing = tuple(each.key for each in self.hypotheses)
        return self.status, self.fact.key, missing, self.tests
