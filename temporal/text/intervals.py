"""Numbers and intervals of DatalogMTL text: exact, or a fault."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, TypeAlias

from rif.cursor import shorten
from rif.lexer import MAX_NUMBER
from temporal.errors import BadNumber, BadRange, EmptyInterval, TooLong
from temporal.metric import Interval
from temporal.text.scanner import Line

NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+|/[0-9]+)?|\.[0-9]+)")
"""An integer, a decimal or a fraction."""

_INFINITIES: Final = {"-inf": -1, "inf": 1, "+inf": 1}
_CHUNK: Final = re.compile(r"[^\s,()\[\]#@]+")

_EXPONENT: Final = re.compile(r"[+-]?[0-9.]+[eE][+-]?[0-9]+")
_DATE: Final = re.compile(r"[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2}")
_UNIT: Final = re.compile(r"[+-]?[0-9.]+[a-zµ]+")

_Number: TypeAlias = tuple[Fraction | None, int]
"""A number; or None with the side on which it is infinite, -1 or 1."""


def parse_number(text: str) -> _Number | None:
    """The number that ``text`` is, exactly, or None."""
    if text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER:
        return Fraction(int(text)), 0
    if text in _INFINITIES:
        return None, _INFINITIES[text]
    if len(text) > MAX_NUMBER or not NUMBER.fullmatch(text):
        return None
    over, _, under = text.partition("/")
    if not under:
        return Fraction(over), 0
    divisor = int(under)
    return (Fraction(int(over), divisor), 0) if divisor else None


def number(line: Line) -> _Number:
    """The number that comes next on the line."""
    start = line.begin()
    chunk = line.match(_CHUNK)
    if chunk is None:
        line.unexpected("expected a number", BadNumber.default_hint)
    if chunk.endswith(".") and line.at_end():
        chunk = chunk[:-1]
        line.at = line.taken = line.taken - 1
    found = parse_number(chunk)
    if found is None:
        if len(chunk) > MAX_NUMBER and NUMBER.fullmatch(chunk):
            message = f"this number has {len(chunk)} characters, at most {MAX_NUMBER} are read"
            line.fail(TooLong, message, start, line.taken)
        message = f"{shorten(chunk)} is no number"
        line.fail(BadNumber, message, start, line.taken, _advice(chunk))
    return found


def interval(line: Line) -> Interval | None:
    """The interval that comes next: ``[a,b]`` with its ends open or closed, or ``[a]``.

    None if it has no time point: that is noted, and the line can be read on.
    """
    start = line.begin()
    left_closed = line.accept("[")
    if not left_closed:
        line.expect("(", "or [ for an interval", BadRange.default_hint)
    left = right = number(line)
    if line.accept(","):
        right = number(line)
    elif not (left_closed and line.looks_at("]")):
        end = max(line.taken, line.begin() + 1)
        line.fail(BadRange, "an interval has two ends", start, end)
    right_closed = line.accept("]")
    if not right_closed:
        line.expect(")", "or ] behind an interval")
    found = _interval(left, right, left_closed=left_closed, right_closed=right_closed)
    if found is None:
        written = line.text[start : line.taken]
        message = f"{shorten(written)} has no time point"
        line.note(EmptyInterval, message, start, line.taken)
    return found


def begins_interval(line: Line) -> bool:
    """Does a bracket come next?"""
    return line.looks_at("[") or line.looks_at("(")


def _interval(
    left: _Number, right: _Number, *, left_closed: bool, right_closed: bool
) -> Interval | None:
    if left[1] > 0 or right[1] < 0:
        return None
    found = Interval(left[0], right[0], left_closed, right_closed)
    return None if found.is_empty else found


def _advice(chunk: str) -> str | None:
    """What to write in place of what is no number here."""
    if _EXPONENT.fullmatch(chunk):
        return "exponents are not read; write the number out, or as a fraction"
    if _DATE.match(chunk):
        return "times are numbers here; count them from an origin of your choice"
    if _UNIT.fullmatch(chunk):
        return "times are numbers without unit here"
    return None
