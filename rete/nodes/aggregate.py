"""Aggregates: the value of all rows of a group that hold at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from rete.aggregates.bags import SIZE_OF_TOTALS, Totals
from rete.arrays.delta import (
    NEG_INF,
    POS_INF,
    Column,
    Rows,
    concat,
    concat_or_empty,
    empty,
)
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, Label, NonPointwise, Plan, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.nodes.group_values import ADD_UP, GroupKey, GroupValues
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.storage.row_algebra import (
    all_columns,
    begin_at,
    coalesce,
    join_rows,
    positions,
    probed_columns,
    project,
    subtract,
)
from rete.storage.stem import Stem
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import R4_AGGREGATE


@dataclass(frozen=True)
class Aggregate(NonPointwise):
    """Per group the value of an aggregate of the rows that hold; no row without a value.

    Attributes:
        function, share, part, size: as of `rif.syntax.aggregates.Aggregate`.
        by: the columns of the source that a group shares.
        value: the column of the members.
        order: that by which they are ordered; None: they are not.
    """

    computes: ClassVar[bool] = True
    monotone: ClassVar[bool] = False
    touching: ClassVar[int] = 1

    source: Plan
    function: str
    by: tuple[int, ...]
    value: int
    order: int | None = None
    share: str = ""
    part: str = ""
    size: int | None = None

    @property
    def sums_up(self) -> bool:
        """Whether a member that never goes need not be kept, as far as this knows.

        Of those that are chosen by their order only some can still be chosen. Others are added up,
        unless the same row may come once more: not where the stamp of an element is part of it.
        """
        source = self.source
        if not (isinstance(source, Dilate) and source.is_lasting):
            return False
        scan = source.source
        return self.chooses or (
            self.function in ADD_UP and isinstance(scan, Scan) and scan.keeps_stamp
        )

    @property
    def chooses(self) -> bool:
        """Whether the value follows from members at one end of an order."""
        return bool(self.part) or self.function in _CHOOSE

    @property
    def columns(self) -> tuple[int, ...]:
        """The group, then the value."""
        return (*self.by, self.source.width)

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """The columns of the group."""
        return (self.by,)

    @property
    def name(self) -> str:
        """The aggregate, as it is written before the braces."""
        words = (self.function, self.share, self.part, "" if self.size is None else str(self.size))
        return " ".join(word for word in words if word)

    @property
    def label(self) -> Label:
        """What it is of, and the group."""
        group: Label = ("by", *self.by) if self.by else ()
        return (self.source.width, ":=", "of", self.value, *group)


_CHOOSE: Final = frozenset(("first", "last", "min", "max"))
_HEXADECIMAL: Final = re.compile("-?0x[0-9a-f]+")
_FIRST: Final = NEG_INF + 1
"""Up to here time is followed before it has begun."""


class AggregateNode(PlanNode[Aggregate], plan=Aggregate):
    """Follows each group in time, and gives its value for as long as it may last.

    Rows of the source enter a bag where they begin, and leave it where they end. Time is followed
    up to the frontier: the last value of a group is given without an end, and taken back from where
    it changes. Where rows are lost, or come after time has passed them, it is computed anew.
    """

    __slots__ = (
        *("_given", "_groups", "_index", "_outside", "_stale", "_stem", "_taken", "_terms"),
        "clock",
    )

    def __init__(self, plan: Aggregate, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        self._stem = output.sources[0].remember(instances=False)
        self._index = self._stem.index(plan.by)
        self._given = Stem(plan.width, instances=False)
        self._groups = self._new_groups()
        self._stale: set[GroupKey] = set()
        self._taken: list[Rows] = []
        self._outside = DomainErrors(R4_AGGREGATE + plan.function)
        self.clock = _FIRST

    def _new_groups(self) -> GroupValues:
        plan = self._plan
        words = plan.function, plan.share, plan.part, plan.size
        return GroupValues(self._terms, plan.by, plan.value, plan.order, words)

    def connect(self) -> None:
        """Its source opens and closes it, and so does time."""
        self.output.gate = self.output.timed = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    @property
    def domain_errors(self) -> DomainErrors:
        """The groups that had members, but no value."""
        return self._outside

    @property
    def stems(self) -> Sequence[Stem]:
        """What it has given."""
        return (self._given,)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        """What it has given is needed as long as its output."""
        self._given.retention = own
        return super().retention(own, retracts=retracts)

    def forget(self) -> None:
        """Drop the members by id, and what has ended; the values that groups have are needed."""
        bound = self.output.network.bound
        self._groups.forget()
        self._given.expire(bound)
        values = self._groups.values_now()
        self._terms.touch(values.reshape(-1, 1), np.full(len(values), bound))

    @property
    def plan(self) -> Aggregate:
        """What it computes."""
        return self._plan

    # gains, losses, time

    def admit(self, rows: Rows) -> Rows:
        """What begins to hold up to the frontier, as its source has gained or lost ``rows``."""
        late = self._enter(rows)
        gains = [] if late is None else [self._compute_anew(late)]
        gains.append(self._follow(self.output.network.clock))
        return concat(gains)

    def take_back(self) -> Rows:
        """What has been given and does not hold any more, each row once."""
        taken, self._taken = self._taken, []
        return concat_or_empty(taken, self.output.plan.width)

    def project(self, rows: Rows) -> Rows:
        """What was given at the times of ``rows``, which are about to be lost.

        Where time has not come to, nothing is given that they make.
        """
        rows = begin_at(rows, self.output.complete_since)
        rows = rows[rows[:, -2] < self.clock]
        groups = coalesce(project(rows, self._plan.by))
        self._stale.update(map(tuple, groups[:, :-2].tolist()))
        return self._given_at(groups)

    def closed_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing: time takes back what was given."""
        return empty(self.output.plan.width)

    def opened_by(self, rows: Rows) -> Rows:
        """The rows that are lost, if time has come to them: their groups are computed anew."""
        rows = begin_at(rows, self.output.complete_since)
        has_come = rows[:, -2] < self.clock
        self._groups.cancel(rows[~has_come])
        return rows[has_come]

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """What was given; of groups that are about to lose rows what their other rows say."""
        width = self.output.plan.width
        if not self._stale:
            key, kept = all_columns(len(known)), probed_columns(width)
            return self._given.probe(asked, key, self._given.end, self._given.index(known), kept)
        about = questions_about_source(self.output.plan, self._until_now(asked), known)
        rows = search.rows(self.output.sources[0], *about)
        found = self._steps(coalesce(project(rows, range(self._stem.width))))
        return join_rows(asked, range(len(known)), found, known, probed_columns(width).tolist())

    def saved(self) -> State:
        """How far time was followed, what was given and summed up; the SteM has other members."""
        state: State = {"clock": self.clock, "given": self._given.saved()}
        totals = self._groups.totals
        if totals:
            keys = np.array([*totals], np.int64).ravel()  # a group may have no columns
            texts = [" ".join(map(hex, each)) for each in totals.values()]
            state["totals"] = {"keys": keys, "texts": texts}
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Resume from there; the SteM of the source is restored before."""
        self.clock = given.integer("clock", NEG_INF, POS_INF)
        self._given.restore(given.part("given"), alive)
        self._groups = self._new_groups()
        if (part := given.maybe("totals")) is not None:
            self._groups.totals = self._read_totals(part, alive)
        self._groups.resume(self._stem.content(), self.clock)

    def _read_totals(self, given: StateReader, alive: Mask) -> dict[GroupKey, Totals]:
        size = 1 if self._plan.function == "count" else SIZE_OF_TOTALS
        found: list[Totals] = []
        for text in given.texts("texts"):
            numbers = text.split(" ")
            if len(numbers) != size or not all(map(_HEXADECIMAL.fullmatch, numbers)):
                given.refuse("texts", "has something that is no total")
            found.append(tuple(int(number, 16) for number in numbers))
        width = len(self._plan.by)
        keys = given.array("keys", np.int64, len(found) * width).reshape(len(found), width)
        given.living("keys", keys, alive)
        return dict(zip(map(tuple, keys.tolist()), found, strict=True))

    # members that never go

    def needed(self, rows: Rows) -> Mask:
        """Which ``rows`` of the source are still needed; they never end, and are all there are."""
        return self._groups.needed(rows)

    def sum_up(self, rows: Rows) -> None:
        """Let go of rows that are not `needed`; time has come to them."""
        self._groups.sum_up(rows)

    # groups

    def _enter(self, rows: Rows) -> Rows | None:
        """Let members come and go later; the groups and times that are to be computed anew."""
        late = rows[:, -2] < self.clock
        if self._stale:
            keys = map(tuple, rows[:, positions(self._plan.by)].tolist())
            late |= np.fromiter((key in self._stale for key in keys), np.bool_, len(rows))
        found = None
        if late.any():
            found = coalesce(project(rows[late], self._plan.by))
            rows = rows[~late]
        self._groups.schedule(rows, self.clock)
        return found

    def _follow(self, until: int) -> Rows:
        """Let members come and go before the cell ``until``; what is given by that."""
        if until <= self.clock:
            return empty(self.output.plan.width)
        self.clock = until
        lost, found, outside = self._groups.follow(until)
        self._note(outside)
        self._take(lost)
        return self._give(found)

    def _note(self, outside: Column) -> None:
        """Count groups without a value; an example is a member that came when it had none."""
        self._outside.count += len(outside)
        if self._outside.wants_samples:
            came = outside[outside > 0].tolist()
            self._outside.sample([(self._terms.decode(term),) for term in came])

    def _take(self, rows: Rows) -> None:
        """Take back what was given; what is left of it ends where that begins."""
        if len(rows):
            self._given.remove(rows, NEG_INF)
            self._taken.append(rows)
            self._touch(rows, rows[:, -2])

    def _give(self, rows: Rows) -> Rows:
        """Remember what is given."""
        if not len(rows):
            return rows
        self._touch(rows, np.where(rows[:, -1] < POS_INF, rows[:, -1], NEG_INF))
        return self._given.absorb(rows, self.output.network.bound)

    def _touch(self, rows: Rows, ends: Column) -> None:
        """A computed term lives as long as the rows that it is in; see `forget` of other ends."""
        self._terms.touch(np.ascontiguousarray(rows[:, :-2]), np.ascontiguousarray(ends))

    # anew

    def _steps(self, rows: Rows) -> Rows:
        """The values of groups of ``rows`` before the clock; the last one holds on."""
        groups = self._new_groups()
        groups.totals = self._groups.totals
        found, outside = groups.values_of(rows, self.clock)
        self._note(outside)
        return found

    def _until_now(self, asked: Rows) -> Rows:
        """Questions that begin where the last value is known, at the latest."""
        asked = asked.copy()
        np.minimum(asked[:, -2], self.clock - 1, out=asked[:, -2])
        return asked

    def _compute_anew(self, about: Rows) -> Rows:
        """Compute groups at some times, and now, by their rows; what they give besides."""
        now = about.copy()
        now[:, -2:] = self.clock - 1, POS_INF
        asked = coalesce(concat([about, now]))
        keys = {tuple(key) for key in asked[:, :-2].tolist()}
        self._groups.close(keys)
        self._stale -= keys
        members = self._members_at(asked)
        self._groups.resume(members, self.clock)
        columns = range(len(self._plan.by))
        found = self._steps(members)
        found = join_rows(
            asked, columns, found, columns, probed_columns(found.shape[1] - 2).tolist()
        )
        old = self._given_at(asked)
        lost = subtract(old, found)
        self._take(lost)
        return self._give(subtract(found, old))

    def _members_at(self, asked: Rows) -> Rows:
        """The rows of groups at times, cut to these."""
        key, kept = all_columns(len(self._plan.by)), probed_columns(self._stem.width)
        return self._stem.probe(asked, key, self._stem.end, self._index, kept)

    def _given_at(self, asked: Rows) -> Rows:
        """What was given to groups at times, cut to these."""
        given, columns = self._given, tuple(range(len(self._plan.by)))
        key, kept = all_columns(len(columns)), probed_columns(given.width)
        return given.probe(asked, key, given.end, given.index(columns), kept)
