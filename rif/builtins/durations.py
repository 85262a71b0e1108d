"""Arithmetic and comparison of durations [RIF-DTB 4.8; XPath-Functions 8.2, 8.4].

The empty duration belongs to both datatypes. A result is exact, or rounded: months to the nearest,
half up; seconds to 20 digits behind the point, half to even. A factor of xsd:float or xsd:double
counts as the decimal that its canonical form shows, so that 2.1 is 2.1 in any datatype. Outside
the domain are NaN as a factor, division by zero and a result of more than 20 digits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from rif.builtins.numeric import number
from rif.builtins.signatures import Builtin, comparison
from rif.syntax.terms import FUNC, GroundTerm, Literal
from rif.values.datatypes import literal_of
from rif.values.date_arithmetic import months, months_literal, ticks, ticks_literal
from rif.values.decimals import canonical_double, canonical_single, divide

_Read: TypeAlias = Callable[[GroundTerm], int | None]
_Write: TypeAlias = Callable[[int], Literal | None]
_Round: TypeAlias = Callable[[Fraction], int]


def _sum(name: str, read: _Read, write: _Write, add: Callable[[int, int], int]) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = read(left), read(right)
        return None if one is None or two is None else write(add(one, two))

    return Builtin(FUNC + name, "function", 2, 2, evaluate)


def _factor(term: GroundTerm) -> Fraction | float | None:
    """A number; a float only if it is infinite."""
    numeric = number(term)
    if numeric is None:
        return None
    kind, value = numeric
    if not isinstance(value, float):
        return Fraction(value)
    if math.isnan(value):
        return None
    if math.isinf(value):
        return value
    return Fraction(canonical_single(value) if kind == "float" else canonical_double(value))


def _product(name: str, read: _Read, write: _Write, rounded: _Round) -> Builtin:
    def evaluate(duration: GroundTerm, by: GroundTerm) -> Literal | None:
        value, factor = read(duration), _factor(by)
        if value is None or factor is None or isinstance(factor, float):
            return None
        return write(rounded(value * factor))

    return Builtin(FUNC + name, "function", 2, 2, evaluate)


def _quotient(name: str, read: _Read, write: _Write, rounded: _Round) -> Builtin:
    """An infinite divisor leaves nothing."""

    def evaluate(duration: GroundTerm, by: GroundTerm) -> Literal | None:
        value, divisor = read(duration), _factor(by)
        if value is None or divisor is None or not divisor:
            return None
        return write(0 if isinstance(divisor, float) else rounded(value / divisor))

    return Builtin(FUNC + name, "function", 2, 2, evaluate)


def _ratio(name: str, read: _Read) -> Builtin:
    """A decimal, rounded as that of `rif.values.decimals.divide`."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = read(left), read(right)
        return None if one is None or not two else literal_of("decimal", divide(one, two))

    return Builtin(FUNC + name, "function", 2, 2, evaluate)


def _half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def _months_and_ticks(term: GroundTerm) -> tuple[int, int] | None:
    """Months and ticks of a duration of either datatype."""
    in_months, in_ticks = months(term), ticks(term)
    return None if in_months is None and in_ticks is None else (in_months or 0, in_ticks or 0)


_ORDER = (
    ("less-than", operator.lt),
    ("less-than-or-equal", operator.le),
    ("greater-than", operator.gt),
    ("greater-than-or-equal", operator.ge),
)
_KINDS: tuple[tuple[str, _Read, _Write, _Round], ...] = (
    ("yearMonthDuration", months, months_literal, _half_up),
    ("dayTimeDuration", ticks, ticks_literal, round),
)

BUILTINS: tuple[Builtin, ...] = (
    *(_sum(f"add-{kind}s", read, write, operator.add) for kind, read, write, _ in _KINDS),
    *(_sum(f"subtract-{kind}s", read, write, operator.sub) for kind, read, write, _ in _KINDS),
    *(_product(f"multiply-{kind}", read, write, near) for kind, read, write, near in _KINDS),
    *(_quotient(f"divide-{kind}", read, write, near) for kind, read, write, near in _KINDS),
    *(_ratio(f"divide-{kind}-by-{kind}", read) for kind, read, _, _ in _KINDS),
    *(
        comparison(f"{kind}-{name}", read, compare)
        for kind, read, _, _ in _KINDS
        for name, compare in _ORDER
    ),
    comparison("duration-equal", _months_and_ticks, operator.eq),
    comparison("duration-not-equal", _months_and_ticks, operator.ne),
)
