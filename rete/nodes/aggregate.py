"""Aggregates: the value of all rows of a group that hold at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import ClassVar, Final, TypeAlias

import numpy as np

from rete.aggregates.bags import Bag, Entry, bag_maker
from rete.aggregates.members import Member, member
from rete.arrays.delta import NEG_INF, POS_INF, Rows, concat, concat_or_empty, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, Label, NonPointwise, Plan, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.memo import Memo
from rete.storage.row_algebra import (
    all_columns,
    begin_at,
    coalesce,
    join_rows,
    probed_columns,
    project,
    subtract,
)
from rete.storage.stem import Stem
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import R4_AGGREGATE

GroupKey: TypeAlias = tuple[int, ...]
"""The ids of the columns of a group."""


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


_Change: TypeAlias = tuple[int, int, int, Entry]
"""At which cell, which of all changes, 1 of a member that comes and -1 of one that goes, who."""


@dataclass(slots=True)
class _Group:
    """What holds in a group at the cell up to which time was followed.

    Attributes:
        bag: its members.
        changes: a heap of the members that come and go later.
        value: the id of their value; 0: they have none.
        since: the cell from which on they have it, if the row was not given yet.
        size: how many they are.
    """

    bag: Bag
    changes: list[_Change] = field(default_factory=list)
    value: int = 0
    since: int | None = None
    size: int = 0


_FIRST: Final = NEG_INF + 1
"""Up to here time is followed before it has begun."""


class AggregateNode(PlanNode[Aggregate], plan=Aggregate):
    """Follows each group in time, and gives its value for as long as it may last.

    Rows of the source enter a bag where they begin, and leave it where they end. Time is followed
    up to the frontier: the last value of a group is given without an end, and taken back from where
    it changes. Where rows are lost, or come after time has passed them, it is computed anew.
    """

    __slots__ = (
        *("_due", "_empty", "_given", "_groups", "_index", "_members", "_numbers", "_stale"),
        "_outside",
        *("_stem", "_taken", "_terms", "clock"),
    )

    def __init__(self, plan: Aggregate, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        self._empty: Callable[[], Bag] = bag_maker(plan.function, plan.share, plan.part, plan.size)
        self._stem = output.sources[0].remember(instances=False)
        self._index = self._stem.index(plan.by)
        self._given = Stem(plan.width, instances=False)
        self._groups: dict[GroupKey, _Group] = {}
        self._due: list[tuple[int, int, GroupKey]] = []
        self._numbers = count()
        self._stale: set[GroupKey] = set()
        self._taken: list[Rows] = []
        self._members: Memo[int, Member] = Memo(lambda term: member(terms.decode(term)))
        self._outside = DomainErrors(R4_AGGREGATE + plan.function)
        self.clock = _FIRST

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
        """Drop the members by id."""
        self._members.clear()

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
        """What was given at the times of ``rows``, which are about to be lost."""
        rows = begin_at(rows, self.output.complete_since)
        groups = coalesce(project(rows, self._plan.by))
        self._stale.update(map(tuple, groups[:, :-2].tolist()))
        return self._given_at(groups)

    def closed_by(self, rows: Rows) -> Rows:  # noqa: ARG002
        """Nothing: time takes back what was given."""
        return empty(self.output.plan.width)

    def opened_by(self, rows: Rows) -> Rows:
        """All rows that are lost: their groups are computed anew."""
        return begin_at(rows, self.output.complete_since)

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """What was given; of groups that are about to lose rows what their other rows say."""
        width = self.output.plan.width
        if not self._stale:
            key, kept = all_columns(len(known)), probed_columns(width)
            return self._given.probe(asked, key, self._given.n, self._given.index(known), kept)
        about = questions_about_source(self.output.plan, self._until_now(asked), known)
        rows = search.rows(self.output.sources[0], *about)
        found = self._steps(coalesce(project(rows, range(self._stem.width))))
        return join_rows(asked, range(len(known)), found, known, probed_columns(width).tolist())

    def saved(self) -> State:
        """How far time was followed, and what was given; bags are made of the SteM again."""
        return {"clock": self.clock, "given": self._given.saved()}

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Resume from there; the SteM of the source is restored before."""
        self.clock = given.integer("clock", NEG_INF, POS_INF)
        self._given.restore(given.part("given"), alive)
        self._groups.clear()
        self._due.clear()
        self._resume(self._stem.content())

    # groups

    def _group(self, key: GroupKey) -> _Group:
        found = self._groups.get(key)
        if found is None:
            found = self._groups[key] = _Group(self._empty())
        return found

    def _enter(self, rows: Rows) -> Rows | None:
        """Let members come and go later; the groups and times that are to be computed anew."""
        by, late = self._plan.by, list[tuple[int, ...]]()
        for row in rows.tolist():
            key = tuple(row[column] for column in by)
            if key in self._stale or row[-2] < self.clock:
                late.append((*key, row[-2], row[-1]))
            else:
                self._schedule(key, row)
        if not late:
            return None
        return coalesce(np.array(late, np.int64).reshape(len(late), len(by) + 2))

    def _schedule(self, key: GroupKey, row: list[int]) -> None:
        """A member comes and goes, both not before the clock."""
        group = self._group(key)
        entry = self._entry(row)
        changes, before = group.changes, group.changes[0][0] if group.changes else POS_INF
        if row[-2] >= self.clock:
            heappush(changes, (row[-2], next(self._numbers), 1, entry))
        if row[-1] < POS_INF:
            heappush(changes, (row[-1], next(self._numbers), -1, entry))
        if changes and changes[0][0] < before:
            heappush(self._due, (changes[0][0], next(self._numbers), key))

    def _entry(self, row: list[int]) -> Entry:
        value, order = self._plan.value, self._plan.order
        return self._members[row[value]], None if order is None else self._members[row[order]]

    def _follow(self, until: int) -> Rows:
        """Let members come and go before the cell ``until``; what is given by that."""
        if until <= self.clock:
            return empty(self.output.plan.width)
        gains: list[tuple[GroupKey, int, int, int]] = []
        taken: list[tuple[GroupKey, int, int, int]] = []
        while self._due and self._due[0][0] < until:
            _, _, key = heappop(self._due)
            group = self._groups.get(key)
            if group is None or not group.changes or group.changes[0][0] >= until:
                continue  # it was computed anew meanwhile
            self._follow_group(key, group, until, gains, taken)
            if group.changes:
                heappush(self._due, (group.changes[0][0], next(self._numbers), key))
            elif not group.size:
                del self._groups[key]
        self.clock = until
        lost, found = self._rows(taken), self._rows(gains)
        if len(lost):
            self._given.remove(lost, NEG_INF)
            self._taken.append(lost)
        return self._give(found)

    def _follow_group(
        self,
        key: GroupKey,
        group: _Group,
        until: int,
        gains: list[tuple[GroupKey, int, int, int]],
        taken: list[tuple[GroupKey, int, int, int]],
    ) -> None:
        changes = group.changes
        while changes and changes[0][0] < until:
            cell, last = changes[0][0], None
            while changes and changes[0][0] == cell:
                _, _, sign, entry = heappop(changes)
                group.size += sign
                if sign > 0:
                    last = entry[0]
                    group.bag.add(entry)
                else:
                    group.bag.remove(entry)
            value = self._value(group.bag)
            if not value and group.bag.is_outside:
                self._note(last)
            if value == group.value:
                continue
            if group.value:
                if group.since is None:
                    taken.append((key, group.value, cell, POS_INF))
                else:
                    gains.append((key, group.value, group.since, cell))
            group.value, group.since = value, cell
        if group.since is not None:
            if group.value:
                gains.append((key, group.value, group.since, POS_INF))
            group.since = None

    def _note(self, last: Member | None) -> None:
        """Count a group without a value; an example is a member that came when it had none."""
        self._outside.count += 1
        if last is not None and self._outside.wants_samples:
            self._outside.sample([(last.text,)])

    def _value(self, bag: Bag) -> int:
        text = bag.value()
        return 0 if text is None else self._terms.encode(text)

    def _rows(self, found: list[tuple[GroupKey, int, int, int]]) -> Rows:
        rows = [(*key, value, lo, hi) for key, value, lo, hi in found]
        return np.array(rows, np.int64).reshape(len(rows), self.output.plan.width + 2)

    def _give(self, rows: Rows) -> Rows:
        """Remember what is given; a computed term lives as long as the rows that it is in."""
        self._terms.touch(np.ascontiguousarray(rows[:, :-2]), np.ascontiguousarray(rows[:, -1]))
        return self._given.absorb(rows, NEG_INF) if len(rows) else rows

    # anew

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
        for key in keys:
            self._groups.pop(key, None)
        self._stale -= keys
        members = self._members_at(asked)
        self._resume(members)
        columns = range(len(self._plan.by))
        found = self._steps(members)
        found = join_rows(
            asked, columns, found, columns, probed_columns(found.shape[1] - 2).tolist()
        )
        old = self._given_at(asked)
        lost = subtract(old, found)
        if len(lost):
            self._given.remove(lost, NEG_INF)
            self._taken.append(lost)
        return self._give(subtract(found, old))

    def _members_at(self, asked: Rows) -> Rows:
        """The rows of groups at times, cut to these."""
        key, kept = all_columns(len(self._plan.by)), probed_columns(self._stem.width)
        return self._stem.probe(asked, key, self._stem.n, self._index, kept)

    def _given_at(self, asked: Rows) -> Rows:
        """What was given to groups at times, cut to these."""
        given, columns = self._given, tuple(range(len(self._plan.by)))
        key, kept = all_columns(len(columns)), probed_columns(given.width)
        return given.probe(asked, key, given.n, given.index(columns), kept)

    def _resume(self, rows: Rows) -> None:
        """Let the members that hold at the clock, or later, come and go."""
        last = self.clock - 1
        for row in rows[rows[:, -1] > last].tolist():
            key = tuple(row[column] for column in self._plan.by)
            group = self._group(key)
            if row[-2] <= last:
                group.bag.add(self._entry(row))
                group.size += 1
            self._schedule(key, row)
            group.value = -1
        for group in self._groups.values():
            if group.value < 0:
                group.value = self._value(group.bag)

    def _steps(self, rows: Rows) -> Rows:
        """The values of groups of ``rows`` before the clock; the last one holds on."""
        groups: dict[GroupKey, _Group] = {}
        for row in rows.tolist():
            key = tuple(row[column] for column in self._plan.by)
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group(self._empty())
            entry = self._entry(row)
            group.changes += (
                (row[-2], next(self._numbers), 1, entry),
                (row[-1], next(self._numbers), -1, entry),
            )
        gains: list[tuple[GroupKey, int, int, int]] = []
        for key, group in groups.items():
            group.changes.sort(key=lambda change: change[:2])
            self._follow_group(key, group, self.clock, gains, [])
        return self._rows(gains)
