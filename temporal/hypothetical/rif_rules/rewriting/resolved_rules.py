"""The rules of documents, with one head and one body each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from rete.planning.lowering import BOXES
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.clauses import clauses, split_conjuncts
from rif.syntax.terms import IRI
from rif.syntax.traversal import free_variables, parts_of
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    AtomPattern,
    FreshNames,
    flatten,
    pattern_of,
)

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
        boxed: whether its head stands under an operator, at other times than its body.
    """

    number: int
    document: int
    span: Span
    head: AtomPattern
    body: tuple[ast.Formula, ...]
    names: tuple[str, ...]
    boxed: bool

    def rename_apart(self, fresh: FreshNames) -> tuple[AtomPattern, tuple[ast.Formula, ...]]:
        """Its head and body, renamed apart from all others."""
        stand_in = ast.Atom(_HEAD, self.head.args)
        head, *body = fresh.rename_apart([stand_in, *self.body], self.names)
        assert isinstance(head, ast.Atom)
        return AtomPattern(self.head.relation, head.args), tuple(body)


@dataclass(frozen=True, slots=True)
class ResolvedRules:
    """All rules, and the facts among the clauses."""

    rules: tuple[ResolvedRule, ...]
    facts: tuple[AtomPattern, ...]


def rules_of(documents: Sequence[ast.Document], fresh: FreshNames) -> ResolvedRules:
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
                    found.append(ResolvedRule(number, place, clause.span, made, body, names, boxed))
        before += len(own)
    return ResolvedRules(tuple(found), tuple(facts))


def _heads(formulas: Iterable[ast.Formula]) -> Iterable[tuple[ast.Formula, bool]]:
    """The single heads, and whether each stands under an operator."""
    for formula in formulas:
        if type(formula) in BOXES:
            inner = (each for each, _ in _heads(parts_of(formula)))
            yield from ((each, True) for each in inner)
        else:
            yield from ((each, False) for each in split_conjuncts(formula))
