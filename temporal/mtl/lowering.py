"""From rules of DatalogMTL to plans: metric operators over joins.

A formula becomes a plan whose columns are those of its variables that are needed. Plans of
operators are made by `temporal.mtl.operator_plans`. A conjunction is ordered like those of other
rules (`rete.planning.join_order`). A head under boxes holds around its body: a `Dilate` of the
whole body for each box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from rete.graph.plan import Emit
from rete.nodes.filter import TEXT_TESTS
from rete.nodes.metric.diamond import Dilate
from rete.nodes.unit import Unit
from rete.planning.lowering import Argument, AtomPattern, Conjunction, Subplan, Test, negated_test
from rete.planning.plan_builder import build_subplan
from rete.terms.relations import Head, Relation
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.terms import Local, Variable
from rif.syntax.traversal import subformulas
from temporal.errors import TooManyConditions
from temporal.mtl import traversal
from temporal.mtl.ast import Comparison, MetricFormula, MetricProgram
from temporal.mtl.guards import guarded_rules
from temporal.mtl.operator_plans import plan_operator, split_box

MAX_CONDITIONS: Final = 150
"""Atoms of one body: plans are trees that are walked recursively."""


def lower(program: MetricProgram, scale: int, *, is_guarded: bool = False) -> tuple[Emit, ...]:
    """The plans of the rules of a well-formed program, numbered from 1; few rules have several.

    ``scale`` ticks make the unit of time. ``is_guarded``: its rules have the guards that they need.

    Raises:
        RuleErrors: a body is too long, or a number too far from 0 for such ticks.
    """
    faults = list(_too_long(program))
    if faults:
        raise RuleErrors(faults)
    plans = {
        rule: [_emit(each, 0, scale) for each in ([rule] if is_guarded else guarded_rules(rule))]
        for rule in dict.fromkeys(program.rules)
    }
    known = enumerate(map(plans.__getitem__, program.rules), 1)
    return tuple(Emit(plan.source, number, plan.heads) for number, found in known for plan in found)


def _emit(rule: ast.Implies, number: int, scale: int) -> Emit:
    """The plan of one rule, which has one head; it has the guards that it needs.

    Raises:
        OutOfBounds: a number of it is too far from 0.
    """
    boxes, head = traversal.unboxed(rule.head[0])
    assert isinstance(head, ast.Atom)
    head_pattern = _pattern(head)
    body = _plan(scale, rule.body, _variables_among(head_pattern.args))
    source = body.source
    for box in boxes:
        source = Dilate(source, *split_box(box, scale)[0])
    args = tuple(
        body.args.index(arg) if isinstance(arg, Variable) else arg for arg in head_pattern.args
    )
    return Emit(source, number, (Head(head_pattern.relation, args),))


def relation_of(atom: ast.Atom) -> Relation:
    """The relation of the facts of an atom."""
    return Relation(str(atom.op), len(atom.args))


@lru_cache(maxsize=1024)
def relation_named(name: str, arity: int) -> Relation:
    """The relation of the facts of a predicate."""
    return Relation(str(Local(name)), arity)


def _plan(scale: int, formula: ast.Formula, needed: frozenset[Variable] | None) -> Subplan:
    """The rows of a formula, with the ``needed`` variables that it binds among its columns.

    None: all variables are needed.
    """
    if needed is None:
        needed = _variables_of(formula)
    match formula:
        case ast.Atom() | ast.And() | Naf() | Comparison():
            return _plan_conjunction(scale, formula, needed)
        case MetricFormula():
            return plan_operator(formula, needed, partial(_plan, scale), scale)
    message = f"no formula of DatalogMTL: {formula!r}"
    raise TypeError(message)


def _plan_conjunction(scale: int, formula: ast.Formula, needed: frozenset[Variable]) -> Subplan:
    items = list(traversal.conjuncts(formula))
    if not items:
        return Subplan(Unit(), ())
    if len(items) == 1 and isinstance(items[0], MetricFormula):
        return _plan(scale, items[0], needed)
    head_of_body = AtomPattern(Relation("", len(needed)), tuple(sorted(needed, key=str)))
    conjunction = _conjunction(scale, items, needed)
    return build_subplan(replace(conjunction, heads=(head_of_body,)), needed)


def _conjunction(
    scale: int, items: Sequence[ast.Formula], needed: frozenset[Variable]
) -> Conjunction:
    """The conjunction of formulas, of whose variables some are ``needed``."""
    patterns: list[AtomPattern] = []
    tests: list[Test] = []
    negated: list[Conjunction] = []
    subplans: list[Subplan] = []
    for item, others in traversal.with_others(items):
        match item:
            case ast.Atom():
                patterns.append(_pattern(item))
            case Comparison():
                args = tuple(map(_argument, item.terms))
                tests.append(Test(TEXT_TESTS[item.sign], args))
            case Naf():
                inner = list(traversal.conjuncts(item.body))
                condition = _conjunction(scale, inner, _variables_of(item))
                test = negated_test(condition)
                if test is None:
                    negated.append(condition)
                else:
                    tests.append(test)
            case _:
                subplans.append(_plan(scale, item, needed.union(*map(_variables_of, others))))
    return Conjunction(
        0,
        tuple(dict.fromkeys(patterns)),
        tuple(dict.fromkeys(tests)),
        (),
        (),
        (),
        negated=tuple(dict.fromkeys(negated)),
        subplans=tuple(dict.fromkeys(subplans)),
    )


def _pattern(atom: ast.Atom) -> AtomPattern:
    return AtomPattern(relation_of(atom), tuple(map(_argument, atom.args)))


def _argument(term: ast.Term) -> Argument:
    if isinstance(term, ast.Var):
        return term.value
    assert isinstance(term, ast.Constant)
    return str(term.value)


def _variables_among(args: Iterable[Argument]) -> frozenset[Variable]:
    return frozenset(arg for arg in args if isinstance(arg, Variable))


def _variables_of(formula: ast.Formula) -> frozenset[Variable]:
    return frozenset(var.value for var in traversal.variables(formula))


def _too_long(program: MetricProgram) -> Iterator[TooManyConditions]:
    for rule in program.rules:
        size = sum(1 for _ in subformulas(rule.body))
        if size > MAX_CONDITIONS:
            message = f"a body of {size} formulas; {MAX_CONDITIONS} is the most"
            yield TooManyConditions(message, rule.span)
