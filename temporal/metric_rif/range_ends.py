"""Ranges that end in a variable: which facts bind it, and rules with constants in its place.

A rule with such a range is, for each value that static facts give the variable, the rule with that
constant. So once these are known, each conjunction in which the variable ends a range becomes a
disjunction, one for each value. With a value that is no length the operator is true nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import prod
from typing import Final, NamedTuple, TypeAlias

from rete.planning.lowering import pattern_terms
from rete.terms.relations import TRIPLES, Relation
from rif.errors.base import RuleError
from rif.errors.checks import UnboundRangeEnd
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate
from rif.syntax.clauses import split_conjuncts
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.negation import Naf
from rif.syntax.terms import Literal, Variable, parse_canonical
from rif.syntax.traversal import (
    clause_of,
    free_variables,
    map_formula,
    outer_names,
    rules,
    subformulas,
)
from temporal.intervals.durations import VariableRange
from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFormula

MOST_VALUES: Final = 1000
"""The most values of the end of a range; combinations of them, if a condition has several."""
_FALSE: Final = ast.Equal(ast.Constant(Literal("")), ast.Constant(Literal(" ")))
_OF_HEAD: Final = "let a rule conclude another fact, and ask for that with the range"


class Length(NamedTuple):
    """What a term is as the end of a range.

    Attributes:
        ticks: how long it is; it may be negative.
        in_ticks: whether it is written as a number of ticks.
    """

    ticks: int
    in_ticks: bool


LengthOf: TypeAlias = Callable[[str], Length | None]
"""What a term is as the end of a range, by its canonical text; None: no length."""


class EndPattern(NamedTuple):
    """The facts that have the end of a range among their arguments.

    Attributes:
        relation: theirs.
        predicate: of triples; else "".
        place: of that argument.
    """

    relation: Relation
    predicate: str
    place: int


class TooManyEnds(Exception):
    """A condition would be more than `MOST_VALUES` alternatives."""


@dataclass(slots=True)
class RangeEnds:
    """The variables that end ranges, of documents that run together.

    Attributes:
        patterns: the facts that bind them.
        faults: what is wrong with those that none bind.
    """

    patterns: dict[EndPattern, None] = field(default_factory=dict)
    faults: list[RuleError] = field(default_factory=list)


def range_ends(documents: Sequence[ast.Document]) -> RangeEnds:
    """The variables that end ranges in ``documents``, which run together."""
    ends = RangeEnds()
    clauses = [clause_of(rule) for document in documents for rule in rules(document)]
    for head in (each for clause in clauses for each in _heads(clause)):
        if _end_of(head) is not None:
            message = f"{_range_of(head)} is the range of a conclusion"
            ends.faults.append(UnboundRangeEnd(message, head.span, _OF_HEAD))
    implications = [each for each in clauses if isinstance(each, ast.Implies)]
    bodies = [each for each in implications if is_open(each.body)]
    if not bodies:
        return ends
    derived = {
        _predicate(fact)
        for clause in implications
        for head in _heads(clause)
        for fact in _facts(head)
    }

    def binds(pattern: EndPattern) -> bool:
        named = pattern.relation != TRIPLES or bool(pattern.predicate)
        return named and (pattern.relation, pattern.predicate) not in derived

    def note(operator: MetricFormula, pattern: EndPattern | None) -> Sequence[str]:
        if pattern is None:
            message = f"static data bind no right end of {operator.rho}"
            ends.faults.append(UnboundRangeEnd(message, operator.span))
        else:
            ends.patterns[pattern] = None
        return ()

    scopes = _Scopes(binds, note, lambda _: None, 1, lambda _: None)
    for each in bodies:
        scopes.scope(each.body, free_variables(each).keys())
    return ends


def with_range_ends(
    document: ast.Document,
    values: Mapping[EndPattern, Sequence[str]],
    length_of: LengthOf,
    per_second: int,
    outside: Callable[[str], object],
) -> ast.Document:
    """The document with these terms, by canonical text, in place of the variables that end ranges.

    ``outside`` is called with those at which a range has no point.

    Raises:
        TooManyEnds: a condition would be too large.
    """
    if document.group is None:
        return document

    def found(_: MetricFormula, pattern: EndPattern | None) -> Sequence[str]:
        assert pattern is not None
        return values[pattern]

    scopes = _Scopes(values.__contains__, found, length_of, per_second, outside)
    return replace(document, group=_group(document.group, scopes))


def _group(group: ast.Group, scopes: _Scopes) -> ast.Group:
    items = tuple(
        _group(item, scopes) if isinstance(item, ast.Group) else _rule(item, scopes)
        for item in group.items
    )
    return replace(group, items=items)


def _rule(rule: ast.Rule, scopes: _Scopes) -> ast.Rule:
    clause = clause_of(rule)
    if not isinstance(clause, ast.Implies) or not is_open(clause.body):
        return rule
    closed = replace(clause, body=scopes.scope(clause.body, outer_names(rule)))
    return replace(rule, clause=closed) if isinstance(rule, ast.Forall) else closed


def is_open(formula: ast.Formula) -> bool:
    """Does a variable end a range in it?"""
    return any(map(_end_of, subformulas(formula)))


def _end_of(formula: ast.Formula) -> str | None:
    rho = _range_of(formula)
    return rho.variable.value.name if isinstance(rho, VariableRange) else None


def _range_of(formula: ast.Formula) -> Interval | None:
    return formula.rho if isinstance(formula, MetricFormula) else None


def _heads(clause: ast.Implies | ast.Formula) -> Iterator[ast.Formula]:
    for head in clause.head if isinstance(clause, ast.Implies) else (clause,):
        yield from subformulas(head)


def _facts(formula: ast.Formula) -> Iterator[ast.Atom | ast.Frame]:
    for each in split_conjuncts(formula):
        if isinstance(each, ast.Atom | ast.Frame):
            yield each


def _predicate(fact: ast.Atom | ast.Frame) -> tuple[Relation, str]:
    """Of facts of any predicate it is ""."""
    relation, terms = pattern_terms(fact)
    key = terms[1] if relation == TRIPLES else None
    return relation, str(key.value) if isinstance(key, ast.Constant) else ""


def _ends_in_scope(formula: ast.Formula) -> Iterator[tuple[str, MetricFormula]]:
    """The variables that end ranges in the scope of a formula, with their operators."""
    if isinstance(formula, MetricFormula):
        if (name := _end_of(formula)) is not None:
            yield name, formula
    elif isinstance(formula, Naf | ast.And | ast.Or | ast.Exists):
        local = {variable.name for variable in formula.local}
        for part in formula.parts:
            yield from (each for each in _ends_in_scope(part) if each[0] not in local)


class _Scopes:
    """A walk over scopes: formulas of which all is true of one binding of variables.

    They are conjunctions, once nested And are flattened, Exists lifted and Or distributed; what is
    negated sees what stands beside it. An operator and an aggregate close a scope.
    """

    def __init__(
        self,
        binds: Callable[[EndPattern], bool],
        values: Callable[[MetricFormula, EndPattern | None], Sequence[str]],
        length_of: LengthOf,
        per_second: int,
        outside: Callable[[str], object],
    ) -> None:
        """Begin.

        Args:
            binds: whether static facts of a pattern may end a range.
            values: the terms that end the range of an operator; None: no pattern binds the end.
            length_of: what a term is.
            per_second: ticks to the second.
            outside: is called with the terms at which a range has no point.
        """
        self._binds = binds
        self._values = values
        self._length_of = length_of
        self._per_second = per_second
        self._outside = outside

    def scope(
        self,
        formula: ast.Formula,
        outer: AbstractSet[str],
        given: AbstractSet[str] = frozenset(),
    ) -> ast.Formula:
        """The closed formula; ``outer`` are the names around it.

        Ranges that end in variables which are ``given``, beside a negation, are closed later.
        """
        if not is_open(formula):
            return formula
        free = free_variables(formula).keys()
        found = [
            alternative
            for conjunction in DisjunctiveNormalForm(formula, outer | free).conjunctions
            for alternative in self._alternatives(conjunction, free, given)
        ]
        return ast.Or(tuple(found), span=formula.span) if found else self._never(formula)

    def _alternatives(
        self, conjunction: Sequence[ast.Formula], free: AbstractSet[str], given: AbstractSet[str]
    ) -> Iterator[ast.Formula]:
        literals = [part for literal in conjunction for part in split_conjuncts(literal)]
        binders: dict[str, EndPattern] = {}
        for fact in (part for literal in literals for part in _facts(literal)):
            for place, term in enumerate(pattern_terms(fact)[1]):
                pattern = EndPattern(*_predicate(fact), place)
                if isinstance(term, ast.Var) and self._binds(pattern):
                    binders.setdefault(term.value.name, pattern)
        literals = [self._within(each, given | binders.keys()) for each in literals]
        ends: dict[str, MetricFormula] = {}
        for name, operator in chain.from_iterable(map(_ends_in_scope, literals)):
            if name not in given:
                ends.setdefault(name, operator)
        values = [self._values(operator, binders.get(name)) for name, operator in ends.items()]
        if prod(map(len, values)) > MOST_VALUES:
            raise TooManyEnds
        for chosen in product(*values):
            yield self._closed(literals, free, dict(zip(ends, chosen, strict=True)))

    def _within(self, literal: ast.Formula, bound: AbstractSet[str]) -> ast.Formula:
        """A literal in which all is closed but the ranges that ``bound`` variables end."""
        if not is_open(literal):
            return literal
        if isinstance(literal, Naf):
            return literal.with_parts([self.scope(literal.body, bound, bound)])
        if isinstance(literal, Aggregate | MetricFormula):
            return literal.with_parts([self.scope(each, frozenset()) for each in literal.parts])
        return literal.with_parts([self._within(each, bound) for each in literal.parts])

    def _closed(
        self, literals: Sequence[ast.Formula], free: AbstractSet[str], ends: Mapping[str, str]
    ) -> ast.Formula:
        """The conjunction with these terms; all of its variables but the ``free`` ones are its own.

        A fact of the static data has the term itself. What else asks for the variable gets the term
        by an equation: so it stays one that an aggregate groups by.
        """
        terms = {name: ast.Constant(parse_canonical(text)) for name, text in ends.items()}

        def term_of(var: ast.Var) -> ast.Term:
            return terms.get(var.value.name, var)

        found = []
        for literal in literals:
            closed = self._up_to(literal, ends)
            is_fact = isinstance(closed, ast.Atom | ast.Frame | ast.Member)
            found.append(map_formula(closed, term_of) if is_fact else closed)
        left = {*free}.union(*map(free_variables, found))
        found += [
            ast.Equal(ast.Var(Variable(name)), term) for name, term in terms.items() if name in left
        ]
        body = ast.And(tuple(found))
        own = tuple(map(Variable, left - free))
        return ast.Exists(own, body) if own else body

    def _up_to(self, formula: ast.Formula, ends: Mapping[str, str]) -> ast.Formula:
        """The formula whose ranges end with these terms, by the names of variables."""
        if isinstance(formula, MetricFormula):
            return self._operator_up_to(formula, ends)
        if not isinstance(formula, Naf | ast.And | ast.Or | ast.Exists):
            return formula
        local = {variable.name for variable in formula.local}
        inside = {name: text for name, text in ends.items() if name not in local}
        return formula.with_parts([self._up_to(each, inside) for each in formula.parts])

    def _operator_up_to(self, operator: MetricFormula, ends: Mapping[str, str]) -> ast.Formula:
        rho = operator.rho
        text = ends.get(_end_of(operator) or "")
        if text is None or not isinstance(rho, VariableRange):
            return operator
        length = self._length_of(text)
        if length is not None:
            closed = rho.up_to(length.ticks, self._per_second, in_ticks=length.in_ticks)
            if not closed.is_empty:
                return replace(operator, rho=closed)
        self._outside(text)
        return self._never(operator)

    def _never(self, formula: ast.Formula) -> ast.Formula:
        """A formula that reads the same facts, over ranges of a tick, and is never true.

        So what depends on what stays as the document says, with whichever values.
        """
        return ast.And((self._within_a_tick(formula), _FALSE), span=formula.span)

    def _within_a_tick(self, formula: ast.Formula) -> ast.Formula:
        same = formula
        if formula.parts:
            same = formula.with_parts(list(map(self._within_a_tick, formula.parts)))
        if isinstance(same, MetricFormula) and isinstance(same.rho, VariableRange):
            return replace(same, rho=same.rho.for_a_tick(self._per_second))
        return same
