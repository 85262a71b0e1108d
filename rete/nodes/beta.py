"""Beta nodes: pairs that agree on a key and overlap in valid time, and rows without a partner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, Rows, columns
from rete.nodes.graph import Stream
from rete.planning.plan import AntiJoin
from rete.storage.stem import Stem


class JoinSide:
    """One side of a join: probes the SteM of the other side with what arrives at this one.

    A stream builds its SteM with a delta and at once probes the other sides with the gains; what
    is pending on another stream is not built yet. So of two deltas with a pair in common the later
    one finds the earlier, and each pair is met once [Raman03]. A stream joined with itself is the
    one case in which both sides are built at once: there its left side sees only the rows before.

    Attributes:
        output: the stream of the join.
        sees_before: whether only rows ahead of the delta are met.
        slice: so many rows of a delta are probed at a time. It is adapted to how many pairs come of
            them, so that the pairs of a large join are absorbed before they fill the memory.
    """

    __slots__ = ("_index", "_keep", "_key", "_other", "output", "sees_before", "slice")

    def __init__(
        self,
        other: Stem,
        on: tuple[tuple[int, int], ...],
        keep: tuple[int, ...],
        output: Stream,
        *,
        sees_before: bool,
    ) -> None:
        self._other = other
        self._index: kernels.Index = other.index(tuple(theirs for _, theirs in on))
        self._key = columns([mine for mine, _ in on])
        self._keep = columns(keep)
        self.output = output
        self.sees_before = sees_before
        self.slice = _FIRST_SLICE

    def limit(self, before: int) -> int:
        """How many rows of the other side to meet; ``before``: own rows ahead of the delta."""
        return before if self.sees_before else self._other.n

    def slices(self, rows: Rows) -> Iterable[Rows]:
        """The pairs of all ``rows`` with all rows of the other, a slice at a time."""
        if not self._other.n:
            return ()
        if len(rows) <= self.slice:
            return (self.probe(rows, self._other.n),)
        return self._slices(rows)

    def _slices(self, rows: Rows) -> Iterator[Rows]:
        begin = 0
        while begin < len(rows):
            end = begin + self.slice
            yield self.probe(rows[begin:end], self._other.n)
            begin = end

    def probe(self, gains: Rows, limit: int) -> Rows:
        """The pairs of ``gains``, at most `slice` rows, with the first ``limit`` of the other."""
        pairs = self._pairs(gains, limit)
        if len(pairs) > _MOST_PAIRS:
            self.slice = max(1, self.slice * _MOST_PAIRS // (2 * len(pairs)))
        elif len(gains) == self.slice and len(pairs) < _MOST_PAIRS // 4:
            self.slice = min(_LARGEST_SLICE, 2 * self.slice)
        return pairs

    def _pairs(self, gains: Rows, limit: int) -> Rows:
        return self._other.probe(gains, self._key, limit, self._index, self._keep)


_FIRST_SLICE: Final = 64
_LARGEST_SLICE: Final = 1024
"""Rows of a delta that are probed at a time: at first, and at most."""
_MOST_PAIRS: Final = 1 << 18
"""Rows that a probe may make before it is given fewer."""


def connect_join(left: Stream, right: Stream, output: Stream, *, instances: bool) -> None:
    """Make ``output``, whose plan is a join, read both streams."""
    plan = output.plan
    on, keep = plan.on, plan.keep  # type: ignore[union-attr]
    left_stem, right_stem = left.remember(instances=instances), right.remember(instances=instances)
    swapped = tuple((theirs, mine) for mine, theirs in on)
    left.sides.append(JoinSide(right_stem, on, keep, output, sees_before=left is right))
    right.sides.append(
        JoinSide(left_stem, swapped, tuple(~c for c in keep), output, sees_before=False)
    )


class NegationGate:
    """Lets the left rows of a negation pass while no right row agrees with them.

    Left rows are pending before the gate until all right rows are known; then those that are still
    stored pass it. Gains of the right side close the gate for some rows, losses open it.

    Attributes:
        output: the stream of the rows that pass.
    """

    __slots__ = ("_index", "_keep", "_left", "_mine", "_right", "_theirs", "output")

    def __init__(self, plan: AntiJoin, left: Stem, right: Stem, output: Stream) -> None:
        self._left, self._right = left, right
        self._mine = tuple(mine for mine, _ in plan.on)
        self._theirs = tuple(theirs for _, theirs in plan.on)
        self._index: kernels.Index = right.index(self._theirs)
        self._keep = plan.keep
        self.output = output

    def admit(self, rows: Rows) -> Rows:
        """What passes of those left rows that are still stored, projected."""
        return self.project(self.unmatched(self._left.meet(rows, NEG_INF)))

    def unmatched(self, rows: Rows) -> Rows:
        """The pieces of left rows with which no right row agrees."""
        return self._right.uncovered(rows, columns(self._mine), self._index)

    def project(self, rows: Rows) -> Rows:
        """Left rows as they come out, whether they pass or not."""
        return np.ascontiguousarray(rows[:, [*self._keep, -2, -1]])

    def closed_by(self, rows: Rows) -> Rows:
        """The rows that no longer pass as the right side gains ``rows``, projected."""
        return self._partners(rows, self._keep)

    def opened_by(self, rows: Rows) -> Rows:
        """The left rows that may pass as the right side loses ``rows``."""
        return self._partners(rows, range(self._left.width))

    def _partners(self, rows: Rows, keep: Iterable[int]) -> Rows:
        left = self._left
        keep_left = columns([~c for c in keep])
        return left.probe(rows, columns(self._theirs), left.n, left.index(self._mine), keep_left)


def connect_negation(left: Stream, right: Stream, output: Stream, plan: AntiJoin) -> None:
    """Make ``output`` the rows of ``left`` for which ``right`` has no partner."""
    left_stem, right_stem = left.remember(instances=False), right.remember(instances=False)
    output.gate = NegationGate(plan, left_stem, right_stem, output)
    left.passed_gates.append(output.gate)
    right.closed_gates.append(output.gate)
