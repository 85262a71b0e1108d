"""Anti-joins: rows without a partner, for negated conditions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, Rows, columns, concat
from rete.graph.plan import KnownColumns, Label, Plan, Shape, TwoSided, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.storage.row_algebra import coalesce, subtract
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True)
class AntiJoin(TwoSided):
    """Left rows less the time at which a right row agrees with them: a negated condition.

    What is left of a row is its valid time without the union of those of the right rows that match
    it on the key. Sound where the right side is complete before the left row is judged [Ceri89].

    Attributes:
        on: pairs (column of left, column of right), each column of right once; empty: any right
            row matches.
        keep: columns of left that stay.
        correlated: whether the right side is made of the rows of the left one, and of what is
            negated: its formula has variables that it does not bind itself. For a left row such a
            right side is complete once that very row has passed through it; so only what it reads
            beside `base` must be of a lower stratum.
    """

    shape: ClassVar[Shape] = "antijoin"
    negated: ClassVar[int | None] = 1

    left: Plan
    right: Plan
    on: tuple[tuple[int, int], ...]
    keep: tuple[int, ...]
    correlated: bool = False

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        """All right rows that agree with a left one must be known."""
        return None, tuple(theirs for _, theirs in self.on)

    @property
    def evidence(self) -> tuple[int, ...]:
        """What a left row is matched on."""
        return tuple(mine for mine, _ in self.on)

    @property
    def label(self) -> Label:
        """What no right row agrees on."""
        return self.evidence

    __hash__ = TwoSided.__hash__


class AntiJoinNode(PlanNode[AntiJoin], plan=AntiJoin):
    """Lets the left rows of a negation pass while no right row agrees with them.

    Left rows are pending before the gate until all right rows are known; then those that are still
    stored pass it. Gains of the right side close the gate for some rows, losses open it.

    A right side that is made of the left rows gains with each of them, before the row has its turn.
    Then it closes nothing: to delete what else derived the same would have no end in a cycle.

    Attributes:
        left: the left rows; ``mine`` are the columns that right rows are to agree on.
        index: that of the right rows on these columns of theirs, ``theirs``.
        keep: the columns of left that stay.
    """

    __slots__ = ("_right", "_waiting", "index", "keep", "left", "mine", "theirs")

    def __init__(self, plan: AntiJoin, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self.left, self._right = (each.remember(instances=False) for each in output.sources)
        self.mine = tuple(mine for mine, _ in plan.on)
        self.theirs = tuple(theirs for _, theirs in plan.on)
        self.index: kernels.Index = self._right.index(self.theirs)
        self.keep = plan.keep
        self._waiting: list[Rows] | None = [] if plan.correlated else None

    @property
    def is_correlated(self) -> bool:
        """Whether the right side is made of left rows."""
        return self._waiting is not None

    def connect(self) -> None:
        """Left rows pass it, right rows close it."""
        self.output.gate = self
        left, right = self.output.sources
        left.passed_gates.append(self)
        right.closed_gates.append(self)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The left rows, as far as they pass."""
        about = questions_about_source(self.output.plan, asked, known)
        return self.unmatched(search.rows(self.output.sources[0], *about))

    def note_waiting(self, rows: Rows) -> None:
        """Take note of new left rows, if the right side is made of them."""
        if self._waiting is not None:
            self._waiting.append(rows)

    def admit(self, rows: Rows) -> Rows:
        """What passes of those left rows that are still stored, projected."""
        if self._waiting:
            self._waiting = []
        return self.project(self.unmatched(self.left.meet(rows, NEG_INF)))

    def unmatched(self, rows: Rows) -> Rows:
        """The pieces of left rows with which no right row agrees."""
        return self._right.uncovered(rows, columns(self.mine), self.index)

    def project(self, rows: Rows) -> Rows:
        """Left rows as they come out, whether they pass or not."""
        return np.ascontiguousarray(rows[:, [*self.keep, -2, -1]])

    def closed_by(self, rows: Rows) -> Rows:
        """The rows that no longer pass as the right side gains ``rows``, projected."""
        if not self._waiting:
            return self._partners(rows, self.keep)
        left = self._partners(rows, range(self.left.width))
        return self.project(subtract(left, coalesce(concat(self._waiting))))

    def opened_by(self, rows: Rows) -> Rows:
        """The left rows that may pass as the right side loses ``rows``."""
        return self._partners(rows, range(self.left.width))

    def _partners(self, rows: Rows, keep: Iterable[int]) -> Rows:
        left = self.left
        keep_left = columns([~c for c in keep])
        return left.probe(rows, columns(self.theirs), left.end, left.index(self.mine), keep_left)
