"""Linear nodes: filters, functions, solved predicates and shifts, row by row.

What ids or the side columns of the dictionary decide is a few numpy operations for a whole delta:
numeric comparison, which kind of term it is, whether two terms are equal. All other built-ins are
called once for each distinct tuple of arguments, see `rete.nodes.builtin_calls`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import FLOAT, KIND_LITERAL, NEAREST
from rete.nodes.builtin_calls import FEW, Arguments, DomainErrors, FunctionCalls, Solutions
from rete.nodes.graph import Stream
from rete.planning.plan import COPY, EQUAL, SAME_TERM, Apply, Filter, Shift, Solve
from rete.terms.dictionary import Dictionary
from rif.builtins import BUILTINS
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Outcome
from rif.syntax.terms import PRED, GroundTerm
from rif.values.datatypes import same_value

Compare: TypeAlias = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], Mask]

COMPARISONS: Final[dict[str, Compare]] = {
    PRED + "numeric-equal": np.equal,
    PRED + "numeric-not-equal": np.not_equal,
    PRED + "numeric-less-than": np.less,
    PRED + "numeric-less-than-or-equal": np.less_equal,
    PRED + "numeric-greater-than": np.greater,
    PRED + "numeric-greater-than-or-equal": np.greater_equal,
}
_FEWER: Final = 4
"""So many rows are faster looked up one by one than compared by numpy in a single operation."""


def _same_term(left: GroundTerm, right: GroundTerm) -> bool:
    return left == right


_EVALUATE: Final[dict[str, Callable[..., Outcome]]] = {EQUAL: same_value, SAME_TERM: _same_term}


class FilterNode:
    """Rows of which a predicate is true."""

    __slots__ = ("_arguments", "_calls", "_keep", "_terms", "_test", "output")

    def __init__(self, plan: Filter, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        self._arguments = Arguments(plan.test, plan.args, terms)
        evaluate = _EVALUATE.get(plan.test) or BUILTINS[plan.test].evaluate
        self._calls = FunctionCalls(self._arguments, evaluate)
        vectorised: dict[str, Callable[[Rows], Mask]] = {
            EQUAL: self._equal,
            SAME_TERM: self._same,
            R4_BUILTIN + "not-same-term": self._not_same,
            R4_BUILTIN + "is-literal": self._is_literal,
            PRED + "literal-not-identical": self._not_identical,
            **{name: partial(self._numeric, compare) for name, compare in COMPARISONS.items()},
        }
        self._test = vectorised.get(plan.test)
        width = plan.source.width
        self._keep = columns([*plan.keep, width, width + 1])

    @property
    def outside(self) -> DomainErrors:
        """The arguments that were outside the domain."""
        return self._arguments.outside

    def apply(self, rows: Rows) -> Rows:
        """The rows that pass, projected."""
        kept = rows[self._mask(rows)]
        return np.ascontiguousarray(kept[:, self._keep])

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
        origins = np.flatnonzero(self._mask(rows))
        return origins, np.ascontiguousarray(rows[origins][:, self._keep])

    def forget(self) -> None:
        """Drop results by id, as ids may mean other terms from now on."""
        self._calls.forget()

    def _mask(self, rows: Rows) -> Mask:
        if self._test is not None and len(rows) > _FEWER:
            return np.broadcast_to(self._test(rows), len(rows))
        return self._called(rows)

    def _called(self, rows: Rows) -> Mask:
        true: Mask = self._calls.values(rows) > 0
        return true

    def _numeric(self, compare: Compare, rows: Rows) -> Mask:
        left_ids, right_ids = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        left, left_class = self._terms.numeric(left_ids)
        right, right_class = self._terms.numeric(right_ids)
        numbers = (left_class > 0) & (right_class > 0)
        if not numbers.all():
            self._arguments.count(rows, np.broadcast_to(~numbers, len(rows)))
        # Rounding keeps the order, so doubles decide unless they are equal and one was rounded, or
        # a decimal meets an xsd:float, to which it would have to be rounded first.
        unsure = ((left == right) & ((left_class == NEAREST) | (right_class == NEAREST))) | (
            ((left_class == FLOAT) & (right_class < FLOAT))
            | ((right_class == FLOAT) & (left_class < FLOAT))
        )
        unsure &= numbers & (left_ids != right_ids)
        return self._with_calls(rows, compare(left, right) & numbers, unsure)

    def _equal(self, rows: Rows) -> Mask:
        if len(rows) <= FEW:
            return self._called(rows)
        left, right = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        same: Mask = left == right
        if self._terms.by_value or same.all():
            return same
        # Of two terms only literals, and lists, which may have some, can stand for one value.
        kinds = np.minimum(self._terms.kinds(left), self._terms.kinds(right))
        return self._with_calls(rows, same, ~same & (kinds >= KIND_LITERAL))

    def _with_calls(self, rows: Rows, mask: Mask, unsure: Mask) -> Mask:
        """``mask``, but where it is ``unsure`` the built-in is called."""
        mask = np.broadcast_to(mask, len(rows))
        if unsure.any():
            mask = mask.copy()
            at = np.flatnonzero(np.broadcast_to(unsure, len(rows)))
            mask[at] = self._called(rows[at])
        return mask

    def _same(self, rows: Rows) -> Mask:
        same: Mask = self._arguments.of(rows, 0) == self._arguments.of(rows, 1)
        return same

    def _not_same(self, rows: Rows) -> Mask:
        return ~self._same(rows)

    def _is_literal(self, rows: Rows) -> Mask:
        literal: Mask = self._terms.kinds(self._arguments.of(rows, 0)) == KIND_LITERAL
        return literal

    def _not_identical(self, rows: Rows) -> Mask:
        kinds = [self._terms.kinds(self._arguments.of(rows, place)) for place in (0, 1)]
        literal = np.minimum(*kinds) == KIND_LITERAL  # it is false of all but two literals
        return self._with_calls(rows, np.zeros(1, np.bool_), literal)


class ApplyNode:
    """Rows with the value of a function as a new last column."""

    __slots__ = ("_arguments", "_calls", "_keep", "_terms", "_width", "output")

    def __init__(self, plan: Apply, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        self._arguments = Arguments(plan.function, plan.args, terms)
        self._calls = None
        if plan.function != COPY:
            self._calls = FunctionCalls(self._arguments, BUILTINS[plan.function].evaluate)
        self._keep = columns(plan.keep)
        self._width = plan.width

    @property
    def outside(self) -> DomainErrors:
        """The arguments that were outside the domain."""
        return self._arguments.outside

    def apply(self, rows: Rows) -> Rows:
        """The rows that have a value, projected, with the value."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
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


