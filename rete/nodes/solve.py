"""Solved predicates: rows with each value of which a built-in predicate is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.graph.plan import Call, Label, Plan, Shape
from rete.graph.streams import Stream
from rete.nodes.builtin import BuiltinPlan
from rete.nodes.linear import LinearNode
from rete.terms.builtin_calls import Arguments, Solutions
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Operand


@dataclass(frozen=True)
class Solve(BuiltinPlan):
    """Rows with each value for which a built-in predicate is true, as a new last column."""

    shape: ClassVar[Shape] = "solve"
    computes: ClassVar[bool] = True

    source: Plan
    predicate: str
    args: tuple[Operand | None, ...]
    keep: tuple[int, ...]

    @property
    def builtin(self) -> str:
        """Its `predicate`."""
        return self.predicate

    @property
    def label(self) -> Label:
        """Of which values it is true."""
        value = self.source.width
        return "each", (value, ":"), Call(self.predicate, self.args)

    @property
    def condition(self) -> Label:
        """That it is true."""
        return (Call(self.predicate, self.args),)


class SolveNode(LinearNode[Solve], plan=Solve):
    """Rows with each value that makes a predicate true as a new last column."""

    __slots__ = ("_arguments", "_keep", "_solutions", "_terms")

    def __init__(self, plan: Solve, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        solve = terms.builtins[plan.predicate].solve
        assert solve is not None
        self._arguments = Arguments(plan.predicate, plan.args, terms)
        self.outside = self._arguments.outside
        self._solutions = Solutions(self._arguments, plan.args.index(None), solve)
        self._keep = columns(plan.keep)

    def apply(self, rows: Rows) -> Rows:
        """Each row as often as there are values, projected, with the value."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """Each row as often as there are values, projected, with the value; and its positions."""
        numbers, values = self._solutions.of(rows)
        width = len(self._keep)
        out = np.empty((len(values), width + 3), np.int64)
        out[:, :width] = rows[:, self._keep][numbers]
        out[:, width] = values
        out[:, width + 1 :] = rows[numbers, -2:]
        self._terms.touch(np.ascontiguousarray(out[:, width : width + 1]), out[:, -1].copy())
        return numbers, out

    def forget(self) -> None:
        """Drop results by id, as ids may mean other terms from now on."""
        self._solutions.forget()
