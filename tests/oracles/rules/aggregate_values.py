"""The value of an aggregate of a bag of members, by definition.

Terms are canonical N-Triples texts. All arithmetic is exact; a result is rounded once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tests.oracles.rdf.exact_values import KINDS, NUMBERS, Exact, exact, nearest, order
from tests.oracles.rdf.values import _decimal, _double, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Item(NamedTuple):
    """What one solution gives: the value of ?V, and that of ?O."""

    value: str
    order: str = ""


class OutsideDomain(Exception):
    """A member is of no kind that the aggregate takes, or of another than the rest."""


Number: TypeAlias = Fraction | float
"""An exact number, or one that is infinite, or NaN."""

DURATIONS = ("dayTimeDuration", "yearMonthDuration")
DIGITS = 18
"""Digits behind the point of a decimal quotient that does not end."""
SECOND_DIGITS = 20
"""Digits behind the point of the seconds of a quotient of durations."""


def aggregate_value(  # noqa: PLR0911 - a case a kind of result
    function: str,
    items: Sequence[Item],
    *,
    share: str = "",
    part: str = "",
    size: int | None = None,
) -> str | None:
    """The value as a canonical text; None: there is none.

    ``share``, ``part`` and ``size`` are those of `rif.syntax.aggregates.Aggregate`.
    """
    if function in {"first", "last"}:
        if size is None:
            chosen = some_of(items, function, 1)
            return chosen[0].value if chosen else None
        return list_of(some_of(items, function, size)) if items else None
    if function == "list":
        return list_of(items)
    if part:
        assert size is not None
        items = some_of(items, part, size)
    members = [item.value for item in items]
    if function == "count":
        return literal(str(len(members)), "integer")
    if function == "sum" and not members:
        return literal("0", "integer")
    if not members:
        return None
    try:
        if function == "quantile":
            return quantile(members, Fraction(share))
        return _FUNCTIONS[function](members)
    except OutsideDomain:
        return None


# -- lists ---------------------------------------------------------------------------------


def some_of(items: Sequence[Item], side: str, size: int) -> list[Item]:
    """The members with the least or the greatest ?O; of equal ones those of the least text."""
    found = sorted(items, key=lambda item: item.value)
    found.sort(key=lambda item: order(item.order), reverse=side == "last")  # keeps equal ones
    return found[:size]


def list_of(items: Sequence[Item]) -> str:
    """All members, by ?O and then by ?V."""
    found = sorted(items, key=lambda item: (order(item.order), order(item.value)))
    return f"List({' '.join(item.value for item in found)})"


# -- members that are chosen ---------------------------------------------------------------


def _like(members: Sequence[str], kinds: Sequence[str]) -> list[Exact]:
    """Their values, all of one kind."""
    found = [exact(member) for member in members]
    known = [value for value in found if value is not None and value.kind in kinds]
    if len(known) < len(found) or len({value.kind for value in known}) > 1:
        raise OutsideDomain
    return known


def _is_nan(value: Exact) -> bool:
    return value.amount != value.amount


def _without_nan(members: Sequence[str]) -> list[str]:
    """NaN counts only where all are NaN."""
    values = _like(members, KINDS)
    found = [member for member, value in zip(members, values, strict=True) if not _is_nan(value)]
    return found or list(members)


def _least_text(members: Sequence[str], chosen: str) -> str:
    """Of the members that are as much as one of them, the one with the least text."""
    return min(member for member in members if order(member)[:3] == order(chosen)[:3])


def least(members: Sequence[str]) -> str:
    """``min``."""
    some = _without_nan(members)
    return _least_text(some, min(some, key=order))


def greatest(members: Sequence[str]) -> str:
    """``max``."""
    some = _without_nan(members)
    return _least_text(some, max(some, key=order))


def quantile(members: Sequence[str], share: Fraction) -> str:
    """The least member than which at least so many are not greater."""
    some = sorted(_without_nan(members), key=order)
    for member in some:
        held = sum(order(other)[:3] <= order(member)[:3] for other in some)
        if held >= share * len(some):
            return _least_text(some, member)
    raise AssertionError


def median(members: Sequence[str]) -> str:
    """The member in the middle, or the mean of both."""
    _like(members, ("number", *DURATIONS))
    some = sorted(members, key=order)
    half = len(some) // 2
    return _least_text(some, some[half]) if len(some) % 2 else mean(some[half - 1 : half + 1])


# -- sums ----------------------------------------------------------------------------------


def total(members: Sequence[str]) -> str:
    """``sum``."""
    values = _like(members, ("number", *DURATIONS))
    return _typed(_sum(values), _promoted(values))


def mean(members: Sequence[str]) -> str:
    """``avg``."""
    values = _like(members, ("number", *DURATIONS))
    amount, count = _sum(values), len(values)
    kind = _promoted(values)
    if isinstance(amount, float):
        return _typed(amount, kind)
    if kind in {"integer", "decimal"}:
        return literal(_decimal(decimal_quotient(amount, count)), "decimal")
    quotient = amount / count
    if kind == "dayTimeDuration":
        quotient = _rounded(quotient, SECOND_DIGITS)
    elif kind == "yearMonthDuration":
        quotient = Fraction(math.floor(quotient + Fraction(1, 2)))
    return _typed(quotient, kind)


def _sum(values: Sequence[Exact]) -> Number:
    amounts = [value.amount for value in values]
    special = {str(amount) for amount in amounts if isinstance(amount, float)}
    if special:
        return math.inf if special == {"inf"} else -math.inf if special == {"-inf"} else math.nan
    return sum((Fraction(amount) for amount in amounts), Fraction(0))


def _promoted(values: Sequence[Exact]) -> str:
    """The type of the result: the last of those of numbers, or the duration."""
    if values[0].kind != "number":
        return values[0].kind
    return max((value.datatype for value in values), key=NUMBERS.index)


def _typed(amount: Number, kind: str) -> str:
    """The number rounded to its type, as text."""
    if kind in {"float", "double"}:
        return literal(float_text(amount, kind), kind)
    assert isinstance(amount, Fraction)
    if kind == "dayTimeDuration":
        return literal(_duration(amount), kind)
    if kind == "yearMonthDuration":
        return literal(_months(int(amount)), kind)
    return literal(_decimal(amount), kind)


def decimal_quotient(dividend: Fraction, divisor: int) -> Fraction:
    """As ``func:numeric-divide``: exact if it ends within 50 digits, else rounded to 18.

    The 50 are significant digits, or as many behind the point where it has digits before. The 18
    are behind the point, or significant ones where these reach further.
    """
    quotient = dividend / divisor
    digits = max(50, _magnitude(dividend) - _magnitude(Fraction(divisor)) + 51)
    if _rounded(quotient, digits - 1 - _magnitude(quotient)) == quotient:
        return quotient
    return _rounded(quotient, max(DIGITS, DIGITS - 1 - _magnitude(quotient)))


def _magnitude(number: Fraction) -> int:
    """The place of its first digit: 0 of 7, 1 of 70, -1 of 0.7; 0 of nothing."""
    size, place = abs(number), 0
    while size >= 10:
        size, place = size / 10, place + 1
    while 0 < size < 1:
        size, place = size * 10, place - 1
    return place


def _rounded(number: Fraction, digits: int) -> Fraction:
    """To so many digits behind the point, the even one of two."""
    unit = Fraction(10) ** -digits
    return round(number / unit) * unit


def float_text(amount: Number, kind: str) -> str:
    """The canonical form of the nearest float or double: zero has no sign."""
    rounded = amount if isinstance(amount, float) else nearest(amount, kind)
    if isinstance(rounded, float) or kind == "double" or not rounded:
        return _double(float(rounded))
    for precision in range(9):
        text = f"{float(rounded):.{precision}e}"
        if nearest(Fraction(text), kind) == rounded:
            break
    mantissa, exponent = text.split("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


def _duration(seconds: Fraction) -> str:
    sign, rest = "-" if seconds < 0 else "", abs(seconds)
    days, rest = divmod(rest, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    clock = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes)
    clock += f"{_decimal(rest)}S" * bool(rest)
    text = f"{days}D" * bool(days) + f"T{clock}" * bool(clock)
    return f"{sign}P{text}" if text else "PT0S"


def _months(months: int) -> str:
    years, rest = divmod(abs(months), 12)
    text = f"{years}Y" * bool(years) + f"{rest}M" * bool(rest)
    return f"{'-' * (months < 0)}P{text}" if text else "P0M"


# -- spread --------------------------------------------------------------------------------


def deviation(members: Sequence[str]) -> str | None:
    """``stddev``: the square root of the sample variance, rounded once; of two members or more."""
    amounts = [value.amount for value in _like(members, ("number",))]
    if len(amounts) < 2:
        return None
    if any(isinstance(amount, float) for amount in amounts):
        return literal("NaN", "double")
    numbers = [Fraction(amount) for amount in amounts]
    middle = sum(numbers) / len(numbers)
    variance = sum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1)
    return literal(float_text(root(Fraction(variance)), "double"), "double")


def root(number: Fraction) -> Number:
    """The double nearest to the square root.

    A number is nearer to it than another one if so it is to a bound of it that is close enough:
    close enough are bounds that both have the same nearest double, or the root itself.
    """
    scale = 1
    while True:
        scale *= 2**64
        under = Fraction(math.isqrt(number.numerator * scale**2 // number.denominator), scale)
        if under**2 == number:
            return nearest(under, "double")
        over = under + Fraction(1, scale)
        if nearest(under, "double") == nearest(over, "double"):
            return nearest(under, "double")


_FUNCTIONS: dict[str, Callable[[Sequence[str]], str | None]] = {
    "sum": total,
    "avg": mean,
    "min": least,
    "max": greatest,
    "median": median,
    "stddev": deviation,
}
