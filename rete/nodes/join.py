"""Beta nodes: pairs that agree on a key and overlap in valid time."""

from __future__ import annotations

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
    """

    __slots__ = ("_index", "_keep", "_key", "_other", "output", "sees_before")

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

    def probe(self, gains: Rows, before: int) -> Rows:
        """The pairs of ``gains``; ``before``: rows of the own SteM ahead of them."""
        other = self._other
        limit = before if self.sees_before else other.n
        if not limit:
            return NOTHING
        return other.probe(gains, self._key, limit, self._index, self._keep)


NOTHING: Rows = columns([]).reshape(0, 2)


def connect(left: Stream, right: Stream, output: Stream, *, instances: bool) -> None:
    """Make ``output``, whose plan is a join, read both streams."""
    plan = output.plan
    on, keep = plan.on, plan.keep  # type: ignore[union-attr]
    left_stem, right_stem = left.remember(instances=instances), right.remember(instances=instances)
    swapped = tuple((theirs, mine) for mine, theirs in on)
    left.sides.append(Side(right_stem, on, keep, output, sees_before=left is right))
    right.sides.append(Side(left_stem, swapped, tuple(~c for c in keep), output, sees_before=False))
