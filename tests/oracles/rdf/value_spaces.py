"""Which datatypes have the value of a literal: for the few kinds of literals in random graphs.

Literals are in canonical form here, so that two with one value are one.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rif.syntax.terms import RDF, RDF_LANG_STRING, XSD, XSD_STRING, Literal

PLAIN_LITERAL = RDF + "PlainLiteral"

_WIDE = 10**30
_WHOLE: dict[str, tuple[int, int]] = {
    "integer": (-_WIDE, _WIDE),
    "nonNegativeInteger": (0, _WIDE),
    "nonPositiveInteger": (-_WIDE, 0),
    "positiveInteger": (1, _WIDE),
    "negativeInteger": (-_WIDE, -1),
    **{
        name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        for name, bits in (("long", 64), ("int", 32), ("short", 16), ("byte", 8))
    },
    **{
        name: (0, 2**bits - 1)
        for name, bits in (
            ("unsignedLong", 64),
            ("unsignedInt", 32),
            ("unsignedShort", 16),
            ("unsignedByte", 8),
        )
    },
}
_TEXT = {
    "string": r".*",
    "normalizedString": r"[^\t\r\n]*",
    "token": r"(\S+( \S+)*)?",
    "language": r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
    "Name": r"[a-zA-Z_:][-a-zA-Z0-9._:]*",
    "NCName": r"[a-zA-Z_][-a-zA-Z0-9._]*",
    "NMTOKEN": r"[-a-zA-Z0-9._:]+",
}
_OTHERS = "decimal float double boolean hexBinary base64Binary anyURI dateTime dateTimeStamp"
OWL_RL = frozenset(
    [PLAIN_LITERAL, RDF + "XMLLiteral"]
    + [XSD + name for name in (*_WHOLE, *_TEXT, *_OTHERS.split())]
)
"""The datatypes of OWL 2 RL [OWL 2 Profiles, 4.2], but for rdfs:Literal, which has all values."""


SAMPLES = [
    *(Literal(str(whole), XSD + "integer") for whole in (-(10**20), -(10**10), -1, 0, 1, 10**10)),
    Literal("0.5", XSD + "decimal"),
    *(Literal(text) for text in ("a", " a", "a\n", "1-")),
    Literal("a", RDF_LANG_STRING, "en"),
    Literal("true", XSD + "boolean"),
]
"""Values such that datatypes which share one share one of these."""


def spaces(literal: Literal) -> set[str]:
    """The datatypes that have the value; empty if it has none, or none that is known."""
    text = literal.lexical
    if literal.language:
        return {RDF_LANG_STRING, PLAIN_LITERAL}
    if literal.datatype == XSD_STRING:
        kin = {XSD + name for name, form in _TEXT.items() if re.fullmatch(form, text, re.ASCII)}
        return kin | {PLAIN_LITERAL}
    if literal.datatype == XSD + "decimal" and re.fullmatch(r"-?[0-9]+\.[0-9]+", text):
        assert Fraction(text).denominator > 1, "a whole number is written as an integer"
        return {XSD + "decimal"}
    if literal.datatype == XSD + "integer" and re.fullmatch(r"-?[0-9]+", text):
        bounds = ((XSD + name, least, most) for name, (least, most) in _WHOLE.items())
        return {name for name, least, most in bounds if least <= int(text) <= most} | {
            XSD + "decimal"
        }
    if literal.datatype == XSD + "boolean" and text in {"true", "false"}:
        return {XSD + "boolean"}
    return set()


def is_ill_typed(literal: Literal) -> bool:
    """Is its datatype one of those above, and its text none of that datatype?"""
    known = {XSD + name for name in (*_WHOLE, *_TEXT, "decimal", "boolean")}
    return literal.datatype in known and not spaces(literal)
