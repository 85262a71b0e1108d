"""The normal form of programs: its shape, and that it has the same models."""

from __future__ import annotations

import pytest

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import BinaryOperator, MetricProgram, UnaryOperator
from temporal.mtl.normal_form import normalise
from temporal.mtl.validation import check
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_program
from tests.generators.draw import from_seed
from tests.generators.metric.syntax import Shape, facts, program
from tests.oracles.metric.models import problem
from tests.oracles.metric.periodic_models import Undecided, solve

SHAPES = (
    Shape(nesting=3, rules=2),
    Shape(endless=30, rules=2),
    Shape(denominators=(1, 2), reach=2, span=3),
)


def is_normal(rule: ast.Implies) -> bool:
    """Is it of a form of [Walega19, Definition 5], or its future twin, or with Since or Until?"""
    if not all(isinstance(head, ast.Atom) for head in rule.head):
        return False
    if isinstance(rule.body, UnaryOperator | BinaryOperator):
        rho, parts = rule.body.rho, rule.body.parts
        return rho.left_closed == rho.right_closed and all(
            isinstance(part, ast.Atom) for part in parts
        )
    return all(isinstance(item, ast.Atom) for item in traversal.conjuncts(rule.body))


def normal(rules: str) -> str:
    return write_program(normalise(parse_program(rules)))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("A(X) :- B(X,Y), C(Y)", "A(X) :- B(X,Y), C(Y)\n"),
        ("A :- TOP", "A :- TOP\n"),
        ("Boxplus[0,3]A(X) :- B(X)", "A(X) :- Diamondminus[0,3]B(X)\n"),
        (
            "A(X) :- Diamondminus[0,1]Boxplus(0,2)B(X,Y)",
            "aux1(X) :- Boxplus(0,2)B(X,Y)\nA(X) :- Diamondminus[0,1]aux1(X)\n",
        ),
        (
            "A :- Diamondminus[1,inf)B",
            "A :- Diamondminus[1,1]B\nA :- Diamondminus(1,inf)B\n",
        ),
        (
            "A :- Boxminus(0,2]B",
            "aux1 :- Boxminus[2,2]B\naux2 :- Boxminus(0,2)B\nA :- aux1, aux2\n",
        ),
    ],
)
def test_no_operator_stands_above_another_and_ranges_are_open_or_closed(rule, expected) -> None:
    assert normal(rule) == expected


def test_equal_formulas_have_one_predicate_and_names_are_new() -> None:
    found = normal("aux1 :- Diamondminus[0,1]Boxminus[0,1]A, Boxminus[0,1]A")
    assert found.count("Boxminus") == 1
    assert "aux1 :- Boxminus" not in found


@pytest.mark.parametrize("seeds", [60, pytest.param(150, marks=pytest.mark.slow)])
def test_the_normal_form_has_the_same_models(seeds) -> None:
    compared = 0
    for seed in range(seeds):
        draw = from_seed(seed)
        shape = SHAPES[seed % len(SHAPES)]
        rules, data = program(draw, shape), facts(draw, shape)
        other = normalise(rules)
        assert all(map(is_normal, other.rules)), seed
        assert not check(other), seed
        try:
            compared += models_agree(rules, other, data)
        except Undecided:
            continue
    assert compared > seeds // 2


def models_agree(rules: MetricProgram, other: MetricProgram, data) -> bool:
    one, two = solve(problem(rules, data)), solve(problem(other, data))
    first, last = one.model.stretch.first, one.model.stretch.last
    for ground in {*one.atoms(), *two.atoms()}:
        if not ground[0].startswith("aux"):
            runs = one.runs(ground, first - 5, last + 5)
            assert two.runs(ground, first - 5, last + 5) == runs, ground
    return True
