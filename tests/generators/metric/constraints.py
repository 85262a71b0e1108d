"""Random programs with constraints: any program, and rules with the head BOTTOM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BOTTOM_NAME,
    BoxMinus,
    BoxPlus,
    MetricProgram,
    atom,
)
from temporal.mtl.validation import check, predicate_name
from tests.generators.draw import from_seed
from tests.generators.metric.programs import MetricCase, case_of
from tests.generators.metric.syntax import Shape, formula, rho

if TYPE_CHECKING:
    from tests.generators.draw import Draw


def constrained_case(seed: int) -> MetricCase:
    """The case of a seed with one to three constraints, among its rules."""
    case = case_of(seed)
    draw = from_seed(1_000_003 + seed)
    rules = list(case.program.rules)
    for _ in range(draw.integer(1, 3)):
        found = _constraint(draw, case.program)
        if not check(MetricProgram((*rules, found))):
            rules.insert(draw.integer(0, len(rules)), found)
    return MetricCase(MetricProgram(tuple(rules)), case.facts)


def _constraint(draw: Draw, program: MetricProgram) -> ast.Implies:
    head: ast.Formula = atom(BOTTOM_NAME)
    shape = Shape(reach=3)
    while draw.chance(45):
        head = draw.choice((BoxPlus, BoxMinus))(rho(draw, shape), head)
    return ast.Implies((head,), _body(draw, program))


def _body(draw: Draw, program: MetricProgram) -> ast.Formula:
    """What rules conclude or ask for: one of that, two together, or under an operator."""
    parts = [rule.body for rule in program.rules]
    parts += [found for rule in program.rules for found in traversal.atoms(rule.head[0])]
    found = [each for part in parts for each in traversal.atoms(part)]
    seen = {(predicate_name(each), len(each.args)) for each in found}
    kind = draw.weighted((3, "one"), (3, "two"), (2, "any"))
    if kind == "any":
        return formula(draw, Shape(predicates=tuple(sorted(seen)), reach=3), 2)
    return (
        draw.choice(parts) if kind == "one" else ast.And((draw.choice(parts), draw.choice(parts)))
    )
