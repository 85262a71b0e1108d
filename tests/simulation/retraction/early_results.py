"""Stories with ``--order arrival``: the lines of the engine, compared with the definition."""

from __future__ import annotations

import difflib
import math
import traceback
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

import r4.engine.core
from r4.answers.output_order import Changes
from r4.engine.core import Core
from r4.run.driver import Driver
from r4.stream.batch import Batch
from rete.arrays.delta import NEG_INF, POS_INF
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from tests.generators.draw import from_seed
from tests.generators.stories.retraction import story
from tests.generators.stories.steps import (
    ElementStep,
    FrontierStep,
    RuleAddition,
    RuleRemoval,
    SweepStep,
    TripleStep,
)
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.early_results import EarlyResultsOracle, MarkedLine, is_due
from tests.oracles.streams.output_lines import Line
from tests.oracles.streams.retraction import Assertion, ElementLog
from tests.oracles.streams.run import named
from tests.simulation.core_run import tiny_stores
from tests.simulation.dictionary_check import check_dictionary
from tests.simulation.retraction.core_player import DOCUMENT, MOST, UNNAMED, CorePlayer
from tests.simulation.retraction.core_player import engine_form as as_told
from tests.simulation.retraction.disagreement import Disagreement, story_text
from tests.simulation.retraction.programs import compiled
from tests.simulation.retraction.rule_history import RuleHistory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from r4.program.program import Program
    from tests.generators.stories.steps import Step, Story

_FIRST = math.nextafter(-math.inf, 0)


class EarlyCorePlayer(CorePlayer):
    """A core that tells at once; what it tells, with what it takes back."""

    def __init__(self, program: Program, story: Story, *, keep: bool) -> None:
        self.instances = story.semantics == "instances"
        self.core = Core(
            *(program, Dictionary()),
            instances=self.instances,
            limit=MOST,
            keep=keep,
            arrival=True,
        )
        self.lines: list[Line] = []
        self.told: list[MarkedLine] = []

    def _hear(self, told: Sequence[Changes]) -> None:
        for changes in told:
            for place, line in enumerate(self._lines(changes)):
                self.told.append((line, place < changes.undone))

    def arrive(self, last: int) -> None:
        self._hear([Driver(self.core).emit_early(last)])

    def always(self, said: Sequence[Assertion], frontier: int, last: int) -> None:
        """Triples of no element; they complete none."""
        rows = self.ids([one.fact for one in said])
        starts = np.array([one.start for one in said], np.int64)
        ends = np.full(len(said), POS_INF)
        batch = Batch(rows, starts, ends, frontier, last, (rows,), completes=False)
        self._hear(Driver(self.core).step(batch))


class EarlyStoryRun:
    """A story being told.

    Attributes:
        told: what it told, by the definition.
    """

    def __init__(self, story: Story) -> None:
        self.story = story
        self.told: list[MarkedLine] = []
        statics = [named(triple, DOCUMENT) for triple in story.statics]
        instances = story.semantics == "instances"
        self._rules = RuleHistory(story)
        self.diary = ElementLog(
            self._rules.reasoner,
            statics,
            window=math.inf if story.window is None else story.window,
            delay=story.delay,
            instances=instances,
        )
        self.player = EarlyCorePlayer(compiled(story.document, story), story, keep=story.keep)
        self.player.begin(statics)
        self._oracle = EarlyResultsOracle()
        self._final: list[Line] = []
        self._final_to = -math.inf
        self._last = -math.inf
        self._settle(_FIRST)
        self._compare()

    def play(self) -> None:
        """All steps.

        Raises:
            Disagreement: somewhere on the way.
        """
        with ExitStack() as stack:
            if self.story.small:
                stack.enter_context(tiny_stores())
                stack.enter_context(patch.object(r4.engine.core, "_MANY", 0))
            for step in self.story.steps:
                self._act(step)
            if self._last > -math.inf:
                self._settle(math.inf)
                self.player.finish(self._tick)
                self._compare()

    @property
    def _tick(self) -> int:
        return int(self._last) if self._last > -math.inf else NEG_INF

    def _settle(self, frontier: float) -> None:
        """What is due before ``frontier`` is final, whatever comes."""
        self._final += self.diary.due(self._final_to, frontier)
        self._final_to = max(self._final_to, frontier)

    def _compare(self) -> None:
        """After a completed element: what is told with what is to be told."""
        due = [
            line
            for line in self.diary.lines()
            if line.at >= self._final_to and is_due(line, self._last)
        ]
        wanted = [
            (self._as_told(line), undone)
            for line, undone in self._oracle.update([*self._final, *due])
        ]
        self.told += wanted
        found, self.player.told = self.player.told, []
        if found != wanted:
            texts = [str(one) for one in wanted], [str(one) for one in found]
            changes = difflib.unified_diff(*texts, "oracle", "engine", n=1, lineterm="")
            raise Disagreement("\n".join([f"at {self._last}", *list(changes)[:30]]))

    def _as_told(self, line: Line) -> Line:
        return line if self.story.regime else as_told(line)

    def _act(self, step: Step) -> None:
        diary, player = self.diary, self.player
        match step:
            case ElementStep():
                self._say(step)
            case TripleStep(triples):
                if diary.frontier > -math.inf:
                    before = len(diary.assertions)
                    facts = [named(triple, DOCUMENT) for triple in triples]
                    diary.add(UNNAMED, diary.frontier, math.inf, facts)
                    player.always(diary.assertions[before:], int(diary.frontier), self._tick)
            case FrontierStep(to):
                diary.advance(to)
                self._last = max(self._last, diary.frontier - 1)
                self._settle(diary.frontier)
                player.close(int(diary.frontier))
                player.arrive(self._tick)
                self._compare()
            case SweepStep():
                player.core.forget()
                check_dictionary(player.core.terms)
            case RuleAddition(document) if diary.frontier > -math.inf:
                self._rules.join(document, player.core, diary)
            case RuleRemoval(place) if diary.frontier > -math.inf and (left := self._rules.left):
                self._rules.drop({left[place % len(left)]}, player.core, diary)

    def _say(self, step: ElementStep) -> None:
        diary = self.diary
        if not diary.arrive(step.start):
            return
        self._last = max(self._last, diary.last)
        self._settle(diary.frontier)
        rows = [(named(row, DOCUMENT), name) for row, name in step.rows]
        for name in dict.fromkeys(step.names):
            diary.retract(name)
        for fact, name in rows:
            diary.retract(name, fact)
        before = len(diary.assertions)
        facts = [named(triple, DOCUMENT) for triple in step.triples]
        diary.add(step.name, step.start, step.end, facts)
        said = diary.assertions[before:]
        self.player.step(said, int(diary.frontier), self._tick, step.names, rows)
        self._compare()


def fault_of(told: Story) -> tuple[bool, str | None]:
    """Whether a story undoes a line, and where the engine is wrong; None: nowhere."""
    play = None
    try:
        play = EarlyStoryRun(told)
        play.play()
    except Disagreement as found:
        return False, f"{found}\n{story_text(told)}"
    except (TooBig, LimitReached):
        return False, None
    except Exception:  # noqa: BLE001 - to be shown with its story
        return False, f"{traceback.format_exc()}\n{story_text(told)}"
    return any(undone for _, undone in play.told), None


def compare(count: int, first: int = 0, *, kind: str = "") -> tuple[Counter[str], dict[int, str]]:
    """How many of the stories by seed undo a line, and where the engine disagrees."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        undoes, fault = fault_of(story(from_seed(seed), kind=kind))
        features["undone"] += undoes
        if fault:
            faults[seed] = fault
    return features, faults
