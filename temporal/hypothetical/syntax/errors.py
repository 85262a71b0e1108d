"""Faults of Temporal Datalog, of its facts, and of queries: one class per code.

``HYP10x`` and ``HYP11x`` the text cannot be read, ``HYP20x`` it has no meaning, ``HYP21x`` a fact
cannot be taken in, ``HYP3xx`` a rule is not safe, ``HYP40x`` a query is refused, ``HYP50x`` a
warning. Faults of the parsers of DatalogMTL get codes of their own here (`with_hyp_code`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from rif.errors.base import RuleError, Severity
from temporal import errors as mtl

# Text.


class HypUnexpectedText(mtl.UnexpectedText):
    """The text goes on with something else than the grammar has there."""

    code = "HYP101"


class HypBadName(mtl.BadName):
    """A name is due, and the text there is no predicate, variable or constant."""

    code = "HYP102"


class HypUnterminatedString(mtl.UnterminatedString):
    """A quoted constant is not closed on its line."""

    code = "HYP103"


class HypBadEscape(mtl.BadEscape):
    """A backslash in a quoted constant stands before a character that needs none."""

    code = "HYP104"


class BadTime(RuleError):
    """The last argument of an atom is no time."""

    code = "HYP105"
    default_hint = "the last argument is a natural number, a variable T, T+1 or T-1"


class NoTime(RuleError):
    """An atom has no arguments, although its last one is always a time."""

    code = "HYP106"
    default_hint = "the last argument is a time: Rain(T)"


class NoBody(RuleError):
    """A rule has no condition."""

    code = "HYP107"
    default_hint = "facts stand in the data: @0 Temp(wt2,high,0)"


class HypTooLong(mtl.TooLong):
    """A line, a name or a list of arguments is longer than R4 reads."""

    code = "HYP108"


class HypRuleAmongFacts(mtl.RuleAmongFacts):
    """A rule stands among the facts."""

    code = "HYP109"


class HypFactAmongRules(mtl.FactAmongRules):
    """A fact with its arrival stands among the rules."""

    code = "HYP110"


class BadDelay(RuleError):
    """A delay is no natural number, or it is about something that has no delay."""

    code = "HYP111"
    default_hint = "write Temp=2, Temp(wt2,_)=3 without the time, or 2 for all"


class BadChance(RuleError):
    """A chance is no probability, or it is about something that has none."""

    code = "HYP112"
    default_hint = "write Temp=0.8,0.95: how probable it is that a fact came 0, at most 1 … late"


# Meaning.


class HypArityClash(mtl.ArityClash):
    """A predicate has different numbers of arguments."""

    code = "HYP201"
    default_hint = "time is the last argument, and counts"


class TwoSorts(RuleError):
    """A variable stands for a time at one place and for an object at another."""

    code = "HYP202"
    default_hint = "the last argument is time, the others are not: use two variables"


class HypOutOfBounds(RuleError):
    """A time is too far from 0."""

    code = "HYP203"
    default_hint = "choose a coarser unit of time, or an origin nearer to the data"


class SeveralHeads(RuleError):
    """A rule concludes several atoms."""

    code = "HYP204"
    default_hint = "write a rule for each"


class AmbiguousPattern(RuleError):
    """Two patterns of instances overlap, and neither is the narrower one."""

    code = "HYP205"


class TooManyHypotheses(RuleError):
    """An answer waits for more input atoms than R4 follows."""

    code = "HYP206"


# Facts that cannot be taken in.


class ArrivalOutOfOrder(RuleError):
    """A fact arrives before one that stands above it."""

    code = "HYP211"
    default_hint = "facts stand in the order in which they arrive"


class DerivedPredicate(RuleError):
    """A fact has a predicate that rules conclude."""

    code = "HYP212"
    default_hint = "let a rule conclude it from another predicate"


class PrematureFact(RuleError):
    """A fact has a time after its arrival."""

    code = "HYP213"


class OverdueFact(RuleError):
    """A fact arrives later than its delay allows."""

    code = "HYP214"
    default_hint = "--delay PREDICATE=N says how late facts may be"


# Safeness.


class HypUnsafeVariable(mtl.UnsafeVariable):
    """No atom of the body has a variable of the head [CruzFilipe22, section 2.1]."""

    code = "HYP301"


# Queries.


class NotDerived(RuleError):
    """A query asks for a predicate that no rule concludes."""

    code = "HYP401"


class QueryArity(RuleError):
    """A query has another number of arguments than its predicate has in the rules."""

    code = "HYP402"
    default_hint = "time is the last argument, and counts"


class EndlessResolution(RuleError):
    """A recursion may lead to the same goal without end [CruzFilipe22, section 3]."""

    code = "HYP403"
    default_hint = (
        "ask about one time, as in P(X,5), if the rules look back only; "
        "--depth N cuts it, and what is told is partial then"
    )


class TooManyPremises(RuleError):
    """There are more ways to an answer than R4 follows."""

    code = "HYP404"
    default_hint = "ask for less, with constants in the query, or give a smaller depth"


# Warnings.


class TimeNotKnown(RuleError):
    """A set of hypotheses may be printed although a part is enough [CruzFilipe22, Definition 3]."""

    code = "HYP501"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "let a condition, or the query, relate this time to the others, as T and T+1 are"


_CODED: Final[Mapping[type[RuleError], type[RuleError]]] = {
    mtl.UnexpectedText: HypUnexpectedText,
    mtl.BadName: HypBadName,
    mtl.UnterminatedString: HypUnterminatedString,
    mtl.BadEscape: HypBadEscape,
    mtl.TooLong: HypTooLong,
    mtl.ArityClash: HypArityClash,
}


def with_hyp_code(fault: RuleError) -> RuleError:
    """The same fault under the code that it has here."""
    kind = _CODED.get(type(fault))
    return fault if kind is None else kind(fault.message, fault.span, fault.hint)
