"""A run described by its elements, and what it prints, by the definitions.

`Scenario` has the elements that a reader finds in files, in the order in which they are completed.
`read_all` follows frontier, late elements and the start of default-graph triples; `expected` gives
the lines.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.terms import BlankNode, GroundTerm
from tests.oracles.rules.datalog import Answers, Program
from tests.oracles.rules.formulas import Fact, Instance, Time, text
from tests.oracles.streams.output_lines import json_of, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rif.syntax.ast import Document

Triple = tuple[GroundTerm, GroundTerm, GroundTerm]
MILLISECONDS = {"": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


@dataclass(frozen=True, slots=True)
class Element:
    """A completed element; ``start`` and ``end`` in ticks, perhaps with a fraction of one."""

    name: str
    start: Fraction | int | None
    end: Fraction | int | None
    triples: tuple[Triple, ...]

    def is_bad(self) -> bool:
        return self.start is None or (self.end is not None and self.end <= self.start)


@dataclass(frozen=True, slots=True)
class DefaultGraphTriple:
    """A triple of the default graph that is no stamp."""

    triple: Triple


ScenarioItem = Element | DefaultGraphTriple


@dataclass(frozen=True, slots=True)
class Scenario:
    """All that decides the answers of a run.

    Attributes:
        statics: the triples of each static file.
        sources: for each stream its items in the order in which they are completed.
        window: ticks, in place of the document's; ``None`` leaves that one.
        delay: ticks.
        drain: ticks after the last stamp, ``inf`` for all; ``None`` without.
        clock: ``integer`` or ``dateTime`` (ticks are milliseconds then).
        streams_first: on the command line streams stand before static files.
        metric: the document has metric operators.
    """

    document: Document
    statics: tuple[tuple[Triple, ...], ...] = ()
    sources: tuple[tuple[ScenarioItem, ...], ...] = ()
    semantics: str = "facts"
    window: int | None = None
    delay: int = 0
    drain: Time | None = None
    clock: str = "integer"
    streams_first: bool = False
    metric: bool = False


@dataclass(slots=True)
class Intake:
    """What was read: assertions, the least and largest stamp, late and bad elements."""

    assertions: list[Instance] = field(default_factory=list)
    first: Time = math.inf
    last: Time = -math.inf
    late: int = 0
    bad: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The lines of a run, and what they come from."""

    lines: list[str]
    intake: Intake
    answers: Answers


def window_of(scenario: Scenario) -> Time:
    """The range of the window in ticks."""
    if scenario.window is not None:
        return scenario.window
    window = scenario.document.window
    if window is None:
        # The cell of the instant alone, in ticks, where there are metric operators.
        return 0.5 if scenario.metric else math.inf
    return int(Fraction(window.amount) * MILLISECONDS[window.unit])


def named(triple: Triple, number: int) -> Fact:
    """A triple of document ``number`` as a fact."""
    terms = (
        f"_:d{number}_{term.label}" if isinstance(term, BlankNode) else text(term)
        for term in triple
    )
    return ("triple", *terms)


def read_all(scenario: Scenario) -> Intake:
    """Everything that is read, in the order of reading, with the interval in which it holds."""
    *_, (_, intake) = steps(scenario)
    return intake


def steps(scenario: Scenario) -> Iterator[tuple[ScenarioItem | None, Intake]]:
    """What was read, the same object all the time: ahead of all items, and after each."""
    intake = Intake()
    statics, streams = len(scenario.statics), len(scenario.sources)
    first_static = 1 + (streams if scenario.streams_first else 0)
    first_stream = 1 + (0 if scenario.streams_first else statics)
    for number, triples in enumerate(scenario.statics, first_static):
        for triple in triples:
            intake.assertions.append(Instance(named(triple, number), -math.inf, math.inf))
    rest = [list(source) for source in scenario.sources]
    reached = [-math.inf for _ in rest]
    frontier = -math.inf
    yield None, intake
    while any(rest):
        source = _next(rest)
        item = rest[source].pop(0)
        if isinstance(item, DefaultGraphTriple):
            since = frontier if frontier > -math.inf or intake.last == -math.inf else intake.first
            fact = named(item.triple, first_stream + source)
            intake.assertions.append(Instance(fact, _tick(since), math.inf))
        elif item.is_bad() or item.start is None:
            intake.bad += 1
        elif math.floor(item.start) < frontier:
            intake.late += 1
        else:
            start = math.floor(item.start)
            end = start + window_of(scenario) if item.end is None else math.floor(item.end)
            intake.first, intake.last = min(intake.first, start), max(intake.last, start)
            reached[source] = max(reached[source], start)
            for triple in item.triples:
                if start < end:
                    fact = named(triple, first_stream + source)
                    intake.assertions.append(Instance(fact, start, end))
        counting = [time for time, items in zip(reached, rest, strict=True) if items]
        if counting:
            frontier = max(frontier, min(counting) - scenario.delay)
        yield item, intake


def _next(rest: list[list[ScenarioItem]]) -> int:
    """The source to read from: one whose next item has no stamp, else the least stamp.

    Bad data move no time: their stamps do not count.
    """
    waiting = [number for number, items in enumerate(rest) if items]
    for number in waiting:
        item = rest[number][0]
        if isinstance(item, DefaultGraphTriple) or item.is_bad():
            return number
    return min(waiting, key=lambda number: _start(rest[number][0]))


def _start(item: ScenarioItem) -> Fraction | int:
    assert isinstance(item, Element)
    assert item.start is not None
    return item.start


def _tick(time: Time) -> Time:
    return int(time) if math.isfinite(time) else time


def expected(scenario: Scenario) -> Outcome:
    """What the run prints.

    Raises:
        TooBig: there is more to look at than can be in a test.
    """
    program = Program(scenario.document)
    intake = read_all(scenario)
    reason = program.facts if scenario.semantics == "facts" else program.instances
    answers = reason(intake.assertions)
    until = intake.last + (scenario.drain or 0) if intake.last > -math.inf else intake.last
    lines = lines_of(answers, scenario.semantics, until)
    return Outcome(
        [json_of(line, program.names, scenario.clock) for line in lines], intake, answers
    )
