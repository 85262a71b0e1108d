"""An engine to which facts are told, with what it tells as lines of the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.engine.core import Core
from r4.program.program import Program
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.terms.dictionary import Dictionary
from tests.generators.stories.steps import Story
from tests.oracles.rules.formulas import Fact, Time
from tests.oracles.streams.output_lines import Line, atom
from tests.oracles.streams.retraction import Assertion

MOST: Final = 5000
"""So many facts at once are no small case any more."""
DOCUMENT: Final = 5
"""The number of the document that blank nodes of all triples are from."""
UNNAMED: Final = ""
"""The name of what no element says."""
_ENDLESS: Final = POS_INF // 2


class CorePlayer:
    """A core to which facts are told, with what it tells as lines of the oracle."""

    def __init__(
        self, program: Program, story: Story, *, keep: bool, within: int | None = None
    ) -> None:
        self.instances = story.semantics == "instances"
        self.core = Core(
            *(program, Dictionary()),
            instances=self.instances,
            limit=MOST,
            keep=keep,
            retract_within=within,
        )
        self.lines: list[Line] = []

    def begin(self, statics: Sequence[Fact], also: Callable[[], object] | None = None) -> None:
        """Begin with these; ``also`` asserts more, once it is known which terms are the same."""
        self.core.assert_static(self.ids(statics))
        if also is not None:
            self.core.close_background()
            also()
        self._hear([Driver(self.core).begin()])

    def ids(self, facts: Sequence[Fact]) -> Rows:
        texts = [term for fact in facts for term in fact[1:]]
        return self.core.terms.encode_many(texts).reshape(-1, 3)

    def step(
        self,
        said: Sequence[Assertion],
        frontier: int,
        last: int,
        names: Sequence[str] = (),
        rows: Sequence[tuple[Fact, str]] = (),
    ) -> None:
        """One batch."""
        facts = self.ids([one.fact for one in said])
        own = np.array([self._name(one.name) for one in said], np.int64)
        back = np.array([self._name(name) for name in names], np.int64)
        taken = np.empty((len(rows), 4), np.int64)
        taken[:, :3] = self.ids([fact for fact, _ in rows])
        taken[:, 3] = [self._name(name) for _, name in rows]
        batch = Batch(
            facts,
            np.array([one.start for one in said], np.int64),
            np.array([_end(one.until) for one in said], np.int64),
            frontier,
            last,
            (facts, back, taken),
            own,
            back,
            taken,
        )
        self._hear(Driver(self.core).step(batch))

    def close(self, frontier: int) -> None:
        self._hear([Driver(self.core).close(frontier)])

    def finish(self, last: int) -> None:
        self._hear([Driver(self.core).finish(last, None)])

    def _name(self, name: str) -> int:
        return self.core.terms.encode(f"<{name}>") if name else 0

    def _hear(self, told: Sequence[Changes]) -> None:
        for changes in told:
            self.lines += self._lines(changes)

    def _lines(self, changes: Changes) -> Iterator[Line]:
        for row in range(len(changes)):
            op, kind = "-+"[int(changes.op[row])], int(changes.kind[row])
            fact: Fact = ("error",)
            if kind == TRIPLE:
                ids = np.ascontiguousarray(changes.triples[row])
                fact = ("triple", *self.core.terms.decode_many(ids))
            elif kind != INCONSISTENT:
                fact = ("atom", changes.atoms[row])
            end = _time(changes.end[row]) if self.instances or op == "-" else math.inf
            yield Line(
                op,
                _time(changes.at[row]),
                fact,
                _time(changes.start[row]),
                end,
                int(changes.rule[row]),
            )


def _end(until: Time) -> int:
    """An end as elements have it: the cell of an instant is that of one without an end."""
    if until == math.inf:
        return POS_INF
    return int(until) if until == int(until) else NO_END


def engine_form(line: Line) -> Line:
    """A line of the definitions as the engine tells it: an atom is one text."""
    return line._replace(fact=("atom", atom(line.fact))) if line.fact[0] == "atom" else line


def _time(tick: int) -> Time:
    return -math.inf if tick == NEG_INF else math.inf if tick >= _ENDLESS else int(tick)
