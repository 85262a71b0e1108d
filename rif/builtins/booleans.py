"""Negation and comparison of booleans [RIF-DTB 4.6; XPath-Functions 7]."""

from __future__ import annotations

import operator
from collections.abc import Callable

from rif.builtins.signatures import Builtin
from rif.syntax.terms import FUNC, PRED, XSD, GroundTerm, Literal
from rif.values.datatypes import canonical_literal


def _boolean(term: GroundTerm) -> bool | None:
    """The truth value of an xsd:boolean; None for any other term."""
    value = canonical_literal(term) if isinstance(term, Literal) else None
    return value.lexical == "true" if value and value.datatype == XSD + "boolean" else None


def _not(term: GroundTerm) -> Literal | None:
    truth = _boolean(term)
    return None if truth is None else Literal("false" if truth else "true", XSD + "boolean")


def _comparison(name: str, compare: Callable[[bool, bool], bool]) -> Builtin:
    """False comes before true."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> bool | None:
        one, two = _boolean(left), _boolean(right)
        return None if one is None or two is None else compare(one, two)

    return Builtin(f"{PRED}boolean-{name}", "predicate", 2, 2, evaluate)


BUILTINS: tuple[Builtin, ...] = (
    Builtin(FUNC + "not", "function", 1, 1, _not),
    _comparison("equal", operator.eq),
    _comparison("less-than", operator.lt),
    _comparison("greater-than", operator.gt),
)
