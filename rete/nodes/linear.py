"""Linear nodes: each row that comes in is mapped on its own, and nothing is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import KnownColumns, questions_about_source
from rete.graph.streams import P_co, PlanNode, RowSearch, Stream
from rete.storage.row_algebra import project
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary


class LinearNode(PlanNode[P_co], ABC):
    """A node that maps each row on its own and keeps nothing.

    ``outside`` has the arguments that were outside the domain of its built-in.
    """

    __slots__ = ("outside",)

    def __init__(self, plan: P_co, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self.outside = DomainErrors("")

    def connect(self) -> None:
        """Its source feeds it."""
        self.output.sources[0].linear.append(self)

    @abstractmethod
    def apply(self, rows: Rows) -> Rows:
        """The rows that come out, in order."""

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """As `apply`, with the positions of the rows that they come from."""
        return np.arange(len(rows)), self.apply(rows)

    def inputs(self, search: RowSearch, asked: Rows, known: KnownColumns) -> Rows:
        """The rows of the source that pass, with what is computed of them."""
        plan, (source,) = self.output.plan, self.output.sources
        width = source.plan.width
        rows = search.rows(source, *questions_about_source(plan, asked, known))
        plain = rows if rows.shape[1] == width + 2 else project(rows, range(width))
        origins, found = self.trace(plain)
        rows = rows[origins]
        if plan.computes:
            rows = np.hstack([rows[:, :width], found[:, -3:-2], rows[:, width:]])
        return rows

    def saved(self) -> State:
        """Which arguments were outside the domain."""
        return {"outside": self.outside.saved()}

    def restore(self, given: StateReader, alive: Mask) -> None:  # noqa: ARG002
        """Count on from there."""
        self.outside.restore(given.part("outside"))
