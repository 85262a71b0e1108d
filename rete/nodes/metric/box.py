"""Boxes: when a row held at every distance.

A box looks up the maximal interval of a gain, which the SteM has coalesced by then, and derives
from it what holds within reach of the gain: all else was derived before. Its results may have been
there already; its readers coalesce them. So the cost is that of the delta and of the rows it meets,
however much is remembered; and no result lies before its cause, but for those of operators of the
future (`rete.network.lookback`). A loss is carried in the same way while the SteM still has it: the
results may be lost, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rete import kernels
from rete.arrays.delta import Cells, Rows
from rete.graph.plan import KnownColumns, MetricOperator, OperandTimes, Plan, Witness
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.nodes.join import JoinSide
from rete.storage.interval_sets import IntervalSet, erode, interval_at
from rete.storage.row_algebra import all_columns, probed_columns
from rete.storage.stem import Stem

TOUCHING: Final = 2
"""An interval that ended so many cells ago may be continued, or be the closure of one that is."""


@dataclass(frozen=True)
class Erode(MetricOperator):
    """When a row of the source held at every distance in ``rho``: a box [Brandt18]."""

    throughout: ClassVar[tuple[bool, ...]] = (True,)
    touching: ClassVar[int] = TOUCHING

    source: Plan
    rho: Cells
    future: bool = False

    @property
    def name(self) -> str:
        """``BoxMinus``, ``BoxPlus``."""
        return "BoxPlus" if self.future else "BoxMinus"

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """What makes one maximal interval belongs together."""
        return (self.columns,)

    @property
    def is_injective(self) -> bool:
        """A row is made of all rows in its range, so it does not hold without one of them."""
        return True

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """Until a maximal interval can no longer go on (`touching`): what it gives was given.

        The begin is needed to the end, but it is one row whose end counts; unless a part of it may
        be lost, and come back.
        """
        if not retracts:
            return (0,)
        return (own + (0 if self.future else self.farthest) + TOUCHING,)

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        """When the operand was true at every distance."""
        return erode(operands[0], self.rho, future=self.future)

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        """The operand throughout the times in reach."""
        held = interval_at(self.holds(operands[0].true), at)
        if held is not None:
            hi = min(held[1], end)
            yield Witness(hi, ((0, self.reach((at, hi))[0]),))


class ErodeSide(JoinSide):
    """When the rows of a stream held at every distance, probed with what arrives there."""

    __slots__ = ("_future", "_rho")

    def __init__(self, own: Stem, plan: Erode, output: Stream) -> None:
        same = tuple((column, column) for column in range(own.width))
        keep = tuple(~column for column in range(own.width))
        super().__init__(own, same, keep, output, sees_before=False)
        self._column = None  # it meets its own rows
        self._rho, self._future = plan.rho, plan.future

    def _pairs(self, gains: Rows, limit: int) -> tuple[Rows, int]:  # noqa: ARG002 - it meets all of its own
        own, index = self._other, self._index
        (lo, hi), future = self._rho, self._future
        reached = kernels.dilate(gains, lo, hi, future)
        return kernels.probe_eroded(reached, self._key, index, own.end, self._keep, lo, hi, future)


class ErodeNode(PlanNode[Erode], plan=Erode):
    """Connects the box to its source."""

    __slots__ = ()

    def connect(self) -> None:
        """The SteM of the source is probed with its gains."""
        (source,) = self.output.sources
        stem = source.remember(instances=False)
        source.sides.append(ErodeSide(stem, self._plan, self.output))

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:  # noqa: ARG002 - the SteM has all
        """What the rows of the SteM give."""
        stem = self.output.sources[0].stem
        assert stem is not None
        return erode_stem(stem, asked, known, self._plan.rho, future=self._plan.future)


def erode_stem(
    stem: Stem, asked: Rows, known: tuple[int, ...], rho: Cells, *, future: bool
) -> Rows:
    """The rows of ``stem`` eroded, within the times of ``asked`` and agreeing on ``known``."""
    index = stem.index(known)
    mine, keep = all_columns(len(known)), probed_columns(stem.width)
    found, _ = kernels.probe_eroded(asked, mine, index, stem.end, keep, *rho, future)
    return found
