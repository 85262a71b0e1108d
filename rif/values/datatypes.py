"""XSD datatypes of RIF: which texts are literals of a datatype, and which value they stand for.

A value is known by the one literal that stands for it, in canonical form. Equality of values is
identity, as RIF has it [RIF-DTB 2]: xsd:decimal and what derives from it share one space, so do
xsd:string and its kin; xsd:float, xsd:double, booleans, dates have one each. NaN is itself; 0 and
-0 of a float are two.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Final, TypeAlias
from typing import Literal as Choice

from rif.syntax.lexical import name_character, name_start
from rif.syntax.terms import RDF, RDF_LANG_STRING, XSD, GroundList, GroundTerm, Literal
from rif.values import dates
from rif.values.decimals import (
    MAX_DIGITS,
    Exact,
    canonical_double,
    canonical_exact,
    canonical_single,
    round_to_single,
    to_single,
)

NumericClass: TypeAlias = Choice["integer", "decimal", "float", "double"]
"""The four primitive kinds of number that XPath distinguishes, in the order of promotion."""

Number: TypeAlias = tuple[NumericClass, Exact | float]
"""A number and its kind; ``int`` if integer, ``float`` if float or double."""

RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    "integer": (None, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 2**8 - 1),
}
"""xsd:integer and what derives from it: least and greatest value."""

_NAME = name_character(":.-")
_STRINGS: Final = {
    "string": r"(?s:.*)",
    "normalizedString": r"[^\t\n\r]*",
    "token": r"(?:[^\t\n\r ]+(?: [^\t\n\r ]+)*)?",
    "language": r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
    "Name": rf"{name_start(':')}{_NAME}*",
    "NCName": rf"{name_start()}{name_character('.-')}*",
    "NMTOKEN": rf"{_NAME}+",
}
"""xsd:string and what derives from it: the lexical space."""

_pattern = cache(re.compile)
_INTEGER = re.compile(r"[+-]?[0-9]+\Z")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z")
_FLOAT = re.compile(r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN)\Z")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*\Z")
_BASE64 = re.compile(
    r"(?:(?:[A-Za-z0-9+/] ?){4})*"
    r"(?:(?:[A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?=|[A-Za-z0-9+/] ?[AQgw] ?= ?=)?\Z"
)
_BOOLEANS = {"true": "true", "1": "true", "false": "false", "0": "false"}


# numbers


def numeric_value(literal: Literal) -> Number | None:
    """The number that ``literal`` stands for; None if it is none, or beyond `MAX_DIGITS`."""
    read = _NUMERIC.get(literal.datatype)
    return None if read is None else read(literal.lexical)


def _integers(least: int | None, most: int | None) -> Callable[[str], Number | None]:
    def read(lexical: str) -> Number | None:
        if len(lexical) > MAX_DIGITS or not _INTEGER.match(lexical):
            return None
        value = int(lexical)
        if (least is not None and value < least) or (most is not None and value > most):
            return None
        return "integer", value

    return read


def _decimal(lexical: str) -> Number | None:
    if len(lexical) > MAX_DIGITS or not _DECIMAL.match(lexical):
        return None
    return "decimal", Decimal(lexical)


def _double(lexical: str) -> Number | None:
    if len(lexical) > MAX_DIGITS or not _FLOAT.match(lexical):
        return None
    return "double", float(lexical)


def _single(lexical: str) -> Number | None:
    if len(lexical) > MAX_DIGITS or not _FLOAT.match(lexical):
        return None
    value = float(lexical)
    if math.isinf(value) or math.isnan(value) or round_to_single(value) == value:
        return "float", round_to_single(value)
    return "float", to_single(Decimal(lexical)) if value else value


_NUMERIC: Final[dict[str, Callable[[str], Number | None]]] = {
    XSD + "decimal": _decimal,
    XSD + "double": _double,
    XSD + "float": _single,
    **{XSD + name: _integers(*bounds) for name, bounds in RANGES.items()},
}


def literal_of(kind: NumericClass, value: Exact | float) -> Literal:
    """The literal of a computed number, in the canonical form of its type [XSD 1.1]."""
    if isinstance(value, float):
        text = canonical_double(value) if kind == "double" else canonical_single(value)
        return Literal(text, XSD + kind)
    return Literal(canonical_exact(value), XSD + kind)


# all values


def canonical_literal(literal: Literal) -> Literal | None:
    """The literal that stands for all of the same value; None if it has no value that is known.

    XSD 1.1 has a canonical form per datatype; where datatypes share a value space it is that of
    one of them: a whole number is an xsd:integer, a string an xsd:string, a dateTimeStamp a
    dateTime, an empty duration a dayTimeDuration. An rdf:XMLLiteral has its canonical XML
    [RDF11, 5.3]. Linear in the text.
    """
    if literal.language:
        return literal
    form = _FORMS.get(literal.datatype)
    return None if form is None else form(literal.lexical)


def value_of(term: GroundTerm) -> GroundTerm:
    """The term that stands for all of the same value: two are equal in RIF iff these are.

    Anything that is no literal of a known datatype, or is outside its lexical space, stands for
    itself.
    """
    if isinstance(term, Literal):
        return canonical_literal(term) or term
    if isinstance(term, GroundList):
        return GroundList(tuple(map(value_of, term.items)))
    return term


def same_value(left: GroundTerm, right: GroundTerm) -> bool:
    """``left = right`` as RIF has it: the same value, or the same term."""
    return left == right or value_of(left) == value_of(right)


def is_lexical(lexical: str, datatype: str) -> bool:
    """Is the text in the lexical space of the datatype? True of any text if it is not known."""
    form = _FORMS.get(datatype)
    return form is None or form(lexical) is not None


Form: TypeAlias = Callable[[str], Literal | None]


def _numeric_form(read: Callable[[str], Number | None]) -> Form:
    def form(lexical: str) -> Literal | None:
        number = read(lexical)
        if number is None:
            return None
        kind, value = number
        if isinstance(value, Decimal) and value == value.to_integral_value():
            kind = "integer"
        return literal_of(kind, value)

    return form


def _string_form(pattern: str) -> Form:
    return lambda lexical: Literal(lexical) if _pattern(pattern).fullmatch(lexical) else None


def _form(datatype: str, change: Callable[[str], str | None]) -> Form:
    def form(lexical: str) -> Literal | None:
        text = change(lexical)
        return None if text is None else Literal(text, datatype)

    return form


def _boolean(lexical: str) -> str | None:
    return _BOOLEANS.get(lexical)


def _any_uri(lexical: str) -> str:
    return lexical


def _xml(lexical: str) -> str | None:
    from rif.values.canonical_xml import canonical_fragment  # noqa: PLC0415 - few graphs have XML

    return canonical_fragment(lexical)


def _hex(lexical: str) -> str | None:
    return lexical.upper() if _HEX.match(lexical) else None


def _base64(lexical: str) -> str | None:
    return lexical.replace(" ", "") if _BASE64.match(lexical) else None


def _year_month(lexical: str) -> Literal | None:
    text = dates.year_month_duration(lexical)
    if text == "P0M":
        return Literal("PT0S", XSD + "dayTimeDuration")
    return None if text is None else Literal(text, XSD + "yearMonthDuration")


_FORMS: Final[dict[str, Form]] = {
    **{datatype: _numeric_form(read) for datatype, read in _NUMERIC.items()},
    **{XSD + name: _string_form(pattern) for name, pattern in _STRINGS.items()},
    **{XSD + name: _form(XSD + name, form) for name, form in dates.FORMS.items()},
    XSD + "dateTimeStamp": _form(XSD + "dateTime", dates.date_time_stamp),
    XSD + "yearMonthDuration": _year_month,
    XSD + "boolean": _form(XSD + "boolean", _boolean),
    XSD + "anyURI": _form(XSD + "anyURI", _any_uri),
    XSD + "hexBinary": _form(XSD + "hexBinary", _hex),
    XSD + "base64Binary": _form(XSD + "base64Binary", _base64),
    RDF + "XMLLiteral": _form(RDF + "XMLLiteral", _xml),
}

KNOWN: Final = frozenset(_FORMS)
"""The datatypes of RIF-DTB, but for rdf:PlainLiteral, whose constants become RDF literals."""

OPAQUE: Final = frozenset(
    [XSD + name for name in ("duration", "gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")]
    + [RDF + "HTML", RDF + "JSON", RDF_LANG_STRING]
)
"""Datatypes of RDF that RIF-DTB does not have: their literals stand for themselves."""
