"""A query over a stream: the rules it depends on, and whether its answers are ever certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product
from typing import Final

from rif.errors.base import NOWHERE, Span
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.traversal import subformulas
from temporal.errors import ConstraintUnchecked, DenseNegation, NeverCertain, PunctualRange
from temporal.mtl import traversal
from temporal.mtl.analysis import ProgramAnalysis, analyse
from temporal.mtl.ast import (
    BOTTOM_NAME,
    DiamondMinus,
    DiamondPlus,
    MetricFormula,
    MetricProgram,
    PredicateKey,
    Since,
    Until,
    atom,
    variable,
)
from temporal.mtl.operators import BOTTOM_WORD
from temporal.mtl.validation import arities, bound_variables, predicate_name

ANSWER: Final = "\0answer"
"""The predicate of answers: what holds of the query's, asserted or derived."""


class Memory(Enum):
    """What of the past is kept while a stream is followed.

    *Exact*: all rows that an operator may look back on, as they came [Walega19, Algorithm 1].
    *Dense*: where the right side of a Since holds often, only the hull of it, so that what is kept
    does not depend on how dense the stamps are [Walega19, Algorithm 2]; see
    `rete.nodes.metric.since_history`.
    `AUTO` is dense where that applies, and exact memory depends on the stamps. Where something is
    negated, memory is exact.
    """

    AUTO = "auto"
    EXACT = "exact"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """A predicate whose facts are wanted, of a program.

    Attributes:
        predicate: its name; that of BOTTOM is `BOTTOM_NAME`.
        arity: its number of arguments.
        program: the rules that it depends on, and one that derives `ANSWER` of it.
        analysis: that of these rules.
        arities: the number of arguments of the predicates of the whole program.
        unchecked: the constraints of the whole program that the query does not follow.
    """

    predicate: str
    arity: int
    program: MetricProgram
    analysis: ProgramAnalysis
    arities: dict[str, int]
    unchecked: tuple[ast.Implies, ...]

    @classmethod
    def of(cls, program: MetricProgram, predicate: str) -> StreamQuery:
        """The query for a predicate of a well-formed program; BOTTOM is that of its constraints.

        Raises:
            KeyError: the program does not have it.
        """
        known = arities(program)
        predicate = BOTTOM_NAME if predicate == BOTTOM_WORD else predicate
        arity = known[predicate]
        relevant = relevant_rules(program, (predicate, arity))
        rules = split_since(MetricProgram(tuple(relevant))).rules
        analysis = analyse(MetricProgram(rules))
        terms = [variable(f"X{place}") for place in range(arity)]
        answer = ast.Implies((atom(ANSWER, *terms),), atom(predicate, *terms))
        constraints = tuple(rule for rule in program.rules if traversal.is_constraint(rule))
        unchecked = () if predicate == BOTTOM_NAME else constraints
        followed = MetricProgram((*rules, answer))
        return cls(predicate, arity, followed, analysis, known, unchecked)

    @property
    def written(self) -> str:
        """The predicate as the text of programs has it."""
        return BOTTOM_WORD if self.predicate == BOTTOM_NAME else self.predicate

    def warnings(self) -> list[ConstraintUnchecked]:
        """What it leaves out: a warning if the program has constraints that it does not follow."""
        if not self.unchecked:
            return []
        count = len(self.unchecked)
        which = "a constraint is" if count == 1 else f"{count} constraints are"
        return [ConstraintUnchecked(f"{which} not checked along a stream", self.unchecked[0].span)]

    def has_dense_memory(self, memory: Memory, *, retracts: bool) -> bool:
        """Whether memory is dense.

        Raises:
            RuleErrors: that is wanted, and a range is one point, or something is negated.
        """
        known = self.analysis
        if memory is Memory.DENSE and known.negates:
            message = "memory is exact: something is negated"
            raise RuleErrors([DenseNegation(message, _place_of_negation(self.program))])
        if memory is Memory.DENSE and known.has_punctual:
            message = "memory depends on the stamps: a range is one point"
            raise RuleErrors([PunctualRange(message, _place_of_point(self.program))])
        if memory is Memory.AUTO:
            return known.may_be_dense and not retracts
        return memory is Memory.DENSE

    def refuse_uncertain(self) -> RuleErrors:
        """The fault that its answers are never certain, as rules look ahead without end."""
        message = f"answers of {self.written} are never certain: rules look ahead without end"
        return RuleErrors([NeverCertain(message, _place_of_endless_lookahead(self.program))])


