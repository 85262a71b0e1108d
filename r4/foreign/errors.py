"""Faults of rules that are written in another language than RIF; a class a code.

``R470x`` a text in another language cannot be read or said in RIF, ``R471x`` it is read, and means
something else than its author may think.
"""

from __future__ import annotations

from typing import ClassVar

from rif.errors.base import RuleError, Severity


class NotReadable(RuleError):
    """The text is no SPARQL query, or no rules of Jena."""

    code = "R4701"
    default_hint = "docs/how-do-i-say-it.md says what is read of each language"


class NoCounterpart(RuleError):
    """A construct of SPARQL or Jena that no rule of R4 can say."""

    code = "R4702"
    default_hint = "docs/how-do-i-say-it.md says what is read of each language"


class TooManyCases(RuleError):
    """UNION, OPTIONAL, IF and the like make too many cases, each of which is a rule."""

    code = "R4703"
    default_hint = "write several queries"


class LeftOut(RuleError):
    """A part of a query or rule that makes no difference to what R4 derives, or none yet."""

    code = "R4711"
    default_severity: ClassVar[Severity] = "warning"


class ReadsItsOwn(RuleError):
    """A query that may match what it constructs: as a rule it does so again and again."""

    code = "R4712"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "if that is not meant, construct triples with a property of their own"


class SaidByOption(RuleError):
    """What a query says of its stream or its reports, for which R4 has an option."""

    code = "R4713"
    default_severity: ClassVar[Severity] = "warning"
