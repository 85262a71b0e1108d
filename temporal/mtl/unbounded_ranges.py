"""Operators with a range to infinity, taken out of the rules: each is the one body of a rule.

``P(X) :- BoxPlus[2,inf)(Q(X), R(X))`` becomes ``F(X) :- Q(X), R(X)`` and ``P(X) :- H(X)``, which
have bounded ranges, and ``H(X) :- BoxPlus[2,inf)F(X)``: what the operator derives stands in
a relation of its own. A head under ``BoxPlus[2,inf)`` is what ``DiamondMinus[2,inf)`` of its body
derives. The least model is the same, but for the predicates that are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BODY_DIAMOND,
    MetricFormula,
    MetricProgram,
    PredicateKey,
    atom,
    variable,
)
from temporal.mtl.guards import guarded_rules
from temporal.mtl.validation import arities, bound_variables, check


@dataclass(frozen=True, slots=True)
class UnboundedSeparation:
    """A program whose unbounded operators are the one body of a rule each.

    Attributes:
        program: All its rules.
        unbounded: Those of one operator with a range to infinity, over atoms.
        heads: The predicates of their heads.
        added: All predicates that the program did not have.
    """

    program: MetricProgram
    unbounded: MetricProgram
    heads: frozenset[PredicateKey]
    added: frozenset[PredicateKey]


def separate_unbounded(program: MetricProgram) -> UnboundedSeparation | None:
    """The program with such operators apart; None: a part of it cannot stand alone as a rule.

    That is so where a Since within another operator leaves a variable unbound. The program is
    well-formed.
    """
    separator = _Separator()
    for rule in program.rules:
        for each in guarded_rules(rule):
            separator.rule(each)
    found = MetricProgram((*separator.rules, *separator.unbounded))
    if check(found):
        return None
    added = arities(found).items() - arities(program).items()
    unbounded = MetricProgram(tuple(separator.unbounded))
    heads = frozenset((name, n) for name, n in added if name in separator.operator_heads)
    return UnboundedSeparation(found, unbounded, heads, frozenset(added))


class _Separator:
    """Collects the rules of a program, and those of one unbounded operator."""

    __slots__ = ("_new_names", "operator_heads", "rules", "unbounded")

    def __init__(self) -> None:
        self.rules: list[ast.Implies] = []
        self.unbounded: list[ast.Implies] = []
        self.operator_heads: set[str] = set()
        self._new_names = (f"\0{number}" for number in count())

    def rule(self, rule: ast.Implies) -> None:
        boxes, head = traversal.unboxed(rule.head[0])
        body = self._formula(rule.body)
        bounded = [box for box in boxes if box.rho.is_bounded]
        unbounded = [box for box in boxes if not box.rho.is_bounded]
        if not unbounded:
            self.rules.append(ast.Implies(rule.head, body, span=rule.span))
            return
        inner: ast.Formula = self._new_atom(traversal.names(head))
        source = inner
        for box in reversed(bounded):
            inner = replace(box, body=inner)
        self.rules.append(ast.Implies((inner,), body))
        for box in unbounded:
            diamond = BODY_DIAMOND[type(box)](box.rho, source)
            source = self._separated(diamond, traversal.names(source))
        self.rules.append(ast.Implies((head,), source))

    def _formula(self, formula: ast.Formula) -> ast.Formula:
        """The formula, with atoms in place of operators with ranges to infinity."""
        inner = formula.with_parts([self._formula(part) for part in formula.parts])
        if not isinstance(inner, MetricFormula) or inner.rho.is_bounded:
            return inner
        operator = inner.with_parts([self._as_atom(part) for part in inner.parts])
        return self._separated(operator, frozenset().union(*map(traversal.names, operator.binding)))

    def _separated(self, formula: ast.Formula, names: Iterable[str]) -> ast.Atom:
        head = self._new_atom(names)
        self.unbounded.append(ast.Implies((head,), formula))
        self.operator_heads.add(str(getattr(head.op, "name", "")))
        return head

    def _as_atom(self, formula: ast.Formula) -> ast.Atom:
        """An atom of variables, none twice, that holds where ``formula`` does."""
        if isinstance(formula, ast.Atom):
            names = [arg.value.name for arg in formula.args if isinstance(arg, ast.Var)]
            if len(set(names)) == len(formula.args):
                return formula
        head = self._new_atom(bound_variables(formula))
        self.rules.append(ast.Implies((head,), formula))
        return head

    def _new_atom(self, names: Iterable[str]) -> ast.Atom:
        return atom(next(self._new_names), *map(variable, sorted(names)))
