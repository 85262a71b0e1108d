"""Shorthand for plain RIF: what readers complete in a clause, and writers may leave out.

``?x[ex:hot -> 1] :- ?s[ex:in -> ?x], ?v = ?w, not ?s[ex:off -> ?t].`` is short for a rule with
``Forall ?x ?s ?v ?w ( … )`` in which ``?t`` is under an Exists in the Naf, and ``?v = ?w`` gives
one side its value, or compares the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from typing import Final

from rif.builtins.extensions import R4_BUILTIN
from rif.checks.safety import bound_in_all, bound_variables
from rif.language import Language
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate, AggregateEqual
from rif.syntax.lexical import SECONDS
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, Literal, Variable
from rif.syntax.traversal import (
    all_names,
    distinct_names,
    free_variables,
    rename,
    subformulas,
    variables_of,
)
from rif.values.date_arithmetic import SECOND, ticks_literal

ARITHMETIC: Final = {"+": 1, "-": 1, "*": 2, "/": 2}
"""How strongly a sign binds."""

COMPARISONS: Final = frozenset(("<", "<=", ">", ">=", "!="))

OPERATORS: Final[Mapping[str, IRI]] = {
    sign: IRI(R4_BUILTIN + name)
    for sign, name in (
        *(("<", "less-than"), ("<=", "less-than-or-equal"), (">", "greater-than")),
        *((">=", "greater-than-or-equal"), ("=", "equal")),
        *(("+", "add"), ("-", "subtract"), ("*", "multiply"), ("/", "divide")),
    )
}
"""The built-ins that signs are short for."""

SIGNS: Final[Mapping[IRI, str]] = {iri: sign for sign, iri in OPERATORS.items()}
"""The signs of built-ins."""


def duration_of(amount: str, unit: str) -> Literal | None:
    """The canonical xs:dayTimeDuration of a decimal amount; None: it is too long, or too fine."""
    ticks = Fraction(amount) * SECONDS[unit] * SECOND
    return ticks_literal(int(ticks)) if ticks.denominator == 1 else None


# aggregates in expressions


def with_aggregates(
    formula: ast.Formula, aggregates: Mapping[Variable, Aggregate], meta: ast.Meta | None = None
) -> ast.Exists:
    """The formula under an Exists, beside an equation for each variable that stands for one.

    The variables get the names of the aggregates: with ``?0`` for ``avg{ … }`` ``?v > ?0`` becomes
    ``Exists ?avg ( And( ?avg = avg{ … } External(r4:greater-than(?v ?avg)) ) )``.
    """
    taken = {name for each in (formula, *aggregates.values()) for name in all_names(each)}
    names = distinct_names([each.function for each in aggregates.values()], taken)
    new = dict(zip((variable.name for variable in aggregates), names, strict=True))
    equations = tuple(
        AggregateEqual(ast.Var(Variable(name), span=each.span), each, span=each.span)
        for name, each in zip(names, aggregates.values(), strict=True)
    )
    body = ast.And((*equations, rename(formula, new)), span=formula.span)
    return ast.Exists(tuple(map(Variable, names)), body, meta=meta, span=formula.span)


def placeholder(number: int) -> Variable:
    """A variable in place of an aggregate that no text can name."""
    return Variable(f"\0{number}")


def expression_in(formula: ast.Formula) -> tuple[ast.Formula, dict[Variable, Aggregate]] | None:
    """The comparison that `with_aggregates` makes ``formula`` of; None: there is none."""
    if not isinstance(formula, ast.Exists) or not isinstance(formula.body, ast.And):
        return None
    equations = formula.body.items[:-1]
    if not all(isinstance(each, AggregateEqual) for each in equations) or not equations:
        return None
    last = formula.body.items[-1]
    aggregates = [side for each in equations for side in each.parts if isinstance(side, Aggregate)]
    occurring = [var.value for var in _operands_of(last) if var.value in formula.variables]
    if tuple(occurring) != formula.variables or len(aggregates) != len(occurring):
        return None
    found = {placeholder(number): each for number, each in enumerate(aggregates)}
    places = {old.name: new.name for old, new in zip(occurring, found, strict=True)}
    bare = rename(last, places)
    return (bare, found) if with_aggregates(bare, found) == formula else None


def _operands_of(formula: ast.Formula) -> list[ast.Var]:
    """The variables of a comparison in the order of the text; none of what is no comparison."""
    if isinstance(formula, Naf) and is_equal(formula.body):
        formula = formula.body
    elif not isinstance(formula, ast.External) or SIGNS.get(formula.op) not in COMPARISONS:
        return []
    if any(term.meta for term in formula.terms) or len(formula.terms) != 2:  # noqa: PLR2004
        return []
    return [var for term in formula.terms for var in variables_of(term)]


# quantifiers


def quantify(rule: ast.Rule) -> ast.Rule:
    """A clause under no Forall, with its quantifiers.

    What occurs within a single negation is under an Exists in that; all else under a Forall, which
    has the annotation of the clause.
    """
    if isinstance(rule, ast.Forall):
        return rule
    if isinstance(rule, ast.Implies):
        heads = {name for head in rule.head for name in free_variables(head)}
        rule = replace(rule, body=_quantify_negations(rule.body, heads))
    free = tuple(each.value for each in free_variables(rule).values())
    if not free:
        return rule
    meta = None
    if isinstance(rule, ast.Implies):
        meta, rule = rule.meta, replace(rule, meta=None)
    return ast.Forall(free, rule, meta=meta, span=rule.span)


def _quantify_negations(formula: ast.Formula, outside: AbstractSet[str]) -> ast.Formula:
    """``formula`` with an Exists in negations for what is free there, and not ``outside``."""
    if not any(isinstance(each, Naf) for each in subformulas(formula)):
        return formula
    if isinstance(formula, Naf):
        body = _quantify_negations(formula.body, outside)
        free = free_variables(body).items()
        own = tuple(var.value for name, var in free if name not in outside)
        return replace(formula, body=ast.Exists(own, body, span=body.span) if own else body)
    around = {var.value.name for term in formula.terms for var in variables_of(term)}
    around |= outside
    around |= {variable.name for variable in _named_local(formula)}
    names = [set(free_variables(part)) for part in formula.parts]
    count = Counter(name for each in names for name in each)
    return formula.with_parts(
        [
            _quantify_negations(part, around | {name for name in own if count[name] > 1})
            for part, own in zip(formula.parts, names, strict=True)
        ]
    )


def _named_local(formula: ast.Formula) -> Sequence[Variable]:
    """The variables that a formula names as its own; those of an aggregate stand before the bar."""
    if isinstance(formula, Aggregate):
        return tuple(each for each in (formula.value, formula.order) if each is not None)
    return formula.local


def without_quantifiers(rule: ast.Rule) -> ast.Rule:
    """The shortest clause that `quantify` makes ``rule`` of; else ``rule``."""
    short = rule
    if isinstance(rule, ast.Forall):
        short = rule.clause
        if isinstance(short, ast.Implies) and rule.meta is not None:
            if short.meta is not None:
                return rule
            short = replace(short, meta=rule.meta)
    if isinstance(short, ast.Implies):
        bare = replace(short, body=_without_exists(short.body))
        if quantify(bare) == rule:
            return bare
    return short if quantify(short) == rule else rule


def _without_exists(formula: ast.Formula) -> ast.Formula:
    if isinstance(formula, Naf):
        inner = formula.body
        while isinstance(inner, ast.Exists) and inner.meta is None:
            inner = inner.body
        return replace(formula, body=_without_exists(inner))
    return formula.with_parts(list(map(_without_exists, formula.parts)))


# equations


def decide_equations(rule: ast.Rule, language: Language) -> ast.Rule:
    """The rule with its equations decided: each gives a variable its value, or compares.

    ``=`` gives a value to the side that nothing else binds; else it is R4's built-in ``equal``.
    """
    clause = rule.clause if isinstance(rule, ast.Forall) else rule
    if not isinstance(clause, ast.Implies):
        return rule
    if not any(isinstance(each, ast.Equal | AggregateEqual) for each in subformulas(clause.body)):
        return rule
    body = _Decision(language).formula(clause.body, frozenset())
    decided = replace(clause, body=body)
    return replace(rule, clause=decided) if isinstance(rule, ast.Forall) else decided


def with_equations(rule: ast.Rule) -> ast.Rule:
    """The rule with ``=`` for R4's built-in ``equal``, but where ``!=`` stands for its negation."""
    clause = rule.clause if isinstance(rule, ast.Forall) else rule
    if not isinstance(clause, ast.Implies):
        return rule
    found = replace(clause, body=_with_equations(clause.body))
    return replace(rule, clause=found) if isinstance(rule, ast.Forall) else found


