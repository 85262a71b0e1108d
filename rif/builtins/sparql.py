"""Functions of SPARQL 1.1 that RIF-DTB does not have: parts of terms, terms of parts, digests.

``str`` of ``<urn:a>`` is "urn:a", ``lang`` of "chat"@fr is "fr", ``tz`` of a dateTime is "Z" or
"-05:00". Each is that of the section of SPARQL with its name [SPARQL 17.4.2 to 17.4.6]; an error
of SPARQL is outside the domain. What SPARQL has of the machine (now, random numbers, new names) is
not here, as answers follow from data alone, nor are ``IF`` and ``COALESCE``: write a rule for each
case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.numeric import number
from rif.builtins.rdf_literals import with_language
from rif.builtins.signatures import Builtin
from rif.builtins.strings import string
from rif.syntax.iri import is_absolute
from rif.syntax.terms import (
    FUNC,
    IRI,
    PRED,
    RDF_LANG_STRING,
    BlankNode,
    GroundTerm,
    Literal,
    Local,
)
from rif.values.date_arithmetic import MomentKind, moment, zone_text
from rif.values.value_spaces import PLAIN_LITERAL

_MOMENTS: tuple[MomentKind, ...] = ("dateTime", "date", "time")
_NOT_BY_DATATYPE: Final = frozenset({RDF_LANG_STRING, PLAIN_LITERAL})
"""Datatypes whose literals have a language, too."""
_RANGE: Final = re.compile(r"\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")

# which kind of term


def _is_iri(term: GroundTerm) -> bool:
    """Is it an IRI?"""
    return isinstance(term, IRI)


def _is_blank(term: GroundTerm) -> bool:
    """Is it a blank node? A local constant of rules is one, as others see it."""
    return isinstance(term, BlankNode | Local)


def _is_numeric(term: GroundTerm) -> bool:
    """Is it a number? Not what is ill-typed."""
    return number(term) is not None


# parts of terms


def _str(term: GroundTerm) -> Literal | None:
    """The text of an IRI, or of a literal as it is written."""
    if isinstance(term, IRI):
        return Literal(term.value)
    return Literal(term.lexical) if isinstance(term, Literal) else None


def _lang(term: GroundTerm) -> Literal | None:
    """The language tag of a literal in lower case; the empty string if there is none."""
    return Literal(term.language) if isinstance(term, Literal) else None


def _datatype_of(term: GroundTerm) -> IRI | None:
    """The datatype that a literal is written with."""
    return IRI(term.datatype) if isinstance(term, Literal) else None


def _tz(term: GroundTerm) -> Literal | None:
    """The zone of a dateTime, date or time as a string: `Z`, `-05:00`, or empty without one."""
    for kind in _MOMENTS:
        value = moment(term, kind)
        if value is not None:
            return Literal(zone_text(value.zone))
    return None


# terms of parts


def _iri(term: GroundTerm) -> IRI | None:
    """The IRI with this text, which must be absolute; an IRI itself."""
    if isinstance(term, IRI):
        return term
    text = string(term)
    return None if text is None or not is_absolute(text) else IRI(text)


def _strdt(text: GroundTerm, datatype: GroundTerm) -> Literal | None:
    """The literal of a string and a datatype, ill-typed or not."""
    lexical = string(text)
    if lexical is None or not isinstance(datatype, IRI) or datatype.value in _NOT_BY_DATATYPE:
        return None
    return Literal(lexical, datatype.value)


def _strlang(text: GroundTerm, tag: GroundTerm) -> Literal | None:
    """The literal of a string and a language tag."""
    return with_language(text, tag)


# texts


def _lang_matches(tag: GroundTerm, wanted: GroundTerm) -> bool | None:
    """Is the tag the range, or does it begin with it? `*` is any tag [RFC4647 3.3.1]."""
    language, basic = string(tag), string(wanted)
    if language is None or basic is None or not _RANGE.fullmatch(basic):
        return None
    if basic == "*":
        return language != ""
    return f"{language.lower()}-".startswith(f"{basic.lower()}-")


def _digest(name: str) -> Builtin:
    def evaluate(text: GroundTerm) -> Literal | None:
        import hashlib  # noqa: PLC0415 - for those who ask for it

        characters = string(text)
        if characters is None:
            return None
        return Literal(hashlib.new(name, characters.encode(), usedforsecurity=False).hexdigest())

    evaluate.__doc__ = f"The {name.upper()} of the UTF-8 of a string, in hexadecimal digits."
    return Builtin(R4_BUILTIN + name, "function", 1, 1, evaluate)


BUILTINS: tuple[Builtin, ...] = (
    Builtin(R4_BUILTIN + "is-iri", "predicate", 1, 1, _is_iri),
    Builtin(R4_BUILTIN + "is-blank", "predicate", 1, 1, _is_blank),
    Builtin(R4_BUILTIN + "is-numeric", "predicate", 1, 1, _is_numeric),
    Builtin(R4_BUILTIN + "str", "function", 1, 1, _str),
    Builtin(R4_BUILTIN + "lang", "function", 1, 1, _lang),
    Builtin(R4_BUILTIN + "datatype-of", "function", 1, 1, _datatype_of),
    Builtin(R4_BUILTIN + "tz", "function", 1, 1, _tz),
    Builtin(R4_BUILTIN + "iri", "function", 1, 1, _iri),
    Builtin(R4_BUILTIN + "strdt", "function", 2, 2, _strdt),
    Builtin(R4_BUILTIN + "strlang", "function", 2, 2, _strlang),
    Builtin(R4_BUILTIN + "lang-matches", "predicate", 2, 2, _lang_matches),
    *map(_digest, ("md5", "sha1", "sha256", "sha384", "sha512")),
)

COUNTERPARTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "isIRI": (R4_BUILTIN + "is-iri",),
        "isURI": (R4_BUILTIN + "is-iri",),
        "isBlank": (R4_BUILTIN + "is-blank",),
        "isLiteral": (R4_BUILTIN + "is-literal",),
        "isNumeric": (R4_BUILTIN + "is-numeric",),
        "str": (R4_BUILTIN + "str",),
        "lang": (R4_BUILTIN + "lang",),
        "datatype": (R4_BUILTIN + "datatype-of",),
        "IRI": (R4_BUILTIN + "iri",),
        "URI": (R4_BUILTIN + "iri",),
        "STRDT": (R4_BUILTIN + "strdt",),
        "STRLANG": (R4_BUILTIN + "strlang",),
        "STRLEN": (FUNC + "string-length",),
        "SUBSTR": (FUNC + "substring",),
        "UCASE": (FUNC + "upper-case",),
        "LCASE": (FUNC + "lower-case",),
        "STRSTARTS": (PRED + "starts-with",),
        "STRENDS": (PRED + "ends-with",),
        "CONTAINS": (PRED + "contains",),
        "STRBEFORE": (FUNC + "substring-before",),
        "STRAFTER": (FUNC + "substring-after",),
        "ENCODE_FOR_URI": (FUNC + "encode-for-uri",),
        "CONCAT": (FUNC + "concat",),
        "langMatches": (R4_BUILTIN + "lang-matches",),
        "REGEX": (PRED + "matches",),
        "REPLACE": (FUNC + "replace",),
        "abs": (R4_BUILTIN + "abs",),
        "round": (R4_BUILTIN + "round",),
        "ceil": (R4_BUILTIN + "ceiling",),
        "floor": (R4_BUILTIN + "floor",),
        "year": (FUNC + "year-from-dateTime", FUNC + "year-from-date"),
        "month": (FUNC + "month-from-dateTime", FUNC + "month-from-date"),
        "day": (FUNC + "day-from-dateTime", FUNC + "day-from-date"),
        "hours": (FUNC + "hours-from-dateTime", FUNC + "hours-from-time"),
        "minutes": (FUNC + "minutes-from-dateTime", FUNC + "minutes-from-time"),
        "seconds": (FUNC + "seconds-from-dateTime", FUNC + "seconds-from-time"),
        "timezone": tuple(f"{FUNC}timezone-from-{kind}" for kind in _MOMENTS),
        "tz": (R4_BUILTIN + "tz",),
        **{name.upper(): (R4_BUILTIN + name,) for name in ("md5", "sha1", "sha256")},
        **{name.upper(): (R4_BUILTIN + name,) for name in ("sha384", "sha512")},
    }
)
"""Functions of SPARQL 1.1, and the built-ins that do the same of strings without a language."""
