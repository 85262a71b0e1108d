"""The normal form of programs: no operator above another, and no half-open range.

Each rule is of one of the forms [Walega19, Definition 5 and Proposition 6]

::

    P0 :- Diamondminus rho P1        P0 :- Boxminus rho P1        P0 :- P1, ..., Pn

with atoms ``P0 … Pn`` and ranges that are closed or open on both sides; here also with the future
twins, ``P0 :- P1 Since rho P2``, and among ``P1 … Pn`` comparisons, and negations of such a body.
Predicates are added, and the facts of all others stay what they are. Linear in the size of the
program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rif.syntax import ast
from rif.syntax.negation import Naf
from temporal.intervals.interval import Interval
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BODY_DIAMOND,
    BinaryOperator,
    Box,
    Comparison,
    MetricFormula,
    MetricProgram,
    UnaryOperator,
    atom,
    variable,
)
from temporal.mtl.guards import guarded_rules
from temporal.mtl.validation import arities, bound_variables


def normalise(program: MetricProgram) -> MetricProgram:
    """A program in normal form with the same models, but for predicates that it adds."""
    normaliser = _Normaliser(frozenset(arities(program)))
    for rule in program.rules:
        for each in guarded_rules(rule):
            normaliser.rule(each)
    return MetricProgram(tuple(normaliser.rules))


def _is_even(rho: Interval) -> bool:
    return rho.left_closed == rho.right_closed


class _Normaliser:
    """Collects rules in normal form."""

    def __init__(self, names: frozenset[str]) -> None:
        self.rules: list[ast.Implies] = []
        self._names = names
        self._definitions: dict[ast.Formula, ast.Atom] = {}
        self._count = 0

    def rule(self, rule: ast.Implies) -> None:
        """Add rules that say the same as ``rule``."""
        boxes, head = traversal.unboxed(rule.head[0])
        body = rule.body
        for box in boxes:
            body = BODY_DIAMOND[type(box)](box.rho, body)
        assert isinstance(head, ast.Atom)
        self._define(head, body, traversal.names(head))

    def _define(self, head: ast.Atom, body: ast.Formula, needed: frozenset[str]) -> None:
        """Add rules that conclude ``head`` where ``body`` holds."""
        match body:
            case MetricFormula() if body.rho.is_empty:
                return
            case Box() if not _is_even(body.rho):
                self._define(head, ast.And(tuple(_split(body))), needed)
            case MetricFormula() if not _is_even(body.rho):
                for part in _split(body):
                    self._define(head, part, needed)
            case UnaryOperator():
                inner = traversal.names(body.body) if isinstance(body, Box) else needed
                self._add(head, replace(body, body=self._atom(body.body, inner)))
            case BinaryOperator():
                phi = self._atom(body.phi, traversal.names(body.phi))
                psi = self._atom(body.psi, needed | traversal.names(body.phi))
                self._add(head, replace(body, phi=phi, psi=psi))
            case _:
                self._add(head, self._conjunction(body, needed))

    def _conjunction(self, body: ast.Formula, needed: frozenset[str]) -> ast.Formula:
        items = list(traversal.conjuncts(body))
        found: list[ast.Formula] = []
        for item, others in traversal.with_others(items):
            match item:
                case Naf():
                    inner = self._conjunction(item.body, traversal.names(item))
                    found.append(replace(item, body=inner))
                case Comparison():
                    found.append(item)
                case _:
                    names = needed.union(*map(traversal.names, others))
                    found.append(self._atom(item, names))
        return found[0] if len(found) == 1 else ast.And(tuple(found))

    def _atom(self, formula: ast.Formula, needed: frozenset[str]) -> ast.Atom:
        """An atom that holds where ``formula`` does, for each value of what is needed of it."""
        if isinstance(formula, ast.Atom):
            return formula
        names = sorted(bound_variables(formula) & needed)
        key = ast.And((formula, *(atom("", variable(name)) for name in names)))
        defined = self._definitions.get(key)
        if defined is None:
            defined = self._definitions[key] = atom(self._name(), *map(variable, names))
            self._define(defined, formula, frozenset(names))
        return defined

    def _add(self, head: ast.Atom, body: ast.Formula) -> None:
        self.rules.append(ast.Implies((head,), body))

    def _name(self) -> str:
        while True:
            self._count += 1
            name = f"aux{self._count}"
            if name not in self._names:
                return name


def _split(formula: MetricFormula) -> Iterator[MetricFormula]:
    """The same operator over one end of its range, and over the rest without its ends."""
    rho = formula.rho
    end = rho.left if rho.left_closed else rho.right
    assert end is not None
    point = replace(rho, left=end, right=end, left_closed=True, right_closed=True)
    yield replace(formula, rho=point)
    yield replace(formula, rho=replace(rho, left_closed=False, right_closed=False))
