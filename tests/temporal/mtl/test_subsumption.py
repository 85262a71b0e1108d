"""Subsumption: which rules are left out, and that programs without them have the same models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import BinaryOperator, MetricProgram, UnaryOperator, constant, variable
from temporal.mtl.subsumption import without_subsumed
from temporal.mtl.validation import check
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_program
from tests.generators.draw import Draw, from_seed
from tests.generators.metric.syntax import Shape, facts, program
from tests.oracles.metric.models import problem
from tests.oracles.metric.periodic_models import Undecided, solve

SHAPES = (Shape(rules=2), Shape(endless=30, rules=2), Shape(nesting=1, rules=3))


@pytest.mark.parametrize(
    "rules",
    [
        "A(X) :- B(X,Y), C(Y)\nA(Z) :- B(Z,W)",
        "A(X) :- B(X,X)\nA(X) :- B(X,Y)",
        "A(a) :- B(a,Y), C(Y)\nA(X) :- C(Y), B(X,Y)",
        "A(X) :- B(X,Y)\nA(Y) :- B(Y,X)",
        "Boxplus[0,3]A(X) :- Boxminus[0,1]B(X,Y), C(X)\nBoxplus[0,3]A(X) :- Boxminus[0,1]B(X,Y)",
        "A(X) :- B(X,Y)Since(0,2]C(Y), C(X)\nA(X) :- B(X,Y)Since(0,2]C(Y)",
        "A(X) :- A(X), B(X,Y)\nA(X) :- A(X)",
        "A(X) :- C(X)\nA(X) :- TOP, C(X)",
        "A :- B, C\nA :- TOP",
    ],
)
def test_the_first_rule_is_left_out_as_the_second_one_subsumes_it(rules) -> None:
    both = parse_program(rules)
    assert without_subsumed(both) == MetricProgram(both.rules[1:])


@pytest.mark.parametrize(
    "rules",
    [
        "A(X) :- B(X,Y)\nA(Y) :- B(X,Y)",
        "A(X) :- B(X,X), C(X)\nA(X) :- B(X,Y), C(Y), D(X)",
        "A(X) :- Boxminus[0,1]B(X,Y), C(X)\nA(X) :- Boxminus[0,2]B(X,Y)",
        "A(X) :- Boxminus[0,1]B(X,Y), C(X)\nA(X) :- Boxplus[0,1]B(X,Y)",
        "Boxplus[0,3]A(X) :- B(X,Y), C(X)\nA(X) :- B(X,Y)",
        "A(X) :- B(X,Y), C(X)\nD(X) :- B(X,Y)",
    ],
)
def test_rules_that_may_conclude_something_else_stay(rules) -> None:
    both = parse_program(rules)
    assert without_subsumed(both) is both


@pytest.mark.parametrize("seeds", [60, pytest.param(150, marks=pytest.mark.slow)])
def test_models_are_the_same_without_narrower_copies_of_rules(seeds) -> None:
    compared = left_out = 0
    for seed in range(seeds):
        draw = from_seed(seed)
        shape = SHAPES[seed % len(SHAPES)]
        rules = program(draw, shape)
        given = MetricProgram((*rules.rules, *(_narrower(draw, rules) for _ in range(2))))
        if check(given):
            continue
        found = without_subsumed(given)
        left_out += len(given.rules) - len(found.rules)
        assert set(found.rules) <= set(given.rules)
        try:
            data = facts(draw, shape)
            one, two = solve(problem(given, data)), solve(problem(found, data))
        except Undecided:
            continue
        first, last = one.model.stretch.first, one.model.stretch.last
        for ground in {*one.atoms(), *two.atoms()}:
            runs = one.runs(ground, first - 5, last + 5)
            assert two.runs(ground, first - 5, last + 5) == runs, write_program(given)
        compared += 1
    assert compared > seeds // 2
    assert left_out > seeds // 2


def test_order_makes_no_difference() -> None:
    both = parse_program("A(X) :- B(X,Y)\nA(X) :- B(X,X)")
    assert without_subsumed(both) == MetricProgram(both.rules[:1])


def _narrower(draw: Draw, rules: MetricProgram) -> ast.Implies:
    """A rule with conditions of another, some of its variables being one or a constant."""
    rule, other = draw.choice(rules.rules), draw.choice(rules.rules)
    names = sorted(traversal.names(rule.body).union(*map(traversal.names, rule.head)))
    terms: list[ast.Term] = [*map(variable, names), constant("a")]
    put = {variable(name): draw.choice(terms) for name in names if draw.chance(40)}
    body = ast.And((other.body, _with_terms(rule.body, put)))
    return ast.Implies((_with_terms(rule.head[0], put),), body)


def _with_terms(formula: ast.Formula, put: Mapping[ast.Var, ast.Term]) -> ast.Formula:
    match formula:
        case ast.Atom():
            args = [put.get(arg, arg) if isinstance(arg, ast.Var) else arg for arg in formula.args]
            return replace(formula, args=tuple(args))
        case UnaryOperator():
            return replace(formula, body=_with_terms(formula.body, put))
        case BinaryOperator():
            phi, psi = _with_terms(formula.phi, put), _with_terms(formula.psi, put)
            return replace(formula, phi=phi, psi=psi)
        case ast.And():
            return ast.And(tuple(_with_terms(item, put) for item in formula.items))
    return formula
