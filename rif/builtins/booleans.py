"""Negation and comparison of booleans [RIF-DTB 4.6; XPath-Functions 7].

False comes before true.
"""

from __future__ import annotations

import operator

from rif.builtins.signatures import Builtin, comparison
from rif.syntax.terms import FUNC, XSD, GroundTerm, Literal
from rif.values.datatypes import canonical_literal


def boolean(term: GroundTerm) -> bool | None:
    """The truth value of an xsd:boolean; None for any other term."""
    value = canonical_literal(term) if isinstance(term, Literal) else None
    return value.lexical == "true" if value and value.datatype == XSD + "boolean" else None


def _not(term: GroundTerm) -> Literal | None:
    truth = boolean(term)
    return None if truth is None else Literal("false" if truth else "true", XSD + "boolean")


BUILTINS: tuple[Builtin, ...] = (
    Builtin(FUNC + "not", "function", 1, 1, _not),
    comparison("boolean-equal", boolean, operator.eq),
    comparison("boolean-less-than", boolean, operator.lt),
    comparison("boolean-greater-than", boolean, operator.gt),
)
