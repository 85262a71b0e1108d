"""Kinds of node that no module knows: one for each way to be fed, and one that moves rows in time.

Each means what a known kind means, and can take its place in plans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

import rete.planning.plan_builder
import temporal.mtl.operator_plans
from rete.arrays.delta import NEG_INF, Cells, Column, Rows, columns
from rete.graph.plan import (
    Call,
    KnownColumns,
    Label,
    MetricOperator,
    OperandTimes,
    Plan,
    Shape,
    Witness,
    questions_about_source,
)
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.nodes.filter import Filter
from rete.nodes.join import JoinSide
from rete.nodes.linear import LinearNode
from rete.nodes.metric.diamond import Dilate
from rete.storage.interval_sets import CellInterval, IntervalSet
from rete.storage.row_algebra import project
from rete.terms.dictionary import Dictionary
from rif.builtins.extensions import R4_BUILTIN

NOT_SAME = R4_BUILTIN + "not-same-term"


@dataclass(frozen=True)
class Differ(Plan):
    """Rows of which two columns are different terms: a `Filter`."""

    shape: ClassVar[Shape] = "filter"

    source: Plan
    pair: tuple[int, int]
    keep: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return self.keep

    @property
    def evidence(self) -> tuple[int, ...]:
        return self.pair

    @property
    def label(self) -> Label:
        return (Call(NOT_SAME, self.pair),)


class DifferNode(LinearNode[Differ], plan=Differ):
    __slots__ = ()

    def apply(self, rows: Rows) -> Rows:
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        one, other = self._plan.pair
        origins = np.flatnonzero(rows[:, one] != rows[:, other])
        return origins, project(rows[origins], self._plan.keep)


@dataclass(frozen=True)
class Later(MetricOperator):
    """When a row of the source held so many cells ago: a `Dilate`."""

    source: Plan
    by: int

    @property
    def rho(self) -> Cells:  # type: ignore[override]
        return self.by, self.by + 1

    @property
    def future(self) -> bool:  # type: ignore[override]
        return False

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.source.width))

    @property
    def name(self) -> str:
        return "DiamondMinus"

    def lateness(self, late: Sequence[int]) -> int:
        return max(0, late[0] - self.by)

    def retention(self, own: int, *, retracts: bool) -> Sequence[int]:
        return (own + self.by if retracts else 0,)

    def reach(self, pair: CellInterval) -> Sequence[CellInterval]:
        return ((pair[0] - self.by, pair[1] - self.by),)

    def holds(self, *operands: IntervalSet) -> IntervalSet:
        return tuple((lo + self.by, hi + self.by) for lo, hi in operands[0])

    def witnesses(self, at: int, end: int, *operands: OperandTimes) -> Iterator[Witness]:
        ((there, after),) = self.reach((at, at + 1))
        run = operands[0].latest((there, after))
        if run is not None:
            hi = min(run[1] + self.by, end)
            yield Witness(hi, ((0, (there, hi - self.by)),))


class LaterNode(LinearNode[Later], plan=Later):
    __slots__ = ("_by",)

    def __init__(self, plan: Later, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._by = plan.by

    def apply(self, rows: Rows) -> Rows:
        rows = rows.copy()
        rows[:, -2:] += self._by
        return rows

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        asked = asked.copy()
        asked[:, -2:] -= self._by
        return self.apply(search.rows(self.output.sources[0], asked, known))


@dataclass(frozen=True)
class Meet(Plan):
    """Pairs of rows that agree on a key: a `Join`."""

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(c if c >= 0 else self.left.width + ~c for c in self.keep)

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        return tuple((mine, self.left.width + theirs) for mine, theirs in self.on)

    @property
    def label(self) -> Label:
        return tuple(mine for mine, _ in self.on)

    @property
    def condition(self) -> Label:
        return ()


class MeetNode(PlanNode[Meet], plan=Meet):
    __slots__ = ()

    def connect(self) -> None:
        (left, right), on, keep = self.output.sources, self._plan.on, self._plan.keep
        instances = self.output.network.instances
        mine, other = left.remember(instances=instances), right.remember(instances=instances)
        back, mirror = tuple((b, a) for a, b in on), tuple(~c for c in keep)
        left.sides.append(JoinSide(other, on, keep, self.output, sees_before=left is right))
        right.sides.append(JoinSide(mine, back, mirror, self.output, sees_before=False))

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        return search.pairs(self.output, asked, known)


@dataclass(frozen=True)
class Without(Plan):
    """Left rows as long as no right row agrees with them: an `AntiJoin`."""

    shape: ClassVar[Shape] = "antijoin"
    negated: ClassVar[int | None] = 1

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    correlated: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        return self.keep

    @property
    def equated(self) -> tuple[tuple[int, int], ...]:
        return tuple((mine, self.left.width + theirs) for mine, theirs in self.on)

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        return None, tuple(theirs for _, theirs in self.on)

    @property
    def evidence(self) -> tuple[int, ...]:
        return tuple(mine for mine, _ in self.on)

    @property
    def label(self) -> Label:
        return self.evidence


class WithoutNode(PlanNode[Without], plan=Without):
    __slots__ = ("_keep", "_left", "_mine", "_right", "_theirs")

    def __init__(self, plan: Without, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._left, self._right = (each.remember(instances=False) for each in output.sources)
        self._mine = tuple(mine for mine, _ in plan.on)
        self._theirs = tuple(theirs for _, theirs in plan.on)
        self._keep = plan.keep

    def connect(self) -> None:
        self.output.gate = self
        left, right = self.output.sources
        left.passed_gates.append(self)
        right.closed_gates.append(self)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        about = questions_about_source(self.output.plan, asked, known)
        return self._free(search.rows(self.output.sources[0], *about))

    def note_waiting(self, rows: Rows) -> None:
        pass

    def admit(self, rows: Rows) -> Rows:
        return self.project(self._free(self._left.meet(rows, NEG_INF)))

    def project(self, rows: Rows) -> Rows:
        return project(rows, self._keep)

    def closed_by(self, rows: Rows) -> Rows:
        return self._partners(rows, self._keep)

    def opened_by(self, rows: Rows) -> Rows:
        return self._partners(rows, range(self._left.width))

    def _free(self, rows: Rows) -> Rows:
        return self._right.uncovered(rows, columns(self._mine), self._right.index(self._theirs))

    def _partners(self, rows: Rows, keep: Sequence[int]) -> Rows:
        left = self._left
        key, kept = columns(self._theirs), columns([~c for c in keep])
        return left.probe(rows, key, left.end, left.index(self._mine), kept)


Pairs = tuple[tuple[int, int], ...]
made: list[Plan] = []


def _differ(
    source: Plan,
    test: str,
    args: tuple[Any, ...],
    keep: tuple[int, ...],
    passes: bool = True,
) -> Plan:
    if test != NOT_SAME:
        return Filter(source, test, args, keep, passes)
    made.append(Differ(source, args, keep))
    return made[-1]


def _meet(left: Plan, right: Plan, on: Pairs, keep: tuple[int, ...]) -> Plan:
    made.append(Meet(left, right, on, keep))
    return made[-1]


def without(left: Plan, right: Plan, on: Pairs, keep: tuple[int, ...], correlated: bool) -> Plan:
    made.append(Without(left, right, on, keep, correlated))
    return made[-1]


def _later(source: Plan, rho: Cells, future: bool) -> Plan:
    if future or rho[1] != rho[0] + 1:
        return Dilate(source, rho, future)
    made.append(Later(source, rho[0]))
    return made[-1]


@contextmanager
def new_kinds() -> Iterator[None]:
    """Rules are planned with the kinds that are defined here."""
    made.clear()
    with ExitStack() as stack:
        for name, kind in (("Filter", _differ), ("Join", _meet), ("AntiJoin", without)):
            stack.enter_context(patch.object(rete.planning.plan_builder, name, kind))
        stack.enter_context(patch.object(temporal.mtl.operator_plans, "Dilate", _later))
        yield
    assert {type(plan) for plan in made} == {Differ, Later, Meet, Without}
