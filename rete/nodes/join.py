"""Joins: pairs that agree on a key and overlap in valid time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from rete import kernels
from rete.arrays.delta import Column, Rows, columns
from rete.graph.plan import KnownColumns, Label, Plan, TwoSided
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.storage.semijoin import Semijoin
from rete.storage.stem import Stem


@dataclass(frozen=True)
class Join(TwoSided):
    """Pairs that agree on a key and overlap in valid time: a beta node [Forgy82].

    An empty key is that of a Cartesian product.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse columns that there are not: a kernel would take others for them."""
        if any(not -self.right.width <= c < self.left.width for c in self.keep):
            msg = f"{self.keep} are not columns of {self.left.width} and {self.right.width}"
            raise ValueError(msg)

    @property
    def label(self) -> Label:
        """What both sides agree on."""
        return tuple(mine for mine, _ in self.on)

    @property
    def condition(self) -> Label:
        """Nothing to say: the variables tell."""
        return ()

    __hash__ = TwoSided.__hash__


class SideEdge(NamedTuple):
    """What a side of a join needs to know: see `rete.kernels.probe`."""

    other: kernels.Index
    key: Column
    keep: Column
    sees_before: bool


class JoinSide:
    """One side of a join: probes the SteM of the other side with what arrives at this one.

    A stream builds its SteM with a delta and at once probes the other sides with the gains; what
    is pending on another stream is not built yet. So of two deltas with a pair in common the later
    one finds the earlier, and each pair is met once [Raman03]. A stream joined with itself is the
    one case in which both sides are built at once: there its left side sees only the rows before.

    Attributes:
        output: the stream of the join.
        sees_before: whether only rows ahead of the delta are met.
        slice: so many rows of a delta are probed at a time: as many as may have `MOST_PAIRS`.
    """

    __slots__ = (
        "_column",
        "_constants",
        "_index",
        "_keep",
        "_key",
        "_other",
        "_taken",
        "output",
        "sees_before",
        "slice",
    )

    def __init__(  # noqa: PLR0913 - the other side, how rows pair, and where pairs go
        self,
        other: Stem,
        on: tuple[tuple[int, int], ...],
        keep: tuple[int, ...],
        output: Stream,
        *,
        width: int = 0,
        sees_before: bool,
    ) -> None:
        self._other = other
        self._index: kernels.Index = other.index(tuple(theirs for _, theirs in on))
        self._constants = other.constants
        added = range(width, width + len(self._constants))
        self._taken = columns([*range(width), *(~number for number in range(len(added)))])
        self._key = columns([*(mine for mine, _ in on), *added])
        self._keep = columns(other.stored(keep))
        self._column = on[0][0] if len(on) == 1 else None
        self.output = output
        self.sees_before = sees_before
        self.slice = _FIRST_SLICE

    @property
    def edge(self) -> SideEdge:
        """How single rows probe the other side."""
        assert not len(self._constants)
        return SideEdge(self._index, self._key, self._keep, self.sees_before)

    def limit(self, before: int) -> int:
        """The position before which to meet the other side; ``before``: that of the delta."""
        if not self._other.n:
            return 0
        return before if self.sees_before else self._other.end

    def semijoin(self, gains: Semijoin, limit: int) -> Rows:
        """``gains`` without those that meet none before ``limit``, where few rows tell which."""
        column = self._column
        if column is None or self._other.n > _FEW or (keys := gains.keys(column)) is None:
            return gains.rows
        asked, key = self._with_constants(keys), self._key
        met, _ = kernels.probe(asked, key, self._index, limit, key[:1])
        return gains.select(column, met[:, 0].tolist()) if len(met) else gains.rows[:0]

    def slices(self, rows: Rows) -> Iterable[Rows]:
        """The pairs of all ``rows`` with all rows of the other, some rows at a time."""
        if not self._other.n:
            return ()
        if len(rows) >= self.slice:
            return self._slices(rows)
        pairs, met = self._pairs(rows, self._other.end)
        return (pairs,) if met == len(rows) else chain((pairs,), self._slices(rows[met:]))

    def _slices(self, rows: Rows) -> Iterator[Rows]:
        begin = 0
        while begin < len(rows):
            pairs, met = self.probe(rows[begin:], self._other.end)
            begin += met
            yield pairs

    def probe(self, gains: Rows, limit: int) -> tuple[Rows, int]:
        """Pairs of the first of ``gains`` with those of the other before ``limit``; how many met.

        As many as have `MOST_PAIRS`: those of a large join are absorbed before they fill memory.
        """
        size = self.slice
        if len(gains) < size:
            return self._pairs(gains, limit)
        pairs, met = self._pairs(gains[:size], limit)
        made = len(pairs)
        if made >= MOST_PAIRS:
            self.slice = min(size, 2 * met)
        elif met == size and made < MOST_PAIRS // 4:
            self.slice = min(_LARGEST_SLICE, 2 * size)
        return pairs, met

    def _pairs(self, gains: Rows, limit: int) -> tuple[Rows, int]:
        asked = self._with_constants(gains)
        return kernels.probe(asked, self._key, self._index, limit, self._keep, MOST_PAIRS)

    def _with_constants(self, rows: Rows) -> Rows:
        if not len(self._constants):
            return rows
        return kernels.project(rows, self._taken, self._constants)


_FEW: Final = 256
"""Up to so many rows the other side is asked first which terms it has."""
_FIRST_SLICE: Final = 64
_LARGEST_SLICE: Final = 1 << 16
"""Rows of a delta that are looked up at a time: at first, and at most."""
MOST_PAIRS: Final = 1 << 18
"""With so many pairs a probe ends, once it is through with a row."""


class JoinNode(PlanNode[Join], plan=Join):
    """Connects both sides."""

    __slots__ = ()

    def connect(self) -> None:
        """Each side probes the SteM of the other one."""
        (left, right), plan = self.output.sources, self._plan
        instances = self.output.network.instances
        stem, other = left.remember(instances=instances), right.remember(instances=instances)
        swapped = tuple((theirs, mine) for mine, theirs in plan.on)
        reflected = tuple(~c for c in plan.keep)
        itself = left is right
        widths = left.plan.width, right.plan.width
        one = JoinSide(other, plan.on, plan.keep, self.output, width=widths[0], sees_before=itself)
        two = JoinSide(stem, swapped, reflected, self.output, width=widths[1], sees_before=False)
        left.sides.append(one)
        right.sides.append(two)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The pairs."""
        return search.pairs(self.output, asked, known)
