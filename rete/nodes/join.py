"""Beta nodes: pairs that agree on a key and overlap in valid time."""

from __future__ import annotations

from typing import Final

from rete import kernels
from rete.delta import Rows, columns
from rete.nodes.base import Stream
from rete.stem import Stem


class Side:
    """One side of a join, as seen by what arrives there: it probes the SteM of the other.

    A stream builds its SteM with a delta and at once probes the other sides with the gains; what
    waits on another stream is not built yet. So of two deltas that belong together the later one
    finds the earlier, and each pair is met once [Raman03]. A stream joined with itself is the one
    case in which both sides are built at once: there its left side sees only the rows before.

    Attributes:
        output: the stream of the join.
        sees_before: whether only rows ahead of the delta are met.
        slice: so many rows of a delta are probed at a time. It follows what comes out of them, so
            that a join that multiplies rows is taken in before it fills the memory.
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
        self.slice = _FIRST

    def limit(self, before: int) -> int:
        """How many rows of the other side to meet; ``before``: own rows ahead of the delta."""
        return before if self.sees_before else self._other.n

    def probe(self, gains: Rows, limit: int) -> Rows:
        """The pairs of ``gains``, at most `slice` rows, with the first ``limit`` of the other."""
        pairs = self._other.probe(gains, self._key, limit, self._index, self._keep)
        if len(pairs) > _MOST:
            self.slice = max(1, self.slice * _MOST // (2 * len(pairs)))
        elif len(gains) == self.slice and len(pairs) < _MOST // 4:
            self.slice = min(_SLICE, 2 * self.slice)
        return pairs


_FIRST: Final = 64
_SLICE: Final = 1024
"""Rows of a delta that are probed at a time: at first, and where nothing speaks against it."""
_MOST: Final = 1 << 18
"""Rows that a probe may make before it is given fewer."""


def connect(left: Stream, right: Stream, output: Stream, *, instances: bool) -> None:
    """Make ``output``, whose plan is a join, read both streams."""
    plan = output.plan
    on, keep = plan.on, plan.keep  # type: ignore[union-attr]
    left_stem, right_stem = left.remember(instances=instances), right.remember(instances=instances)
    swapped = tuple((theirs, mine) for mine, theirs in on)
    left.sides.append(Side(right_stem, on, keep, output, sees_before=left is right))
    right.sides.append(Side(left_stem, swapped, tuple(~c for c in keep), output, sees_before=False))
