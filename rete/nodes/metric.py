"""Metric nodes: diamonds row by row, boxes and Since on the maximal intervals that SteMs hold.

A diamond is linear, so its result for a gain is all that the gain adds. A box and Since look up the
maximal interval of a gain, which the SteM has coalesced by then, and derive from it what holds
within reach of the gain: all else was derived before. Their results may have been there already;
their readers coalesce them. So the cost is that of the delta and of the rows it meets, however much
is remembered; and no result lies before its cause, but for those of operators of the future
(`rete.network.lookback`).

A loss is carried in the same way while the SteM still has it: the results may be lost, too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.nodes.beta import JoinSide
from rete.nodes.graph import Stream
from rete.nodes.linear import StatelessNode
from rete.planning.plan import Cells, Dilate, Erode, Since
from rete.storage.row_algebra import all_columns, probed_columns, project
from rete.storage.stem import Stem

_ALWAYS: Final = (NEG_INF, POS_INF)


class DilateNode(StatelessNode):
    """When a row held at some distance; see `rete.kernels.dilate`."""

    __slots__ = ("_future", "_rho")

    def __init__(self, plan: Dilate, output: Stream) -> None:
        super().__init__(output)
        self._rho, self._future = plan.rho, plan.future

    def apply(self, rows: Rows) -> Rows:
        """The same rows at their new times."""
        return kernels.dilate(rows, *self._rho, self._future)


class SinceZeroNode(StatelessNode):
    """What Since derives from a right row by itself, if 0 is in its range."""

    __slots__ = ("_keep",)

    def __init__(self, plan: Since, output: Stream) -> None:
        super().__init__(output)
        self._keep = right_columns(plan)

    def apply(self, rows: Rows) -> Rows:
        """The rows, projected."""
        return project(rows, self._keep)


class ErodeSide(JoinSide):
    """When the rows of a stream held at every distance, probed with what arrives there."""

    __slots__ = ("_future", "_rho")

    def __init__(self, own: Stem, plan: Erode, output: Stream) -> None:
        same = tuple((column, column) for column in range(own.width))
        keep = tuple(range(own.width))
        super().__init__(own, same, keep, output, sees_before=False)
        self._rho, self._future = plan.rho, plan.future

    def _pairs(self, gains: Rows, limit: int) -> Rows:  # noqa: ARG002 - it meets all of its own
        reached = kernels.dilate(gains, *self._rho, self._future)
        own = tuple(range(self._other.width))
        return erode_stem(self._other, reached, own, self._rho, future=self._future)


class SinceSide(JoinSide):
    """One side of Since or Until, probed with what arrives there."""

    __slots__ = ("_future", "_own", "_rho")

    def __init__(  # noqa: PLR0913 - those of its base, and the side that it is on
        self,
        other: Stem,
        on: tuple[tuple[int, int], ...],
        keep: tuple[int, ...],
        output: Stream,
        *,
        plan: Since,
        left: Stem | None,
    ) -> None:
        """Connect a side.

        Args:
            other: the SteM of the other one.
            on: pairs (own column, column of the other).
            keep: as of `Join`, its own columns being those to the left.
            output: the stream of what comes out.
            plan: the operator.
            left: its own SteM, if it is the left one.
        """
        super().__init__(other, on, keep, output, sees_before=False)
        self._rho, self._future = plan.rho, plan.future
        self._own = left

    def _pairs(self, gains: Rows, limit: int) -> Rows:
        if self._own is None:
            times = np.ascontiguousarray(gains[:, -2:])
            gains = gains.copy()
            gains[:, -2:] = _ALWAYS
        else:
            # What a gain of the left side adds begins with it, and ends when it is out of reach.
            found = self._own.find(np.ascontiguousarray(gains[:, :-1]), kernels.COVERS)
            if found.min() < 0:  # what was pending meanwhile may be lost by now
                gains, found = gains[found >= 0], found[found >= 0]
            times = np.ascontiguousarray(self._own.rows[found, -2:])
            gains = kernels.dilate(gains, 0, self._rho[1], self._future)
        other = self._other
        other.ready(self._index)
        return kernels.probe_since(
            gains,
            times,
            self._key,
            other.rows,
            limit,
            self._index,
            self._keep,
            *self._rho,
            self._future,
            self._own is not None,
        )


def connect_dilate(source: Stream, output: Stream, plan: Dilate) -> None:
    """Make ``output`` a diamond over ``source``."""
    output.node = DilateNode(plan, output)
    source.linear.append(output.node)


def connect_erode(source: Stream, output: Stream, plan: Erode) -> None:
    """Make ``output`` a box over ``source``."""
    stem = source.remember(instances=False)
    source.sides.append(ErodeSide(stem, plan, output))


def connect_since(left: Stream, right: Stream, output: Stream, plan: Since) -> None:
    """Make ``output`` Since, or Until, of both streams."""
    phi, psi = left.remember(instances=False), right.remember(instances=False)
    swapped = tuple((theirs, mine) for mine, theirs in plan.on)
    reflected = tuple(~column for column in plan.keep)
    left.sides.append(SinceSide(psi, plan.on, plan.keep, output, plan=plan, left=phi))
    right.sides.append(SinceSide(phi, swapped, reflected, output, plan=plan, left=None))
    if plan.rho[0] == 0:
        right.linear.append(SinceZeroNode(plan, output))


def erode_stem(
    stem: Stem, asked: Rows, known: tuple[int, ...], rho: Cells, *, future: bool
) -> Rows:
    """The rows of ``stem`` eroded, within the times of ``asked`` and agreeing on ``known``."""
    index = stem.index(known)
    stem.ready(index)
    mine, keep = all_columns(len(known)), probed_columns(stem.width)
    return kernels.probe_eroded(asked, mine, stem.rows, stem.n, index, keep, *rho, future)


def right_columns(plan: Since) -> tuple[int, ...]:
    """The columns of the right side that a Since with 0 in its range keeps."""
    same = dict(plan.on)
    return tuple(same[column] if column >= 0 else ~column for column in plan.keep)
