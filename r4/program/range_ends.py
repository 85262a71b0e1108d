"""The values that static data give the variables which end ranges, and programs with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from r4.time.ticks import INTEGER_TYPES, MOST, Kind, NotAStamp, OutOfRange, TimeScale
from rif.syntax.ast import Document
from rif.syntax.terms import R4_AGGREGATE, XSD, Literal, parse_canonical
from rif.values.date_arithmetic import SECOND, ticks
from temporal.metric_rif.range_ends import (
    MOST_VALUES,
    EndPattern,
    Length,
    TooManyEnds,
    with_range_ends,
)

RANGE_END: Final = R4_AGGREGATE + "range-end"
"""In place of a built-in: under it values are counted that are no length of a range."""


class RangeEndsRefused(ValueError):
    """Static data give the right end of a range values that rules cannot be compiled with."""

    code: ClassVar[str] = "R4605"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{self.code} {reason}")


class NewRangeEnd(ValueError):
    """Static data that come later give the right end of a range a value that it did not have."""

    code: ClassVar[str] = "R4606"

    def __init__(self, text: str, predicate: str) -> None:
        super().__init__(
            f"{self.code} {text} is a new value of {predicate}, which ends a range of a rule: give"
            " all of its values as static data before the first stamp"
        )


@dataclass(frozen=True, slots=True)
class EndValues:
    """What ends ranges.

    Attributes:
        terms: by pattern the canonical texts of the terms that static facts have there.
        kind: that of the stamps; None: it is not known, and lengths of both kinds count.
        outside: gets the terms that cannot end a range of a document that is closed.
    """

    terms: Mapping[EndPattern, tuple[str, ...]]
    kind: Kind | None
    outside: set[str] = field(default_factory=set, compare=False)

    def closed(self, document: Document, scale: TimeScale) -> Document:
        """The document with these values; raises `RangeEndsRefused` if there are too many."""
        try:
            return with_range_ends(
                *(document, self.terms, lambda text: self.length(text, scale)),
                scale.per_second,
                self.outside.add,
            )
        except TooManyEnds:
            message = (
                f"static data give the ranges of a condition more than {MOST_VALUES} right ends;"
                " round them, or use one value for many"
            )
            raise RangeEndsRefused(message) from None

    def length(self, text: str, scale: TimeScale) -> Length | None:
        """What a term is as the end of a range."""
        term = parse_canonical(text)
        if not isinstance(term, Literal):
            return None
        if self.kind != Kind.DATE_TIME and term.datatype in INTEGER_TYPES:
            try:
                return Length(scale.stamp(text).tick, in_ticks=True)
            except (NotAStamp, OutOfRange):
                return None
        if self.kind != Kind.INTEGER and term.datatype == XSD + "dayTimeDuration":
            found = ticks(term)
            whole, rest = divmod(0 if found is None else found * scale.per_second, SECOND)
            if found is not None and not rest and abs(whole) <= MOST:
                return Length(whole, in_ticks=False)
        return None
