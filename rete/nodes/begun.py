"""What holds from the first stamp on: for rules that would answer before time has begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rete.arrays.delta import POS_INF, Rows, concat, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, Label, Plan, Shape
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.kernels import clip
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True)
class Begun(Plan):
    """The rows of the source, from the first stamp on.

    It stands below the heads of rules that read a calendar, or earlier answers of their own: the
    former has marks before all stamps, the latter need a first instant.
    """

    shape: ClassVar[Shape] = "filter"
    is_injective: ClassVar[bool] = False

    source: Plan

    @property
    def label(self) -> Label:
        """That it has a first stamp."""
        return ("time has begun",)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the source."""
        return tuple(range(self.source.width))


class BegunNode(PlanNode[Begun], plan=Begun):
    """Cuts rows at the first stamp; a lesser one may come as long as it is not late."""

    __slots__ = ("_begin", "_stem")

    def __init__(self, plan: Begun, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._stem = output.sources[0].remember(instances=False)
        self._begin = POS_INF

    def connect(self) -> None:
        """Its source and time open it."""
        self.output.gate = self.output.timed = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    def admit(self, rows: Rows) -> Rows:
        """What of these, and of all before, holds from the first stamp on and was not given."""
        before, self._begin = self._begin, self.output.network.begin
        found = clip(rows, before, POS_INF) if before < POS_INF else rows[:0]
        if self._begin == before:
            return found
        return concat([found, clip(self._stem.content(), self._begin, before)])

    def take_back(self) -> Rows:
        """Nothing: what it loses its source has lost."""
        return empty(self.output.plan.width)

    def project(self, rows: Rows) -> Rows:
        """What of rows that are about to be lost was given."""
        return clip(rows, self._begin, POS_INF) if self._begin < POS_INF else rows[:0]

    def closed_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing."""
        return empty(self.output.plan.width)

    def opened_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing."""
        return empty(self.output.plan.width)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of the source from there on."""
        return self.project(np.ascontiguousarray(search.rows(self.output.sources[0], asked, known)))

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:  # noqa: ARG002
        """Rows of the source are needed as long as its own."""
        return (own,)

    def saved(self) -> State:
        """From where on rows were given."""
        return {"begin": self._begin}

    def restore(self, given: StateReader, alive: Mask) -> None:  # noqa: ARG002
        """Resume from there."""
        self._begin = given.integer("begin", -POS_INF, POS_INF)
