"""What is known before the clock: where a cycle of rules goes back in time, it is cut here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import ClassVar

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, Label, Plan, Shape
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.kernels import clip
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True)
class Known(Plan):
    """The rows of the source, as far as the clock has come.

    It stands below an operator of the past that excludes now: what that makes of a row begins at
    least ``delay`` cells after it. So the state at an instant follows from earlier ones, and rules
    may read their own earlier answers, negated too.
    """

    shape: ClassVar[Shape] = "filter"
    is_injective: ClassVar[bool] = False

    source: Plan
    delay: int

    @property
    def label(self) -> Label:
        """That it is about earlier answers."""
        return ("time has come to it",)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the source."""
        return tuple(range(self.source.width))


class KnownNode(PlanNode[Known], plan=Known):
    """Lets rows pass up to the clock; what lies behind it waits in the SteM of the source.

    Attributes:
        rounds: how often rows came since the clock has moved.
    """

    __slots__ = ("_numbers", "_open", "_passed", "_stem", "_waiting", "rounds")

    def __init__(self, plan: Known, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._stem = output.sources[0].remember(instances=False)
        self._waiting: list[tuple[int, int, list[int]]] = []
        self._open: list[list[int]] = []
        self._numbers = count()
        self._passed = NEG_INF
        self.rounds = 0

    def connect(self) -> None:
        """Its source and time open it."""
        self.output.gate = self.output.timed = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    @property
    def delay(self) -> int:
        """That of its plan."""
        return self._plan.delay

    def next_change(self) -> int:
        """The first cell at which a row begins that waits.

        Rows that go on pass as time comes to them; where they end by that it is taken back.
        """
        return self._waiting[0][0] if self._waiting else POS_INF

    def admit(self, rows: Rows) -> Rows:
        """What of these is before the clock, and what the clock has come to."""
        clock = self.output.network.clock
        self.rounds = self.rounds + 1 if clock == self._passed else 0
        before, self._passed = self._passed, clock
        if self.rounds == 0:
            self._drop_lost(before)
        due = [row for row in self._open if row[-1] > before]
        for row in due:
            row[-2] = max(row[-2], before)
        self._open = []
        while self._waiting and self._waiting[0][0] < clock:
            due.append(heappop(self._waiting)[-1])
        for row in rows.tolist():
            if row[-2] >= clock:
                heappush(self._waiting, (row[-2], next(self._numbers), row))
            else:
                due.append(row)
        if not due:
            return empty(self.output.plan.width)
        found = np.array(due, np.int64)
        going_on = clip(found, clock, POS_INF)  # of these the SteM may have lost some
        self._open = self._stem.meet(going_on, NEG_INF).tolist()
        return self._stem.meet(clip(found, NEG_INF, clock), NEG_INF)

    def _drop_lost(self, before: int) -> None:
        """Forget rows that went on, of which nothing is left from the cell ``before`` on.

        What was lost in the middle may go on behind it.
        """
        if self._open:
            rest = np.array(self._open, np.int64)
            rest[:, -2] = before - 1
            left = set(map(tuple, self._stem.meet(rest, NEG_INF)[:, :-2].tolist()))
            self._open = [row for row in self._open if tuple(row[:-2]) in left]

    def take_back(self) -> Rows:
        """Nothing: what it loses its source has lost."""
        return empty(self.output.plan.width)

    def project(self, rows: Rows) -> Rows:
        """What of rows that are about to be lost has passed."""
        return clip(rows, NEG_INF, self._passed)

    def closed_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing."""
        return empty(self.output.plan.width)

    def opened_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing."""
        return empty(self.output.plan.width)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of the source that have passed."""
        return clip(search.rows(self.output.sources[0], asked, known), NEG_INF, self._passed)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:  # noqa: ARG002
        """Rows of the source are needed as long as its own."""
        return (own,)

    def saved(self) -> State:
        """How far rows have passed."""
        return {"passed": self._passed}

    def restore(self, given: StateReader, alive: Mask) -> None:  # noqa: ARG002
        """Resume from there; the SteM of the source is restored before."""
        self._passed = given.integer("passed", NEG_INF, POS_INF)
        self._open, self._waiting = [], []
        for row in self._stem.content().tolist():
            if row[-2] >= self._passed:
                heappush(self._waiting, (row[-2], next(self._numbers), row))
            elif row[-1] > self._passed:
                self._open.append(row)
