"""Value spaces: which datatypes of RIF-DTB have the value of a literal [RIF-DTB 2.3, 3].

A value is in the space of every datatype that it can be a value of, whatever datatype the literal
was written with: ``"3.0"^^xsd:decimal`` is an xsd:byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from rif.syntax.terms import RDF, RDF_LANG_STRING, XSD, XSD_STRING, Literal
from rif.values.datatypes import RANGES, canonical_literal, is_lexical

PLAIN_LITERAL: Final = RDF + "PlainLiteral"
"""The datatype of all strings, with a language or without; no literal of RDF is typed with it."""

_TAGGED: Final = frozenset([RDF_LANG_STRING, PLAIN_LITERAL])
_WIDER: Final[dict[str, str]] = {XSD + "integer": XSD + "decimal", XSD_STRING: PLAIN_LITERAL}
_EMPTY = Literal("PT0S", XSD + "dayTimeDuration")


@lru_cache(1 << 16)
def datatypes_of(literal: Literal) -> frozenset[str]:
    """The IRIs of the datatypes in whose value space the value of ``literal`` is.

    Those of RIF-DTB, and rdf:langString for a literal with a language. Empty if the literal has no
    value: its datatype is not known, or its text is none of the datatype.
    """
    if literal.language:
        return _TAGGED
    value = canonical_literal(literal)
    if value is None:
        return frozenset()
    narrower = _NARROWER.get(value.datatype)
    datatypes = {value.datatype, _WIDER.get(value.datatype, value.datatype)}
    datatypes.update(() if narrower is None else narrower(value.lexical))
    if value == _EMPTY:  # no time is no months, too
        datatypes.add(XSD + "yearMonthDuration")
    return frozenset(datatypes)


def _integers(lexical: str) -> Iterator[str]:
    value = int(lexical)
    for name, (least, most) in RANGES.items():
        if (least is None or least <= value) and (most is None or value <= most):
            yield XSD + name


def _strings(lexical: str) -> Iterator[str]:
    """The datatypes below xsd:string that have the text: each only if the one above it has."""
    waiting = ["normalizedString"]
    while waiting:
        name = waiting.pop()
        if is_lexical(lexical, XSD + name):
            yield XSD + name
            waiting += _DERIVED.get(name, ())


def _times(lexical: str) -> Iterator[str]:
    if is_lexical(lexical, XSD + "dateTimeStamp"):
        yield XSD + "dateTimeStamp"


_DERIVED: Final[dict[str, tuple[str, ...]]] = {
    "normalizedString": ("token",),
    "token": ("language", "NMTOKEN"),
    "NMTOKEN": ("Name",),
    "Name": ("NCName",),
}
"""Datatypes of strings: every Name is an NMTOKEN, too, though it does not derive from it."""
_NARROWER: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    XSD + "integer": _integers,
    XSD_STRING: _strings,
    XSD + "dateTime": _times,
}
"""By the datatype of a canonical literal, those that may have its text too."""
