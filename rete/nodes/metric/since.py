"""Since and Until: when a row held, and another ever since.

Each side looks up the maximal intervals of the other; see `rete.nodes.metric.box`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Cells, Rows, columns, concat
from rete.graph.plan import KnownColumns, MetricOperator, OperandTimes, Plan, TwoSided, Witness
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.nodes.join import MOST_PAIRS, JoinSide
from rete.nodes.linear import LinearNode
from rete.nodes.metric.box import TOUCHING
from rete.nodes.metric.diamond import latest_witness
from rete.nodes.metric.since_history import SinceHistory
from rete.storage.interval_sets import CellInterval, IntervalSet, close, coalesce, dilate, intersect
from rete.storage.row_algebra import all_columns, join_rows, positions, project
from rete.storage.row_algebra import coalesce as coalesce_rows
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True)
class Since(TwoSided, MetricOperator):
    """When a right row held at a distance in ``rho``, and a left one ever since [Brandt18].

    For a pair that agrees on the key, and a maximal interval of the left row: at a time of its
    closure, if the right row held at some distance in ``rho`` before, within the closure too; for
    then the left row held at every point strictly between. With 0 in the range the right row is
    enough by itself, whatever is left.

    Attributes:
        left, right: phi and psi.
        keep: as of `TwoSided`. With 0 in ``rho`` of the right row only, and the other columns of
            left, not in ``on``, may be any.
    """

    throughout: ClassVar[tuple[bool, ...]] = (False, True)

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    rho: Cells
    future: bool = False

    @property
    def name(self) -> str:
        """``Since``, ``Until``."""
        return "Until" if self.future else "Since"

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """What makes one maximal interval of the left side belongs together."""
        return tuple(range(self.left.width)), None

    @property
    def operands(self) -> tuple[int, ...]:
        """Right, then left."""
        return 1, 0

    def lateness(self, late: Sequence[int]) -> int:
        """A right row leads to the side of the range, no farther than a left one."""
        phi, psi = late
        return max(phi, psi) + self.farthest if self.future else max(phi, self.nearer(psi))

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """Left rows as those of a box, right ones as long as a later left one leads from them.

        If the range is infinite, for ever: an interval of phi that goes on leads back to any psi.
        """
        back = 0 if self.future else self.farthest
        return own + (back if retracts else 0) + TOUCHING, own + back + TOUCHING

    def reach(self, pair: CellInterval) -> Sequence[CellInterval]:
        """Where right rows may lie, and left ones on the way from there."""
        return tuple(
            dilate(pair, rho, future=not self.future) for rho in (self.rho, (0, self.rho[1]))
        )

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        """When psi was true at a distance in the range, and phi, if there is one, ever since."""
        psi, *phi = operands
        found = list(psi) if self.rho[0] == 0 else []
        for closed in (close(held) for left in phi for held in left):
            for inside in (intersect(pair, closed) for pair in psi):
                if inside[0] < inside[1]:
                    reached = dilate(inside, self.rho, future=self.future)
                    found.append(intersect(reached, closed))
        return coalesce(found)

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        """Psi now, if that is enough; else the latest psi in reach, and phi after it."""
        psi, *phi = operands
        if not phi and self.rho[0] == 0:
            run = psi.latest((at, at + 1))
            if run is not None:
                hi = min(run[1], end)
                yield Witness(hi, ((0, (at, hi)),))
        there, _ = self.reach((at, at + 1))
        for closed in (close(held) for left in phi for held in left.true):
            within = closed[0] <= at < closed[1]
            run = psi.latest(intersect(closed, there)) if within else None
            if run is not None:
                found = latest_witness(self, intersect(run, closed), closed, (at, end))
                ((_, right),) = found.needs
                ends = (at, right[1] - 1) if self.future else (right[0], found.hi - 1)
                left_span = ends[0] | 1, ends[1] + (ends[1] & 1)
                left_need = ((1, left_span),) if left_span[0] < left_span[1] else ()
                yield found._replace(needs=(*found.needs, *left_need))

    __hash__ = TwoSided.__hash__


_ALWAYS: Final = (NEG_INF, POS_INF)


class SinceSide(JoinSide):
    """One side of Since or Until, probed with what arrives there."""

    __slots__ = ("_future", "_own", "_rho", "_theirs", "history")

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
        """Connect a side, as of a join; ``left`` is its own SteM, if it is the left one."""
        super().__init__(other, on, keep, output, sees_before=False)
        self._column = None  # rows are looked up later than those of joins, and in a history
        self._rho, self._future = plan.rho, plan.future
        self._own = left
        self._theirs = tuple(theirs for _, theirs in on)
        self.history: SinceHistory | None = None

    def limit(self, before: int) -> int:
        """How many rows of the other side to meet, at least one if there is a history."""
        past = self.history is not None and self.history.stem.n > 0
        return max(super().limit(before), past)

    def _pairs(self, gains: Rows, limit: int) -> tuple[Rows, int]:
        count, there = len(gains), None
        if self._own is None:
            times = np.ascontiguousarray(gains[:, -2:])
            gains = gains.copy()
            gains[:, -2:] = _ALWAYS
        else:
            # What a gain of the left side adds begins with it, and ends when it is out of reach.
            found = self._own.find(np.ascontiguousarray(gains[:, :-1]), kernels.COVERS)
            if found.min() < 0:  # what was pending meanwhile may be lost by now
                there = np.flatnonzero(found >= 0)
                gains, found = gains[there], found[there]
            times = np.ascontiguousarray(self._own.at(found)[:, -2:])
            gains = kernels.dilate(gains, 0, self._rho[1], self._future)
        other = self._other
        pairs, met = self._probed(other, min(limit, other.end), gains, times, MOST_PAIRS)
        if self.history is not None:
            past = self.history.stem
            older, _ = self._probed(past, past.end, gains[:met], times[:met], sys.maxsize)
            pairs = concat([pairs, older])
        if met == len(gains):
            return pairs, count
        return pairs, met if there is None else int(there[met])

    def _probed(
        self, other: Stem, limit: int, gains: Rows, times: Rows, most: int
    ) -> tuple[Rows, int]:
        index = other.index(self._theirs)
        return kernels.probe_since(
            gains,
            times,
            self._key,
            index,
            limit,
            self._keep,
            *self._rho,
            self._future,
            self._own is not None,
            most,
        )


class SinceZeroNode(LinearNode[Since]):
    """What Since derives from a right row by itself, if 0 is in its range."""

    __slots__ = ("_keep",)

    def __init__(self, plan: Since, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._keep = right_columns(plan)

    def apply(self, rows: Rows) -> Rows:
        """The rows, projected."""
        return project(rows, self._keep)


class SinceNode(PlanNode[Since], plan=Since):
    """Connects both sides.

    Attributes:
        history: of its right rows; None: its SteM keeps them as long as they are in reach.
    """

    __slots__ = ("_kept", "_left_side", "_mine", "_right", "_terms", "_theirs", "history")

    def __init__(self, plan: Since, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        # The columns on which the sides agree, of the left one and of the right one.
        self._mine = tuple(mine for mine, _ in plan.on)
        self._theirs = tuple(theirs for _, theirs in plan.on)
        # The columns that come out where a right row asks, and where it holds by itself.
        self._kept = columns([~column for column in plan.keep])
        self._right = right_columns(plan) if plan.rho[0] == 0 else ()
        self.history: SinceHistory | None = None

    def keep_history(self, *, condenses: bool) -> None:
        """From now on right rows that ended are kept in a history; facts are never lost."""
        assert self.history is None
        plan = self._plan
        assert not plan.future
        self.history = self._left_side.history = SinceHistory(
            plan.right.width, plan.on, plan.rho, condenses=condenses
        )
        right = self.output.sources[1].stem
        assert right is not None
        right.hands_over = True

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """With a history right rows are needed no longer than left ones."""
        if self.history is None or retracts:
            return super().retention(own, retracts=retracts)
        self.history.needed = own
        return own + TOUCHING, own + TOUCHING

    @property
    def stems(self) -> Sequence[Stem]:
        """That of its history."""
        return () if self.history is None else (self.history.stem,)

    def connect(self) -> None:
        """Each side probes the SteM of the other one."""
        (left, right), plan = self.output.sources, self._plan
        phi, psi = left.remember(instances=False), right.remember(instances=False)
        swapped = tuple((theirs, mine) for mine, theirs in plan.on)
        reflected = tuple(~column for column in plan.keep)
        self._left_side = SinceSide(psi, plan.on, plan.keep, self.output, plan=plan, left=phi)
        left.sides.append(self._left_side)
        right.sides.append(SinceSide(phi, swapped, reflected, self.output, plan=plan, left=None))
        if plan.rho[0] == 0:
            right.linear.append(SinceZeroNode(plan, self.output, self._terms))

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:  # noqa: ARG002 - SteMs have all
        """The right rows within reach, and the left ones that lead from them."""
        plan = self._plan
        phi, psi = (source.stem for source in self.output.sources)
        assert phi is not None
        assert psi is not None
        left, right = self._places(known)
        width = psi.width
        rows = self._right_rows(phi, psi, asked, left, right)
        index = phi.index((*self._mine, *left))
        always = rows.copy()
        always[:, -2:] = _ALWAYS
        key = positions((*self._theirs, *range(width, width + len(left))))
        times = np.ascontiguousarray(rows[:, -2:])
        where = key, index, phi.end, self._kept
        psi_is_stored = False
        found, _ = kernels.probe_since(always, times, *where, *plan.rho, plan.future, psi_is_stored)
        if plan.rho[0] == 0:
            found = concat([found, project(rows, self._right)])
        return join_rows(found, known, asked, range(len(known)), range(plan.width))

    def _right_rows(
        self, phi: Stem, psi: Stem, asked: Rows, left: dict[int, int], right: dict[int, int]
    ) -> Rows:
        """The right rows that may lead to those asked for, and the known columns of the left one.

        If nothing is known of the right rows, but of the left ones, these say which right ones.
        """
        plan = self._plan
        own = range(-1, -1 - psi.width, -1)
        if right or not left:
            there = kernels.dilate(asked, *plan.rho, not plan.future)
            index = psi.index(tuple(right))
            taken = positions((*own, *left.values()))
            return psi.probe(there, positions((*right.values(),)), psi.end, index, taken)
        there = kernels.dilate(asked, 0, plan.rho[1], not plan.future)
        shared = [~mine for mine in self._mine]
        index = phi.index(tuple(left))
        taken = positions((*shared, *left.values()))
        found = phi.probe(there, positions((*left.values(),)), phi.end, index, taken)
        # The right row may hold at an end that does not belong to the left one.
        found[:, -2] -= found[:, -2] > NEG_INF
        found[:, -1] += found[:, -1] < POS_INF
        index = psi.index(self._theirs)
        places = range(len(shared), len(shared) + len(left))
        taken = positions((*own, *places))
        return psi.probe(coalesce_rows(found), all_columns(len(shared)), psi.end, index, taken)

    def _places(self, known: KnownColumns) -> tuple[dict[int, int], dict[int, int]]:
        """Per column of the left side, and of the right, which of those ``known`` gives it.

        Of the left side only columns that are not in the key: the right row gives those.
        """
        lefts: dict[int, int] = {}
        rights: dict[int, int] = {}
        same = dict(self._plan.on)
        for place, column in enumerate(known):
            kept = self._plan.keep[column]
            if kept >= 0 and kept not in same:
                lefts.setdefault(kept, place)
            else:
                rights.setdefault(same[kept] if kept >= 0 else ~kept, place)
        return lefts, rights


def right_columns(plan: Since) -> tuple[int, ...]:
    """The columns of the right side that a Since with 0 in its range keeps."""
    same = dict(plan.on)
    return tuple(same[column] if column >= 0 else ~column for column in plan.keep)
