"""Walks over terms and formulas: variables, renaming, what a node is made of.

What a formula is made of, it says itself (`rif.syntax.ast.Formula`). Names of variables are plain
text here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import TypeAlias

from rif.syntax import ast
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


def subformulas(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The formula and all formulas in it, each before its parts, left to right."""
    stack = [formula]
    while stack:
        formula = stack.pop()
        yield formula
        stack.extend(reversed(formula.parts))


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
    for term in formula.terms:
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
    if local := formula.local:
        bound = bound.union(variable.name for variable in local)
    for part in formula.parts:
        _collect(part, bound, free)


def all_names(formula: ast.Formula) -> Iterator[str]:
    """Names of all variables, free, bound, or only declared."""
    yield from (variable.name for variable in formula.local)
    for term in formula.terms:
        yield from (var.value.name for var in variables_of(term))
    for part in formula.parts:
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


def distinct_names(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names ``wanted``, none twice and none that is ``taken``: a clash adds 2, 3 …."""
    known, found = {*taken}, list[str]()
    for name in wanted:
        numbered = (f"{name}{number}" for number in count(2))
        found.append(next(each for each in chain((name,), numbered) if each not in known))
        known.add(found[-1])
    return found


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
    mapped = formula.with_terms(lambda term: map_term(term, of))
    if not (parts := formula.parts):
        return mapped
    inner = of
    if own := {variable.name for variable in formula.local}:

        def inner(var: ast.Var) -> ast.Term:
            return var if var.value.name in own else of(var)

    return mapped.with_parts([map_formula(part, inner) for part in parts])


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
