"""Values of literals, and the few built-ins the random programs use, straight from XSD and DTB.

Terms are canonical N-Triples texts here; numbers are `Fraction` or `float`. Shares no code with
the packages under test.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

XSD = "http://www.w3.org/2001/XMLSchema#"
PRED = "http://www.w3.org/2007/rif-builtin-predicate#"
FUNC = "http://www.w3.org/2007/rif-builtin-function#"

Value = tuple[object, ...]
Number = tuple[str, Fraction | float]
"""Kind (``integer``, ``decimal`` or ``double``, in the order of promotion) and value."""

INTEGERS = ("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger")
KINDS = ("integer", "decimal", "double")

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@(.+)|\^\^<(.*)>)?', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_PLAIN = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_DOUBLE = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN")


@cache
def parts(term: str) -> tuple[str, str, str] | None:
    """Characters, datatype and language tag of a literal; ``None`` for other terms."""
    found = _LITERAL.fullmatch(term)
    if found is None:
        return None
    raw, tag, datatype = found.groups()
    text = _ESCAPE.sub(
        lambda one: chr(int(one[1] or one[2], 16)) if one[1] or one[2] else _PLAIN[one[3]], raw
    )
    return text, datatype or ("" if tag else XSD + "string"), tag or ""


def literal(text: str, datatype: str) -> str:
    """The canonical text of a computed literal, whose characters need no escape."""
    return f'"{text}"' if datatype == "string" else f'"{text}"^^<{XSD}{datatype}>'


@cache
def number(term: str) -> Number | None:
    """The number a term stands for; ``None`` if it is none (an ill-typed literal is none)."""
    found = parts(term)
    if found is None:
        return None
    text, datatype, _ = found
    name = datatype.removeprefix(XSD)
    if name in INTEGERS and _INTEGER.fullmatch(text):
        return "integer", Fraction(text)
    if name == "decimal" and _DECIMAL.fullmatch(text):
        return "decimal", Fraction(text.rstrip(".") if text.endswith(".") else text)
    if name == "double" and _DOUBLE.fullmatch(text):
        return "double", float(text)
    return None


@cache
def value(term: str) -> Value:
    """What ``=`` compares: terms are equal iff this is equal. Any other term is its own value."""
    found = parts(term)
    if found is None:
        return "term", term
    text, datatype, tag = found
    if tag:
        return "text", text, tag
    if datatype == XSD + "string":
        return "text", text, ""
    if datatype == XSD + "boolean" and text in {"0", "1", "true", "false"}:
        return "boolean", text in {"1", "true"}
    known = number(term)
    if known is None:
        return "term", term
    kind, amount = known
    return ("double", repr(amount)) if kind == "double" else ("decimal", amount)


def string(term: str) -> str | None:
    """The characters of an ``xs:string``; ``None`` for every other term."""
    known = value(term)
    return str(known[1]) if known[0] == "text" and not known[2] else None


def _ordered(test: Callable[[Fraction | float, Fraction | float], bool]) -> Callable[..., bool]:
    def holds(left: str, right: str) -> bool:
        one, two = number(left), number(right)
        if one is None or two is None:
            return False
        if "double" in {one[0], two[0]}:
            return test(float(one[1]), float(two[1]))
        return test(one[1], two[1])

    return holds


def _textual(test: Callable[[str, str], bool]) -> Callable[..., bool]:
    def holds(left: str, right: str) -> bool:
        one, two = string(left), string(right)
        return one is not None and two is not None and test(one, two)

    return holds


def _computed(
    exact: Callable[[Fraction, Fraction], Fraction], inexact: Callable[[float, float], float]
) -> Callable[..., str | None]:
    def result(left: str, right: str) -> str | None:
        one, two = number(left), number(right)
        if one is None or two is None:
            return None
        kind = max(one[0], two[0], key=KINDS.index)
        if kind == "double":
            return literal(_double(inexact(float(one[1]), float(two[1]))), kind)
        return literal(_decimal(exact(Fraction(one[1]), Fraction(two[1]))), kind)

    return result


def _decimal(amount: Fraction) -> str:
    """Canonical form of XSD 1.1: no point in a whole number, no superfluous zeros."""
    sign, rest = ("-" if amount < 0 else ""), abs(amount)
    whole, digits = divmod(rest, 1)
    tail = ""
    while digits:
        digit, digits = divmod(digits * 10, 1)
        tail += str(digit)
    return f"{sign}{whole}.{tail}" if tail else f"{sign}{whole}"


def _double(amount: float) -> str:
    """Canonical form of XSD 1.1: one digit before the point, the shortest that reads back."""
    if amount != amount or amount in {float("inf"), float("-inf")}:  # noqa: PLR0124
        return {"inf": "INF", "-inf": "-INF"}.get(str(amount), "NaN")
    if amount == 0:
        return f"{amount}E0"
    mantissa, exponent = min(
        (f"{amount:.{precision}e}" for precision in range(17)),
        key=lambda text: (float(text) != amount, len(text)),
    ).split("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"


PREDICATES: dict[str, Callable[..., bool]] = {
    PRED + "numeric-equal": _ordered(lambda one, two: one == two),
    PRED + "numeric-not-equal": _ordered(lambda one, two: one != two),
    PRED + "numeric-less-than": _ordered(lambda one, two: one < two),
    PRED + "numeric-less-than-or-equal": _ordered(lambda one, two: one <= two),
    PRED + "numeric-greater-than": _ordered(lambda one, two: one > two),
    PRED + "numeric-greater-than-or-equal": _ordered(lambda one, two: one >= two),
    PRED + "contains": _textual(lambda one, two: two in one),
    PRED + "starts-with": _textual(lambda one, two: one.startswith(two)),
}
"""Truth on canonical texts; outside its domain a predicate is not satisfied."""

FUNCTIONS: dict[str, Callable[..., str | None]] = {
    FUNC + "numeric-add": _computed(lambda one, two: one + two, lambda one, two: one + two),
    FUNC + "numeric-subtract": _computed(lambda one, two: one - two, lambda one, two: one - two),
    FUNC + "numeric-multiply": _computed(lambda one, two: one * two, lambda one, two: one * two),
}
"""Results as canonical texts; ``None`` outside the domain."""
