"""Errors of programs: rules that can be read and are safe, but do not run. One class a code."""

from __future__ import annotations

from typing import ClassVar, Self

from r4.program.program import ClausePlace
from rif.errors.base import RuleError, Severity


class CycleError(RuleError):
    """An error of rules that feed each other: its place is in one of the documents.

    Attributes:
        document: which one, as in `ClausePlace`.
    """

    document: int = 0

    @classmethod
    def at(cls, place: ClausePlace, message: str, hint: str | None = None) -> Self:
        """The error of the clause at ``place``."""
        fault = cls(message, place.span, hint)
        fault.document = place.document
        return fault


class WindowFinerThanTick(RuleError):
    """A window is no whole number of ticks."""

    code = "R4101"
    default_hint = "choose a finer tick (--tick us or --tick ns)"


class TimeTooLong(RuleError):
    """A window, or the ranges of operators with it, reaches beyond the time line."""

    code = "R4102"
    default_hint = "leave the Window out: then facts hold for ever; a range may end at inf"


class TooManyConditions(RuleError):
    """A body has more conditions than a plan can be deep."""

    code = "R4103"
    default_hint = "derive parts of it by rules of their own"


class NotStratifiedRules(CycleError):
    """A cycle of rules leads through a negation: a fact depends on its own absence [Ceri89].

    Or it leads through an aggregate, which asks for all facts.
    """

    code = "R4105"
    default_hint = (
        "let the rule ask for something else, or derive something that is not negated: an atom such"
        " as ex:p(?x), if rules of a regime read any triple"
    )


class NegationOfInstances(RuleError):
    """Answers are instances, and a negation that begins and ends has no instances."""

    code = "R4106"
    default_hint = "ask for facts (--semantics facts)"


class OperatorFinerThanTick(RuleError):
    """The range of a metric operator is no whole number of ticks."""

    code = "R4107"
    default_hint = "choose a finer tick (--tick us or --tick ns)"


class MetricInstances(RuleError):
    """Answers are instances, and an operator, an aggregate or a time of facts has none."""

    code = "R4108"
    default_hint = "ask for facts (--semantics facts)"


class EndlessLookahead(CycleError):
    """Rules look ahead without end: what holds now would depend on all later input."""

    code = "R4109"
    default_hint = (
        "let one of the rules look back, or ask for something that is not derived from it"
    )


class NegationBeforeRecursion(CycleError):
    """A negation feeds a cycle that derives later facts: losses would have no end."""

    code = "R4110"
    default_hint = (
        "ask for what is negated in a rule behind the cycle, or give the cycle no operator"
    )


class LooksBackTooFar(RuleError):
    """Rules that are added look back on facts that may have been forgotten."""

    code = "R4114"
    default_hint = "start the engine with a longer lookback=, or without: then all is kept"


class ImmutablePart(RuleError):
    """A part of a rule document changes that cannot change while its rules run."""

    code = "R4116"
    default_hint = "end the run, and begin it with these rules"


class OpenRange(RuleError):
    """A range ends in a variable where its values are not known in time."""

    code = "R4119"
    default_hint = "write a rule with a constant range for each value"


class TimesOfOtherRules(RuleError):
    """Rules that are added ask for the times of what running ones derive, or the other way round.

    A rule derives facts with their times only where some rule asked for these when it began.
    """

    code = "R4120"
    default_hint = "have both rules in the document that the engine begins with"


class MembersNotSame(RuleError):
    """The regime makes equal terms one, but not within lists."""

    code = "R4326"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "derive a fact for each member, and ask for those"


class LiteralsAsTerms(RuleError):
    """The regime is about values of literals, but literals are compared as terms."""

    code = "R4327"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = '--literals value makes literals of equal values one term (literals="value")'


class TimesOfRegime(RuleError):
    """At under a regime: it tells when elements assert a fact, or rules of the user derive it."""

    code = "R4330"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "ask for the times of what elements say, and for what follows beside it"


class WindowOnTop(RuleError):
    """At stands under a metric operator in a document with a Window.

    A fact without an end of its own holds as long as the window says, and the operator reaches on
    from there: an hour of a range, and a window of ten minutes, are seventy minutes together.
    """

    code = "R4329"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "without a Window the operator alone says how long it counts"
