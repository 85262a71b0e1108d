"""The rules of documents, with one head and one body each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from rif.errors.base import Span
from rif.language import Language
from rif.syntax import ast
from rif.syntax.clauses import clauses, split_conjuncts
from rif.syntax.terms import IRI, Variable
from rif.syntax.traversal import free_variables, subformulas
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    FreshNames,
    flatten,
    is_pattern,
    pattern_of,
)
from temporal.mtl.ast import Box

_HEAD: Final = IRI("urn:r4:head")


@dataclass(frozen=True, slots=True)
class ResolvedRule:
    """A head and a body of a rule.

    Attributes:
        number: that of the rule among all clauses, from 1.
        document: which of the documents it stands in, from 0.
        span: where.
        head: what it concludes.
        body: its conditions, patterns flat.
        names: the names of its free variables.
        computed: those of them that no pattern of the body has.
        boxed: whether its head stands under an operator, at other times than its body.
        language: what it is written in.
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


@dataclass(frozen=True, slots=True)
class ResolvedRules:
    """All rules, and the facts among the clauses."""

    rules: tuple[ResolvedRule, ...]
    facts: tuple[AtomPattern, ...]


def rules_of(
    documents: Sequence[ast.Document], fresh: FreshNames, language: Language
) -> ResolvedRules:
    """The rules of ``documents``, which are numbered as one sequence."""
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
                    flat = (part for literal in literals for part in flatten(literal, fresh))
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
    return ResolvedRules(tuple(found), tuple(facts))


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
