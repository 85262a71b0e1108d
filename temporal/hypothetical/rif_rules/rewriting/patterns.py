"""Conditions as plain patterns: substitution and unification, term by term.

A *substitution* maps names of variables to terms, which may be variables that it maps in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, NamedTuple, TypeAlias

from rete.planning.lowering import SLOTLESS
from rete.terms.relations import TRIPLES, Relation
from rif.syntax import ast
from rif.syntax.terms import IRI, RDF_TYPE, Variable
from rif.syntax.traversal import rename, variables_of

Substitution: TypeAlias = Mapping[str, ast.Term]
TYPE: Final = ast.Constant(IRI(RDF_TYPE))
APART: Final = "~"
"""What stands between the name of a variable and the number that renames it apart."""


class AtomPattern(NamedTuple):
    """Facts of a relation with these arguments, each a variable or a constant."""

    relation: Relation
    args: tuple[ast.Term, ...]


def is_pattern(formula: ast.Formula) -> bool:
    """Is it an atom, a slot or a membership?"""
    return isinstance(formula, ast.Atom | ast.Frame | ast.Member)


def pattern_of(formula: ast.Formula) -> AtomPattern:
    """The pattern that an atom, a slot or a membership is."""
    match formula:
        case ast.Atom():
            return AtomPattern(Relation(str(formula.op), len(formula.args)), formula.args)
        case ast.Frame(slots=()):
            return AtomPattern(SLOTLESS, (formula.object,))
        case ast.Frame(slots=((key, value),)):
            return AtomPattern(TRIPLES, (formula.object, key, value))
        case ast.Member():
            return AtomPattern(TRIPLES, (formula.instance, TYPE, formula.cls))
    message = f"no pattern: {formula!r}"
    raise TypeError(message)


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
    """A pattern with variables in place of what is computed in it, and what they are equal to."""
    computed: list[ast.Formula] = []

    def plain(term: ast.Term) -> ast.Term:
        if isinstance(term, ast.Constant | ast.Var):
            return term
        variable = fresh.variable("value")
        computed.append(ast.Equal(variable, term, span=formula.span))
        return variable

    match formula:
        case ast.Atom():
            yield replace(formula, args=tuple(map(plain, formula.args)))
        case ast.Frame():
            slots = tuple((plain(key), plain(value)) for key, value in formula.slots)
            yield replace(formula, object=plain(formula.object), slots=slots)
        case ast.Member():
            yield replace(formula, instance=plain(formula.instance), cls=plain(formula.cls))
        case _:
            yield formula
    yield from computed


def apply_to_term(term: ast.Term, substitution: Substitution) -> ast.Term:
    """What a term is under a substitution."""
    match term:
        case ast.Var():
            found = substitution.get(term.value.name)
            return term if found is None else apply_to_term(found, substitution)
        case ast.ExternalTerm():
            return replace(term, args=tuple(apply_to_term(arg, substitution) for arg in term.args))
        case ast.ListTerm():
            return replace(
                term, items=tuple(apply_to_term(item, substitution) for item in term.items)
            )
    return term


def apply_to_formula(formula: ast.Formula, substitution: Substitution) -> ast.Formula:
    """What a pattern or a test is under a substitution."""
    match formula:
        case ast.Atom() | ast.External():
            return replace(
                formula, args=tuple(apply_to_term(arg, substitution) for arg in formula.args)
            )
        case ast.Frame():
            slots = tuple(
                (apply_to_term(k, substitution), apply_to_term(v, substitution))
                for k, v in formula.slots
            )
            return replace(formula, object=apply_to_term(formula.object, substitution), slots=slots)
        case ast.Member():
            instance, cls = (
                apply_to_term(formula.instance, substitution),
                apply_to_term(formula.cls, substitution),
            )
            return replace(formula, instance=instance, cls=cls)
        case ast.Equal():
            left, right = (
                apply_to_term(formula.left, substitution),
                apply_to_term(formula.right, substitution),
            )
            return replace(formula, left=left, right=right)
    message = f"nothing to substitute in: {formula!r}"
    raise TypeError(message)


def apply_to_pattern(pattern: AtomPattern, substitution: Substitution) -> AtomPattern:
    """What a pattern is under a substitution."""
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
