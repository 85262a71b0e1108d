"""The fact of a question, from text: ``S P O`` in Turtle, or a fact of the rule language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pyoxigraph as ox

from r4.language import LANGUAGE
from r4.rdf.gates.input_limits import turtle_fault
from rete.arrays.term_columns import TOP
from rete.planning.lowering import lower
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES, Relation
from rif.errors.nearest import nearest_word, nearest_words
from rif.errors.report import RuleErrors
from rif.syntax.ast import Atom, Document, Group, Implies
from rif.syntax.clauses import clauses
from rif.syntax.iri import local_name
from rif.syntax.terms import (
    CUSTOMARY_PREFIXES,
    IRI,
    RDF_LANG_STRING,
    BlankNode,
    GroundTerm,
    Literal,
)
from rif.text.parser import parse_formula

_OF_RULES: Final = re.compile(r"[\[(#]|\bList\b")
"""What stands in facts of the rule language, strings and IRIs aside."""
_WITH_LIST: Final = re.compile(
    r"\s*([^\s\[(]+)\s+([^\s\[(]+)\s+(List\s*\(.*\))\s*\.?\s*\Z", re.DOTALL
)
"""A triple whose object is a list, as lines of answers have it."""
_TERMS: Final = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"')
_KEPT: Final = re.compile(rf"({_TERMS.pattern})")
_WORDS: Final = re.compile(rf"(?:{_TERMS.pattern}|\S)+")
_PREFIX: Final = re.compile(r"(?<![\w:_@^.-])([^\W\d_][\w.-]*|):(?=[\w/])")
"""The prefix of a prefixed name."""
_SLASHED: Final = re.compile(r"(?<![\w:.-])([\w.-]*):([\w:.-]*/[\w:./-]*)")
_ERRORS: Final = frozenset({"error", "error()", "rif:error"})
_THREE: Final = 3


class NoFact(ValueError):
    """A text that is no fact."""


def parse_fact(text: str, prefixes: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    """The fact in ``text``, its terms as canonical texts.

    Raises:
        NoFact: there is none, or several.
    """
    bare = _TERMS.sub("", text)
    if bare.strip() in _ERRORS:
        text = bare = "rif:error()"
    if "?" in bare:
        message = f"{text!r}: a fact has no variables; which facts there are says r4 run"
        raise NoFact(message)
    for found in _PREFIX.findall(bare):
        if found not in prefixes:
            raise NoFact(_undeclared(text, found, prefixes))
    text = _with_slashes(text, prefixes)
    text = _WITH_LIST.sub(r"\1[\2 -> \3]", text)
    return _of_rules(text, prefixes) if _OF_RULES.search(bare) else _triple(text, prefixes)


def _undeclared(text: str, prefix: str, prefixes: Mapping[str, str]) -> str:
    some = sorted(prefixes.items(), key=lambda pair: (pair[0] in CUSTOMARY_PREFIXES, pair[0]))
    known = ", ".join(f"{name}:" for name, _ in some)
    near = nearest_word(prefix, prefixes)
    asks = "" if near is None else f"; is it {near}:?"
    return (
        f"{text!r}: the rules declare no prefix {prefix}:{asks} They have {known}; "
        "every IRI can be written whole, <…>"
    )


def _with_slashes(text: str, prefixes: Mapping[str, str]) -> str:
    """Prefixed names with slashes, as explanations write them, as whole IRIs."""
    parts = _KEPT.split(text)
    parts[::2] = [
        _SLASHED.sub(lambda found: f"<{prefixes[found[1]]}{found[2]}>", part) for part in parts[::2]
    ]
    return "".join(parts)


def _triple(text: str, prefixes: Mapping[str, str]) -> tuple[Relation, tuple[str, ...]]:
    head = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
    statement = text.strip()
    document = f"{head}{statement}{'' if statement.endswith('.') else ' .'}\n"
    try:
        data = document.encode()
        # What would exhaust the parser is no single triple.
        found = [] if turtle_fault(data) else list(ox.parse(data, format=ox.RdfFormat.TURTLE))
    except (SyntaxError, ValueError) as error:
        words = len(_WORDS.findall(statement.removesuffix(".")))
        if words != _THREE:
            count = f"it has {words} term{'' if words == 1 else 's'}, not three"
            message = f"{text!r} is no triple S P O: {count}"
            raise NoFact(message) from None
        reason = re.sub(r"^.*? at line .*?(?:: |\Z)| \(line \d+\)$", "", str(error))
        hint = 'write a prefixed name, <IRI> or "text"'
        message = f"{text!r} is no triple S P O: {reason or error}; {hint}"
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
        formula = parse_formula(text, prefixes, name="--fact", language=LANGUAGE)
        rule = Implies((Atom(IRI("urn:r4:asked"), ()),), formula)
        document = Document(group=Group((rule,)))
        bodies = [body for clause in clauses(document) for body in lower(clause, LANGUAGE)]
    except RuleErrors as errors:
        raise NoFact(errors.report()) from None
    found = [pattern for body in bodies for pattern in body.patterns]
    more = any(body.tests or body.lets or body.negated for body in bodies)
    if more or len(found) != 1 or any(not isinstance(arg, str) for arg in found[0].args):
        message = f"{text!r} is not one fact without variables and functions"
        raise NoFact(message)
    (pattern,) = found
    return pattern.relation, tuple(arg for arg in pattern.args if isinstance(arg, str))


_MAX_TERMS: Final = 50_000
"""So many terms are compared, the oldest: those of rules and of static data come first."""
_LIKE: Final = 0.75
_SHOWN: Final = 3


def unknown_iris(terms: Dictionary, texts: Sequence[str]) -> tuple[str, ...]:
    """Which of ``texts`` are IRIs that ``terms`` does not have; call it before they are encoded."""
    return tuple(
        text for text in dict.fromkeys(texts) if text.startswith("<") and not terms.lookup(text)
    )


def suggest(terms: Dictionary, text: str) -> tuple[str, ...]:
    """IRIs whose last part is like that of ``text``."""
    parts: dict[str, list[str]] = {}
    for iri in _iris(terms):
        if iri != text:
            parts.setdefault(_part(iri), []).append(iri)
    close = nearest_words(_part(text), parts, _SHOWN, _LIKE)
    return tuple(iri for part in close for iri in parts[part])[:_SHOWN]


def _part(iri: str) -> str:
    return local_name(iri.strip("<>").rstrip("#/:")).lower()


def _iris(terms: Dictionary) -> Iterator[str]:
    for number in range(1, min(int(terms.texts.state[TOP]), _MAX_TERMS)):
        try:
            text = terms.decode(number)
        except KeyError:  # forgotten
            continue
        if text.startswith("<"):
            yield text
