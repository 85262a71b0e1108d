"""Retraction by definition: from the frontier on, a retracted fact is as if never asserted.

`ElementLog` follows the elements, and at each time knows the assertions, each with the interval in
which it holds, and the frontier at which it was retracted. An instant before that is judged with
the fact, and one from there on without it. Where an instant is judged by what holds at that very
instant, the fact is cut at the frontier (`Assertion.until`); metric rules look at other times, too:
`worlds` are what they see.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tests.oracles.rules.formulas import Fact, Time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.oracles.streams.output_lines import Line


@dataclass(slots=True)
class Assertion:
    """A fact that an element of some name asserts; it has no name where there is no element.

    It counts for the instants before ``retracted``.
    """

    fact: Fact
    name: str
    start: Time
    end: Time
    retracted: Time = math.inf

    @property
    def until(self) -> Time:
        """When it ceases to hold in the eyes of each instant itself."""
        return min(self.end, self.retracted)

    @property
    def counts(self) -> bool:
        return self.start < self.until


def worlds(assertions: Sequence[Assertion]) -> list[tuple[Time, list[Assertion]]]:
    """What counts for the instants from a time on, up to the time of the next entry."""
    times = sorted({one.retracted for one in assertions} - {math.inf})
    return [
        (since, [one for one in assertions if one.retracted > since])
        for since in (-math.inf, *times)
    ]


class Reasoner(Protocol):
    """All lines of a run, whenever they are due, for assertions that are known beforehand."""

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]: ...


class ElementLog:
    """The elements in the order of arrival, and the lines that follow from them.

    Attributes:
        assertions: those that were in time, as they stand now.
        frontier: instants before it are closed.
        last: the largest stamp.
        first: the least stamp.
    """

    def __init__(
        self,
        reasoner: Reasoner,
        statics: Iterable[Fact],
        *,
        window: Time,
        delay: int,
        instances: bool,
        within: Time = math.inf,
    ) -> None:
        self.reasoner = reasoner
        self._within = within
        self._instances = instances
        self.assertions = [Assertion(fact, "", -math.inf, math.inf) for fact in statics]
        self.frontier: Time = -math.inf
        self.last: Time = -math.inf
        self._window = window
        self._delay = delay
        self._lines: list[Line] = []
        self._stale = True

    def arrive(self, start: int) -> bool:
        """An element with this stamp arrives: time moves; whether it is in time."""
        if start < self.frontier:
            return False
        self.last = max(self.last, start)
        self.frontier = max(self.frontier, self.last - self._delay)
        return True

    def advance(self, frontier: int) -> None:
        """Instants before ``frontier`` are closed."""
        self.frontier = max(self.frontier, frontier)

    def add(self, name: str, start: Time, end: Time | None, facts: Iterable[Fact]) -> None:
        """Facts are asserted by an element of this name."""
        until = start + self._window if end is None else end
        self.assertions += [Assertion(fact, name, start, until) for fact in facts if start < until]
        self._stale = True

    def retract(self, name: str, fact: Fact | None = None) -> bool:
        """Retract what elements of ``name`` asserted, or one fact; whether that has an effect.

        But not what they assert without a gap since before it may be retracted.
        """
        found = [
            one
            for one in self.assertions
            if one.name == name
            and fact in {None, one.fact}
            and one.retracted == math.inf
            and self._asserted_since(one) >= self.frontier - self._within
        ]
        for one in found:
            one.retracted = self.frontier
        self._stale |= bool(found)
        return any(one.end > self.frontier for one in found)

    def _asserted_since(self, asserted: Assertion) -> Time:
        """Since when elements of its name assert this, without a gap."""
        own = [
            one
            for one in self.assertions
            if (one.fact, one.name) == (asserted.fact, asserted.name) and one.retracted == math.inf
        ]
        begin = asserted.start
        while earlier := [one.start for one in own if one.start < begin <= one.end]:
            begin = min(earlier)
        return begin

    def due(self, since: Time, to: Time) -> list[Line]:
        """The lines of ``since`` and later that are due before ``to``."""
        return [line for line in self.lines() if since <= line.at < to]

    def lines(self) -> list[Line]:
        """All lines, if no element comes any more."""
        if self._stale:
            self._lines = self.reasoner.lines(self.assertions)
            self._stale = False
        return self._lines

    def rules_changed(self) -> None:
        """The reasoner has other rules."""
        self._stale = True

    def holding(self, now: Time) -> set[Fact]:
        """What is derived at ``now``, if no element comes any more."""
        held: set[tuple[Fact, Time | None]] = set()
        for line in self.lines():
            if line.at <= now:
                which = line.fact, line.e if self._instances else None
                (held.add if line.op == "+" else held.discard)(which)
        return {fact for fact, _ in held}
