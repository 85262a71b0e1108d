"""Diamonds: when a row held at some distance.

A diamond is linear: its result for a gain is all that the gain adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Cells, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, MetricOperator, OperandTimes, Plan, Witness
from rete.graph.streams import RowSearch, Stream
from rete.nodes.linear import LinearNode
from rete.storage.interval_sets import EVER, CellInterval, IntervalSet, coalesce, dilate, intersect
from rete.storage.row_algebra import coalesce as coalesce_rows
from rete.storage.row_algebra import join_rows
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True)
class Dilate(MetricOperator):
    """When a row of the source held at some distance in ``rho``: a diamond [Brandt18].

    A head under a box is one too: what is concluded at all distances in ``rho`` *after* the body
    (BoxPlus) holds where the body held at some distance *before*, which is the past one.
    """

    source: Plan
    rho: Cells
    future: bool = False

    @property
    def name(self) -> str:
        """``DiamondMinus``, ``DiamondPlus``."""
        return "DiamondPlus" if self.future else "DiamondMinus"

    @property
    def head_name(self) -> str:
        """The box over a head that it stands for: ``BoxPlus``, ``BoxMinus``."""
        return "BoxMinus" if self.future else "BoxPlus"

    @property
    def is_lasting(self) -> bool:
        """Whether a row that has come never ends."""
        return not self.future and self.farthest >= POS_INF

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """It gives all its results at once; but its source may be asked for other derivations."""
        if self.future:
            return (own,)
        return (own + self.farthest,) if retracts else (0,)

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        """When the operand was true at some distance."""
        return coalesce(dilate(pair, self.rho, future=self.future) for pair in operands[0])

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        """The latest time of the operand in reach keeps it true the longest."""
        (there,) = self.reach((at, at + 1))
        run = operands[0].latest(there)
        if run is not None:
            yield latest_witness(self, run, EVER, (at, end))


class RowLog:
    """How many rows came by when.

    Attributes:
        count: those that came so far.
    """

    __slots__ = ("_entries", "count")

    def __init__(self) -> None:
        self.count = 0
        self._entries: list[tuple[int, int]] = [(NEG_INF, 0)]

    def is_due(self, most: int) -> bool:
        """Whether a good part of ``most`` came since it was noted last."""
        return self.count - self._entries[-1][1] >= max(most // 8, 1)

    def since(self, most: int, now: int) -> int | None:
        """The latest cell since which ``most`` rows came; how many came by ``now`` is noted.

        None: not as many came between the cell that was told last and this one.
        """
        if self.is_due(most):
            self._entries.append((now, self.count))
        enough = [each for each in self._entries if self.count - each[1] >= most]
        if not enough or enough[-1][1] - self._entries[0][1] < most:
            return None
        self._entries = self._entries[len(enough) - 1 :]
        return enough[-1][0]


class DilateNode(LinearNode[Dilate], plan=Dilate):
    """When a row held at some distance; see `rete.kernels.dilate`.

    Attributes:
        reach: how many cells before the frontier what is lost of the source matters. Rows that
            began earlier stay, as the source may have forgotten what else they follow from;
            `POS_INF`: all matters. See `rete.network.summation`.
        summed: the cell before which what the source had is forgotten.
        seen: how many rows came when, those that were lost included.
    """

    __slots__ = ("reach", "seen", "summed")

    def __init__(self, plan: Dilate, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self.reach = POS_INF
        self.summed = NEG_INF
        self.seen = RowLog()

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """The retention of the plan, but no longer than losses matter."""
        if self.reach < POS_INF and retracts:
            return (own + self.reach + self._plan.rho[0],)
        return super().retention(own, retracts=retracts)

    def losable(self, rows: Rows) -> Rows:
        """The rows that began within reach, and are not summed up."""
        stem = self.output.stem
        if self.reach >= POS_INF or stem is None:
            return rows
        since = max(self.output.network.bound - self.reach, self.summed)
        found = stem.find(np.ascontiguousarray(rows[:, :-1]), kernels.COVERS)
        within: Rows = rows[stem.at(found)[:, -2] >= since]
        return within

    def saved(self) -> State:
        """Its reach, if that has an end."""
        state = super().saved()
        if self.reach < POS_INF:
            state |= {"reach": self.reach, "summed": self.summed}
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Reach as far back as it did."""
        super().restore(given, alive)
        if "reach" in given:
            self.reach = given.integer("reach", 0, POS_INF)
            self.summed = given.integer("summed", NEG_INF, POS_INF)

    def apply(self, rows: Rows) -> Rows:
        """The same rows at their new times."""
        self.seen.count += len(rows)
        return kernels.dilate(rows, *self._plan.rho, self._plan.future)

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The source is asked at the times from which the range leads here."""
        there = coalesce_rows(kernels.dilate(asked, *self._plan.rho, not self._plan.future))
        found = search.rows(self.output.sources[0], there, known)
        found = kernels.dilate(found, *self._plan.rho, self._plan.future)
        return join_rows(found, known, asked, range(len(known)), self.output.plan.columns)


def latest_witness(
    plan: MetricOperator, run: CellInterval, within: CellInterval, goal: CellInterval
) -> Witness:
    """What an operand that is true in ``run`` makes true of ``goal``: from its first cell on.

    The first cell of the run alone, if that is enough; else all of it that reaches the goal.
    """
    at, end = goal
    first = run[0], run[0] + 1
    alone = intersect(dilate(first, plan.rho, future=plan.future), within)[1] >= end
    used = first if alone else run
    hi = min(dilate(used, plan.rho, future=plan.future)[1], within[1], end)
    need = intersect(used, dilate((at, hi), plan.rho, future=not plan.future))
    return Witness(hi, ((0, need),))
