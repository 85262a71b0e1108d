"""Lexical classes: sets of terms that guards of datatypes, and the like, cannot tell apart.

``"warm"`` and ``"cold"`` are of one class, as both are an xsd:NCName; ``"very warm"`` is of another
one. So such a built-in is evaluated once a class, not once a term.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from rete.arrays.term_columns import EXACT, FLOAT, classify_number
from rif.builtins.extensions import is_membership_property
from rif.syntax.terms import XSD, XSD_STRING, BlankNode, GroundList, Literal, parse_canonical
from rif.values.datatypes import RANGES, is_lexical

UNSEEN, UNCLASSED, PLAIN_IRI, MEMBERSHIP_PROPERTY, NODE, TAGGED = range(6)
"""Not looked at yet; no class, so the term itself is asked; an IRI; that of a container membership
property; a blank node; a literal with a language."""

FLOATS: Final = 8
"""Class of an xsd:float; that of an xsd:double is the next one."""

FRACTION: Final = 10
"""Class of a decimal that is no whole number. From the next on there is a class for each range of
whole numbers between two `EDGES`."""

EDGES: Final = sorted(
    {least for least, _ in RANGES.values() if least is not None}
    | {most + 1 for _, most in RANGES.values() if most is not None}
)
"""The least whole numbers of the ranges, but for that without end, which is the first."""

STRINGS: Final = 64
"""The least class of a string: behind it a bit for each of `STRING_TYPES` that has the string."""

STRING_TYPES: Final = ("normalizedString", "token", "NMTOKEN", "Name", "NCName", "language")


def lexical_class(text: str) -> int:
    """The class of the term with this canonical text: 1 to 127. Linear in the text."""
    term = parse_canonical(text)
    if isinstance(term, GroundList):
        return UNCLASSED
    if isinstance(term, BlankNode):
        return NODE
    if not isinstance(term, Literal):
        return MEMBERSHIP_PROPERTY if is_membership_property(term) else PLAIN_IRI
    if term.language:
        return TAGGED
    if term.datatype == XSD_STRING:
        within = (is_lexical(term.lexical, XSD + name) for name in STRING_TYPES)
        return STRINGS + sum(flag << bit for bit, flag in enumerate(within))
    return class_of_number(*classify_number(text))


def class_of_number(value: float, kind: int) -> int:
    """The class of a term whose value and kind these are; see `classify_number`."""
    if kind >= FLOAT:
        return FLOATS + kind - FLOAT
    if kind != EXACT:  # the nearest double does not say on which side of an edge it is
        return UNCLASSED
    return FRACTION + 1 + bisect_right(EDGES, value) if value.is_integer() else FRACTION
