"""Numbers of XSD: exact decimals, single and double floats, and their canonical forms.

A number is an ``int`` or a `decimal.Decimal` (exact: xsd:decimal and the types derived from it)
or a ``float`` (xsd:float and xsd:double). Decimals are computed in `EXACT`, which raises rather
than rounds, never in the context of the thread.
"""

from __future__ import annotations

import math
import struct
from decimal import (
    Clamped,
    Context,
    Decimal,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
    Underflow,
)
from typing import TypeAlias

Exact: TypeAlias = int | Decimal
"""A value of xsd:decimal."""

MAX_DIGITS = 4_000
"""Digits of the longest exact number that is computed with: below the bound that Python sets on
conversions between text and int, which are quadratic. A longer one is outside every domain."""

EXACT = Context(
    prec=2 * MAX_DIGITS + 2,
    Emin=-9 * MAX_DIGITS,
    Emax=9 * MAX_DIGITS,
    traps=[Inexact, InvalidOperation, Overflow, Underflow, Subnormal, Clamped],
)
"""Arithmetic on `Exact` numbers; a result that would be rounded raises a `decimal` signal."""

QUOTIENT_DIGITS = 18
"""Digits behind the point of a quotient that does not end [XPath-Functions 4.2: at least 18]."""

_QUOTIENT = Context(prec=QUOTIENT_DIGITS + 32, Emin=-9 * MAX_DIGITS, Emax=9 * MAX_DIGITS, traps=[])
_SINGLE_MAX = float(2**128 - 2**103)  # half a unit above the largest single
_SINGLE = struct.Struct("<f")


def fits(number: Exact) -> bool:
    """Has ``number`` at most `MAX_DIGITS` digits, before and behind the point together?"""
    if isinstance(number, int):
        return number.bit_length() <= MAX_DIGITS * 3.32
    _, digits, exponent = number.as_tuple()
    return isinstance(exponent, int) and len(digits) + max(0, exponent) <= MAX_DIGITS >= -exponent


def divide(dividend: Exact, divisor: Exact) -> Decimal:
    """The quotient: exact if it ends within 50 digits.

    Else it is rounded, half to even, to `QUOTIENT_DIGITS` digits behind the point, or to as many
    significant ones where these reach further, so that a small quotient is not lost.
    """
    context = _QUOTIENT.copy()
    one, two = Decimal(dividend), Decimal(divisor)
    context.prec = max(context.prec, one.adjusted() - two.adjusted() + 1 + context.prec)
    quotient = context.divide(one, two)
    if not context.flags[Inexact]:
        return quotient
    behind = max(QUOTIENT_DIGITS, QUOTIENT_DIGITS - 1 - quotient.adjusted())
    return quotient.quantize(Decimal(1).scaleb(-behind), context=context)


def to_double(number: Exact) -> float:
    """The nearest double; infinite beyond the largest one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def round_to_single(number: float) -> float:
    """The nearest single of a double, as a double.

    Sums, products and quotients of singles come out right although they were rounded to double.
    """
    if math.isinf(number) or math.isnan(number):
        return number
    if abs(number) >= _SINGLE_MAX:
        return math.copysign(math.inf, number)
    try:
        return float(_SINGLE.unpack(_SINGLE.pack(number))[0])
    except OverflowError:  # rounds up to the power of two behind the largest single
        return math.copysign(math.inf, number)


def to_single(number: Exact) -> float:
    """The nearest single of an exact number, rounded once."""
    double = to_double(number)
    single = round_to_single(double)
    if single == double or math.isinf(single):
        return single
    # Rounding twice errs only where the double lies in the middle of two singles by rounding.
    exact = Decimal(number)
    if exact != Decimal(double):
        nudged = math.nextafter(double, math.inf if exact > Decimal(double) else -math.inf)
        return round_to_single(nudged)
    return single


def canonical_exact(number: Exact) -> str:
    """Canonical form of xsd:decimal: no point in a whole number [XSD 1.1, decimalCanonicalMap]."""
    if isinstance(number, int):
        return str(number)
    if number == number.to_integral_value():
        return str(int(number))
    text = f"{number:f}"
    return text.rstrip("0")


def canonical_double(number: float) -> str:
    """Canonical form of xsd:double: the shortest digits that read back as this number."""
    return _scientific(number, repr(number))


def canonical_single(number: float) -> str:
    """Canonical form of xsd:float."""
    if math.isfinite(number):
        for digits in range(9):
            text = f"{number:.{digits}e}"
            if round_to_single(float(text)) == number:
                return _scientific(number, text)
    return _scientific(number, repr(number))


def _scientific(number: float, text: str) -> str:
    """``text``, which reads back as ``number``, with one digit before the point and an E."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)  # the number is finite
    if number == 0:
        return f"{'-' * sign}0.0E0"
    shown = "".join(map(str, digits))
    exponent += len(shown) - 1
    shown = shown.rstrip("0")
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{exponent}"
