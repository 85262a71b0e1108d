"""What RIF-Core leaves out of RIF-BLD, checked alike in every syntax [RIF-Core 2].

Heads are atoms and frames, lists are closed and ground, other negations and actions are of other
dialects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rif.errors.base import Note, Span
from rif.errors.checks import UndeclaredVariable
from rif.errors.dialect import EqualityInHead, ListNotGround, MembershipInHead, NotAHead
from rif.errors.syntax import BadAnnotation
from rif.syntax import ast
from rif.syntax.terms import GroundList, display_name
from rif.syntax.traversal import free_variables, variables_of

NEGATIONS: Final = frozenset(("Neg", "Not", "INeg", "not"))
"""Words of other dialects that negate; ``Naf`` is a kind of formula here."""

OTHER_DIALECTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Do", "Assert", "Retract", "Modify", "Execute", "New"), "RIF-PRD"),
    **dict.fromkeys(("Dialect", "Module", "Aggregate", "Truth"), "RIF-FLD"),
}
"""Words of other dialects, and the dialect."""


def check_head_members(formula: ast.Formula, note: Note) -> tuple[ast.Formula, ...]:
    """The members of a conclusion; what cannot be concluded is noted."""
    items: tuple[ast.Formula, ...] = (formula,)
    if type(formula) is ast.And:
        items = formula.items
        if formula.meta is not None:
            message = "the And of a head has no annotation; its members and the rule may have"
            note(BadAnnotation(message, formula.meta.span))
    for item in items:
        _check_head(item, note)
    return items


def check_fact(formula: ast.Formula, note: Note) -> None:
    """Note why ``formula`` cannot stand alone in a group, if so."""
    if type(formula) is ast.And:
        hint = "write the facts one by one"
        note(NotAHead("a conjunction is no fact", formula.span, hint))
    else:
        _check_head(formula, note)


def _check_head(formula: ast.Formula, note: Note) -> None:
    """Note why ``formula`` cannot be concluded, if so."""
    if formula.is_head:
        for part in formula.parts:
            _check_head(part, note)
    elif isinstance(formula, ast.Equal):
        note(EqualityInHead("an equality is concluded", formula.span))
    elif isinstance(formula, ast.Member):
        note(MembershipInHead("a membership is concluded", formula.span))
    elif isinstance(formula, ast.External):
        name = display_name(formula.op)
        note(NotAHead(f"{name} is a built-in, it cannot be concluded", formula.span))
    else:
        note(NotAHead(f"{type(formula).__name__} cannot be concluded", formula.span))


def make_list_term(items: Sequence[ast.Term], span: Span, note: Note) -> ast.Term:
    """The list of these members, a constant unless it needs evaluation; variables are noted."""
    values = [item.value for item in items if type(item) is ast.Constant and item.meta is None]
    if len(values) == len(items):
        return ast.Constant(GroundList(tuple(values)), span=span)
    for item in items:
        variable = next(variables_of(item), None)
        if variable is not None:
            note(ListNotGround(f"{variable.value} stands in a list", variable.span))
    return ast.ListTerm(tuple(items), span=span)


def declare_free_variables(rule: ast.Rule, note: Note) -> ast.Rule:
    """``rule`` with its undeclared variables declared, and a warning for each: lenient mode."""
    undeclared = list(free_variables(rule).values())
    if not undeclared:
        return rule
    for var in undeclared:
        message = f"{var.value} is not declared; it is added to the Forall"
        note(UndeclaredVariable(message, var.span, severity="warning"))
    added = tuple(var.value for var in undeclared)
    if isinstance(rule, ast.Forall):
        return replace(rule, variables=rule.variables + added)
    return ast.Forall(added, rule, span=rule.span)
