"""Possible answers as the user gets them: values in nodes and points in time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from r4.api.values.change import take_all
from r4.api.values.event_clock import EventClock, Instant
from r4.time.ticks import Tick

if TYPE_CHECKING:
    from rdflib.term import Node

    from temporal.hypothetical.rif_rules.reports import status_reports

Term: TypeAlias = "Node | str"
"""A node, a variable where any would do; the text of a list, which is no node."""
Status: TypeAlias = Literal["supported", "confirmed", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """An asserted triple that a possible answer rests on.

    Attributes:
        triple: its terms.
        start: when it began to hold, by the element that asserts it for longest; None: always.
        until: when that ends, or ended; None: never.
    """

    triple: tuple[Term, Term, Term]
    start: Instant | str | None
    until: Instant | str | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A triple that a possible answer waits for.

    Attributes:
        triple: its terms.
        until: the last stamp with which it would be of use; None: any.
    """

    triple: tuple[Term, Term, Term]
    until: Instant | str | None


@dataclass(frozen=True, slots=True)
class Possible:
    """A fact that is possible.

    Attributes:
        triple: the fact, if it is a triple.
        atom: its text, if it is no triple.
        error: whether it is ``rif:error()``.
        evidence: the asserted triples, in the order of their texts.
        hypotheses: the missing triples, the most urgent first.
        tests: the conditions that the missing triples must meet, in presentation syntax.
        deadline: the largest stamp read by which it can still come true; None: any.
        rule: IRI, or number, of the rule.
        confidence: the probability that all that is missing comes; None: there are no chances.
    """

    triple: tuple[Term, Term, Term] | None
    atom: str | None
    error: bool
    evidence: tuple[Evidence, ...]
    hypotheses: tuple[Hypothesis, ...]
    tests: tuple[str, ...]
    deadline: Instant | str | None
    rule: str | int
    confidence: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Prospect:
    """A change of status of a possible fact.

    Attributes:
        status: ``supported``, ``confirmed`` or ``withdrawn``.
        at: the largest stamp by which it did.
        possible: the fact; with evidence unless it is withdrawn, with hypotheses if it is possible.
        because: of a withdrawn one the triple that can come no more, ``end of input``, or
            ``dropped: more than`` so many.
        retracted: of a withdrawn one the triple that was retracted instead.
    """

    status: Status
    at: Instant | str | None
    possible: Possible
    because: tuple[Term, Term, Term] | str | None = None
    retracted: tuple[Term, Term, Term] | None = None


_STATUS: Final[tuple[Status, ...]] = ("withdrawn", "confirmed", "supported")
"""The words for `status_reports.Status`, by its numbers."""


class ProspectQueue:
    """Changes of status of possible facts that the user has not taken out yet."""

    def __init__(self, event_clock: EventClock) -> None:
        self._event_clock = event_clock
        self._queued: deque[Prospect] = deque()

    def put(self, reports: Iterable[status_reports.StatusReport]) -> None:
        """Add the changes of status in ``reports``."""
        for each in reports:
            because = each.because
            self._queued.append(
                Prospect(
                    _STATUS[each.status],
                    self._at(each.at),
                    self.possible(each),
                    _terms(because) if isinstance(because, tuple) else because,
                    each.retracted and _terms(each.retracted),
                )
            )

    def take(self) -> Iterator[Prospect]:
        """Take out all, in order; each comes out once."""
        return take_all(self._queued)

    def possible(self, answer: status_reports.StatusReport) -> Possible:
        """A fact that is possible."""
        fact = answer.fact
        triple = None if fact.triple is None else _terms(fact.triple)
        atom = None if triple is not None or fact.is_error else fact.atom
        return Possible(
            triple,
            atom,
            fact.is_error,
            tuple(
                Evidence(_terms(each.triple), self._at(each.start), self._at(each.until))
                for each in answer.evidence
            ),
            tuple(
                Hypothesis(_terms(each.triple), self._at(each.until)) for each in answer.hypotheses
            ),
            answer.tests,
            self._at(answer.deadline),
            answer.rule,
            answer.confidence,
        )

    def _at(self, tick: Tick | None) -> Instant | str | None:
        return None if tick is None else self._event_clock.instant(tick)


def _terms(triple: status_reports.Triple) -> tuple[Term, Term, Term]:
    s, p, o = map(_term, triple)
    return s, p, o


def _term(text: str) -> Term:
    from rdflib.term import Variable  # noqa: PLC0415 - it is slow to load

    from r4.api.values.rdflib_terms import to_node  # noqa: PLC0415

    if text.startswith("?"):
        return Variable(text[1:])
    return to_node(text) or text
