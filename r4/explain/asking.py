"""The fact that is asked about: ``S P O`` in Turtle, or a fact of the rule language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import pyoxigraph as ox

from rete.lowering import lower
from rete.plan import TRIPLES, Relation
from rif.ast import Atom, Document, Group, Implies
from rif.errors import RuleErrors
from rif.normal import clauses
from rif.parser import parse_formula
from rif.terms import IRI, RDF_LANG_STRING, BlankNode, GroundTerm, Literal

_OF_RULES: Final = re.compile(r"[\[(#]|\bList\b")
"""What stands in facts of the rule language, strings and IRIs aside."""
_TERMS: Final = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"')


class NoFact(ValueError):
    """A text that is no fact."""


def fact_of(text: str, prefixes: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    """The fact that ``text`` says, its terms as canonical texts.

    Raises:
        NoFact: it says none, or several.
    """
    bare = _TERMS.sub("", text)
    return _of_rules(text, prefixes) if _OF_RULES.search(bare) else _triple(text, prefixes)


def _triple(text: str, prefixes: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    head = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
    statement = text.strip()
    document = f"{head}{statement}{'' if statement.endswith('.') else ' .'}\n"
    try:
        found = list(ox.parse(document.encode(), format=ox.RdfFormat.TURTLE))
    except (SyntaxError, ValueError) as error:
        reason = re.sub(r"^.*? at line .*?(?:: |\Z)", "", str(error))
        message = f"{text!r} is no triple S P O: {reason or error}"
        raise NoFact(message) from None
    if len(found) != 1:
        message = f"{text!r}: one triple is asked for, not {len(found)}"
        raise NoFact(message)
    triple = found[0]
    terms = (triple.subject, triple.predicate, triple.object)
    return TRIPLES, tuple(str(_term(term)) for term in terms)


def _term(term: object) -> GroundTerm:
    match term:
        case ox.NamedNode():
            return IRI(term.value)
        case ox.BlankNode():
            return BlankNode(term.value)
        case ox.Literal() if term.language:
            return Literal(term.value, RDF_LANG_STRING, term.language.lower())
        case ox.Literal():
            return Literal(term.value, term.datatype.value)
    message = f"no term of RDF 1.1: {term}"
    raise NoFact(message)


def _of_rules(text: str, prefixes: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    try:
        formula = parse_formula(text, prefixes, name="--fact")
        rule = Implies((Atom(IRI("urn:r4:asked"), ()),), formula)
        document = Document(group=Group((rule,)))
        bodies = [body for clause in clauses(document) for body in lower(clause)]
    except RuleErrors as errors:
        raise NoFact(errors.report()) from None
    found = [pattern for body in bodies for pattern in body.patterns]
    more = any(body.tests or body.lets or body.negated for body in bodies)
    if more or len(found) != 1 or any(not isinstance(arg, str) for arg in found[0].args):
        message = f"{text!r} is not one fact without variables and functions"
        raise NoFact(message)
    (pattern,) = found
    return pattern.relation, tuple(arg for arg in pattern.args if isinstance(arg, str))
