"""When facts begin and end: the ends of maximal intervals as terms of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import ClassVar, Final, Generic, TypeVar

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, concat_or_empty, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import (
    KnownColumns,
    Label,
    NonPointwise,
    OperandTimes,
    Plan,
    Shape,
    Witness,
    questions_about_source,
)
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.kernels import clip
from rete.storage.derived_facts import round_to_ticks
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    intersect,
    intersect_sets,
    interval_at,
)
from rete.storage.interval_sets import coalesce as coalesce_intervals
from rete.storage.row_algebra import (
    all_columns,
    append_term,
    begin_at,
    coalesce,
    join_rows,
    probed_columns,
    project,
    subtract,
)
from rete.storage.stem import Stem
from rete.terms.dictionary import Dictionary

_TICK: Final = 2
"""Cells of a tick, with the gap behind it."""


class IntervalEnds(NonPointwise):
    """Rows about each maximal interval of a row of the source, as ticks show it.

    An interval is read at ticks: it begins at the first tick at which the row holds, and ends at
    the first one at which it does not. Intervals that touch are one.
    """

    shape: ClassVar[Shape] = "metric"
    computes: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    touching: ClassVar[int] = _TICK

    source: Plan

    @abstractmethod
    def about(self, cell: int, source: IntervalSet) -> ToldRun | None:
        """What a row that holds in a cell is about; None: that interval is not known.

        ``source``: when the row of the source holds.
        """

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """All columns: the intervals of one row belong together."""
        return (tuple(range(self.source.width)),)


@dataclass(frozen=True)
class Begins(IntervalEnds):
    """Each interval of the source, with the time at which it begins as a last column.

    What began before the first stamp has none.
    """

    source: Plan

    @property
    def columns(self) -> tuple[int, ...]:
        """Those of the source, then the time."""
        return tuple(range(self.source.width + 1))

    @property
    def name(self) -> str:
        """The word of the rules."""
        return "At"

    @property
    def label(self) -> Label:
        """The time, and what it is."""
        return self.source.width, "since when that holds"

    def about(self, cell: int, source: IntervalSet) -> ToldRun | None:
        """The interval that the cell is in."""
        run = interval_at(at_ticks(source), cell)
        return None if run is None else ToldRun(run, at_end=False)


@dataclass(frozen=True)
class Ends(IntervalEnds):
    """At the end of each interval of the source a row, with its begin and end as last columns."""

    source: Plan

    @property
    def columns(self) -> tuple[int, ...]:
        """Those of the source, then both times."""
        return tuple(range(self.source.width + 2))

    @property
    def inputs(self) -> int:
        """Both times are computed."""
        return self.source.width + 2

    @property
    def computed(self) -> tuple[int, ...]:
        """The last two columns."""
        return self.source.width, self.source.width + 1

    @property
    def name(self) -> str:
        """The word of the rules."""
        return "Ended"

    @property
    def label(self) -> Label:
        """Both times, and what they are."""
        return self.source.width, self.source.width + 1, "from when until when that held"

    def about(self, cell: int, source: IntervalSet) -> ToldRun | None:
        """The interval that ends there."""
        runs = (run for run in at_ticks(source) if run[1] == cell)
        return next((ToldRun(run, at_end=True) for run in runs), None)


@dataclass(frozen=True, slots=True)
class ToldRun:
    """What a row of `IntervalEnds` is about, as `NonPointwise` describes operators.

    Attributes:
        run: the interval of the source, as ticks show it, in cells.
        at_end: whether the row holds where that ends; else it holds as long as the interval.
    """

    run: CellInterval
    at_end: bool

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        """When it is told, if the source holds at these times: all from the begin on must be."""
        (source,) = operands
        begins = [pair for pair in at_ticks(source) if pair[0] <= self.run[0] < pair[1]]
        told = [intersect(pair, self.run) for pair in begins]
        if self.at_end:
            return tuple((end, end + 1) for _, end in told if end == self.run[1])
        return tuple(told)

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        """It needs all of the run, or that up to where it is told."""
        (source,) = operands
        told = interval_at(self.holds(source.true), at)
        if told is not None:
            hi = min(told[1], end)
            need = self.run if self.at_end else (self.run[0], hi)
            yield Witness(hi, tuple((0, pair) for pair in intersect_sets(source.true, (need,))))


def at_ticks(intervals: IntervalSet) -> IntervalSet:
    """Intervals as ticks show them: where no tick lies between two, they are one."""
    return coalesce_intervals(
        (lo + (lo & 1 if lo > NEG_INF else 0), hi + (hi & 1 if hi < POS_INF else 0))
        for lo, hi in intervals
    )


P = TypeVar("P", bound=IntervalEnds)


class IntervalEndsNode(PlanNode[P], Generic[P]):
    """Compares what it has given of a row with what its intervals say, whenever these change.

    What is final is not compared, but for what operators look back on. The source forgets a row
    piece by piece, so the intervals are remembered here, whole, as long as they go on. A change
    concerns only those that it touches, however many a row has.
    """

    __slots__ = (
        "_begin",
        *("_due", "_given", "_key", "_numbers", "_runs", "_stale", "_stem", "_taken", "_terms"),
    )

    def __init__(self, plan: P, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        self._stem = output.sources[0].remember(instances=False)
        self._key = tuple(range(self._stem.width))
        self._given = Stem(plan.width, instances=False)
        self._runs = Stem(self._stem.width, instances=False)
        self._due: list[tuple[int, int, list[int]]] = []
        self._numbers = count()
        self._stale = False
        self._begin = POS_INF
        self._taken: list[Rows] = []

    def connect(self) -> None:
        """Its source opens and closes it, and so does time."""
        self.output.gate = self.output.timed = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    @property
    def stems(self) -> Sequence[Stem]:
        """What it has given, and the intervals of that."""
        return self._given, self._runs

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:  # noqa: ARG002
        """What it has given is needed as long as its output."""
        self._given.retention = own
        self._runs.retention = needed = min(own + _TICK, POS_INF)
        return (needed,)

    @abstractmethod
    def _rows(self, intervals: Rows) -> Rows:
        """What is told of these intervals, (n, width + 2), as ticks show them."""

    @abstractmethod
    def _told_within(self, hull: Rows) -> Rows:
        """When it is told of intervals in ``hull``, and of no others."""

    def _hull(self, asked: Rows) -> Rows:
        """Times of rows, with the intervals that they touch: no interval is within in part."""
        near = coalesce(_widened(asked))
        pieces = self._runs.meet(near, NEG_INF)
        found = self._runs.find(np.ascontiguousarray(pieces[:, :-1]), kernels.COVERS)
        return coalesce(np.concatenate([near, self._runs.at(found)]))

    def _intervals(self, rows: Rows, hull: Rows) -> Rows:
        """All intervals in ``hull``; ``rows``: what the source has of these."""
        first = self.output.network.bound - self._stem.retention  # what ended may be forgotten
        first += first & 1
        older = clip(self._of(self._runs, hull), NEG_INF, max(first, NEG_INF))
        return coalesce(np.concatenate([round_to_ticks(rows), older]))

    def _term(self, cells: Column) -> Column:
        """The ids of the times of cells of ticks."""
        found, places = np.unique(cells, return_inverse=True)
        term = self._terms.clock.term
        terms = self._terms.encode_many([term(cell // _TICK) for cell in found.tolist()])
        times: Column = terms[places]
        return times

    def admit(self, rows: Rows) -> Rows:
        """What is told now of the rows that changed, and of those that have ended meanwhile."""
        clock = self.output.network.clock
        due: list[list[int]] = []
        while self._due and self._due[0][0] < clock:
            due.append(heappop(self._due)[-1])
        ended = np.array(due, np.int64).reshape(len(due), len(self._key) + 2)
        changed = np.concatenate([ended, project(rows, self._key), self._begun_earlier()])
        self._stale = False
        if not len(changed):
            return empty(self.output.plan.width)
        hull = self._hull(changed)
        found = self._of(self._stem, hull)
        self._wait(found, clock)
        intervals = self._intervals(found, hull)
        self._runs.remove(self._of(self._runs, hull), NEG_INF)
        self._runs.absorb(intervals, self.output.network.bound)
        return self._change(self._told_within(hull), self._rows(intervals))

    def _begun_earlier(self) -> Rows:
        """All rows, if the first stamp is another one than it was; but for what is forgotten."""
        begin = self.output.network.begin
        before, self._begin = self._begin, begin
        if before == begin:
            return empty(self._stem.width)
        rows = self._stem.content()
        return self._whole(rows[rows[:, -1] > self.output.network.bound - self._stem.retention])

    def _change(self, asked: Rows, told: Rows) -> Rows:
        """Take back and give what differs, as far back as it is needed."""
        since = self.output.complete_since
        old, told = begin_at(self._of(self._given, asked), since), begin_at(told, since)
        lost = subtract(old, told)
        if len(lost):
            self._given.remove(lost, NEG_INF)
            self._taken.append(lost)
        gained = subtract(told, old)
        if not len(gained):
            return gained
        self._terms.touch(np.ascontiguousarray(gained[:, :-2]), np.ascontiguousarray(gained[:, -1]))
        return self._given.absorb(gained, NEG_INF)

    def _wait(self, rows: Rows, clock: int) -> None:
        """Let the end of rows come that time has not reached; nothing, if it is told at once."""

    def take_back(self) -> Rows:
        """What was given and is not so."""
        taken, self._taken = self._taken, []
        return concat_or_empty(taken, self.output.plan.width)

    def project(self, rows: Rows) -> Rows:
        """What was told of rows that are about to be lost, in part or whole, and is not final."""
        self._stale = True
        lost = project(rows, self._key)
        hull = self._hull(lost)
        self._runs.remove(self._runs.meet(round_to_ticks(lost), NEG_INF), NEG_INF)
        given = self._of(self._given, self._told_within(hull))
        return begin_at(given, self.output.complete_since)

    def _of(self, stem: Stem, asked: Rows) -> Rows:
        """What a SteM has of some rows of the source."""
        key, kept = all_columns(len(self._key)), probed_columns(stem.width)
        return stem.probe(asked, key, stem.end, stem.index(self._key), kept)

    def _whole(self, rows: Rows) -> Rows:
        """Rows of the source, each once, at all times."""
        whole = project(rows, self._key).copy()
        whole[:, -2:] = NEG_INF, POS_INF
        return coalesce(whole)

    def closed_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing: what is not so any more is taken back as rows are admitted."""
        return empty(self.output.plan.width)

    def opened_by(self, rows: Rows) -> Rows:
        """All rows that are lost: of what is left is told anew."""
        return rows

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """What was told; while rows are being lost, what the others say."""
        width = self.output.plan.width
        if not self._stale:
            key, kept = all_columns(len(known)), probed_columns(width)
            return self._given.probe(asked, key, self._given.end, self._given.index(known), kept)
        (source,) = self.output.sources
        about = questions_about_source(self.output.plan, _widened(asked), known)
        hull = self._hull(project(search.rows(source, *about), self._key))
        rows = project(search.rows(source, hull, self._key), self._key)
        found = self._rows(self._intervals(coalesce(rows), hull))
        return join_rows(asked, range(len(known)), found, known, probed_columns(width).tolist())

    def saved(self) -> State:
        """What was given, of which intervals; what waits follows from the SteM of the source."""
        return {"given": self._given.saved(), "runs": self._runs.saved()}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Resume from there; the SteM of the source is restored before."""
        self._given.restore(given.part("given"), alive)
        self._runs.restore(given.part("runs"), alive)
        self._wait(self._stem.content(), NEG_INF)


def _widened(rows: Rows) -> Rows:
    """Times with the ticks before and after them."""
    wide = rows.copy()
    wide[:, -2] -= np.where(rows[:, -2] > NEG_INF, _TICK, 0)
    wide[:, -1] += np.where(rows[:, -1] < POS_INF, _TICK, 0)
    return wide


class BeginsNode(IntervalEndsNode[Begins], plan=Begins):
    """Tells when the intervals of rows began."""

    __slots__ = ()

    def _told_within(self, hull: Rows) -> Rows:
        return hull

    def _rows(self, intervals: Rows) -> Rows:
        begun = intervals[intervals[:, -2] >= self.output.network.begin]
        return append_term(begun, self._term(begun[:, -2]))


class EndsNode(IntervalEndsNode[Ends], plan=Ends):
    """Tells at the end of an interval when it was, once time has come there."""

    __slots__ = ()

    def _told_within(self, hull: Rows) -> Rows:
        """The ends: the first cell is the end of another interval, if it is any."""
        times = hull.copy()
        times[:, -2] += hull[:, -2] > NEG_INF
        times[:, -1] += hull[:, -1] < POS_INF
        return times

    def _rows(self, intervals: Rows) -> Rows:
        clock = self.output.network.clock
        ended = (intervals[:, -1] < clock) & (intervals[:, -2] > NEG_INF)
        found = intervals[ended]
        ends = found[:, -1].copy()
        rows = append_term(append_term(found, self._term(found[:, -2])), self._term(ends))
        rows[:, -2] = ends
        rows[:, -1] = ends + 1
        return rows

    def _wait(self, rows: Rows, clock: int) -> None:
        for row in rows[(rows[:, -1] < POS_INF) & (rows[:, -1] + 1 >= clock)].tolist():
            end = row[-1] + (row[-1] & 1)
            heappush(self._due, (end, next(self._numbers), [*row[:-2], end - _TICK, end]))
