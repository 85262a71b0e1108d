"""Rules as plain patterns, with one head and one body each: substitution and unification.

A *substitution* maps names of variables to terms, which may be variables that it maps in turn. Some
patterns are expected: the stream may still bring facts of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from rete.arrays.delta import Rows
from rete.planning.lowering import pattern_terms
from rete.terms.dictionary import Dictionary, constant
from rete.terms.number_constants import number_of
from rete.terms.relations import TRIPLES, Relation
from rif.errors.base import Span
from rif.language import Language
from rif.syntax import ast
from rif.syntax.clauses import clauses, split_conjuncts
from rif.syntax.terms import IRI, PRED, Variable
from rif.syntax.traversal import (
    free_variables,
    map_formula,
    map_term,
    rename,
    subformulas,
    variables_of,
)
from temporal.hypothetical.rif_rules.arrival_chances import TYPE, UnitCondition
from temporal.mtl.ast import Box

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


def flatten(
    formula: ast.Formula, fresh: FreshNames, *, numbers_apart: bool = False
) -> Iterator[ast.Formula]:
    """A pattern with variables in place of what is computed in it, and what they are equal to.

    With ``numbers_apart`` there are variables, and tests, in place of its numbers, too, which stand
    for their values. Any other formula stays as it is.
    """
    if not is_pattern(formula):
        yield formula
        return
    computed: list[ast.Formula] = []

    def plain(term: ast.Term) -> ast.Term:
        if numbers_apart and _is_number(term):
            number = fresh.variable("number")
            computed.append(ast.External(_NUMERIC_EQUAL, (number, term), span=formula.span))
            return number
        if isinstance(term, ast.Constant | ast.Var):
            return term
        variable = fresh.variable("value")
        computed.append(ast.Equal(variable, term, span=formula.span))
        return variable

    yield formula.with_terms(plain)
    yield from computed


_NUMERIC_EQUAL: Final = IRI(PRED + "numeric-equal")


def _is_number(term: ast.Term) -> bool:
    return isinstance(term, ast.Constant) and number_of(term.value) is not None


def apply_to_term(term: ast.Term, substitution: Substitution) -> ast.Term:
    """The term under a substitution."""

    def of(var: ast.Var) -> ast.Term:
        found = substitution.get(var.value.name)
        return var if found is None else map_term(found, of)

    return map_term(term, of)


def apply_to_formula(formula: ast.Formula, substitution: Substitution) -> ast.Formula:
    """The formula under a substitution."""
    return map_formula(formula, lambda var: apply_to_term(var, substitution))


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


_HEAD: Final = IRI("urn:r4:head")


@dataclass(frozen=True, slots=True)
class ResolvedRule:
    """A head and a body of a rule.

    Attributes:
        number: the number of the rule among all clauses, from 1.
        document: the number of the document that it stands in, from 0.
        body: its conditions, patterns flat.
        names: the names of its free variables.
        computed: those of them that no pattern of the body has.
        boxed: whether its head stands under an operator, at other times than its body.
    """

    number: int
    document: int
    span: Span
    head: AtomPattern
    body: tuple[ast.Formula, ...]
    names: tuple[str, ...]
    computed: tuple[str, ...]
    boxed: bool
    language: Language

    def rename_apart(
        self, fresh: FreshNames
    ) -> tuple[AtomPattern, tuple[ast.Formula, ...], tuple[ast.Term, ...]]:
        """Its head, its body and what it computes, renamed apart from all others."""
        stand_in = ast.Atom(_HEAD, self.head.args)
        values = ast.Atom(_HEAD, tuple(ast.Var(Variable(name)) for name in self.computed))
        head, computed, *body = fresh.rename_apart([stand_in, values, *self.body], self.names)
        assert isinstance(head, ast.Atom)
        assert isinstance(computed, ast.Atom)
        return AtomPattern(self.head.relation, head.args), tuple(body), computed.args


def rules_of(
    documents: Sequence[ast.Document], fresh: FreshNames, language: Language
) -> tuple[list[ResolvedRule], list[AtomPattern]]:
    """The rules of ``documents``, which are numbered as one sequence; and the facts among them."""
    flattened = partial(flatten, fresh=fresh, numbers_apart=language.numbers_by_value)
    found: list[ResolvedRule] = []
    facts: list[AtomPattern] = []
    before = 0
    for place, document in enumerate(documents):
        own = clauses(document)
        for clause in own:
            for head, boxed in _heads(clause.head):
                pattern, *computed = flatten(head, fresh)
                if clause.is_fact and not boxed:
                    facts.append(pattern_of(pattern))
                    continue
                for literals in clause.bodies:
                    flat = (part for literal in literals for part in flattened(literal))
                    body = (*flat, *computed)
                    names = tuple(dict.fromkeys(chain(*map(free_variables, (pattern, *body)))))
                    made = pattern_of(pattern)
                    number = before + clause.number
                    matched = {name for each in body for name in _matched_names(each)}
                    values = tuple(name for name in names if name not in matched)
                    rule = ResolvedRule(
                        number, place, clause.span, made, body, names, values, boxed, language
                    )
                    found.append(rule)
        before += len(own)
    return found, facts


def _matched_names(formula: ast.Formula) -> Iterator[str]:
    """The names of the free variables that a pattern of a formula has, also under operators."""
    own = free_variables(formula)
    patterns = (each for each in subformulas(formula) if is_pattern(each))
    yield from (name for each in patterns for name in free_variables(each) if name in own)


def _heads(formulas: Iterable[ast.Formula]) -> Iterable[tuple[ast.Formula, bool]]:
    """The single heads, and whether each stands under an operator."""
    for formula in formulas:
        if isinstance(formula, Box):
            inner = (each for each, _ in _heads(formula.parts))
            yield from ((each, True) for each in inner)
        else:
            yield from ((each, False) for each in split_conjuncts(formula))


@dataclass(frozen=True, slots=True)
class ExpectedInput:
    """Which patterns are expected, and which are met by what always holds.

    Attributes:
        named: canonical texts of predicates and classes that alone are expected; None: all that
            do not occur among what always holds.
        predicates, classes: of the triples that always hold, and objects of rdf:type among them.
        atoms: the relations of facts that are no triples.
    """

    named: AbstractSet[str] | None = None
    predicates: AbstractSet[str] = frozenset()
    classes: AbstractSet[str] = frozenset()
    atoms: AbstractSet[Relation] = frozenset()

    @classmethod
    def of(
        cls,
        named: Iterable[str] | None,
        predicates: Iterable[str],
        classes: Iterable[str],
        facts: Iterable[AtomPattern],
    ) -> ExpectedInput:
        """By canonical texts of static data, the facts of the rules, and IRIs that are named."""
        known, types, atoms = set(predicates), set(classes), set[Relation]()
        for fact in facts:
            if fact.relation != TRIPLES:
                atoms.add(fact.relation)
                continue
            names = condition_of(fact).names
            known.update(names[-1:])
            types.update(names[:-1])
        wanted = None if named is None else frozenset(f"<{iri.strip('<>')}>" for iri in named)
        return cls(wanted, known, types, atoms)

    def is_named(self, pattern: AtomPattern) -> bool:
        """Do the options name it as what the stream may bring?"""
        if self.named is None or pattern.relation != TRIPLES:
            return False
        return any(name in self.named for name in condition_of(pattern).names)

    def may_come(self, pattern: AtomPattern) -> bool:
        """May the stream bring a fact of it, which no rule concludes?"""
        if self.named is not None:
            return self.is_named(pattern)
        return pattern.relation == TRIPLES and not self.occurs(pattern)

    def occurs(self, pattern: AtomPattern) -> bool:
        """Does something like it always hold?"""
        if pattern.relation != TRIPLES:
            return pattern.relation in self.atoms
        names = condition_of(pattern).names
        return bool(names) and names[0] in (self.classes if len(names) > 1 else self.predicates)


def static_vocabulary(always: Sequence[Rows], terms: Dictionary) -> tuple[list[str], list[str]]:
    """The predicates, and the classes, of triples (n, 3) that always hold: canonical texts."""
    rows = np.concatenate([np.empty((0, 3), np.int64), *always])
    classes = np.unique(rows[rows[:, 1] == constant(TYPE, terms), 2])
    return terms.decode_many(np.unique(rows[:, 1])), terms.decode_many(classes)


def condition_of(pattern: AtomPattern) -> UnitCondition:
    """The predicate and the object of a triple."""
    _, *args = pattern.args
    return UnitCondition(
        *(text_of(each) if isinstance(each, ast.Constant) else None for each in args)
    )
