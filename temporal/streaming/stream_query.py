"""A query over a stream: the rules it depends on, and whether its answers are ever certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rif.errors.base import NOWHERE, Span
from rif.errors.report import RuleErrors
from rif.syntax import ast
from temporal.errors import NeverCertain, PunctualRange
from temporal.mtl import traversal
from temporal.mtl.analysis import ProgramAnalysis, analyse
from temporal.mtl.ast import (
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    DiamondMinus,
    MetricProgram,
    PredicateKey,
    Since,
    UnaryOperator,
    atom,
    variable,
)
from temporal.mtl.validation import arities, predicate_name
from temporal.streaming.memory import Memory
from temporal.streaming.since_alternatives import split_since

ANSWER: Final = "\0answer"
"""The predicate of answers: what holds of the query's, asserted or derived."""


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """A predicate whose facts are wanted, of a program.

    Attributes:
        predicate: its name.
        arity: its number of arguments.
        program: the rules that it depends on, and one that derives `ANSWER` of it.
        analysis: that of these rules.
        arities: the number of arguments of the predicates of the whole program.
    """

    predicate: str
    arity: int
    program: MetricProgram
    analysis: ProgramAnalysis
    arities: dict[str, int]

    @classmethod
    def of(cls, program: MetricProgram, predicate: str) -> StreamQuery:
        """The query for a predicate of a well-formed program.

        Raises:
            KeyError: the program does not have it.
        """
        known = arities(program)
        arity = known[predicate]
        rules = split_since(MetricProgram(tuple(relevant_rules(program, (predicate, arity))))).rules
        analysis = analyse(MetricProgram(rules))
        terms = [variable(f"X{place}") for place in range(arity)]
        answer = ast.Implies((atom(ANSWER, *terms),), atom(predicate, *terms))
        return cls(predicate, arity, MetricProgram((*rules, answer)), analysis, known)

    def has_dense_memory(self, memory: Memory, *, retracts: bool) -> bool:
        """Whether memory is dense; see `temporal.streaming.memory`.

        Raises:
            RuleErrors: it is wanted, but a range is one point.
        """
        known = self.analysis
        if memory is Memory.DENSE and known.has_punctual:
            message = "memory depends on the stamps: a range is one point"
            raise RuleErrors([PunctualRange(message, _place_of_point(self.program))])
        if memory is Memory.AUTO:
            return known.is_forward_propagating and not known.has_punctual and not retracts
        return memory is Memory.DENSE

    def refuse_uncertain(self) -> RuleErrors:
        """The fault that its answers are never certain, as rules look ahead without end."""
        message = f"answers of {self.predicate} are never certain: rules look ahead without end"
        return RuleErrors([NeverCertain(message, _place_of_endless_lookahead(self.program))])


def relevant_rules(program: MetricProgram, wanted: PredicateKey) -> Iterator[ast.Implies]:
    """The rules on which facts of a predicate depend, in their order."""
    known = {wanted}
    bodies = [
        (_key(head), {_key(part) for part in traversal.atoms(rule.body)}, rule)
        for rule in program.rules
        for head in _head_atoms(rule)
    ]
    before = 0
    while before < len(known):
        before = len(known)
        known.update(*(body for head, body, _ in bodies if head in known))
    yield from (rule for head, _, rule in bodies if head in known)


def _head_atoms(rule: ast.Implies) -> Iterator[ast.Atom]:
    for head in rule.head:
        yield from traversal.atoms(head)


def _key(found: ast.Atom) -> PredicateKey:
    return predicate_name(found), len(found.args)


def _place_of_point(program: MetricProgram) -> Span:
    """That of the first range of one point."""
    for formula in traversal.formulas(program):
        for part in traversal.subformulas(formula):
            if isinstance(part, UnaryOperator | BinaryOperator) and part.rho.is_punctual:
                return part.span
    return NOWHERE


def _place_of_endless_lookahead(program: MetricProgram) -> Span:
    """That of an operator that looks ahead: the first one without an end, else the first one."""
    places: list[tuple[bool, Span]] = []
    for rule in program.rules:
        for formula in (*rule.head, rule.body):
            is_head = formula is not rule.body
            for part in traversal.subformulas(formula):
                if isinstance(part, UnaryOperator | BinaryOperator):
                    looks_back = isinstance(
                        part, BoxPlus if is_head else DiamondMinus | BoxMinus | Since
                    )
                    if not looks_back:
                        places.append((part.rho.is_bounded, part.span))
    return min(places, key=lambda place: place[0], default=(True, NOWHERE))[1]
