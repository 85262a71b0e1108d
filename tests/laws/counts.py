"""A kind of node that no module knows: how many rows of a group there are. It is an aggregate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from rete.arrays.delta import Rows
from rete.graph.plan import Label, NonPointwise, Plan
from rete.graph.row_questions import KnownColumns, questions_about_source
from rete.graph.streams import PlanNode, RowSearch, Stream
from rete.storage.row_algebra import (
    all_columns,
    coalesce,
    join_rows,
    probed_columns,
    project,
    subtract,
)
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD


@dataclass(frozen=True)
class Count(NonPointwise):
    """Per group how many rows of the source hold; no row where none does.

    Attributes:
        by: the columns of the source that a group shares.
    """

    computes: ClassVar[bool] = True
    monotone: ClassVar[bool] = False

    source: Plan
    by: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        return (*self.by, self.source.width)

    @property
    def groups(self) -> tuple[tuple[int, ...] | None, ...]:
        return (self.by,)

    @property
    def name(self) -> str:
        return "count"

    @property
    def label(self) -> Label:
        return ("by", *self.by)


class CountNode(PlanNode, plan=Count):
    """Takes the old numbers of a group back, and lets the new ones pass."""

    __slots__ = ("_by", "_index", "_stem", "_terms")

    def __init__(self, plan: Count, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._stem = output.sources[0].remember(instances=False)
        self._index = self._stem.index(plan.by)
        self._by = plan.by
        self._terms = terms

    def connect(self) -> None:
        self.output.gate = self
        (source,) = self.output.sources
        source.passed_gates.append(self)
        source.closed_gates.append(self)

    def derived(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        rows = search.rows(
            self.output.sources[0], *questions_about_source(self.output.plan, asked, known)
        )
        found = self._numbers(coalesce(project(rows, range(self._stem.width))))
        kept = probed_columns(self.output.plan.width).tolist()
        return join_rows(asked, range(len(known)), found, known, kept)

    def admit(self, rows: Rows) -> Rows:
        return self._numbers(self._members(rows))

    def project(self, rows: Rows) -> Rows:
        return self._numbers(self._members(rows))

    def closed_by(self, rows: Rows) -> Rows:
        return self._numbers(subtract(self._members(rows), rows))

    def opened_by(self, rows: Rows) -> Rows:
        return rows

    def _members(self, rows: Rows) -> Rows:
        """All rows of the groups of ``rows``, at their times."""
        groups, stem = coalesce(project(rows, self._by)), self._stem
        key, kept = all_columns(len(self._by)), probed_columns(stem.width)
        return stem.probe(groups, key, stem.n, self._index, kept)

    def _numbers(self, rows: Rows) -> Rows:
        """Per group and time how many of ``rows`` there are, each of which is maximal."""
        spans: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
        for row in rows.tolist():
            spans[tuple(row[column] for column in self._by)].append((row[-2], row[-1]))
        found = [
            (*group, number, lo, hi)
            for group, pairs in spans.items()
            for lo, hi in pairwise(sorted({end for pair in pairs for end in pair}))
            if (number := sum(begin <= lo < end for begin, end in pairs))
        ]
        out = np.array(found, np.int64).reshape(len(found), len(self._by) + 3)
        numbers = out[:, -3].tolist()
        out[:, -3] = self._terms.encode_many([f'"{each}"^^<{XSD}integer>' for each in numbers])
        self._terms.touch(np.ascontiguousarray(out[:, -3:-2]), np.ascontiguousarray(out[:, -1]))
        return coalesce(out)
