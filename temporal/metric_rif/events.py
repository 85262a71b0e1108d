"""Event times in RIF rules: ``At``, ``Ended``, ``From`` and ``Every``, as kinds of formula.

    At ?t ( ?s[ex:reads -> ?v] )            ?t is when the fact was asserted, or began to hold
    Ended ?from ?until ( ?s[ex:on -> 1] )   at ?until the fact ceased to hold, as it did from ?from
    From ?g ( ?s[ex:reads -> ?v] )          ?g is an element that asserts the fact
    Every 1 h offset 5 m zone "Europe/Berlin" at ?t     the marks of a calendar

What they mean stands in docs/semantics.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from rif.syntax import ast
from rif.syntax.ast import Formula, Term
from temporal.intervals.durations import DurationLiteral

MONTH: Final = "month"
"""The unit of a period of calendar months."""


@dataclass(frozen=True, slots=True)
class EventFormula(Formula):
    """A formula about when, or by which element, a fact holds; the base class of three.

    Attributes:
        body: The fact: an atom, a frame or a membership.
    """

    body: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The fact."""
        return (self.body,)

    def with_parts(self, parts: Sequence[Formula]) -> Self:
        """The same about another fact."""
        return replace(self, body=parts[0])

    @property
    def binding(self) -> tuple[Formula, ...]:
        """The fact."""
        return (self.body,)

    @property
    def results(self) -> tuple[ast.Var, ...]:
        """The variables among its own terms."""
        return tuple(each for each in self.terms if isinstance(each, ast.Var))


@dataclass(frozen=True, slots=True)
class At(EventFormula):
    """``At ?t ( ATOMIC )``: the fact holds, as asserted at ?t or derived from ?t on."""

    time: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """The time."""
        return (self.time,)

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same at another time."""
        return replace(self, time=of(self.time))


@dataclass(frozen=True, slots=True)
class From(EventFormula):
    """``From ?g ( ATOMIC )``: the element ?g asserts the fact, and lets it hold."""

    element: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """The element."""
        return (self.element,)

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same of another element."""
        return replace(self, element=of(self.element))


@dataclass(frozen=True, slots=True)
class Ended(EventFormula):
    """``Ended ?from ?until ( ATOMIC )``: true at ?until, when the fact ceases to hold."""

    begin: Term
    end: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """Begin and end."""
        return self.begin, self.end

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same with another begin and end."""
        return replace(self, begin=of(self.begin), end=of(self.end))


@dataclass(frozen=True, slots=True)
class Every(Formula):
    """``Every 1 d offset 8 h zone "Europe/Berlin" at ?t``: true at the marks of a calendar.

    Attributes:
        period: The amount and unit, `MONTH` too.
        offset: Is added to each mark; None: nothing is.
        zone: A name of the IANA database; None: UTC.
        time: The mark; None: it is not named.
    """

    period: DurationLiteral
    offset: DurationLiteral | None = None
    zone: str | None = None
    time: Term | None = None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The mark."""
        return () if self.time is None else (self.time,)

    def with_terms(self, of: Callable[[Term], Term]) -> Self:
        """The same with another term for the mark."""
        return self if self.time is None else replace(self, time=of(self.time))

    @property
    def results(self) -> tuple[ast.Var, ...]:
        """The mark, if it is a variable."""
        return (self.time,) if isinstance(self.time, ast.Var) else ()
