"""Walks over terms and formulas: variables, renaming, what a node is made of.

Kinds of formula that RIF-Core does not have are looked up in `rif.syntax.formula_kinds`. Names of
variables are plain text here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from rif.syntax import ast
from rif.syntax.formula_kinds import BY_NODE
from rif.syntax.terms import GroundList, GroundTerm, Variable

Occurrences: TypeAlias = dict[str, ast.Var]
"""Names of variables and where each occurs first."""


def rules(document: ast.Document) -> Iterator[ast.Rule]:
    """Every rule and fact of the document, in its order, groups walked into."""
    stack: list[ast.Rule | ast.Group] = [document.group] if document.group else []
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Group):
            stack.extend(reversed(item.items))
        else:
            yield item


def clause_of(rule: ast.Rule) -> ast.Implies | ast.Formula:
    """The implication or fact of a rule, without its Forall."""
    return rule.clause if isinstance(rule, ast.Forall) else rule


def terms_of(formula: ast.Formula) -> tuple[ast.Term, ...]:
    """The terms of the formula itself, not of its sub-formulas, left to right."""
    match formula:
        case ast.Frame():
            return formula.object, *(term for slot in formula.slots for term in slot)
        case ast.Atom() | ast.External():
            return formula.args
        case ast.Equal():
            return formula.left, formula.right
        case ast.Member():
            return formula.instance, formula.cls
    return ()


def parts_of(formula: ast.Formula) -> tuple[ast.Formula, ...]:
    """The direct sub-formulas."""
    match formula:
        case ast.And() | ast.Or():
            return formula.items
        case ast.Exists():
            return (formula.body,)
    kind = BY_NODE.get(type(formula))
    return () if kind is None else kind.parts(formula)


def subformulas(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The formula and all formulas in it, each before its parts, left to right."""
    stack = [formula]
    while stack:
        formula = stack.pop()
        yield formula
        stack.extend(reversed(parts_of(formula)))


def formulas_of(rule: ast.Rule) -> Iterator[ast.Formula]:
    """All formulas of a rule, with those in them, heads first."""
    clause = clause_of(rule)
    whole = (*clause.head, clause.body) if isinstance(clause, ast.Implies) else (clause,)
    for formula in whole:
        yield from subformulas(formula)


def subterms(term: ast.Term) -> tuple[ast.Term, ...]:
    """The direct sub-terms."""
    if type(term) is ast.ExternalTerm:
        return term.args
    return term.items if type(term) is ast.ListTerm else ()


def variables_of(term: ast.Term) -> Iterator[ast.Var]:
    """Every occurrence of a variable in a term."""
    if type(term) is ast.Var:
        yield term
    else:
        for part in subterms(term):
            yield from variables_of(part)


def free_variables(node: ast.Rule) -> Occurrences:
    """The free variables, in the order of the text."""
    free: Occurrences = {}
    bound: frozenset[str] = frozenset()
    if isinstance(node, ast.Forall):
        bound = frozenset(variable.name for variable in node.variables)
        node = node.clause
    if isinstance(node, ast.Implies):
        for head in node.head:
            _collect(head, bound, free)
        node = node.body
    _collect(node, bound, free)
    return free


def _collect(formula: ast.Formula, bound: frozenset[str], free: Occurrences) -> None:
    if type(formula) is ast.Exists:
        bound = bound.union(variable.name for variable in formula.variables)
        _collect(formula.body, bound, free)
        return
    for term in terms_of(formula):
        if type(term) is ast.Constant:
            continue
        if type(term) is ast.Var:
            name = term.value.name
            if name not in bound and name not in free:
                free[name] = term
        else:
            for var in variables_of(term):
                if var.value.name not in bound:
                    free.setdefault(var.value.name, var)
    for part in parts_of(formula):
        _collect(part, bound, free)


def all_names(formula: ast.Formula) -> Iterator[str]:
    """Names of all variables, free, bound, or only declared."""
    if isinstance(formula, ast.Exists):
        yield from (variable.name for variable in formula.variables)
    for term in terms_of(formula):
        yield from (var.value.name for var in variables_of(term))
    for part in parts_of(formula):
        yield from all_names(part)


def ground_term(term: ast.Term) -> GroundTerm | None:
    """The ground term that a term is; None if something in it is a variable or to be computed."""
    if type(term) is ast.Constant:
        return term.value
    if type(term) is ast.ListTerm:
        values = [ground_term(item) for item in term.items]
        known = [value for value in values if value is not None]
        return GroundList(tuple(known)) if len(known) == len(values) else None
    return None


def rename_term(term: ast.Term, names: Mapping[str, str]) -> ast.Term:
    """The term with other names for some variables."""
    match term:
        case ast.Var():
            name = names.get(term.value.name)
            return term if name is None else replace(term, value=Variable(name))
        case ast.ExternalTerm():
            return replace(term, args=tuple(rename_term(arg, names) for arg in term.args))
        case ast.ListTerm():
            return replace(term, items=tuple(rename_term(item, names) for item in term.items))
    return term


def rename(formula: ast.Formula, names: Mapping[str, str]) -> ast.Formula:
    """The formula with other names for some free variables.

    The new names must not occur in it, so that no quantifier catches one.
    """
    return _rename_in(formula, names) if names else formula


def _rename_in(formula: ast.Formula, names: Mapping[str, str]) -> ast.Formula:
    renamed: ast.Formula
    match formula:
        case ast.Frame():
            slots = tuple(
                (rename_term(key, names), rename_term(value, names)) for key, value in formula.slots
            )
            renamed = replace(formula, object=rename_term(formula.object, names), slots=slots)
        case ast.Atom() | ast.External():
            renamed = replace(formula, args=tuple(rename_term(arg, names) for arg in formula.args))
        case ast.Equal():
            left, right = rename_term(formula.left, names), rename_term(formula.right, names)
            renamed = replace(formula, left=left, right=right)
        case ast.Member():
            instance, cls = rename_term(formula.instance, names), rename_term(formula.cls, names)
            renamed = replace(formula, instance=instance, cls=cls)
        case ast.And() | ast.Or():
            renamed = replace(formula, items=tuple(rename(item, names) for item in formula.items))
        case ast.Exists():
            own = {variable.name for variable in formula.variables}
            inner = {old: new for old, new in names.items() if old not in own}
            renamed = replace(formula, body=rename(formula.body, inner))
        case _:
            kind = BY_NODE[type(formula)]
            parts = tuple(rename(part, names) for part in kind.parts(formula))
            built = kind.rebuild(formula, parts)
            renamed = replace(built, span=formula.span, meta=formula.meta)
    return renamed


def outer_names(rule: ast.Rule) -> set[str]:
    """The names that a body shares with the rest of its rule."""
    names = set(free_variables(clause_of(rule)))
    if isinstance(rule, ast.Forall):
        names.update(variable.name for variable in rule.variables)
    return names


def occurrences(conjunction: Iterable[ast.Formula]) -> Occurrences:
    """The free variables of a conjunction."""
    first: Occurrences = {}
    for literal in conjunction:
        for name, var in free_variables(literal).items():
            first.setdefault(name, var)
    return first
