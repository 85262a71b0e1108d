"""Functions of rdf:PlainLiteral, and comparison of rdf:XMLLiteral [RIF-DTB 4.9, 4.10].

A plain literal is a string, with or without a language tag. A value with a tag is a literal with a
language, whose tag is in lower case; one without is the xsd:string. So the domain is the strings,
whatever datatype they were written with, and the literals with a language.

Two XML literals are the same value if their canonical texts are, by Exclusive XML Canonicalization
with comments: see `rif.values.canonical_xml`. The domain is the literals that are well-formed.
"""

from __future__ import annotations

from rif.builtins.signatures import Builtin
from rif.builtins.strings import string
from rif.syntax.terms import FUNC, PRED, RDF, RDF_LANG_STRING, XSD, GroundTerm, Literal
from rif.values.datatypes import canonical_literal, is_lexical, literal_of


def _plain(term: GroundTerm) -> tuple[str, str] | None:
    """The characters and the language tag, ``""`` if none, of a plain literal; else None."""
    if isinstance(term, Literal) and term.language:
        return term.lexical, term.language
    characters = string(term)
    return None if characters is None else (characters, "")


def with_language(text: GroundTerm, tag: GroundTerm) -> Literal | None:
    """A string in a language; the empty string is no language tag."""
    characters, language = string(text), string(tag)
    if characters is None or language is None or not is_lexical(language, XSD + "language"):
        return None
    return Literal(characters, RDF_LANG_STRING, language.lower())


def _string(term: GroundTerm) -> Literal | None:
    """The characters, as an xsd:string."""
    value = _plain(term)
    return None if value is None else Literal(value[0])


def _language(term: GroundTerm) -> Literal | None:
    """The language tag, in lower case; the empty string if there is none."""
    value = _plain(term)
    return None if value is None else Literal(value[1])


def _compare(left: GroundTerm, right: GroundTerm) -> Literal | None:
    """-1, 0 or 1 by code points; two languages, or one and none, are outside the domain."""
    one, two = _plain(left), _plain(right)
    if one is None or two is None or one[1] != two[1]:
        return None
    return literal_of("integer", (one > two) - (one < two))


def _length(term: GroundTerm) -> Literal | None:
    """The number of characters; those of the tag do not count."""
    value = _plain(term)
    return None if value is None else literal_of("integer", len(value[0]))


_PLAIN_LITERAL: tuple[Builtin, ...] = (
    Builtin(FUNC + "PlainLiteral-from-string-lang", "function", 2, 2, with_language),
    Builtin(FUNC + "string-from-PlainLiteral", "function", 1, 1, _string),
    Builtin(FUNC + "lang-from-PlainLiteral", "function", 1, 1, _language),
    Builtin(FUNC + "PlainLiteral-compare", "function", 2, 2, _compare),
    Builtin(FUNC + "PlainLiteral-length", "function", 1, 1, _length),
)


def _fragment(term: GroundTerm) -> str | None:
    """The canonical text of an rdf:XMLLiteral; None of any other term."""
    if not isinstance(term, Literal) or term.datatype != RDF + "XMLLiteral":
        return None
    value = canonical_literal(term)
    return None if value is None else value.lexical


def _equal(left: GroundTerm, right: GroundTerm) -> bool | None:
    """Are two rdf:XMLLiterals the same value?"""
    one, two = _fragment(left), _fragment(right)
    return None if one is None or two is None else one == two


def _not_equal(left: GroundTerm, right: GroundTerm) -> bool | None:
    """Are they two values?"""
    one, two = _fragment(left), _fragment(right)
    return None if one is None or two is None else one != two


_XML_LITERAL: tuple[Builtin, ...] = (
    Builtin(PRED + "XMLLiteral-equal", "predicate", 2, 2, _equal),
    Builtin(PRED + "XMLLiteral-not-equal", "predicate", 2, 2, _not_equal),
)

BUILTINS: tuple[Builtin, ...] = (*_PLAIN_LITERAL, *_XML_LITERAL)
