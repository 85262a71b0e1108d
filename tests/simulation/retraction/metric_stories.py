"""Retraction under metric rules: a random program is told elements, and retracts some of them.

After each step the lines so far are those of the definition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, cast
from unittest.mock import patch

import r4.engine.core
from r4.checkpoint import read, write
from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Document
from tests.generators.draw import Draw, from_seed
from tests.generators.rules.metric import MetricWriter, metric_document
from tests.generators.rules.parsers import parse
from tests.generators.vocabulary import Vocabulary, vocabulary
from tests.oracles.metric.streams import MetricProgram
from tests.oracles.rules.formulas import Fact, Instance, TooBig
from tests.oracles.streams.output_lines import Line, lines_of
from tests.oracles.streams.retraction import ElementLog, worlds
from tests.simulation.core_run import tiny_stores
from tests.simulation.retraction.core_player import CorePlayer, engine_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.generators.stories.steps import Story
    from tests.oracles.streams.retraction import Assertion

STEPS: Final = 9
INSTANT: Final = 0.5
"""How long a fact holds where there is no window: the cell of the instant."""


class MetricReasoner:
    """The oracle for assertions that are known beforehand.

    Attributes:
        until: the last tick of interest.
    """

    def __init__(self, document: Document) -> None:
        self._program = MetricProgram(document)
        self.until = 0

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        """All lines up to then."""
        seen = [
            (since, [Instance(one.fact, one.start, one.end) for one in counting])
            for since, counting in worlds(assertions)
        ]
        return lines_of(self._program.facts_of_worlds(seen, self.until), "facts", self.until)


@dataclass
class MetricStoryRun:
    """A story being told; it is drawn on the way.

    Attributes:
        found: what it exercises.
        log: what was told.
    """

    draw: Draw
    negation: bool
    bounded: bool = False
    found: set[str] = field(default_factory=set)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        draw = self.draw
        words = vocabulary(draw)
        self._words = replace(words, nodes=words.nodes[:3], literals=words.literals[:1])
        document = metric_document(draw, self._words, negation=self.negation)
        document = replace(document, window=None)
        text = MetricWriter(draw, document.prefixes).document(document)
        self._program = compile_document(parse(text).document, TimeScale())
        window = draw.integer(1, 4) if draw.chance(70) or not self._program.metric else None
        if window is not None:
            self._program = replace(self._program, window=window)
        delay = draw.weighted((70, 0), (30, draw.integer(1, 2)))
        story = cast("Story", SimpleNamespace(semantics="facts"))
        self._within = draw.integer(0, 4) if self.bounded else None
        keep = draw.chance(50) and not self.bounded
        self._player = CorePlayer(self._program, story, keep=keep, within=self._within)
        self._ahead = int(self._player.core.lookahead)
        self._reasoner = MetricReasoner(document)
        length = INSTANT if window is None else window
        statics = [_fact(draw, self._words) for _ in range(draw.weighted((70, 0), (30, 2)))]
        self.diary = ElementLog(
            *(self._reasoner, statics),
            window=length,
            delay=delay,
            instances=False,
            within=math.inf if self._within is None else self._within,
        )
        self._told: list[Line] = []
        self._since = -math.inf
        self._said: list[tuple[Fact, str]] = []
        self.log.append(f"{text}\nwindow {window} delay {delay} statics {statics}")
        self._reasoner.until = 1
        self._player.begin(statics)
        self._hear(-math.inf, math.nextafter(-math.inf, 0))

    def play(self) -> str | None:
        """How what is told differs from the definition; None: it does not."""
        for step in range(STEPS):
            if step and self.draw.chance(40):
                self._retract()
            else:
                self._assert()
            if self._differs():
                break
            if self.draw.chance(15):
                self._player.core.forget()
            if self.draw.chance(6):
                self._resume()
        else:
            end = int(self.diary.last) + 6
            self._reasoner.until = end
            self.diary.rules_changed()
            self._hear(self._since, end - self._ahead)
            self._player.close(end)
        if not self._differs():
            return None
        return "\n".join([*self.log, f"expected {self._told}", f"told     {self._player.lines}"])

    def _differs(self) -> bool:
        return self._player.lines != self._told

    def _stamp(self) -> int:
        """The stamp of the next element, which may be late."""
        draw, delay = self.draw, self.diary._delay
        now = int(max(self.diary.last, 0)) + draw.weighted((90, draw.integer(0, 3)), (10, 7))
        return now - draw.integer(0, delay)

    def _assert(self) -> None:
        draw, diary = self.draw, self.diary
        start, name = self._stamp(), str(draw.integer(0, 2))
        if not diary.arrive(start):
            return
        facts = [_fact(draw, self._words) for _ in range(draw.integer(1, 3))]
        end = start + draw.integer(1, 6) if draw.chance(20) else None
        self.log.append(f"at {start} {name}: {facts} until {end}")
        diary.add(name, start, end, facts)
        self._said += [(fact, name) for fact in facts]
        self._reasoner.until = int(diary.last) + 1
        self._close()
        self._player.step(diary.assertions[-len(facts) :], int(diary.frontier), int(diary.last))

    def _retract(self) -> None:
        draw, diary = self.draw, self.diary
        start = self._stamp()
        if not diary.arrive(start):
            return
        self._reasoner.until = int(diary.last) + 1
        self._close()
        before = diary.lines()
        names: list[str] = []
        rows: list[tuple[Fact, str]] = []
        if self._said and draw.chance(35):
            rows.append(draw.choice(self._said))
            diary.retract(rows[0][1], rows[0][0])
            self.found.add("part of an element")
        else:
            names.append(str(draw.integer(0, 2)))
            diary.retract(names[0])
        self.log.append(f"at {start} retract {names} {rows}")
        if diary.lines() != before:
            self.found.add("retraction that changes answers")
        missed = self._player.core.without_effect
        self._player.step([], int(diary.frontier), int(diary.last), names, rows)
        is_missed = self._player.core.without_effect != missed
        if is_missed and self.bounded:
            self.found.add("too old, or not there")
        if diary.lines() != before and is_missed:
            self.log.append("it is said to be without effect")
            self._told.append(Line("without effect", 0, (), 0, 0, 0))

    def _close(self) -> None:
        self.diary.rules_changed()
        self._hear(self._since, self.diary.frontier - self._ahead)

    def _hear(self, since: float, to: float) -> None:
        self._told += map(engine_form, self.diary.due(since, to))
        self._since = to

    def _resume(self) -> None:
        """Go on with another core, of what this one saves."""
        self.log.append("save and load")
        self.found.add("checkpoint")
        with TemporaryDirectory() as folder:
            path = Path(folder, "core.r4")
            write(
                path, {"core": self._player.core.saved(), "terms": self._player.core.terms.saved()}
            )
            given = read(path)
        terms = Dictionary()
        alive = terms.restore(given.part("terms"))
        core = Core(
            *(self._program, terms),
            keep=self._player.core.keeps,
            retract_within=self._within,
            resumes=True,
        )
        core.rebuild(given.part("core"), iter(()))
        core.restore(given.part("core"), alive)
        self._player.core = core


def _fact(draw: Draw, words: Vocabulary) -> Fact:
    nodes = [f"<{one.value}>" for one in words.nodes if hasattr(one, "value")]
    key = draw.choice([one for one in words.data if one.value.startswith("http://e/")])
    return "triple", draw.choice(nodes), f"<{key.value}>", draw.choice(nodes)


def metric_difference(
    seed: int, *, negation: bool, bounded: bool = False
) -> tuple[set[str], str | None]:
    """What the story of a seed exercises, and how the engine differs; None: it does not.

    ``bounded``: what is older than some ticks is not retracted.
    """
    draw = from_seed(seed)
    with _small() if draw.chance(40) else ExitStack():
        try:
            run = MetricStoryRun(draw, negation, bounded)
            fault = run.play()
        except TooBig:
            return {"too big"}, None
    if any(line.op == "+" for line in run._told):
        run.found.add("answers")
    return run.found, fault


@contextmanager
def _small() -> Iterator[None]:
    with tiny_stores(), patch.object(r4.engine.core, "_MANY", 0):
        yield
