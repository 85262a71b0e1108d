"""Calendars: the marks that rules read are asserted as time comes to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from r4.engine.assertions import Assertions
from r4.time.ticks import Tick
from rete.arrays.delta import POS_INF, Column
from rete.arrays.state_codec import State, StateReader
from rete.graph.plan import MetricOperator, Plan
from rete.graph.streams import Stream
from rete.network.layers import Layers
from rete.nodes.known import Known
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import MARKS
from rif.syntax.terms import Literal, parse_canonical
from temporal.intervals.calendar import Calendar
from temporal.metric_rif.calendars import calendar_of_text


@dataclass(slots=True)
class _Asserted:
    """The marks of a calendar that are asserted: all from ``since`` on, and before ``until``."""

    since: Tick
    until: Tick


class Calendars:
    """Asserts marks of the calendars that rules read, as facts of `MARKS`, each at its instant.

    They begin before the first stamp, as long as operators look back on them, and end as far behind
    the frontier as operators look ahead. Costs per mark.
    """

    def __init__(self, layers: Layers, assertions: Assertions, terms: Dictionary) -> None:
        self._layers = layers
        self._assertions = assertions
        self._terms = terms
        self._asserted: dict[str, _Asserted] = {}

    def _scans(self) -> Iterator[tuple[Stream, Scan]]:
        for network in self._layers.networks:
            for plan, stream in network.streams.items():
                if isinstance(plan, Scan) and plan.relation == MARKS:
                    yield stream, plan

    def advance(self, begin: Tick, frontier: Tick, ahead: int) -> None:
        """Assert the marks before ``frontier``.

        ``begin`` is the first stamp; rules look ``ahead`` so many cells.
        """
        until = frontier + (ahead + 1) // 2
        # Retention does not reach beyond what rules read of their own earlier answers.
        least = self._finite if any(isinstance(plan, Known) for plan in self._plans()) else 0
        back: dict[str, int] = {}
        for stream, plan in self._scans():
            text = plan.constants[0][1]
            back[text] = max(back.get(text, least), stream.retention)
        for text, cells in back.items():
            known = self._asserted.get(text)
            calendar = self._calendar(text)
            if cells < POS_INF:
                since = begin - (cells + 1) // 2
            else:
                since = begin - (self._finite + 1) // 2 - calendar.longest
            if known is None:
                self._asserted[text] = _Asserted(since, until)
                self._assert(text, calendar, since, until)
                continue
            if since < known.since:
                self._assert(text, calendar, since, known.since)
                known.since = since
            if until > known.until:
                self._assert(text, calendar, known.until, until)
                known.until = until

    def _calendar(self, text: str) -> Calendar:
        literal = parse_canonical(text)
        assert isinstance(literal, Literal)
        return calendar_of_text(literal.lexical, self._terms.clock.per_second)

    @property
    def _finite(self) -> int:
        """How far operators look back that do so for some time only, in cells."""
        return sum(
            plan.rho[1] if plan.rho[1] < POS_INF else plan.rho[0]
            for plan in self._plans()
            if isinstance(plan, MetricOperator)
        )

    def _plans(self) -> Iterator[Plan]:
        return (plan for network in self._layers.networks for plan in network.streams)

    def _assert(self, text: str, calendar: Calendar, since: Tick, until: Tick) -> None:
        clock = self._terms.clock
        marks = _marks(calendar, since, until, clock.epoch)
        if not len(marks):
            return
        rows = np.empty((len(marks), 4), np.int64)
        rows[:, 0] = self._terms.encode(text)
        rows[:, 1] = self._terms.encode_many([clock.term(mark) for mark in marks.tolist()])
        rows[:, 2] = 2 * marks
        rows[:, 3] = rows[:, 2] + 1
        self._terms.touch(rows[:, :2], np.ascontiguousarray(rows[:, 3]))
        self._assertions.enter(MARKS, rows)

    def saved(self) -> State:
        """How far marks were asserted."""
        texts = list(self._asserted)
        bounds = [[self._asserted[text].since, self._asserted[text].until] for text in texts]
        return {"texts": texts, "bounds": np.array(bounds, np.int64).reshape(len(texts), 2)}

    def restore(self, given: StateReader) -> None:
        """Go on from there; the facts are restored."""
        texts = given.texts("texts")
        bounds = given.array("bounds", np.int64, len(texts), 2).tolist()
        self._asserted = {text: _Asserted(*each) for text, each in zip(texts, bounds, strict=True)}


def _marks(calendar: Calendar, since: Tick, until: Tick, epoch: Tick) -> Column:
    if calendar.zone is None:
        first = calendar.at_or_after(since, epoch)
        return np.arange(first, until, calendar.period, dtype=np.int64)
    return np.array(list(calendar.between(since, until, epoch)), np.int64)
