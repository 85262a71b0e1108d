"""Retraction by definition: what is taken back is as if asserted up to the frontier only.

`Diary` follows what is said, and at each time knows the assertions that count, each with the
interval in which it holds; a taken one is cut at the frontier. What holds before the frontier is
told once; so the lines are those of the assertions that counted when the frontier passed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tests.oracles.datalog import Answers, Program, Run, rules_of
from tests.oracles.formulas import Fact, Instance, Time
from tests.oracles.lines import Line, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from rif.ast import Document


@dataclass(slots=True)
class Assertion:
    """A fact that an element of some name asserts; it has no name where there is no element."""

    fact: Fact
    name: str
    start: Time
    end: Time

    @property
    def counts(self) -> bool:
        return self.start < self.end


class Reasoner(Protocol):
    """All lines of a run, whenever they are due, for assertions that are known beforehand."""

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]: ...


class WithoutSome(Program):
    """The rules of a document but for some, by their numbers."""

    def __init__(self, document: Document, dropped: AbstractSet[int]) -> None:
        super().__init__(document)
        self.strata = [
            [rule for rule in rules if rule.number not in dropped] for rules in self.strata
        ]
        self._given = [
            Instance(fact, -math.inf, math.inf)
            for rule in rules_of(document)
            if rule.body is None and rule.number not in dropped
            for fact in self._evaluator.heads(rule.head[0], {})
        ]


class Definitions:
    """The oracle of Datalog; rules may join it, and hold from then on."""

    def __init__(self, program: Program, semantics: str) -> None:
        self._programs: list[tuple[Time, Program]] = [(-math.inf, program)]
        self._semantics = semantics
        self._models: dict[tuple[int, frozenset[Fact]], tuple[dict[Fact, int], int]] = {}
        self.rounds = 0

    def join(self, program: Program, since: Time) -> None:
        """From ``since`` on the rules are those of ``program``."""
        self._programs.append((since, program))

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        known = [Instance(one.fact, one.start, one.end) for one in assertions if one.counts]
        if self._semantics == "facts":
            answers = self._facts(known)
        else:
            answers = self._programs[0][1].instances(known)
        self.rounds = max(self.rounds, answers.rounds)
        return lines_of(answers, self._semantics, math.inf)

    def _facts(self, known: Sequence[Instance]) -> Answers:
        """Maximal runs of what is derived, instant by instant."""
        times = {time for _, e, n in known for time in (e, n)}
        times |= {since for since, _ in self._programs}
        background, most = self._model(-math.inf, known)
        begun: dict[Fact, tuple[Time, int]] = {
            fact: (-math.inf, rule) for fact, rule in background.items()
        }
        runs: list[Run] = []
        for now in sorted(times - {-math.inf, math.inf}):
            derived, rounds = self._model(now, known)
            most = max(most, rounds)
            for fact in begun.keys() - derived.keys():
                e, rule = begun.pop(fact)
                runs.append(Run(fact, e, now, rule))
            for fact in derived.keys() - begun.keys():
                begun[fact] = now, derived[fact]
        runs += [Run(fact, e, math.inf, rule) for fact, (e, rule) in begun.items() if e > -math.inf]
        return Answers(background, runs, most)

    def _model(self, now: Time, known: Iterable[Instance]) -> tuple[dict[Fact, int], int]:
        """What follows at ``now``; a state that was met before is remembered."""
        number = max(place for place, (since, _) in enumerate(self._programs) if since <= now)
        program = self._programs[number][1]
        state = frozenset(fact for fact, e, n in known if e <= now < n or e == now == -math.inf)
        if (number, state) not in self._models:
            given = {one.fact for one in program._given}
            self._models[number, state] = program.least_model(state | given)
        return self._models[number, state]


class Diary:
    """What is said, in the order of arrival, and what is to be told of it.

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
    ) -> None:
        self.reasoner = reasoner
        self._instances = instances
        self.assertions = [Assertion(fact, "", -math.inf, math.inf) for fact in statics]
        self.frontier: Time = -math.inf
        self.last: Time = -math.inf
        self._window = window
        self._delay = delay
        self._lines: list[Line] = []
        self._stale = True

    def moves(self, start: int) -> bool:
        """An element with this stamp arrives: time moves; whether it is in time."""
        if start < self.frontier:
            return False
        self.last = max(self.last, start)
        self.frontier = max(self.frontier, self.last - self._delay)
        return True

    def advance(self, frontier: int) -> None:
        """Instants before ``frontier`` are closed."""
        self.frontier = max(self.frontier, frontier)

    def says(self, name: str, start: Time, end: Time | None, facts: Iterable[Fact]) -> None:
        """Facts are asserted by an element of this name."""
        until = start + self._window if end is None else end
        self.assertions += [Assertion(fact, name, start, until) for fact in facts if start < until]
        self._stale = True

    def takes(self, name: str, fact: Fact | None = None) -> bool:
        """What elements of ``name`` asserted is taken back, or one fact; whether that matters."""
        found = [
            one
            for one in self.assertions
            if one.name == name and fact in {None, one.fact} and one.counts
        ]
        cut = [one for one in found if one.end > self.frontier]
        for one in cut:
            one.end = self.frontier
        self._stale |= bool(cut)
        return bool(cut)

    def due(self, since: Time, to: Time) -> list[Line]:
        """The lines of ``since`` and later that are due before ``to``."""
        return [line for line in self.lines() if since <= line.at < to]

    def lines(self) -> list[Line]:
        """All lines, if nothing more is said."""
        if self._stale:
            self._lines = self.reasoner.lines([one for one in self.assertions if one.counts])
            self._stale = False
        return self._lines

    def joined(self) -> None:
        """Rules joined the reasoner."""
        self._stale = True

    def holding(self, now: Time) -> set[Fact]:
        """What is derived at ``now``, if nothing more is said."""
        if self._instances:
            return {one.fact for one in self.lines() if one.op == "+" and one.e <= now < one.n}
        held: set[Fact] = set()
        for line in self.lines():
            if line.at <= now:
                (held.add if line.op == "+" else held.discard)(line.fact)
        return held
