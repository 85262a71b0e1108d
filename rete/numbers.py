"""Numeric side columns: the value of a literal as a double, and how exact that is."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from rif.datatypes import numeric_value
from rif.numbers import to_double
from rif.terms import XSD, Literal, parse_canonical

NO_NUMBER: Final = 0
EXACT: Final = 1
NEAREST: Final = 2
FLOAT: Final = 3
DOUBLE: Final = 4
"""Classes of terms: no number (or outside the lexical space), decimal or integer that is exactly
its double, decimal or integer of which the double is the nearest, xsd:float, xsd:double."""

_MAY_BE_NUMBER: Final = f"^^<{XSD}"


def number(text: str) -> tuple[float, int]:
    """Value and class of the term with this canonical text."""
    if _MAY_BE_NUMBER not in text:
        return 0.0, NO_NUMBER
    term = parse_canonical(text)
    found = numeric_value(term) if isinstance(term, Literal) else None
    if found is None:
        return 0.0, NO_NUMBER
    kind, value = found
    if isinstance(value, float):
        return value, FLOAT if kind == "float" else DOUBLE
    double = to_double(value)
    exact = math.isfinite(double) and Decimal(double) == value
    return double + 0.0, EXACT if exact else NEAREST  # no decimal is -0
