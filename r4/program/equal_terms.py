"""Rules where ``owl:sameAs`` is identity: atoms and ``=`` follow it as triples do [RIF-RDF-OWL 4].

The rules of OWL 2 RL repeat a triple for all terms that are the same. Atoms are not shown to them.
So a body reads the *repeated* facts of the predicate of an atom, which rules of their own derive:
those of the predicate, and with each argument all that is the same. ``s = t`` is true of values, or
if ``s`` is the same as ``t``; R4's built-in ``equal`` likewise.

Members of lists, and what built-ins see, are not repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from r4.program.errors import MembersNotSame
from rete.planning.lowering import SLOTLESS
from rete.terms.relations import Relation, repeated_op
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.lists import BUILTINS as LIST_BUILTINS
from rif.errors.base import NOWHERE
from rif.syntax import ast
from rif.syntax.terms import IRI, OWL, GroundList, GroundTerm, Variable
from rif.syntax.terms import Literal as RdfLiteral
from rif.syntax.traversal import formulas_of, rules, subterms

_SAME_AS: Final = ast.Constant(IRI(OWL + "sameAs"))
_EQUAL: Final = IRI(R4_BUILTIN + "equal")
_NOT_SAME: Final = IRI(R4_BUILTIN + "not-same-term")
_LABEL: Final = IRI("urn:r4:owl-rl#eq-rep-atom")
_LISTS: Final = frozenset(each.name for each in LIST_BUILTINS)


def follow_same_as(document: ast.Document) -> ast.Document:
    """The document whose bodies read repeated facts, and take terms that are the same for equal."""
    if document.group is None:
        return document
    return replace(document, group=_group(document.group))


def repeating_rules(documents: Sequence[ast.Document]) -> ast.Document:
    """The rules that repeat the facts that bodies of ``documents``, as they are written, read."""
    found: dict[tuple[Relation, GroundTerm | None], None] = {}
    for document in documents:
        for rule in rules(document):
            clause = rule.clause if isinstance(rule, ast.Forall) else rule
            if isinstance(clause, ast.Implies):
                found |= dict.fromkeys(filter(None, map(_key, _leaves(clause.body))))
    return ast.Document(group=ast.Group(tuple(rule for key in found for rule in _repeat(*key))))


def list_warnings(document: ast.Document) -> list[MembersNotSame]:
    """A warning at the first list in the rules of ``document``."""
    for rule in rules(document):
        for formula in formulas_of(rule):
            terms = list(formula.terms)
            while terms:
                term = terms.pop()
                terms += subterms(term)
                if _is_list(term) or (isinstance(formula, ast.External) and _is_listed(formula.op)):
                    message = "owl:sameAs is not applied to members of lists"
                    span = term.span if term.span != NOWHERE else formula.span
                    return [MembersNotSame(message, span)]
    return []


def _is_list(term: ast.Term) -> bool:
    match term:
        case ast.Constant():
            return isinstance(term.value, GroundList)
        case ast.ExternalTerm():
            return _is_listed(term.op)
    return isinstance(term, ast.ListTerm)


def _is_listed(op: IRI) -> bool:
    return op.value in _LISTS


def _group(group: ast.Group) -> ast.Group:
    items = tuple(
        _group(item) if isinstance(item, ast.Group) else _rule(item) for item in group.items
    )
    return replace(group, items=items)


def _rule(rule: ast.Rule) -> ast.Rule:
    if isinstance(rule, ast.Forall):
        clause = _clause(rule.clause)
        return rule if clause is rule.clause else replace(rule, clause=clause)
    return _clause(rule)


def _clause(clause: ast.Implies | ast.Formula) -> ast.Implies | ast.Formula:
    if isinstance(clause, ast.Implies):
        return replace(clause, body=_repeated(clause.body))
    return clause


def _leaves(formula: ast.Formula) -> Iterator[ast.Formula]:
    if formula.parts or isinstance(formula, ast.And | ast.Or):
        for part in formula.parts:
            yield from _leaves(part)
    else:
        yield formula


def _repeated(formula: ast.Formula) -> ast.Formula:
    if formula.parts or isinstance(formula, ast.And | ast.Or):
        return formula.with_parts([_repeated(part) for part in formula.parts])
    if isinstance(formula, ast.Equal) or _is_equal(formula):
        left, right = formula.terms
        if not (_may_be_same(left) and _may_be_same(right)):
            return formula
        related = ast.Frame(left, ((_SAME_AS, right),), span=formula.span)
        return ast.Or((formula, related), span=formula.span)
    key = _key(formula)
    if key is None:
        return formula
    args = formula.args if isinstance(formula, ast.Atom) else formula.terms
    return ast.Atom(IRI(repeated_op(key[0].op)), args, span=formula.span, meta=formula.meta)


def _is_equal(formula: ast.Formula) -> bool:
    """Whether it is R4's built-in ``equal`` of two terms, as readable rules have it."""
    return isinstance(formula, ast.External) and formula.op == _EQUAL


def _may_be_same(term: ast.Term) -> bool:
    """Whether ``owl:sameAs`` may relate a term to another: lists, values have no other name."""
    if isinstance(term, ast.Constant):
        return not isinstance(term.value, RdfLiteral | GroundList)
    return isinstance(term, ast.Var)


def _key(formula: ast.Formula) -> tuple[Relation, GroundTerm | None] | None:
    """What is read as repeated: its relation, and the predicate of an atom; ``o[]`` has none."""
    if isinstance(formula, ast.Frame) and not formula.slots:
        return SLOTLESS, None
    if isinstance(formula, ast.Atom) and formula.args:
        return Relation(str(formula.op), len(formula.args)), formula.op
    return None


def _repeat(relation: Relation, op: GroundTerm | None) -> Iterator[ast.Rule]:
    """The rules that derive the repeated facts of a predicate."""
    args = tuple(Variable(f"x{place}") for place in range(relation.arity))
    repeated = IRI(repeated_op(relation.op))
    other = Variable("y")
    asserted: ast.Formula
    if op is None:
        asserted = ast.Frame(ast.Var(args[0]), ())
    else:
        asserted = ast.Atom(op, tuple(map(ast.Var, args)))
    yield _forall(args, repeated, args, asserted)
    known = ast.Atom(repeated, tuple(map(ast.Var, args)))
    for place, variable in enumerate(args):
        pair = ast.Var(variable), ast.Var(other)
        body = ast.And(
            (known, ast.Frame(pair[0], ((_SAME_AS, pair[1]),)), ast.External(_NOT_SAME, pair))
        )
        head = (*args[:place], other, *args[place + 1 :])
        yield _forall((*args, other), repeated, head, body)


def _forall(
    variables: tuple[Variable, ...], op: IRI, args: tuple[Variable, ...], body: ast.Formula
) -> ast.Forall:
    head = ast.Atom(op, tuple(map(ast.Var, args)))
    return ast.Forall(variables, ast.Implies((head,), body), meta=ast.Meta(_LABEL))
