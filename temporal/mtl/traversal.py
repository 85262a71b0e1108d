"""Walks over metric formulas: parts, atoms, variables, ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rif.syntax import ast
from temporal.intervals.interval import Interval
from temporal.mtl.ast import BinaryOperator, MetricProgram, UnaryOperator


def parts_of(formula: ast.Formula) -> tuple[ast.Formula, ...]:
    """The direct sub-formulas, in the order in which they are written."""
    match formula:
        case UnaryOperator():
            return (formula.body,)
        case BinaryOperator():
            return (formula.phi, formula.psi)
        case ast.And():
            return formula.items
    return ()


def subformulas(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The formula and all below it, in the order of the text."""
    yield formula
    for part in parts_of(formula):
        yield from subformulas(part)


def conjuncts(formula: ast.Formula) -> Iterator[ast.Formula]:
    """What it is the conjunction of, none of which is one; itself if it is none."""
    if isinstance(formula, ast.And):
        for item in formula.items:
            yield from conjuncts(item)
    else:
        yield formula


def with_others(
    items: Sequence[ast.Formula],
) -> Iterator[tuple[ast.Formula, tuple[ast.Formula, ...]]]:
    """Each of some conjuncts, with all the others."""
    for position, item in enumerate(items):
        yield item, (*items[:position], *items[position + 1 :])


def atoms(formula: ast.Formula) -> Iterator[ast.Atom]:
    """Its atoms, in the order of the text."""
    return (found for found in subformulas(formula) if isinstance(found, ast.Atom))


def variables(formula: ast.Formula) -> Iterator[ast.Var]:
    """Each place where a variable stands, in the order of the text."""
    for found in atoms(formula):
        for arg in found.args:
            if isinstance(arg, ast.Var):
                yield arg


def names(formula: ast.Formula) -> frozenset[str]:
    """The names of its variables."""
    return frozenset(var.value.name for var in variables(formula))


def ranges(formula: ast.Formula) -> Iterator[Interval]:
    """The ranges of its operators, in the order of the text."""
    for found in subformulas(formula):
        if isinstance(found, UnaryOperator | BinaryOperator):
            yield found.rho


def formulas(program: MetricProgram) -> Iterator[ast.Formula]:
    """The heads and bodies of a program, in the order of the text."""
    for rule in program.rules:
        yield from rule.head
        yield rule.body
