"""What a column of a table has: its datatype, fields that stand for no value, perhaps times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from r4.sources.proposal.time_guess import TimeGuess, guess_times
from r4.sources.tables.mapping import NO_VALUES, BadValue, Decimal, literal, with_point
from rif.syntax.terms import XSD

_SENTINEL: Final = re.compile(r"-9{2,6}(?:[.,]0+)?")
"""A number that may stand for no value."""
_NUMBERS: Final = ("integer", "decimal", "double")
_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
_POINT: Final = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")
_FRACTION: Final = re.compile(f"{_COMMA.pattern}|{_POINT.pattern}")
_DIGIT: Final = re.compile(r"[0-9]")
_CODE: Final = re.compile(r"[+-]?0[0-9]+")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
)


@dataclass(frozen=True, slots=True)
class ColumnGuess:
    """A column, as far as its first fields tell.

    Attributes:
        name: its name.
        values: its fields that are values, a row each that has one.
        is_full: whether each row has one.
        datatype: the local name of a datatype of XSD; "": there is no value.
        missing: words that stand for no value; the empty field always does.
        sentinel: a number that may stand for no value; "": there is none.
        times: the values as times; None: they are none.
        reason: why it is not what it looks like; "": nothing is to be said.
    """

    name: str
    values: Sequence[str]
    is_full: bool
    datatype: str
    missing: Sequence[str] = ()
    sentinel: str = ""
    times: TimeGuess | None = None
    reason: str = ""

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return self.datatype in _NUMBERS

    @property
    def different(self) -> int:
        """How many different values it has."""
        return len(set(self.values))


def guess_decimal(columns: Sequence[Sequence[str]]) -> Decimal:
    """What separates decimals: a comma where numbers have one and none has a point."""
    found = {"," if _COMMA.fullmatch(text) else "." for text in _fractions(columns)}
    return "," if found == {","} else "."


def _fractions(columns: Sequence[Sequence[str]]) -> list[str]:
    """The first number with a fraction of each column that is all numbers."""
    first: list[str] = []
    for texts in columns:
        given, _ = _without_words([text for text in texts if text], ".", ",")
        some = next((each for each in given if _FRACTION.fullmatch(each)), "")
        decimal: Decimal = "," if _COMMA.fullmatch(some) else "."
        if some and _number_type(given, decimal):
            first.append(some)
    return first


def guess_column(name: str, fields: Sequence[str], decimal: Decimal) -> ColumnGuess:
    """What a column has, by its fields; ``decimal`` separates the decimals of numbers."""
    given = [field for field in fields if field]
    values, words = _without_words(given, decimal)
    if not values:
        return ColumnGuess(name, (), is_full=False, datatype="", missing=_once(words))
    times = guess_times(values)
    datatype = _number_type(values, decimal)
    reason = sentinel = ""
    if datatype == "integer" and any(map(_CODE.fullmatch, values)):
        datatype, reason = "", "numbers with zeros in front are codes"
    if datatype:
        sentinel = _sentinel(values)
        values = [value for value in values if value != sentinel]
        datatype = _number_type(values, decimal)
    else:
        datatype = _text_type(values)
    if datatype == "string" and times is None:
        values, words = given, []
        if not reason and any(map(_COMMA.fullmatch, values)):
            reason = "numbers with commas among others"
    is_full = len(values) == len(fields)
    return ColumnGuess(name, values, is_full, datatype, _once(words), sentinel, times, reason)


def _without_words(given: Sequence[str], *decimals: Decimal) -> tuple[list[str], list[str]]:
    """The values of a column without words that stand for none, and these.

    They are known ones, and a single one among numbers of which there are at least two.
    """
    values = [field for field in given if field.lower() not in NO_VALUES]
    known = [field for field in given if field.lower() in NO_VALUES]
    texts = {value for value in values if not _DIGIT.search(value)}
    if len(texts) == 1 and not any(_number_type(values, each) for each in decimals):
        numbers = [value for value in values if value not in texts]
        if len(set(numbers)) > 1 and any(_number_type(numbers, each) for each in decimals):
            return numbers, [*known, *texts]
    return values, known


def _once(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _number_type(values: Sequence[str], decimal: Decimal) -> str:
    """The first datatype of numbers that all values have; "": there is none."""
    return next((each for each in _NUMBERS if all(_fits(v, each, decimal) for v in values)), "")


def _fits(value: str, datatype: str, decimal: Decimal) -> bool:
    try:
        literal(with_point(value, XSD + datatype, decimal, ""), XSD + datatype)
    except BadValue:
        return False
    return True


def _sentinel(values: Sequence[str]) -> str:
    """A number as -999 that is far below all others; "": there is none."""
    found = {value for value in values if _SENTINEL.fullmatch(value)}
    if len(found) != 1:
        return ""
    (sentinel,) = found
    others = [_number(value) for value in values if value != sentinel]
    return sentinel if others and min(others) > _number(sentinel) / 3 else ""


def _number(value: str) -> float:
    return float(value.replace(",", "."))


def _text_type(values: Sequence[str]) -> str:
    """The datatype of values that are no numbers."""
    if set(values) <= {"true", "false"}:
        return "boolean"
    try:
        if all(map(_DATE.fullmatch, values)):
            for value in values:
                date.fromisoformat(value)
            return "date"
        if all(map(_DATE_TIME.fullmatch, values)):
            for value in values:
                datetime.fromisoformat(value)
            return "dateTime"
    except ValueError:
        return "string"
    return "string"
