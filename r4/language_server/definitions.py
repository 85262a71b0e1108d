"""The heads of the rules and facts that conclude a predicate."""

from __future__ import annotations

from collections.abc import Iterator

from r4.language_server.rule_text import RuleText, read_text
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.terms import IRI, RDF, GroundTerm, Local
from rif.syntax.traversal import clause_of, rules, subformulas

_TYPE = IRI(RDF + "type")


def definitions(text: str, offset: int) -> list[Span]:
    """The heads with the predicate, key of a slot or class at ``offset``, in the text's order."""
    given = read_text(text)
    token = None if given.is_comment(offset) else given.token_at(offset)
    name = None if token is None else _name(given, token)
    if name is None:
        return []
    heads = (head for rule in rules(given.document) for head in _heads(rule))
    return [head.span for head in heads if name in _names(head)]


def _name(given: RuleText, token: int) -> GroundTerm | None:
    if given.tokens.kinds[token] == "local":
        return Local(given.tokens.values[token][1:])
    iri = given.iri(token)
    return None if iri is None else IRI(iri)


def _heads(rule: ast.Rule) -> Iterator[ast.Formula]:
    """What a rule concludes, inside of operators of metric time too."""
    clause = clause_of(rule)
    for head in clause.head if isinstance(clause, ast.Implies) else (clause,):
        yield from subformulas(head)


def _names(head: ast.Formula) -> Iterator[GroundTerm]:
    """The predicate of an atom, the keys of a frame, and the class that either gives."""
    match head:
        case ast.Atom():
            yield head.op
        case ast.Member(cls=ast.Constant(value=name)):
            yield name
        case ast.Frame():
            for key, value in head.slots:
                if isinstance(key, ast.Constant):
                    yield key.value
                    if key.value == _TYPE and isinstance(value, ast.Constant):
                        yield value.value
