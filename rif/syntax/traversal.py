"""Walks over terms and formulas: variables, renaming, what a node is made of.

Kinds of formula that RIF-Core does not have are looked up in `rif.syntax.formula_kinds`. Names of
variables are plain text here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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


VariableMap: TypeAlias = Callable[[ast.Var], ast.Term]
"""The term in place of an occurrence of a variable."""


def map_term(term: ast.Term, of: VariableMap) -> ast.Term:
    """The term with others in place of its variables."""
    match term:
        case ast.Var():
            return of(term)
        case ast.ExternalTerm():
            return replace(term, args=tuple(map_term(arg, of) for arg in term.args))
        case ast.ListTerm():
            return replace(term, items=tuple(map_term(item, of) for item in term.items))
    return term


def rename(formula: ast.Formula, names: Mapping[str, str]) -> ast.Formula:
    """The formula with other names for some free variables.

    The new names must not occur in it, so that no quantifier catches one.
    """

    def renamed(var: ast.Var) -> ast.Var:
        name = names.get(var.value.name)
        return var if name is None else replace(var, value=Variable(name))

    return map_formula(formula, renamed) if names else formula


def map_formula(formula: ast.Formula, of: VariableMap) -> ast.Formula:
    """The formula with terms in place of its free variables.

    No variable of these may be quantified in it.
    """
    if isinstance(formula, ast.And | ast.Or):
        return replace(formula, items=tuple(map_formula(item, of) for item in formula.items))
    if isinstance(formula, ast.Exists):
        own = {variable.name for variable in formula.variables}
        body = map_formula(formula.body, lambda var: var if var.value.name in own else of(var))
        return replace(formula, body=body)
    if kind := BY_NODE.get(type(formula)):
        parts = tuple(map_formula(part, of) for part in kind.parts(formula))
        return replace(kind.rebuild(formula, parts), span=formula.span, meta=formula.meta)
    return with_terms(formula, lambda term: map_term(term, of))


def with_terms(formula: ast.Formula, of: Callable[[ast.Term], ast.Term]) -> ast.Formula:
    """The formula with others in place of its own terms, not of those of its sub-formulas."""
    match formula:
        case ast.Frame():
            slots = tuple((of(key), of(value)) for key, value in formula.slots)
            return replace(formula, object=of(formula.object), slots=slots)
        case ast.Atom() | ast.External():
            return replace(formula, args=tuple(map(of, formula.args)))
        case ast.Equal():
            return replace(formula, left=of(formula.left), right=of(formula.right))
        case ast.Member():
            return replace(formula, instance=of(formula.instance), cls=of(formula.cls))
    return formula


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
