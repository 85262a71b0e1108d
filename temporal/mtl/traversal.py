"""Walks over metric formulas, beside those of `rif.syntax.traversal`: atoms, variables, ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.traversal import subformulas
from temporal.intervals.interval import Interval
from temporal.mtl.ast import TOP, Box, Comparison, MetricFormula, MetricProgram, is_bottom


def parts(*formulas: ast.Formula) -> list[ast.Formula]:
    """The formulas and all below them, in the order of the text."""
    return [part for formula in formulas for part in subformulas(formula)]


def conjuncts(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The conjuncts of nested conjunctions, none of which is one; itself if it is none."""
    if isinstance(formula, ast.And):
        for item in formula.items:
            yield from conjuncts(item)
    else:
        yield formula


def unboxed(head: ast.Formula) -> tuple[list[Box], ast.Formula]:
    """The boxes over a head, from the outside, and the head itself."""
    boxes: list[Box] = []
    while isinstance(head, Box):
        boxes.append(head)
        head = head.body
    return boxes, head


def with_others(
    items: Sequence[ast.Formula],
) -> Iterator[tuple[ast.Formula, tuple[ast.Formula, ...]]]:
    """Each of some conjuncts, with all the others."""
    for position, item in enumerate(items):
        yield item, (*items[:position], *items[position + 1 :])


def atoms(formula: ast.Formula) -> Iterator[ast.Atom]:
    """Its atoms, in the order of the text."""
    return (part for part in subformulas(formula) if isinstance(part, ast.Atom))


def variables(formula: ast.Formula) -> Iterator[ast.Var]:
    """Each occurrence of a variable, in the order of the text."""
    for part in subformulas(formula):
        for term in part.terms:
            if isinstance(term, ast.Var):
                yield term


def names(formula: ast.Formula) -> frozenset[str]:
    """The names of its variables."""
    return frozenset([var.value.name for var in variables(formula)])


def ranges(formula: ast.Formula) -> Iterator[Interval]:
    """The ranges of its operators, in the order of the text."""
    return (part.rho for part in subformulas(formula) if isinstance(part, MetricFormula))


def positive(formula: ast.Formula) -> ast.Formula:
    """What holds wherever the formula does, without negations and comparisons."""
    if isinstance(formula, Naf | Comparison):
        return TOP
    parts = [positive(part) for part in formula.parts]
    if all(new is old for new, old in zip(parts, formula.parts, strict=True)):
        return formula
    if isinstance(formula, ast.And):
        kept = [part for part in parts if part != TOP]
        return kept[0] if len(kept) == 1 else ast.And(tuple(kept))
    return formula.with_parts(parts)


def negates(program: MetricProgram) -> bool:
    """Is there a negation in a body?"""
    return any(isinstance(part, Naf) for rule in program.rules for part in subformulas(rule.body))


def is_constraint(rule: ast.Implies) -> bool:
    """Is its head BOTTOM, under boxes or not?"""
    return any(is_bottom(atom) for head in rule.head for atom in atoms(head))


def formulas(program: MetricProgram) -> Iterator[ast.Formula]:
    """The heads and bodies of a program, in the order of the text."""
    for rule in program.rules:
        yield from rule.head
        yield rule.body
