"""Comparison and arithmetic of numbers [RIF-DTB 4.5; XPath-Functions 4].

Both arguments are promoted to the later of their kinds, integer, decimal, float, double. Integers
and decimals are exact: the only rounding is that of a quotient that does not end, see
`rif.values.decimals.divide`. Outside the domain are whatever is no number, division by zero, and a
result that is too large for its kind (for exact numbers: more than `rif.values.decimals.MAX_DIGITS`
digits).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal, DecimalException
from typing import TypeAlias

from rif.builtins.signatures import Builtin
from rif.syntax.terms import FUNC, PRED, GroundTerm, Literal
from rif.values.datatypes import Number, NumericClass, literal_of, numeric_value
from rif.values.decimals import EXACT, Exact, divide, fits, round_to_single, to_double, to_single

_Compare: TypeAlias = Callable[[Exact | float, Exact | float], bool]
_Compute: TypeAlias = Callable[[Exact, Exact], Exact]
_Approximate: TypeAlias = Callable[[float, float], float]

_ORDER: tuple[NumericClass, ...] = ("integer", "decimal", "float", "double")


def number(term: GroundTerm) -> Number | None:
    """The number that a term stands for, if it is one."""
    return numeric_value(term) if isinstance(term, Literal) else None


def _promote_both(left: Number, right: Number) -> tuple[NumericClass, Exact | float, Exact | float]:
    """The kind that two numbers have in common, and both in it [XPath, B.1]."""
    kind = max(left[0], right[0], key=_ORDER.index)
    return kind, _promote(left, kind), _promote(right, kind)


def _promote(value: Number, kind: NumericClass) -> Exact | float:
    if isinstance(value[1], float) or kind in {"integer", "decimal"}:
        return value[1]
    return to_single(value[1]) if kind == "float" else to_double(value[1])


def _comparison(name: str, compare: _Compare) -> Builtin:
    def evaluate(left: GroundTerm, right: GroundTerm) -> bool | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        _, first, second = _promote_both(one, two)
        return compare(first, second)

    return Builtin(PRED + name, "predicate", 2, 2, evaluate)


def _arithmetic(
    name: str, exact: _Compute, inexact: _Approximate, result: NumericClass | None = None
) -> Builtin:
    """``result`` is the kind that exact operands give, if it is not their own."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        kind, first, second = _promote_both(one, two)
        if isinstance(first, float) or isinstance(second, float):
            return _approximation(kind, inexact, float(first), float(second))
        try:
            value = exact(first, second)
        except (DecimalException, ZeroDivisionError):
            return None
        return literal_of(result or kind, value) if fits(value) else None

    return Builtin(FUNC + name, "function", 2, 2, evaluate)


def _approximation(
    kind: NumericClass, inexact: _Approximate, first: float, second: float
) -> Literal | None:
    """The result of floats; None if it is infinite though both of them are finite."""
    try:
        value = inexact(first, second)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    if kind == "float":
        value = round_to_single(value)
    if math.isinf(value) and math.isfinite(first) and math.isfinite(second):
        return None
    return literal_of(kind, value)


def _decimal(
    compute: Callable[[Decimal, Decimal], Decimal], whole: Callable[[int, int], int]
) -> _Compute:
    """Of two ints an int, else a Decimal, exactly."""

    def exact(left: Exact, right: Exact) -> Exact:
        if isinstance(left, int) and isinstance(right, int):
            return whole(left, right)
        return compute(Decimal(left), Decimal(right))

    return exact


def _whole_quotient(left: Exact, right: Exact) -> int:
    """Truncated toward zero."""
    if isinstance(left, int) and isinstance(right, int):
        return _truncating_division(left, right)
    return int(EXACT.divide_int(Decimal(left), Decimal(right)))


def _truncating_division(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    """With the sign of the dividend."""
    return left - right * _truncating_division(left, right)


def _float_remainder(left: float, right: float) -> float:
    """IEEE remainder of a truncated quotient; NaN where XPath has it."""
    if math.isnan(left) or math.isnan(right) or math.isinf(left) or right == 0:
        return math.nan
    return math.fmod(left, right)


def _integer_divide() -> Builtin:
    """Integer of any kinds of number; not of NaN, an infinite dividend or a zero divisor."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        kind, first, second = _promote_both(one, two)
        if second == 0 or first != first or second != second:  # noqa: PLR0124 - NaN
            return None
        if isinstance(first, float) or isinstance(second, float):
            return _float_quotient(kind, float(first), float(second))
        try:
            value = _whole_quotient(first, second)
        except DecimalException:
            return None
        return literal_of("integer", value) if fits(value) else None

    return Builtin(FUNC + "numeric-integer-divide", "function", 2, 2, evaluate)


def _float_quotient(kind: NumericClass, first: float, second: float) -> Literal | None:
    if math.isinf(first):
        return None
    quotient = first / second
    if kind == "float":
        quotient = round_to_single(quotient)
    return None if math.isinf(quotient) else literal_of("integer", int(quotient))


_MOD = (_decimal(EXACT.remainder, _remainder), _float_remainder)

BUILTINS: tuple[Builtin, ...] = (
    _comparison("numeric-equal", operator.eq),
    _comparison("numeric-not-equal", operator.ne),
    _comparison("numeric-less-than", operator.lt),
    _comparison("numeric-less-than-or-equal", operator.le),
    _comparison("numeric-greater-than", operator.gt),
    _comparison("numeric-greater-than-or-equal", operator.ge),
    _arithmetic("numeric-add", _decimal(EXACT.add, operator.add), operator.add),
    _arithmetic("numeric-subtract", _decimal(EXACT.subtract, operator.sub), operator.sub),
    _arithmetic("numeric-multiply", _decimal(EXACT.multiply, operator.mul), operator.mul),
    _arithmetic("numeric-divide", divide, operator.truediv, "decimal"),
    _integer_divide(),
    _arithmetic("numeric-mod", *_MOD),
    _arithmetic("numeric-integer-mod", *_MOD),  # the name that the W3C tests use
)
