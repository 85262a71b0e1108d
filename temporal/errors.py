"""Faults of DatalogMTL: one class per code.

``MTL10x`` the text cannot be read, ``MTL11x`` a row of a table cannot, ``MTL2xx`` it has no
meaning, ``MTL3xx`` a rule is not safe.
"""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import RuleError, Severity


class UnexpectedText(RuleError):
    """Something else was expected here."""

    code = "MTL101"


class BadName(RuleError):
    """Text that is no predicate, variable or constant, where one is due."""

    code = "MTL102"
    default_hint = "put the constant in quotes"


class UnterminatedString(RuleError):
    """A quoted constant that is not closed on its line."""

    code = "MTL103"
    default_hint = "close it with the quote that opened it; it may not span lines"


class BadEscape(RuleError):
    """A backslash in a quoted constant before what needs none."""

    code = "MTL104"
    default_hint = r"""escapes are \" \' \\"""


class BadNumber(RuleError):
    """Text that is no number, date or duration, or one of them where another is due."""

    code = "MTL105"
    default_hint = "write an integer 5, a decimal 2.5, a fraction 5/2, or inf"


class BadRange(RuleError):
    """An operator or a fact without an interval that can be read."""

    code = "MTL106"
    default_hint = "write it with two ends, such as [0,1] or (0,inf)"


class TooDeep(RuleError):
    """Operators nested beyond what is read."""

    code = "MTL107"
    default_hint = "give the inner formula a predicate of its own"


class TooLong(RuleError):
    """A line, name or number beyond what is read."""

    code = "MTL108"
    default_hint = "split it"


class RuleAmongFacts(RuleError):
    """A rule where facts are read."""

    code = "MTL109"
    default_hint = "rules stand in the program, facts in the data"


class FactAmongRules(RuleError):
    """A fact with its time where rules are read."""

    code = "MTL110"
    default_hint = "facts stand in the data, rules in the program"


class BadRow(RuleError):
    """A row of a table that is no fact."""

    code = "MTL111"
    default_hint = "a row is constants, then left and right end: a,b,left,right"


# Meaning.


class EmptyInterval(RuleError):
    """An interval without a time point: reversed, or a point with an open end."""

    code = "MTL201"
    default_hint = "the left end stands first; one point is [1,1]"


class NegativeRange(RuleError):
    """An operator that looks at negative distances."""

    code = "MTL202"
    default_hint = "ranges are distances: Diamondminus[1,2] looks back, Diamondplus[1,2] ahead"


class RangeAcrossZero(RuleError):
    """A signed range on both sides of 0."""

    code = "MTL203"
    default_hint = "write one formula for the past and one for the future"


class NotAHead(RuleError):
    """A formula that cannot be concluded: a diamond, Since, Until, TOP, a conjunction."""

    code = "MTL204"
    default_hint = "a head is an atom, under any number of Boxplus and Boxminus"


class ArityClash(RuleError):
    """A predicate with different numbers of arguments."""

    code = "MTL205"
    default_hint = "give one of them another name"


class OutOfBounds(RuleError):
    """A time point too far from 0, or numbers with too large a common denominator."""

    code = "MTL206"
    default_hint = "choose a coarser unit of time, or an origin nearer to the data"


class TooManyConditions(RuleError):
    """A body that is longer than plans can be deep."""

    code = "MTL207"
    default_hint = "derive parts of it by rules of their own"


class NotCovered(RuleError):
    """A range to infinity of which no argument says that its models are found."""

    code = "MTL208"
    default_hint = "give the range an end, or the formula a predicate of its own"


class MixedTimes(RuleError):
    """Numbers beside dates and durations, in a program or in its data."""

    code = "MTL209"
    default_hint = "rules and data count time alike: in numbers, or with dates and durations"


class BottomFormula(RuleError):
    """BOTTOM in a body, which would hold at no time."""

    code = "MTL210"
    default_hint = "BOTTOM is a head: BOTTOM :- Hot(X), Cold(X) says that both never hold together"


# Safeness.


class UnsafeVariable(RuleError):
    """A head variable that no formula of the body binds [Brandt18]."""

    code = "MTL301"
    default_hint = "let it occur in an atom of the body"


class UnboundVariable(RuleError):
    """A variable of a Since or Until that need not hold, used where it must have a value."""

    code = "MTL302"
    default_hint = "with 0 in the range the left side may not be needed; bind it in another atom"


# Streams.


class LateFact(RuleError):
    """A fact whose stamp lies below the frontier, or a retraction of one that may count no more."""

    code = "MTL401"
    default_hint = "a larger --delay waits longer"


class NeverCertain(RuleError):
    """A query whose answers depend on what lies any distance ahead."""

    code = "MTL402"
    default_hint = "give ranges that look ahead an end, and let no cycle of rules look ahead"


class RetractionUnread(RuleError):
    """A retraction in a stream that was said to have none."""

    code = "MTL403"
    default_hint = "--retractions reads such lines, and keeps what they may take back"


class RetractionTooOld(RuleError):
    """A retraction of what was condensed."""

    code = "MTL404"
    default_hint = "--memory exact keeps all that may be retracted"


class PunctualRange(RuleError):
    """A range of one point, where memory is to be independent of the stamps."""

    code = "MTL405"
    default_hint = "--memory exact keeps each stamp"


class ConstraintUnchecked(RuleError):
    """Constraints of a program that a query along a stream does not follow."""

    code = "MTL406"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "--query BOTTOM tells when the program is inconsistent"
