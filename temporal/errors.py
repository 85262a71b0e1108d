"""Faults of DatalogMTL: one class per code.

``MTL10x`` the text cannot be read, ``MTL11x`` a row of a table cannot, ``MTL2xx`` it has no
meaning, ``MTL3xx`` a rule is not safe.
"""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import RuleError, Severity


class UnexpectedText(RuleError):
    """The text goes on with something else than the grammar has there."""

    code = "MTL101"


class BadName(RuleError):
    """A name is due, and the text there is no predicate, variable or constant."""

    code = "MTL102"
    default_hint = "put the constant in quotes"


class UnterminatedString(RuleError):
    """A quoted constant is not closed on its line."""

    code = "MTL103"
    default_hint = "close it with the quote that opened it; it may not span lines"


class BadEscape(RuleError):
    """A backslash in a quoted constant stands before a character that needs none."""

    code = "MTL104"
    default_hint = r"""escapes are \" \' \\"""


class BadNumber(RuleError):
    """A number, a date or a duration is due, and the text there is none, or another of them."""

    code = "MTL105"
    default_hint = "write an integer 5, a decimal 2.5, a fraction 5/2, or inf"


class BadRange(RuleError):
    """An operator or a fact has no interval that can be read."""

    code = "MTL106"
    default_hint = "write it with two ends, such as [0,1] or (0,inf)"


class TooDeep(RuleError):
    """Operators are nested deeper than R4 reads."""

    code = "MTL107"
    default_hint = "give the inner formula a predicate of its own"


class TooLong(RuleError):
    """A line, a name or a number is longer than R4 reads."""

    code = "MTL108"
    default_hint = "split it"


class RuleAmongFacts(RuleError):
    """A rule stands among the facts."""

    code = "MTL109"
    default_hint = "rules stand in the program, facts in the data"


class FactAmongRules(RuleError):
    """A fact with its time stands among the rules."""

    code = "MTL110"
    default_hint = "facts stand in the data, rules in the program"


class BadRow(RuleError):
    """A row of a table is no fact."""

    code = "MTL111"
    default_hint = "a row is constants, then left and right end: a,b,left,right"


class RifOnly(RuleError):
    """A formula stands in a rule of DatalogMTL that only RIF rules have."""

    code = "MTL112"
    default_hint = "RIF only: write this rule in RIF, which has metric operators, too"


# Meaning.


class EmptyInterval(RuleError):
    """An interval has no point: its ends are reversed, or equal with one of them open."""

    code = "MTL201"
    default_hint = "the left end stands first; one point is [1,1]"


class NegativeRange(RuleError):
    """The range of an operator has negative distances."""

    code = "MTL202"
    default_hint = "ranges are distances: Diamondminus[1,2] looks back, Diamondplus[1,2] ahead"


class RangeAcrossZero(RuleError):
    """A signed range lies on both sides of 0."""

    code = "MTL203"
    default_hint = "write one formula for the past and one for the future"


class NotAHead(RuleError):
    """The head is a formula that cannot be concluded, such as a diamond or a conjunction."""

    code = "MTL204"
    default_hint = "a head is an atom, under any number of Boxplus and Boxminus"


class ArityClash(RuleError):
    """A predicate has different numbers of arguments."""

    code = "MTL205"
    default_hint = "give one of them another name"


class OutOfBounds(RuleError):
    """A time is too far from 0, or the numbers have too large a common denominator."""

    code = "MTL206"
    default_hint = "choose a coarser unit of time, or an origin nearer to the data"


class TooManyConditions(RuleError):
    """A body has more conditions than a plan can be deep."""

    code = "MTL207"
    default_hint = "derive parts of it by rules of their own"


class NotCovered(RuleError):
    """R4 has no argument that it finds the model for this range to infinity."""

    code = "MTL208"
    default_hint = "give the range an end, or the formula a predicate of its own"


class MixedTimes(RuleError):
    """Numbers stand beside dates and durations, in a program or in its data."""

    code = "MTL209"
    default_hint = "rules and data count time alike: in numbers, or with dates and durations"


class BottomFormula(RuleError):
    """BOTTOM stands in a body, where it would hold at no time."""

    code = "MTL210"
    default_hint = "BOTTOM is a head: BOTTOM :- Hot(X), Cold(X) says that both never hold together"


class NotStratifiedProgram(RuleError):
    """A fact depends on its own absence: a cycle of rules leads through a negation [Ceri89]."""

    code = "MTL211"
    default_hint = "let what is negated depend on other predicates than what is concluded from it"


# Safeness.


class UnsafeVariable(RuleError):
    """No formula of the body binds a variable of the head [Brandt18]."""

    code = "MTL301"
    default_hint = "let it occur in an atom of the body"


class UnboundVariable(RuleError):
    """A variable needs a value, but only a side of Since or Until that need not hold binds it."""

    code = "MTL302"
    default_hint = "with 0 in the range the left side may not be needed; bind it in another atom"


# Streams.


class LateFact(RuleError):
    """A fact is below the frontier, or a retraction takes back one that may count no more."""

    code = "MTL401"
    default_hint = "a larger --delay waits longer"


class NeverCertain(RuleError):
    """The answers of a query depend on what lies any distance ahead."""

    code = "MTL402"
    default_hint = "give ranges that look ahead an end, and let no cycle of rules look ahead"


class RetractionUnread(RuleError):
    """A stream has a retraction, and --retractions is not given."""

    code = "MTL403"
    default_hint = "--retractions reads such lines, and keeps what they may take back"


class RetractionTooOld(RuleError):
    """A retraction takes back a fact that was condensed with others."""

    code = "MTL404"
    default_hint = "--memory exact keeps all that may be retracted"


class PunctualRange(RuleError):
    """A range is one point, and then memory depends on how dense the stamps are."""

    code = "MTL405"
    default_hint = "--memory exact keeps each stamp"


class DenseNegation(RuleError):
    """Dense memory is wanted, and something is negated: then what it condenses may be needed."""

    code = "MTL407"
    default_hint = "--memory exact keeps each stamp"


class ConstraintUnchecked(RuleError):
    """A query along a stream does not check the constraints of its program."""

    code = "MTL406"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "--query BOTTOM tells when the program is inconsistent"
