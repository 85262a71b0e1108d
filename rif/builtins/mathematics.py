"""Rounding, roots, powers, logarithms, angles, distances: R4's own functions of numbers.

`abs`, `ceiling`, `floor`, `round` are those of XPath-Functions 4.4: the kind of number stays, exact
numbers are exact, halves are rounded up. The others are those of its namespace ``math`` [4.8]: they
take numbers of any kind and give a double, NaN and infinities where IEEE 754 has these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, DecimalException
from typing import Final

from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.numeric import number
from rif.builtins.signatures import Builtin
from rif.syntax.terms import GroundTerm, Literal
from rif.values.datatypes import literal_of
from rif.values.decimals import EXACT, MAX_DIGITS, Exact, fits, round_to_single, to_double

EARTH_RADIUS: Final = 6_371_008.8
"""Metres: the mean radius of the earth, as of a sphere [IUGG]."""

_HALF: Final = Decimal("0.5")


def _absolute(value: Exact) -> Exact:
    return abs(value) if isinstance(value, int) else value.copy_abs()


def _whole(value: Exact, rounding: str) -> Exact:
    if isinstance(value, int):
        return value
    return value.to_integral_value(rounding=rounding, context=EXACT)


def _rounded(value: Exact, places: int) -> Exact:
    """The nearest multiple of 10^-places; of two the greater one."""
    if isinstance(value, int) and places >= 0:
        return value
    scaled = EXACT.scaleb(Decimal(value), places)
    nearest = EXACT.add(scaled, _HALF).to_integral_value(rounding=ROUND_FLOOR)
    found = EXACT.scaleb(nearest, -places)
    return int(found) if isinstance(value, int) else found


def _of_exact(
    name: str, exact: Callable[[Exact], Exact], inexact: Callable[[float], float]
) -> Builtin:
    """A function that keeps the kind of its number."""

    def evaluate(term: GroundTerm) -> Literal | None:
        found = number(term)
        if found is None:
            return None
        kind, value = found
        if isinstance(value, float):
            return literal_of(kind, inexact(value))
        return literal_of(kind, exact(value))

    return Builtin(R4_BUILTIN + name, "function", 1, 1, evaluate)


def _whole_float(rounding: Callable[[float], int]) -> Callable[[float], float]:
    def found(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(float(rounding(value)), value)

    return found


def _round(term: GroundTerm, places: GroundTerm | None = None) -> Literal | None:
    """`round`, to a number of decimal places, which may be negative; 0 if there is none."""
    found = number(term)
    digits = ("integer", 0) if places is None else number(places)
    if found is None or digits is None or digits[0] != "integer":
        return None
    (kind, value), count = found, digits[1]
    if not isinstance(count, int) or abs(count) > MAX_DIGITS:
        return None
    try:
        if not isinstance(value, float):
            rounded = _rounded(value, count)
            return literal_of(kind, rounded) if fits(rounded) else None
        if not math.isfinite(value) or value == 0:
            return literal_of(kind, value)
        nearest = to_double(_rounded(Decimal(value), count))
    except DecimalException:
        return None
    nearest = math.copysign(nearest, value) if nearest == 0 else nearest
    return literal_of(kind, round_to_single(nearest) if kind == "float" else nearest)


def _double(term: GroundTerm) -> float | None:
    found = number(term)
    if found is None:
        return None
    value = found[1]
    return value if isinstance(value, float) else to_double(value)


def _math(name: str, compute: Callable[..., float], count: int = 1) -> Builtin:
    """A function of doubles, NaN where it has no value."""

    def evaluate(*terms: GroundTerm) -> Literal | None:
        values = [_double(term) for term in terms]
        if any(value is None for value in values):
            return None
        try:
            found = compute(*values)
        except ValueError:
            found = math.nan
        except OverflowError:
            found = math.inf
        return literal_of("double", found)

    return Builtin(R4_BUILTIN + name, "function", count, count, evaluate)


def _logarithm(compute: Callable[[float], float]) -> Callable[[float], float]:
    def found(value: float) -> float:
        return -math.inf if value == 0 else compute(value)

    return found


def _power(base: float, exponent: float) -> float:
    """The power as IEEE 754 has it: infinite if it is too large, or a negative one of zero."""
    odd = math.isfinite(exponent) and exponent % 2 == 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        if base != 0:
            return math.nan
        return math.copysign(math.inf, base) if odd else math.inf


def _of_two(name: str, *, greater: bool) -> Builtin:
    """The lesser or the greater of two numbers, as it is written; NaN if one is."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> Literal | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        for term, (_, value) in ((left, one), (right, two)):
            if value != value and isinstance(term, Literal):  # noqa: PLR0124 - NaN
                return term
        chosen = left if (one[1] >= two[1]) == greater or one[1] == two[1] else right
        return chosen if isinstance(chosen, Literal) else None

    return Builtin(R4_BUILTIN + name, "function", 2, 2, evaluate)


def _distance(latitude: float, longitude: float, to_latitude: float, to_longitude: float) -> float:
    """Metres on a great circle between two places in degrees, by the formula of haversines."""
    if max(abs(latitude), abs(to_latitude)) > 90:  # noqa: PLR2004 - the poles
        return math.nan
    here, there = math.radians(latitude), math.radians(to_latitude)
    north = math.sin((there - here) / 2) ** 2
    east = math.sin(math.radians(to_longitude - longitude) / 2) ** 2
    part = north + math.cos(here) * math.cos(there) * east
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(part, 1.0)))


BUILTINS: tuple[Builtin, ...] = (
    _of_exact("abs", _absolute, abs),
    _of_exact("ceiling", lambda v: _whole(v, ROUND_CEILING), _whole_float(math.ceil)),
    _of_exact("floor", lambda v: _whole(v, ROUND_FLOOR), _whole_float(math.floor)),
    Builtin(R4_BUILTIN + "round", "function", 1, 2, _round),
    _of_two("min", greater=False),
    _of_two("max", greater=True),
    _math("sqrt", math.sqrt),
    _math("power", _power, 2),
    _math("exp", math.exp),
    _math("log", _logarithm(math.log)),
    _math("log10", _logarithm(math.log10)),
    _math("sin", math.sin),
    _math("cos", math.cos),
    _math("tan", math.tan),
    _math("asin", math.asin),
    _math("acos", math.acos),
    _math("atan", math.atan),
    _math("atan2", math.atan2, 2),
    _math("geo-distance", _distance, 4),
)
