"""Alternatives of Since: rules in which its left side need not bind variables of others.

``A(X), (B(X) Since[0,5] C)`` holds where A(X) and C do, or A(X) and ``B(X) Since(0,5] C``. So a
rule becomes two. A plan of the one rule would have to look ahead of C for the X of A(X).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import DiamondMinus, DiamondPlus, MetricProgram, Since, Until
from temporal.mtl.validation import bound_variables


def split_since(program: MetricProgram) -> MetricProgram:
    """The same rules, split where Since leaves a variable unbound; under a box they stay."""
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