class SolveNode:
    """Rows with each value that makes a predicate true as a new last column."""

    __slots__ = ("_arguments", "_keep", "_solutions", "_terms", "output")

    def __init__(self, plan: Solve, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        solve = BUILTINS[plan.predicate].solve
        assert solve is not None
        self._arguments = Arguments(plan.predicate, plan.args, terms)
        self._solutions = Solutions(self._arguments, plan.args.index(None), solve)
        self._keep = columns(plan.keep)

    @property
    def outside(self) -> DomainErrors:
        """The arguments that were outside the domain."""
        return self._arguments.outside

    def apply(self, rows: Rows) -> Rows:
        """Each row as often as there are values, projected, with the value."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with the positions of the rows."""
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


class StatelessNode(ABC):
    """A linear node without built-in, that remembers nothing."""

    __slots__ = ("output", "outside")

    def __init__(self, output: Stream) -> None:
        self.output = output
        self.outside = DomainErrors("")

    @abstractmethod
    def apply(self, rows: Rows) -> Rows:
        """What comes out, row by row."""

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
        return np.arange(len(rows)), self.apply(rows)

    def forget(self) -> None:  # noqa: B027 - meant to be empty
        """Nothing is remembered."""


class ShiftNode(StatelessNode):
    """Rows with a shifted number, if that is within bounds; see `rete.planning.plan.Shift`."""

    __slots__ = ("_plan",)

    def __init__(self, plan: Shift, output: Stream) -> None:
        super().__init__(output)
        self._plan = plan

    def apply(self, rows: Rows) -> Rows:
        """The rows that stay, in order."""
        return self.trace(rows)[1]

    def trace(self, rows: Rows) -> tuple[Column, Rows]:
        """The same, with their positions."""
        plan = self._plan
        sums = rows[:, plan.column] + plan.by
        stay = (plan.least <= sums) & (sums <= plan.most)
        ends = rows[:, -1]
        if plan.lasts is not None:
            ends = np.minimum(ends, sums + plan.lasts)
            stay &= rows[:, -2] < ends
        origins = np.flatnonzero(stay)
        out = rows[origins]
        out[:, plan.column] = sums[origins]
        out[:, -1] = ends[origins]
        return origins, out