def _with_equations(formula: ast.Formula) -> ast.Formula:
    if is_equal(formula):
        left, right = formula.terms
        return ast.Equal(left, right, meta=formula.meta, span=formula.span)
    if isinstance(formula, Naf) and is_equal(formula.body):
        return formula
    return formula.with_parts(list(map(_with_equations, formula.parts)))


def is_equal(formula: ast.Formula) -> bool:
    """Is it R4's built-in ``equal``?"""
    return (
        isinstance(formula, ast.External)
        and formula.op == OPERATORS["="]
        and len(formula.args) == 2  # noqa: PLR2004 (two sides)
    )


class _Decision:
    """Decides the equations of conjunctions."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def formula(self, formula: ast.Formula, given: AbstractSet[str]) -> ast.Formula:
        """``formula`` with its equations decided; what stands beside it binds ``given``."""
        return _rebuilt(formula, self._conjunction(list(_conjuncts(formula)), given))

    def _conjunction(
        self, literals: Sequence[ast.Formula], given: AbstractSet[str]
    ) -> list[ast.Formula]:
        """The literals of a conjunction, decided."""
        binders = {n: _binder(f) for n, f in enumerate(literals) if not isinstance(f, ast.Equal)}
        bound = bound_variables(binders.values(), self._language, given)
        open_ = [n for n, each in enumerate(literals) if _is_equation(each)]
        while True:
            for number in open_:
                found = self._assigned(literals[number], bound)
                if found is not None:
                    open_.remove(number)
                    binders[number] = literals[number]  # it binds what it gives a value
                    bound = bound_variables(binders.values(), self._language, {*bound, found})
                    break
            else:
                break
        result: list[ast.Formula] = []
        for number, each in enumerate(literals):
            if number in open_:
                result.append(self._compared(each, bound))
                continue
            beside = bound
            if isinstance(each, ast.Or | ast.Exists):  # what it binds itself is not beside it
                others = (other for n, other in binders.items() if n != number)
                beside = bound_variables(others, self._language, given)
            result.append(self._within(each, beside))
        return result

    def _assigned(self, equation: ast.Formula, bound: AbstractSet[str]) -> str | None:
        """The variable that gets its value by the equation; None: none does, as far as is known."""
        if isinstance(equation, AggregateEqual):
            free = [var.value.name for var in equation.results if var.value.name not in bound]
            return free[0] if free else None
        assert isinstance(equation, ast.Equal)
        for side, other in (
            (equation.left, equation.right),
            (equation.right, equation.left),
        ):
            names = {var.value.name for var in variables_of(other)}
            if isinstance(side, ast.Var) and side.value.name not in bound and names <= bound:
                return side.value.name
        return None

    def _compared(self, equation: ast.Formula, bound: AbstractSet[str]) -> ast.Formula:
        """An equation that gives no value, as a comparison, if both sides are bound."""
        if isinstance(equation, ast.Equal):
            names = {var.value.name for term in equation.terms for var in variables_of(term)}
            if not names <= bound:
                return equation  # a fault, which the checks report
            return _compare(equation.left, equation.right, equation)
        inner = self._within(equation, bound)
        assert isinstance(inner, AggregateEqual)
        found: dict[Variable, Aggregate] = {}
        sides: list[ast.Term] = []
        for side in (inner.left, inner.right):
            if isinstance(side, Aggregate):
                variable = placeholder(len(found))
                found[variable] = side
                sides.append(ast.Var(variable, span=side.span))
            else:
                sides.append(side)
        compared = _compare(sides[0], sides[1], replace(inner, meta=None))
        return with_aggregates(compared, found, inner.meta)

    def _within(self, formula: ast.Formula, beside: AbstractSet[str]) -> ast.Formula:
        """A literal, with what stands in it decided."""
        if isinstance(formula, ast.Exists):
            own = {variable.name for variable in formula.variables}
            return replace(formula, body=self.formula(formula.body, beside - own))
        if isinstance(formula, ast.Or):
            return replace(formula, items=tuple(self.formula(f, beside) for f in formula.items))
        if isinstance(formula, Naf):
            return replace(formula, body=self.formula(formula.body, beside))
        operands = formula.operands
        parts: list[ast.Formula] = []
        for part in formula.parts:
            if part in operands:
                given = frozenset[str]().union(
                    *(bound_in_all(each, self._language) for each in formula.binders(part))
                )
                parts.append(self.formula(part, given))
            else:
                parts.append(self._within(part, beside))
        return formula.with_parts(parts)


def _compare(left: ast.Term, right: ast.Term, at: ast.Formula) -> ast.External:
    return ast.External(OPERATORS["="], (left, right), meta=at.meta, span=at.span)


def _is_equation(formula: ast.Formula) -> bool:
    """Is it an equation that may be a comparison?"""
    return isinstance(formula, ast.Equal | AggregateEqual)


def _binder(formula: ast.Formula) -> ast.Formula:
    """What binds variables in a literal, but for the value of an aggregate."""
    if isinstance(formula, AggregateEqual):
        return ast.And(formula.aggregates)
    return formula


def _conjuncts(formula: ast.Formula) -> Iterable[ast.Formula]:
    """The members of a conjunction, nested ones flattened."""
    if isinstance(formula, ast.And):
        for item in formula.items:
            yield from _conjuncts(item)
    else:
        yield formula


def _rebuilt(formula: ast.Formula, literals: Iterable[ast.Formula]) -> ast.Formula:
    """The conjunction with others in place of its literals."""
    given = iter(literals)
    if isinstance(formula, ast.And):
        return replace(formula, items=tuple(_rebuilt(item, given) for item in formula.items))
    return next(given)
