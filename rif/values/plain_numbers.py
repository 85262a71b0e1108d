"""Plain texts that are numbers, as DatalogMTL writes them, and their comparison by value."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final

from rif.syntax.lexical import MAX_NUMBER
from rif.syntax.terms import GroundTerm, Literal

NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+|/[0-9]+)?|\.[0-9]+)")
"""An integer, a decimal or a fraction."""


@lru_cache(maxsize=4096)
def plain_number(text: str) -> Fraction | None:
    """The number that ``text`` is, or None."""
    if len(text) > MAX_NUMBER or not NUMBER.fullmatch(text):
        return None
    over, _, under = text.partition("/")
    divisor = int(under or 1)
    return Fraction(over) / divisor if divisor else None


_NUMBERS: Final[Mapping[str, Callable[[Fraction, Fraction], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


def _holds(sign: str, left: GroundTerm, right: GroundTerm) -> bool:
    """Is the comparison true? Of what is no number, only equality is asked for, as text."""
    one, other = (
        plain_number(each.lexical) if isinstance(each, Literal) else None for each in (left, right)
    )
    if one is not None and other is not None:
        return _NUMBERS[sign](one, other)
    if sign in {"=", "!="}:
        return (left == right) is (sign == "=")
    return False


COMPARISONS: Final[Mapping[str, Callable[[GroundTerm, GroundTerm], bool]]] = {
    sign: partial(_holds, sign) for sign in _NUMBERS
}
"""By their signs."""
