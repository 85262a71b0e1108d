"""Conditions as plain patterns: substitution and unification, term by term.

A *substitution* maps names of variables to terms, which may be variables that it maps in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from rete.planning.lowering import pattern_terms
from rete.terms.relations import Relation
from rif.syntax import ast
from rif.syntax.terms import Variable
from rif.syntax.traversal import map_formula, map_term, rename, variables_of

Substitution: TypeAlias = Mapping[str, ast.Term]
APART: Final = "~"
"""The text between the name of a variable and the number that renames it apart."""


class AtomPattern(NamedTuple):
    """Facts of a relation with these arguments, each a variable or a constant."""

    relation: Relation
    args: tuple[ast.Term, ...]


def is_pattern(formula: ast.Formula) -> bool:
    """Is it an atom, a slot or a membership?"""
    return isinstance(formula, ast.Atom | ast.Frame | ast.Member)


def pattern_of(formula: ast.Formula) -> AtomPattern:
    """The pattern that an atom, a slot or a membership is."""
    return AtomPattern(*pattern_terms(formula))


def names_in(terms: Iterable[ast.Term]) -> Iterator[str]:
    """The names of the variables in some terms, in order."""
    for term in terms:
        yield from (var.value.name for var in variables_of(term))


class FreshNames:
    """Names that nothing else has."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers = count(1)

    def rename_apart(
        self, formulas: Sequence[ast.Formula], names: Iterable[str]
    ) -> list[ast.Formula]:
        """``formulas`` with new names for the variables ``names``, the same in all of them."""
        number = next(self._numbers)
        new = {name: f"{name}{APART}{number}" for name in names}
        return [rename(formula, new) for formula in formulas]

    def variable(self, stem: str) -> ast.Var:
        """A new variable."""
        return ast.Var(Variable(f"{stem}{APART}{next(self._numbers)}"))


def flatten(formula: ast.Formula, fresh: FreshNames) -> Iterator[ast.Formula]:
    """A pattern with variables in place of what is computed in it, and what they are equal to.

    Any other formula stays as it is.
    """
    if not is_pattern(formula):
        yield formula
        return
    computed: list[ast.Formula] = []

    def plain(term: ast.Term) -> ast.Term:
        if isinstance(term, ast.Constant | ast.Var):
            return term
        variable = fresh.variable("value")
        computed.append(ast.Equal(variable, term, span=formula.span))
        return variable

    yield formula.with_terms(plain)
    yield from computed


def apply_to_term(term: ast.Term, substitution: Substitution) -> ast.Term:
    """The term under a substitution."""

    def of(var: ast.Var) -> ast.Term:
        found = substitution.get(var.value.name)
        return var if found is None else map_term(found, of)

    return map_term(term, of)


def apply_to_formula(formula: ast.Formula, substitution: Substitution) -> ast.Formula:
    """The formula under a substitution."""

    def of(var: ast.Var) -> ast.Term:
        return apply_to_term(var, substitution)

    return map_formula(formula, of)


def apply_to_pattern(pattern: AtomPattern, substitution: Substitution) -> AtomPattern:
    """The pattern under a substitution."""
    return AtomPattern(
        pattern.relation, tuple(apply_to_term(arg, substitution) for arg in pattern.args)
    )


def unify(
    one: AtomPattern, other: AtomPattern, substitution: Substitution
) -> dict[str, ast.Term] | None:
    """``substitution`` extended so that both patterns are equal; None: they do not unify."""
    if one.relation != other.relation:
        return None
    found = dict(substitution)
    for left, right in zip(one.args, other.args, strict=True):
        a, b = apply_to_term(left, found), apply_to_term(right, found)
        if isinstance(b, ast.Var):
            if a != b:
                found[b.value.name] = a
        elif isinstance(a, ast.Var):
            found[a.value.name] = b
        elif text_of(a) != text_of(b):
            return None
    return found


def text_of(term: ast.Term) -> str:
    """The canonical text of a constant."""
    assert isinstance(term, ast.Constant)
    return str(term.value)
