"""A story being played, step by step, to an engine and to its definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import r4.engine.core
from rete.graph.streams import Component
from rete.retraction.support_levels import SupportLevels
from rif.syntax.ast import Document
from tests.generators.stories.steps import (
    ElementStep,
    FrontierStep,
    RuleAddition,
    RuleRemoval,
    Step,
    Story,
    SweepStep,
    TripleStep,
)
from tests.oracles.rules.formulas import Fact, Time
from tests.oracles.streams.retraction import ElementLog
from tests.oracles.streams.run import Triple, named
from tests.simulation.core_run import tiny_stores
from tests.simulation.retraction.core_player import DOCUMENT, UNNAMED, CorePlayer
from tests.simulation.retraction.programs import compiled
from tests.simulation.retraction.rule_history import RuleHistory
from tests.simulation.retraction.step_checks import StepChecks


class StoryRun:
    """A story being played.

    Attributes:
        found: what it exercises.
    """

    def __init__(self, story: Story, *, every: int = 1) -> None:
        """Begin; memories are compared after every so many steps."""
        self.story = story
        self._every = every
        statics = [named(triple, DOCUMENT) for triple in story.statics]
        self._rules = RuleHistory(story)
        self.diary = ElementLog(
            self._rules.reasoner,
            statics,
            window=math.inf if story.window is None else story.window,
            delay=story.delay,
            instances=story.semantics == "instances",
        )
        self.player = CorePlayer(compiled(story.document, story), story, keep=story.keep)
        self.player.begin(statics)
        self._watch = StepChecks(story, self.diary, self._rules, self.player)
        self.found = self._watch.found
        self._waiting: list[ElementStep] = []
        self._watch.answers(-math.inf, self.diary.due(-math.inf, self._watch.told_to))

    def play(self) -> None:
        """All steps; then all is taken back.

        Raises:
            Disagreement: somewhere on the way.
        """
        with small() if self.story.small else ExitStack():
            for number, step in enumerate(self.story.steps):
                self.take(step, number)
            self._flush()
            self._watch.memory()
            if self.story.ends == "later":
                self._move(int(self.diary.frontier) + 20)
            self._take_all_back()
            self._watch.end()

    def take(self, step: Step, number: int) -> None:
        """The next step."""
        if isinstance(step, ElementStep) and not step.takes_back:
            self._waiting.append(step)
            if len(self._waiting) < self.story.batch:
                return
            self._flush()
        else:
            self._flush()
            self._act(step)
        if number % self._every == 0:
            self._watch.memory()

    def _act(self, step: Step) -> None:
        begun = self.diary.frontier > -math.inf
        match step:
            case ElementStep():
                self._take_back(step)
            case TripleStep(triples) if begun:
                self._say([(UNNAMED, self.diary.frontier, math.inf, triples)])
            case FrontierStep(to):
                self._move(to)
            case SweepStep():
                self.player.core.forget()
                self._watch.terms()
            case RuleAddition(document) if begun:
                self._join(document)
            case RuleRemoval(place) if begun and (left := self._rules.left):
                self._drop({left[place % len(left)]})

    def _move(self, to: int) -> None:
        self.diary.advance(to)
        self.player.close(int(self.diary.frontier))
        self._watch.answers(self.diary.frontier)

    def _flush(self) -> None:
        """Let what waits arrive."""
        said = []
        for step in self._waiting:
            if self.diary.arrive(step.start):
                said.append((step.name, step.start, step.end, step.triples))
            else:
                self.found.add("late element")
        self._waiting.clear()
        if said:
            self._say(said)

    def _say(self, said: Sequence[tuple[str, Time, Time | None, Sequence[Triple]]]) -> None:
        diary = self.diary
        before = len(diary.assertions)
        for name, start, end, triples in said:
            diary.add(name, start, end, [named(triple, DOCUMENT) for triple in triples])
        self.player.step(diary.assertions[before:], int(diary.frontier), self._watch.last)
        self._watch.answers(diary.frontier)

    def _take_back(self, step: ElementStep) -> None:
        if not self.diary.arrive(step.start):
            self.found.add("late retraction")
            return
        rows = [(named(row, DOCUMENT), name) for row, name in step.rows]
        self._back(step.names, rows, step)

    def _back(
        self, names: Sequence[str], rows: Sequence[tuple[Fact, str]], said: ElementStep | None
    ) -> None:
        """Names and facts of names are taken back, by what an element says, too."""
        diary, core = self.diary, self.player.core
        passed = diary.due(self._watch.told_to, diary.frontier)
        was = diary.lines()
        missed = core.without_effect + self._without_effect(names, rows)
        if diary.lines() != was:
            self.found.add("retraction that changes answers")
        before = len(diary.assertions)
        if said is not None:
            facts = [named(triple, DOCUMENT) for triple in said.triples]
            diary.add(said.name, said.start, said.end, facts)
        over = core.overdeleted
        new = diary.assertions[before:]
        self.player.step(new, int(diary.frontier), self._watch.last, names, rows)
        if core.overdeleted > over:
            self.found.add("deletion")
        if core.without_effect != missed:
            self._watch.complain("without effect", [core.without_effect], [missed])
        self._watch.answers(diary.frontier, passed)

    def _without_effect(self, names: Sequence[str], rows: Sequence[tuple[Fact, str]]) -> int:
        """The definition of what is taken back; how much of it has no effect."""
        effects = [self.diary.retract(name) for name in dict.fromkeys(names)]
        effects += [self.diary.retract(name, fact) for fact, name in dict.fromkeys(rows)]
        if any(effects):
            self.found.add("retraction with an effect")
        if not all(effects):
            self.found.add("retraction without an effect")
        return effects.count(False)

    def _join(self, document: Document) -> None:
        was = self.diary.lines()
        self._rules.join(document, self.player.core, self.diary)
        self.found.add("added rules")
        if self.diary.lines() != was:
            self.found.add("added rules that change answers")
        self._watch.answers(self.diary.frontier)

    def _drop(self, numbers: set[int]) -> None:
        was = self.diary.lines()
        over = self.player.core.overdeleted
        self._rules.drop(numbers, self.player.core, self.diary)
        self.found.add("dropped rules")
        if self.diary.lines() != was:
            self.found.add("dropped rules that change answers")
        if self.player.core.overdeleted > over:
            self.found.add("deletion by dropped rules")
        self._watch.answers(self.diary.frontier)

    def _take_all_back(self) -> None:
        """Nothing is left of what elements said, in memory too."""
        diary, core = self.diary, self.player.core
        if diary.frontier == -math.inf:
            return
        names = sorted({one.name for one in diary.assertions} - {UNNAMED})
        if names:
            self._back(names, (), None)
        if self.story.ends == "rules too" and self._rules.left:
            self._drop({*self._rules.left})
        self._watch.memory()
        self._move(int(diary.frontier) + 2)
        core.forget()
        self._watch.terms()
        self._watch.nothing_left()


@contextmanager
def small() -> Iterator[None]:
    """What is done only where there is much is done at once."""
    with (
        tiny_stores(),
        patch.object(r4.engine.core, "_MANY", 0),
        patch.object(SupportLevels, "apply_to", _every_other_time()),
    ):
        yield


def _every_other_time() -> Callable[[SupportLevels, Component], bool]:
    """A component is settled by levels, then by Delete/Rederive, by turns."""
    right, turns = SupportLevels.apply_to, itertools.cycle((True, False))
    return lambda here, component: right(here, component) and next(turns)
