"""The rules of a document in the form that a compiler takes.

Heads are split into atoms and frames, bodies into disjuncts, frames into single slots; Exists are
gone, their variables renamed apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rif.errors.base import Span
from rif.errors.checks import TooManyDisjuncts
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.terms import IRI
from rif.syntax.traversal import clause_of, ground_term, outer_names, rules


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule or a fact.

    Attributes:
        number: Its place from 1 among the rules and facts of the document, groups walked into.
        iri: The IRI of its annotation.
        head: What it concludes: each an `Atom`, a `Frame` of one slot (or of none, which is a
            statement by itself, and no triple), or a kind of formula that RIF-Core does not have.
        bodies: The disjuncts of its body, each a conjunction of literals in the order of the
            text: `Atom`, `Frame` as in heads, `Member`, `Equal`, `External`, or a kind that
            RIF-Core does not have, as it is. A fact has one, which is empty and so always true; a
            body that is never true, ``Or()``, has none.
        is_fact: It has no body in the text.
        span: Where it stands.
    """

    number: int
    iri: str | None
    head: tuple[ast.Formula, ...]
    bodies: tuple[tuple[ast.Formula, ...], ...]
    is_fact: bool
    span: Span


def merge(documents: Sequence[ast.Document]) -> ast.Document:
    """One document of all groups, in the order in which their rules are numbered."""
    groups = tuple(each.group for each in documents if each.group is not None)
    return replace(documents[0], group=ast.Group(groups))


def clauses(document: ast.Document) -> tuple[Clause, ...]:
    """The clauses of a document, in its order.

    Raises:
        RuleErrors: a disjunctive normal form is out of bounds.
    """
    result: list[Clause] = []
    faults: list[TooManyDisjuncts] = []
    for number, rule in enumerate(rules(document), 1):
        try:
            result.append(_clause(rule, number))
        except TooManyDisjuncts as fault:
            faults.append(fault)
    if faults:
        raise RuleErrors(faults)
    return tuple(result)


def _clause(rule: ast.Rule, number: int) -> Clause:
    """One rule or fact in normal form; raises `TooManyDisjuncts` if its body is out of bounds."""
    inner = clause_of(rule)
    if isinstance(inner, ast.Implies):
        conjunctions = DisjunctiveNormalForm(inner.body, outer_names(rule)).conjunctions
        bodies = tuple(
            tuple(part for literal in conjunction for part in split_conjuncts(literal))
            for conjunction in conjunctions
        )
        head = inner.head
    else:
        head, bodies = (inner,), ((),)
    conclusions = tuple(part for item in head for part in split_conjuncts(item))
    is_fact = not isinstance(inner, ast.Implies)
    return Clause(number, _iri(rule, inner), conclusions, bodies, is_fact, rule.span)


def _iri(rule: ast.Rule, inner: ast.Implies | ast.Formula) -> str | None:
    """The identifier of a rule: of its Forall, else of what the Forall holds."""
    for node in (rule, inner):
        if node.meta is not None and isinstance(node.meta.iri, IRI):
            return node.meta.iri.value
    return None


def split_conjuncts(formula: ast.Formula) -> Iterator[ast.Formula]:
    """A literal or a head split: a frame of k slots is k frames, an And its members.

    Lists that are ground become constants.
    """
    match formula:
        case ast.And():
            for item in formula.items:
                yield from split_conjuncts(item)
        case ast.Frame(slots=slots) if len(slots) > 1:
            target = _fold_ground_list(formula.object)
            for key, value in slots:
                slot = (_fold_ground_list(key), _fold_ground_list(value))
                yield ast.Frame(target, (slot,), span=formula.span)
        case ast.Frame() if _has_list(formula):
            slots = tuple(
                (_fold_ground_list(key), _fold_ground_list(value)) for key, value in formula.slots
            )
            yield replace(formula, object=_fold_ground_list(formula.object), slots=slots)
        case ast.Atom() | ast.External() if _has_list(formula):
            yield replace(formula, args=tuple(map(_fold_ground_list, formula.args)))
        case ast.Equal() if _has_list(formula):
            yield replace(
                formula,
                left=_fold_ground_list(formula.left),
                right=_fold_ground_list(formula.right),
            )
        case ast.Member() if _has_list(formula):
            yield replace(
                formula,
                instance=_fold_ground_list(formula.instance),
                cls=_fold_ground_list(formula.cls),
            )
        case _:
            yield formula


def _has_list(formula: ast.Formula) -> bool:
    return any(type(term) is ast.ListTerm for term in formula.terms)


def _fold_ground_list(term: ast.Term) -> ast.Term:
    """The term, as a constant if it is ground."""
    if type(term) is ast.ListTerm:
        value = ground_term(term)
        if value is not None:
            return ast.Constant(value, span=term.span)
    return term
