"""The text is syntax of another dialect of RIF: ``RIF15x`` and ``RIF16x``."""

from __future__ import annotations

import re
from typing import ClassVar, Final, Self

from rif.errors.base import RuleError, Severity, Span
from rif.errors.report import shorten

AGGREGATE_FORM: Final = "an aggregate is written ?m = avg{ ?value [?group] | condition }"
_AGGREGATES: Final = frozenset(("avg", "average", "count", "max", "mean", "median", "min", "sum"))
_END: Final = 40
"""So many characters at the end of a name are looked at."""
_BEFORE_LOCAL: Final = re.compile(r"[#/:_]|^<|>$")


def is_aggregate(name: str) -> bool:
    """Whether a name, as an IRI or as rules write it, ends with that of an aggregate."""
    parts = [part for part in _BEFORE_LOCAL.split(name[-_END:]) if part]
    return bool(parts) and parts[-1].lower().removeprefix("numeric-") in _AGGREGATES


class Subclass(RuleError):
    """``a ## b`` is a formula of RIF-BLD."""

    code = "RIF151"
    default_hint = "RIF-Core has no subclass formulas; use a[rdfs:subClassOf -> b]"


class NamedArguments(RuleError):
    """``p(name -> value)`` is an atom of RIF-BLD."""

    code = "RIF152"
    default_hint = "RIF-Core has positional arguments p(v w) and frames o[name -> v]"


class Negation(RuleError):
    """Neg and Not are not in RIF-Core."""

    code = "RIF153"
    default_hint = "write Naf( … ) for what does not follow, or a predicate for the opposite"


class EqualityInHead(RuleError):
    """``t = s`` is concluded, as in RIF-BLD."""

    code = "RIF154"
    default_hint = "equality stands in bodies only; conclude an atom or a frame"


class MembershipInHead(RuleError):
    """``o # c`` is concluded, as in RIF-BLD."""

    code = "RIF155"
    default_hint = "membership stands in bodies only; conclude o[rdf:type -> c]"


class FunctionTerm(RuleError):
    """``f(t)`` is a term without External, as in RIF-BLD."""

    code = "RIF156"
    default_hint = "RIF-Core has built-in functions only, written External( func:f(t) )"

    @classmethod
    def of(cls, name: str, span: Span) -> Self:
        """The fault of the function ``name``, as it is written."""
        message = f"{shorten(name)}( … ) is a function term that is not External"
        return cls(message, span, AGGREGATE_FORM if is_aggregate(name) else None)


class NotAHead(RuleError):
    """The head is a formula that cannot be concluded: External, Or, Exists, a nested And."""

    code = "RIF157"
    default_hint = "a head is an atom, a frame, or And( … ) of these"


class ListNotGround(RuleError):
    """A list has a variable or a tail, as in RIF-BLD."""

    code = "RIF158"
    default_hint = "lists are closed and ground; use External( func:make-list(…) )"


class NotAPredicate(RuleError):
    """A variable, literal or list stands for the name of a predicate or function."""

    code = "RIF159"
    default_hint = "predicates and functions are named by IRIs or local constants"


class OtherDialect(RuleError):
    """The construct is one of another RIF dialect."""

    code = "RIF160"
    default_hint = "RIF-Core has conditions, External built-ins and plain facts only"


class NegationAsFailure(RuleError):
    """``Naf( … )`` is a formula of RIF-FLD: R4 evaluates it, other systems may refuse it."""

    code = "RIF161"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "the rules must be stratified: no fact may hang on its own absence"


class RulesOfAnotherLanguage(RuleError):
    """The text has rules of a language that R4 does not read."""

    code = "RIF162"
    default_hint = "docs/how-do-i-say-it.md says how R4 writes the same"
