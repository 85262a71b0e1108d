"""Terms as members of bags: which kind of value each is, and the order of any two.

Numbers come first, by exact value, NaN last; then dateTimes (without zone as UTC), dates, times,
dayTimeDurations, yearMonthDurations, strings by code points, booleans, false first; then all other
terms by their text. Terms of equal value follow each other by text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Final, TypeAlias

from rif.syntax.terms import XSD, GroundTerm, Literal, parse_canonical
from rif.values.datatypes import NumericClass, canonical_literal, numeric_value
from rif.values.date_arithmetic import MomentKind, instant_in_utc, moment, months, ticks

Value: TypeAlias = int | float | Decimal | str
"""What members of one kind are compared by: exact, as Python compares these."""
OrderKey: TypeAlias = tuple[int, int, Value, str]
"""The rank of the kind, 1 of NaN, the value, the text."""


class Kind(IntEnum):
    """A kind of values, in their order."""

    NUMBER = 0
    DATE_TIME = 1
    DATE = 2
    TIME = 3
    DAY_TIME_DURATION = 4
    YEAR_MONTH_DURATION = 5
    STRING = 6
    BOOLEAN = 7
    OTHER = 8


@dataclass(frozen=True, slots=True)
class Member:
    """A term in a bag.

    Attributes:
        text: The term in canonical N-Triples.
        kind: The kind of its value.
        value: Is compared within the kind; of `Kind.OTHER` its text.
        numeric: Of a number, its kind in the order of promotion.
        key: Its place in the order of all terms.
    """

    text: str
    kind: Kind = field(compare=False)
    value: Value = field(compare=False)
    numeric: NumericClass | None = field(compare=False)
    key: OrderKey = field(compare=False)

    @property
    def is_nan(self) -> bool:
        """Whether it is NaN."""
        return self.key[1] == 1


_DATE_TIME: Final = f'"^^<{XSD}dateTime>'


def member(text: str) -> Member:
    """The member that a term in canonical N-Triples is. Linear in the text."""
    if text.endswith(_DATE_TIME):
        instant = instant_in_utc(text[1 : -len(_DATE_TIME)])
        if instant is not None:
            return Member(text, Kind.DATE_TIME, instant, None, (Kind.DATE_TIME, 0, instant, text))
    term = parse_canonical(text)
    number = numeric_value(term) if isinstance(term, Literal) else None
    if number is not None:
        numeric, value = number
        is_nan = isinstance(value, float) and math.isnan(value)
        key: Value = 0 if is_nan else value
        return Member(text, Kind.NUMBER, value, numeric, (Kind.NUMBER, int(is_nan), key, text))
    kind, other = _kind_and_value(term, text)
    return Member(text, kind, other, None, (kind, 0, other, text))


_MOMENTS: Final[dict[str, tuple[Kind, MomentKind]]] = {
    "dateTime": (Kind.DATE_TIME, "dateTime"),
    "dateTimeStamp": (Kind.DATE_TIME, "dateTime"),
    "date": (Kind.DATE, "date"),
    "time": (Kind.TIME, "time"),
}
_STRINGS: Final = frozenset(
    ("string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN")
)


def _kind_and_value(term: GroundTerm, text: str) -> tuple[Kind, Value]:
    if not isinstance(term, Literal) or term.language or not term.datatype.startswith(XSD):
        return Kind.OTHER, text
    name = term.datatype[len(XSD) :]
    value: Value | None = None
    kind = Kind.OTHER
    if name in _MOMENTS:
        kind, of = _MOMENTS[name]
        found = moment(term, of)
        value = None if found is None else found.instant
    elif name == "dayTimeDuration":
        kind, value = Kind.DAY_TIME_DURATION, ticks(term)
    elif name == "yearMonthDuration":
        kind, value = Kind.YEAR_MONTH_DURATION, months(term)
    elif name in _STRINGS and canonical_literal(term) is not None:
        kind, value = Kind.STRING, term.lexical
    elif name == "boolean" and (form := canonical_literal(term)) is not None:
        kind, value = Kind.BOOLEAN, int(form.lexical == "true")
    return (Kind.OTHER, text) if value is None else (kind, value)
