"""Why rules have no possible answers: one class a code, all warnings; the rules run as ever.

`BadUnitChance` is an error, of an option; `RetractedEarly` a warning about certain answers.
"""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import NOWHERE, RuleError, Severity


class _RuleWarning(RuleError):
    default_severity: ClassVar[Severity] = "warning"


class RuleNotFollowed(_RuleWarning):
    """A condition or a head is of a kind that possible answers do not look through."""

    code = "R4501"
    default_hint = "its certain answers are told; possible ones look through patterns, tests and ◇"


class Recursive(_RuleWarning):
    """A rule needs its own conclusion: its conditions could be resolved without end."""

    code = "R4502"
    default_hint = "its certain answers are told; possible ones end where rules meet themselves"


class SpreadInRange(_RuleWarning):
    """Several elements would have to come together under a diamond over a range of times."""

    code = "R4503"
    default_hint = "give each its own operator, or the operator a range of one point: [5 s, 5 s]"


class TooMuch(_RuleWarning):
    """There are more ways to a conclusion, or more elements on one way, than R4 follows."""

    code = "R4504"
    default_hint = "its certain answers are told; derive parts of it by rules of fewer conditions"


class ThroughAnother(_RuleWarning):
    """A rule needs the conclusion of a rule that is not followed."""

    code = "R4505"
    default_hint = "see what is said of that rule"


class OfInstances(_RuleWarning):
    """Answers are instances, which have no possible answers."""

    code = "R4506"
    default_hint = "ask for facts (--semantics facts)"


class ComputedTerm(_RuleWarning):
    """A rule compares as a term what another one computes: patterns compare no values but numbers.

    With `--literals term` they compare no values at all.
    """

    code = "R4509"
    default_hint = "compare values: a variable in the pattern, and = or a built-in beside it"


class BadUnitChance(RuleError):
    """A chance is no probability, or it is about something that has none."""

    code = "R4507"
    default_hint = "write IRI=0:0.8,1m:0.95: how probable it is that it came 0, at most 1 m … late"


class RetractedEarly(_RuleWarning):
    """A retraction takes effect before earlier answers are final, as rules look ahead."""

    code = "R4508"
    default_hint = "without possible answers, a retraction waits until all before it is final"

    @classmethod
    def of(cls, count: int) -> RetractedEarly:
        """The warning about ``count`` facts."""
        return cls(
            f"{count} fact(s) were retracted at once, although rules look ahead: "
            "certain answers of earlier instants may have ended by that",
            NOWHERE,
        )
