"""Constants by symbol space, checked alike in every syntax [RIF-DTB 2.1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rif.errors.base import Note, Span
from rif.errors.report import shorten
from rif.errors.syntax import BadIri, BadLexicalForm, UnknownDatatype
from rif.syntax.iri import is_absolute
from rif.syntax.terms import (
    IRI,
    RDF,
    RDF_LANG_STRING,
    RIF,
    XSD,
    XSD_STRING,
    GroundTerm,
    Literal,
    Local,
)
from rif.values.datatypes import KNOWN, OPAQUE, is_lexical

RIF_IRI: Final = RIF + "iri"
RIF_LOCAL: Final = RIF + "local"
PLAIN_LITERAL: Final = RDF + "PlainLiteral"


def constant_of(text: str, space: str, note: Note, where: Callable[[], Span]) -> GroundTerm:
    """The constant of a symbol space with this text.

    What is wrong with it is noted, at the span that ``where`` returns: BadIri, BadLexicalForm,
    UnknownDatatype (a warning where the datatype may be someone's own).
    """
    if space == RIF_LOCAL:
        return Local(text)
    if space == RIF_IRI:
        if not is_absolute(text):
            note(BadIri(f"{shorten(text)!a} is no absolute IRI", where()))
        return IRI(text)
    if space == PLAIN_LITERAL:
        return _plain_literal(text, note, where)
    if not is_lexical(text, space):
        name = "xs:" + space.removeprefix(XSD) if space.startswith(XSD) else f"<{space}>"
        note(BadLexicalForm(f"{shorten(text)!a} is no {name}", where()))
    elif space not in KNOWN:
        _unknown_space(space, note, where())
    return Literal(text, space)


def is_language(tag: str) -> bool:
    """Is ``tag`` a language tag, by its characters?"""
    return is_lexical(tag, XSD + "language")


def _plain_literal(text: str, note: Note, where: Callable[[], Span]) -> Literal:
    """``"text@lang"``: the same value as an RDF literal [rdf:PlainLiteral]."""
    content, at_sign, language = text.rpartition("@")
    if not at_sign or (language and not is_language(language)):
        message = f"{shorten(text)!a} is no rdf:PlainLiteral"
        hint = "it ends with @ and a language tag, which may be empty"
        note(BadLexicalForm(message, where(), hint))
    if language:
        return Literal(content, RDF_LANG_STRING, language.lower())
    return Literal(content, XSD_STRING)


def _unknown_space(space: str, note: Note, span: Span) -> None:
    if space.startswith((XSD, RDF, RIF)) and space not in OPAQUE:
        note(UnknownDatatype(f"there is no datatype <{shorten(space)}>", span))
    else:
        message = f"the datatype <{shorten(space)}> is not known: compared as text only"
        note(UnknownDatatype(message, span, severity="warning"))
