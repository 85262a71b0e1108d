"""Stories that stop, and go on in another engine.

``python -m tests.simulation.retraction.checkpoint save|load FOLDER SEED…``

A story is played twice: through, and with its core saved and loaded again on the way. What is told
must be the same to the letter. In the two forms of the command it is one process that stops and
another that goes on, perhaps with other kernels.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

import r4.engine.core
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.checkpoint import fingerprint, read, write
from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Document, Group
from tests.generators.draw import from_seed
from tests.generators.stories.retraction import story
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
from tests.oracles.streams.run import Triple, named
from tests.simulation.core_run import tiny_stores
from tests.simulation.dictionary_check import check_dictionary
from tests.simulation.other_version import other_plans, portable_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rete.arrays.state_codec import Mask, State, StateReader

MOST = 3000
"""So many facts at once are no small case any more."""
BEFORE = 100
"""The rules of a regime have numbers from here on."""


class CheckpointRun:
    """A core that is told a story; what it tells comes as lines of text."""

    def __init__(self, story: Story, *, arrival: bool) -> None:
        self._story = story
        self._arrival = arrival
        self._joined = 0
        self._last = self._frontier = NEG_INF
        self.core = self._core(Dictionary())
        self.lines: list[str] = []
        self.core.assert_static(self._rows([named(triple, 5)[1:] for triple in story.statics]))

    def _core(self, terms: Dictionary, *, resumes: bool = False) -> Core:
        return Core(
            _program(self._story),
            terms,
            instances=self._story.semantics == "instances",
            keep=self._story.keep,
            limit=MOST,
            arrival=self._arrival,
            resumes=resumes,
        )

    def save(self, path: Path) -> None:
        """Write all that it goes on with."""
        core = self.core.saved()
        state: State = {
            "core": core,
            "terms": self.core.terms.saved(),
            "program": fingerprint(self.core),
            "joined": self._joined,
            "last": self._last,
            "frontier": self._frontier,
            "lines": self.lines,
        }
        write(path, state)

    def resume(self, path: Path) -> None:
        """Go on with what was saved, in a core of its own."""
        given, alive = self._rebuild(path)
        assert fingerprint(self.core) == given.text("program")
        self.core.restore(given.part("core"), alive)

    def take_over(self, path: Path) -> bool:
        """The same in another version of R4; whether it plans the rules otherwise."""
        outside = self.core.outside()
        with other_plans():
            given, alive = self._rebuild(path)
            changed = self.core.take_over(portable_part(given.part("core")), alive)
        assert not changed
        assert self.core.outside() == outside
        return fingerprint(self.core) != given.text("program")

    def _rebuild(self, path: Path) -> tuple[StateReader, Mask]:
        given = read(path)
        terms = Dictionary()
        alive = terms.restore(given.part("terms"))
        check_dictionary(terms)
        self.core = self._core(terms, resumes=True)
        self._joined = given.integer("joined")
        self.core.rebuild(given.part("core"), self._programs())
        self._last, self._frontier = given.integer("last"), given.integer("frontier")
        self.lines = list(given.texts("lines"))
        return given, alive

    def _programs(self) -> Iterator[Program]:
        documents = [step.document for step in self._story.steps if isinstance(step, RuleAddition)]
        for document in documents[: self._joined]:
            yield compile_document(document, TimeScale(), running=self.core.program)

    def act(self, step: Step) -> None:
        """What happens next."""
        match step:
            case ElementStep():
                self._say(step)
            case TripleStep(triples) if self._frontier > NEG_INF:
                self._assert(triples, self._frontier, POS_INF, 0)
            case FrontierStep(to):
                self._last = max(self._last, to - 1)
                self._frontier = max(self._frontier, to)
                if not self.core.begun:
                    self._hear(Driver(self.core).begin())
                self._hear(Driver(self.core).close(self._frontier))
            case SweepStep():
                self.core.forget()
            case RuleAddition(document):
                program = compile_document(document, TimeScale(), running=self.core.program)
                self._joined += 1
                self.core.add(program)
            case RuleRemoval(place) if self._frontier > NEG_INF:
                self.core.drop({place % len(self.core.program.labels) + 1})

    def finish(self) -> None:
        """The end of the story."""
        self._hear(Driver(self.core).finish(self._last, None))

    def _say(self, step: ElementStep) -> None:
        if step.start < self._frontier:
            return
        self._last = max(self._last, step.start)
        self._frontier = max(self._frontier, self._last - self._story.delay)
        end = NO_END if step.end is None else step.end
        back = self.core.terms.encode_many([f"<{name}>" for name in step.names])
        taken = np.empty((len(step.rows), 4), np.int64)
        taken[:, :3] = self._rows([named(row, 5)[1:] for row, _ in step.rows])
        taken[:, 3] = self.core.terms.encode_many([f"<{name}>" for _, name in step.rows])
        name = self.core.terms.encode(f"<{step.name}>")
        self._assert(step.triples, step.start, end, name, back, taken)

    def _assert(
        self,
        triples: Sequence[Triple],
        start: int,
        end: int,
        name: int,
        back: Rows | None = None,
        taken: Rows | None = None,
    ) -> None:
        rows = self._rows([named(triple, 5)[1:] for triple in triples])
        back = np.empty(0, np.int64) if back is None else back
        taken = np.empty((0, 4), np.int64) if taken is None else taken
        n = len(rows)
        batch = Batch(
            *(rows, np.full(n, start), np.full(n, end), self._frontier, self._last),
            *((rows, back, taken), np.full(n, name), back, taken),
        )
        for changes in Driver(self.core).step(batch):
            self._hear(changes)

    def _rows(self, triples: Sequence[Sequence[str]]) -> Rows:
        return self.core.terms.encode_many([text for one in triples for text in one]).reshape(-1, 3)

    def _hear(self, changes: Changes) -> None:
        terms = self.core.terms
        for i in range(len(changes)):
            kind = int(changes.kind[i])
            what = "error" if kind == INCONSISTENT else changes.atoms[i] if changes.atoms else ""
            if kind == TRIPLE:
                what = " ".join(terms.decode_many(np.ascontiguousarray(changes.triples[i])))
            numbers = (changes.op, changes.at, changes.start, changes.end, changes.rule)
            told = [int(column[i]) for column in numbers]
            self.lines.append(f"{told} {what} {i < changes.undone}")


def _program(story: Story) -> Program:
    mine = compile_document(
        story.document,
        TimeScale(),
        instances=story.semantics == "instances",
        language=story.language,
    )
    if story.regime:
        given = _background(story.regime)
        labels = (*mine.labels, *range(len(mine.labels), BEFORE), *given.labels)
        mine = replace(given, emits=mine.emits, facts=mine.facts, labels=labels)
    return replace(mine, window=story.window)


@cache
def _background(name: str) -> Program:
    nothing = Document(group=Group(()))
    return compile_document(nothing, TimeScale(), background=regime(name), before=BEFORE)


def lines_of_story(
    story: Story,
    *,
    arrival: bool,
    at: int | None = None,
    then: Callable[[CheckpointRun], object] = lambda _: None,
    skip: int = 0,
) -> list[str]:
    """The lines of a story but for its first steps; ahead of step ``at`` ``then`` is called."""
    teller = CheckpointRun(story, arrival=arrival)
    with _as_told(story):
        for number, step in enumerate(story.steps):
            if number == at:
                then(teller)
            if number >= skip:
                teller.act(step)
        if at == len(story.steps):
            then(teller)
        teller.finish()
    return teller.lines


@contextmanager
def _as_told(story: Story) -> Iterator[None]:
    with ExitStack() as stack:
        if story.small:
            stack.enter_context(tiny_stores())
            stack.enter_context(patch.object(r4.engine.core, "_MANY", 0))
        yield


def cut_of(seed: int, story: Story) -> tuple[int, bool]:
    """After how many steps the story of a seed is cut, and whether it is told in arrival."""
    draw = from_seed(~seed)
    return draw.integer(0, len(story.steps)), draw.chance(40)


def lines_without_stop(seed: int) -> list[str] | None:
    """The lines of the story of a seed, told through; None: it is too big."""
    found = story(from_seed(seed))
    try:
        return lines_of_story(found, arrival=cut_of(seed, found)[1])
    except LimitReached:
        return None


def save_at_cut(seed: int, path: Path) -> None:
    """Tell a story up to its cut, and save it there."""
    found = story(from_seed(seed))
    at, arrival = cut_of(seed, found)
    lines_of_story(
        replace(found, steps=found.steps[:at]), arrival=arrival, at=at, then=lambda t: t.save(path)
    )


def resume_from(seed: int, path: Path) -> list[str]:
    """Go on from there: all lines of the story."""
    found = story(from_seed(seed))
    at, arrival = cut_of(seed, found)
    return lines_of_story(found, arrival=arrival, at=at, then=lambda t: t.resume(path), skip=at)


if __name__ == "__main__":
    _, what, folder, *seeds = sys.argv
    for number in map(int, seeds):
        place = Path(folder, f"{number}.r4")
        if what == "save" and lines_without_stop(number) is not None:
            save_at_cut(number, place)
        if (
            what == "load"
            and place.exists()
            and resume_from(number, place) != lines_without_stop(number)
        ):
            sys.exit(f"the story of seed {number} goes on in another way")
