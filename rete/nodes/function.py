"""Functions: rows with the value of a built-in function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from rete.arrays.delta import Column, Rows, columns
from rete.graph.plan import Call, Label, Plan, Shape
from rete.graph.streams import Stream
from rete.nodes.builtin import BuiltinPlan
from rete.nodes.linear import LinearNode
from rete.terms.builtin_calls import Arguments, FunctionCalls
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Operand

COPY: Final = "copy"
"""The function that gives its argument."""


@dataclass(frozen=True)
class Apply(BuiltinPlan):
    """Rows with the value of a built-in function as a new last column; without value, no row.

    Attributes:
        function: IRI of the function, or `COPY`.
    """

    shape: ClassVar[Shape] = "function"
    computes: ClassVar[bool] = True

    source: Plan
    function: str
    args: tuple[Operand, ...]  # type: ignore[mutable-override]  # frozen
    keep: tuple[int, ...]

    @property
    def builtin(self) -> str:
        """Its `function`."""
        return self.function

    @property
    def evidence(self) -> tuple[int, ...] | None:
        """Nothing of a copy."""
        return None if self.function == COPY else super().evidence

    @property
    def label(self) -> Label:
        """What the value is."""
        return self.source.width, ":=", Call(self.function, self.args)

    @property
    def condition(self) -> Label:
        """What is equal to the value."""
        value, _, call = self.label
        return (value, "=", call) if self.function == COPY else (call, "=", value)


class ApplyNode(LinearNode[Apply], plan=Apply):
    """Rows with the value of a function as a new last column."""

    __slots__ = ("_arguments", "_calls", "_keep", "_terms", "_width")

    def __init__(self, plan: Apply, output: Stream, terms: Dictionary) -> None:
        super().__init__(plan, output, terms)
        self._terms = terms
        self._arguments = Arguments(plan.function, plan.args, terms)
        self.outside = self._arguments.outside
        self._calls = None
        if plan.function != COPY:
            self._calls = FunctionCalls.of(self._arguments, terms.builtins[plan.function])
        self._keep = columns(plan.keep)
        self._width = plan.width

    def apply(self, rows: Rows) -> Rows:
        """The rows that have a value, projected, with the value."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The rows that have a value, projected, with the value; and their positions."""
        values = self._arguments.of(rows, 0) if self._calls is None else self._calls.values(rows)
        out = np.empty((len(rows), self._width + 2), np.int64)
        out[:, : self._width - 1] = rows[:, self._keep]
        out[:, self._width - 1] = values
        out[:, self._width :] = rows[:, -2:]
        origins = np.arange(len(rows))
        if self._calls is not None:
            origins = np.flatnonzero(out[:, self._width - 1] > 0)
            out = out[origins]
            # A computed term lives as long as the rows it is in.
            self._terms.touch(out[:, self._width - 1 : self._width], out[:, -1])
        return origins, np.ascontiguousarray(out)

    def forget(self) -> None:
        """Drop results by id, as ids may mean other terms from now on."""
        if self._calls is not None:
            self._calls.forget()
