"""Operators with a range to infinity, taken out of the rules: each is the one body of a rule.

``P(X) :- BoxPlus[2,inf)(Q(X), R(X))`` becomes ``F(X) :- Q(X), R(X)`` and ``P(X) :- H(X)``, which
have bounded ranges, and ``H(X) :- BoxPlus[2,inf)F(X)``: what the operator gives stands in a
relation of its own. A head under ``BoxPlus[2,inf)`` is what ``DiamondMinus[2,inf)`` of its body
gives. The least model is the same, but for the predicates that are added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count

from rif.syntax import ast
from temporal.mtl import traversal
from temporal.mtl.ast import (
    BODY_DIAMOND,
    BinaryOperator,
    BoxMinus,
    BoxPlus,
    MetricProgram,
    PredicateKey,
    UnaryOperator,
    atom,
    variable,
)
from temporal.mtl.guards import add_guards
from temporal.mtl.validation import arities, bound_variables, check


@dataclass(frozen=True, slots=True)
class UnboundedSeparation:
    """A program, and what was added to it.

    Attributes:
        program: All its rules.
        unbounded: Those of one operator with a range to infinity, over atoms.
        gives: The predicates of their heads.
        added: All predicates that the program did not have.
    """

    program: MetricProgram
    unbounded: MetricProgram
    gives: frozenset[PredicateKey]
    added: frozenset[PredicateKey]


def separate_unbounded(program: MetricProgram) -> UnboundedSeparation | None:
    """The program with such operators apart; None: a part of it cannot stand alone as a rule.

    That is so where a Since within another operator leaves a variable unbound. The program is
    well-formed.
    """
    separator = _Separator()
    for rule in program.rules:
        separator.rule(add_guards(rule))
    found = MetricProgram((*separator.rules, *separator.unbounded))
    if check(found):
        return None
    added = arities(found).items() - arities(program).items()
    unbounded = MetricProgram(tuple(separator.unbounded))
    gives = frozenset((name, n) for name, n in added if name in separator.names)
    return UnboundedSeparation(found, unbounded, gives, frozenset(added))


class _Separator:
    """The rules so far."""

    __slots__ = ("_fresh", "names", "rules", "unbounded")

    def __init__(self) -> None:
        self.rules: list[ast.Implies] = []
        self.unbounded: list[ast.Implies] = []
        self.names: set[str] = set()
        self._fresh = (f"\0{number}" for number in count())

    def rule(self, rule: ast.Implies) -> None:
        (head,) = rule.head
        body = self._formula(rule.body)
        bounded: list[BoxMinus | BoxPlus] = []
        endless: list[BoxMinus | BoxPlus] = []
        while isinstance(head, BoxMinus | BoxPlus):
            (bounded if head.rho.is_bounded else endless).append(head)
            head = head.body
        if not endless:
            self.rules.append(ast.Implies(rule.head, body, span=rule.span))
            return
        inner: ast.Formula = self._atom(traversal.names(head))
        source = inner
        for box in reversed(bounded):
            inner = replace(box, body=inner)
        self.rules.append(ast.Implies((inner,), body))
        for box in endless:
            diamond = BODY_DIAMOND[type(box)](box.rho, source)
            source = self._given(diamond, traversal.names(source))
        self.rules.append(ast.Implies((head,), source))

    def _formula(self, formula: ast.Formula) -> ast.Formula:
        """The formula, with atoms for what reaches to infinity."""
        match formula:
            case ast.And():
                return replace(formula, items=tuple(map(self._formula, formula.items)))
            case UnaryOperator():
                body = self._formula(formula.body)
                if formula.rho.is_bounded:
                    return replace(formula, body=body)
                body = self._plain(body)
                return self._given(replace(formula, body=body), traversal.names(body))
            case BinaryOperator():
                phi, psi = self._formula(formula.phi), self._formula(formula.psi)
                if formula.rho.is_bounded:
                    return replace(formula, phi=phi, psi=psi)
                phi, psi = self._plain(phi), self._plain(psi)
                of_phi = traversal.names(phi) if 0 not in formula.rho else frozenset()
                taken = replace(formula, phi=phi, psi=psi)
                return self._given(taken, traversal.names(psi) | of_phi)
        return formula

    def _given(self, formula: ast.Formula, names: Iterable[str]) -> ast.Atom:
        head = self._atom(names)
        self.unbounded.append(ast.Implies((head,), formula))
        self.names.add(str(getattr(head.op, "name", "")))
        return head

    def _plain(self, formula: ast.Formula) -> ast.Atom:
        """An atom of variables, none twice, that says the same."""
        if isinstance(formula, ast.Atom):
            of = [arg.value.name for arg in formula.args if isinstance(arg, ast.Var)]
            if len(set(of)) == len(formula.args):
                return formula
        head = self._atom(bound_variables(formula))
        self.rules.append(ast.Implies((head,), formula))
        return head

    def _atom(self, names: Iterable[str]) -> ast.Atom:
        return atom(next(self._fresh), *map(variable, sorted(names)))