def relevant_rules(program: MetricProgram, wanted: PredicateKey) -> Iterator[ast.Implies]:
    """The rules on which facts of a predicate depend, in their order, each once."""
    rules = [
        (_key(head), {_key(part) for part in traversal.atoms(rule.body)}, rule)
        for rule in dict.fromkeys(program.rules)
        for head in _head_atoms(rule)
    ]
    bodies: dict[PredicateKey, list[set[PredicateKey]]] = {}
    for head, body, _ in rules:
        bodies.setdefault(head, []).append(body)
    known, waiting = {wanted}, [wanted]
    while waiting:
        new = set().union(*bodies.get(waiting.pop(), ())) - known
        known |= new
        waiting += new
    yield from (rule for head, _, rule in rules if head in known)


def _head_atoms(rule: ast.Implies) -> Iterator[ast.Atom]:
    for head in rule.head:
        yield from traversal.atoms(head)


def _key(found: ast.Atom) -> PredicateKey:
    return predicate_name(found), len(found.args)


def split_since(program: MetricProgram) -> MetricProgram:
    """The same rules, split where Since leaves a variable of its left side unbound.

    ``A(X), (B(X) Since[0,5] C)`` holds where A(X) and C do, or A(X) and ``B(X) Since(0,5] C``. So a
    rule becomes two. A plan of the one rule would have to look ahead of C for the X of A(X). Under
    a box they stay.
    """
    rules = (
        rule if len(bodies) == 1 else replace(rule, body=body)
        for rule in program.rules
        for bodies in [list(_alternatives(rule.body))]
        for body in bodies
    )
    return MetricProgram(tuple(rules))


def _alternatives(formula: ast.Formula) -> Iterator[ast.Formula]:
    """Formulas one of which holds wherever the formula does."""
    match formula:
        case ast.And():
            for items in product(*(list(_alternatives(item)) for item in formula.items)):
                yield replace(formula, items=items)
        case DiamondMinus() | DiamondPlus():
            yield from (replace(formula, body=body) for body in _alternatives(formula.body))
        case Since() if _leaves_unbound(formula):
            for psi in _alternatives(formula.psi):
                yield psi
                rest = replace(formula.rho, left_closed=False)
                if not rest.is_empty:
                    yield replace(formula, rho=rest, psi=psi)
        case Since() | Until():
            yield from (replace(formula, psi=psi) for psi in _alternatives(formula.psi))
        case _:
            yield formula


def _leaves_unbound(formula: Since) -> bool:
    return 0 in formula.rho and not traversal.names(formula.phi) <= bound_variables(formula.psi)


def _place_of_point(program: MetricProgram) -> Span:
    for formula in traversal.formulas(program):
        for part in subformulas(formula):
            if isinstance(part, MetricFormula) and part.rho.is_punctual:
                return part.span
    return NOWHERE


def _place_of_negation(program: MetricProgram) -> Span:
    for rule in program.rules:
        for part in subformulas(rule.body):
            if isinstance(part, Naf):
                return part.span
    return NOWHERE


def _place_of_endless_lookahead(program: MetricProgram) -> Span:
    """The first operator that looks ahead without an end, else the first that looks ahead."""
    places: list[tuple[bool, Span]] = []
    for rule in program.rules:
        for formula in (*rule.head, rule.body):
            is_head = formula is not rule.body
            places += [
                (part.rho.is_bounded, part.span)
                for part in subformulas(formula)
                # A head lies on the other side of its body.
                if isinstance(part, MetricFormula) and part.is_past is is_head
            ]
    return min(places, key=lambda place: place[0], default=(True, NOWHERE))[1]
