"""What can be wrong with Temporal Datalog, with its facts, and with a question: one class per code.

``HYP10x`` and ``HYP11x`` the text cannot be read, ``HYP20x`` it has no meaning, ``HYP21x`` a fact
cannot be taken in, ``HYP3xx`` a rule is not safe; ``HYP40x``, of a query, are in
`temporal.hypothetical.resolution_errors`. What is read as DatalogMTL is read has the same faults,
under codes of its own (`coded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rif.errors import RuleError, RuleErrors
from temporal import errors as mtl

# Text.


class UnexpectedText(mtl.UnexpectedText):
    """Something else was expected here."""

    code = "HYP101"


class BadName(mtl.BadName):
    """What stands where a predicate, a variable or a constant is due, and is none."""

    code = "HYP102"


class UnterminatedString(mtl.UnterminatedString):
    """A quoted constant that is not closed on its line."""

    code = "HYP103"


class BadEscape(mtl.BadEscape):
    """A backslash in a quoted constant before what needs none."""

    code = "HYP104"


class BadTime(RuleError):
    """The last argument of an atom is no time."""

    code = "HYP105"
    default_hint = "the last argument is a natural number, a variable T, T+1 or T-1"


class NoTime(RuleError):
    """An atom without arguments: time is always one."""

    code = "HYP106"
    default_hint = "the last argument is a time: Rain(T)"


class NoBody(RuleError):
    """A rule without a condition."""

    code = "HYP107"
    default_hint = "facts stand in the data: @0 Temp(wt2,high,0)"


class TooLong(mtl.TooLong):
    """A line, name or list of arguments beyond what is read."""

    code = "HYP108"


class RuleAmongFacts(mtl.RuleAmongFacts):
    """A rule where facts are read."""

    code = "HYP109"


class FactAmongRules(mtl.FactAmongRules):
    """A fact with its arrival where rules are read."""

    code = "HYP110"


class BadDelay(RuleError):
    """A delay that is none, or of what has none."""

    code = "HYP111"
    default_hint = "write Temp=2, Temp(wt2,_)=3 without the time, or 2 for all"


class BadChance(RuleError):
    """A probability that is none, or of what has none."""

    code = "HYP112"
    default_hint = "write Temp=0.8,0.95: how probable it is that a fact came 0, at most 1 … late"


# Meaning.


class ArityClash(mtl.ArityClash):
    """A predicate with different numbers of arguments."""

    code = "HYP201"
    default_hint = "time is the last argument, and counts"


class TwoSorts(RuleError):
    """A variable that stands for a time and for a thing."""

    code = "HYP202"
    default_hint = "the last argument is time, the others are not: use two variables"


class OutOfBounds(RuleError):
    """A time too far from 0."""

    code = "HYP203"
    default_hint = "choose a coarser unit of time, or an origin nearer to the data"


class SeveralHeads(RuleError):
    """A rule that concludes several atoms."""

    code = "HYP204"
    default_hint = "write a rule for each"


class AmbiguousPattern(RuleError):
    """Two patterns of instances that have instances in common, and neither is the narrower."""

    code = "HYP205"


class TooManyHypotheses(RuleError):
    """An answer that waits for more input atoms than subsets of them can be followed."""

    code = "HYP206"


# Facts that cannot be taken in.


class Backwards(RuleError):
    """An arrival before another one that was read."""

    code = "HYP211"
    default_hint = "facts stand in the order in which they arrive"


class Derived(RuleError):
    """A fact of a predicate that rules conclude."""

    code = "HYP212"
    default_hint = "let a rule conclude it from another predicate"


class Premature(RuleError):
    """A fact whose time is later than its arrival."""

    code = "HYP213"


class Overdue(RuleError):
    """A fact that arrives later than its delay allows."""

    code = "HYP214"
    default_hint = "--delay PREDICATE=N says how late facts may be"


# Safeness.


class UnsafeVariable(mtl.UnsafeVariable):
    """A head variable that no atom of the body has [CruzFilipe22, section 2.1]."""

    code = "HYP301"


_CODED: Final[Mapping[type[RuleError], type[RuleError]]] = {
    mtl.UnexpectedText: UnexpectedText,
    mtl.BadName: BadName,
    mtl.UnterminatedString: UnterminatedString,
    mtl.BadEscape: BadEscape,
    mtl.TooLong: TooLong,
    mtl.ArityClash: ArityClash,
}


def coded(fault: RuleError) -> RuleError:
    """The same fault under the code that it has here."""
    kind = _CODED.get(type(fault))
    return fault if kind is None else kind(fault.message, fault.span, fault.hint)


def recoded(errors: RuleErrors) -> RuleErrors:
    """The same faults under the codes that they have here."""
    return RuleErrors(map(coded, errors.errors), errors.source, errors.name)
