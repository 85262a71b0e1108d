"""Linear nodes: built-in predicates as filters, built-in functions as new columns.

Numeric comparisons are one numpy operation over the dictionary's side columns. Everything else is
evaluated once for each distinct tuple of arguments; results are remembered until the dictionary
forgets terms, when ids may come to mean something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.delta import Column, Rows, columns
from rete.dictionary import Dictionary
from rete.nodes.base import Stream, constant
from rete.plan import COPY, EQUAL, SAME_TERM, Apply, Filter, Operand, Solve
from rif.builtins import BUILTINS
from rif.datatypes import same_value
from rif.terms import PRED, GroundTerm

Mask: TypeAlias = npt.NDArray[np.bool_]
Compare: TypeAlias = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], Mask]

COMPARISONS: Final[dict[str, Compare]] = {
    PRED + "numeric-equal": np.equal,
    PRED + "numeric-not-equal": np.not_equal,
    PRED + "numeric-less-than": np.less,
    PRED + "numeric-less-than-or-equal": np.less_equal,
    PRED + "numeric-greater-than": np.greater,
    PRED + "numeric-greater-than-or-equal": np.greater_equal,
}
_ROUNDED, _FLOAT = 2, 3
"""Classes of the dictionary's numbers that need care."""
_MOST_KNOWN: Final = 1 << 18
"""So many results of a built-in are remembered."""


class _Arguments:
    """Where the arguments of a built-in come from, and what it gave for each tuple of them."""

    __slots__ = ("_columns", "_known", "_operands", "_terms", "evaluate")

    def __init__(
        self,
        operands: tuple[Operand, ...],
        terms: Dictionary,
        evaluate: Callable[..., bool | GroundTerm | None],
    ) -> None:
        self._terms = terms
        self._operands = [constant(o, terms) if isinstance(o, str) else o for o in operands]
        self._columns = [isinstance(o, int) for o in operands]
        self.evaluate = evaluate
        self._known: dict[tuple[int, ...], int] = {}

    def of(self, rows: Rows, place: int) -> Column:
        """The ids at an argument place, (n,) or (1,) for a constant."""
        operand = self._operands[place]
        return rows[:, operand] if self._columns[place] else columns([operand])

    def values(self, rows: Rows) -> Column:
        """Per row the value: the id of a term, 1 and 0 for true and false, 0 for no value."""
        matrix = np.empty((len(rows), len(self._operands)), np.int64)
        for place in range(len(self._operands)):
            matrix[:, place] = self.of(rows, place)
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        out = np.empty(len(rows), np.int64)
        for i, key in enumerate(map(tuple, matrix.tolist())):
            value = known.get(key)
            if value is None:
                value = known[key] = self._value(key)
            out[i] = value
        return out

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._known.clear()

    def _value(self, key: tuple[int, ...]) -> int:
        value = self.evaluate(*map(self._terms.term, key))
        if value is None or isinstance(value, bool):
            return int(bool(value))
        return self._terms.encode(str(value))


def _same_term(left: GroundTerm, right: GroundTerm) -> bool:
    return left == right


def _copy(term: GroundTerm) -> GroundTerm:
    return term


class FilterNode:
    """Rows of which a predicate is true."""

    __slots__ = ("_arguments", "_compare", "_keep", "_terms", "_test", "output")

    def __init__(self, plan: Filter, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        self._test = plan.test
        self._compare = COMPARISONS.get(plan.test)
        evaluate: Callable[..., bool | GroundTerm | None]
        if plan.test == EQUAL:
            evaluate = same_value
        elif plan.test == SAME_TERM:
            evaluate = _same_term
        else:
            evaluate = BUILTINS[plan.test].evaluate
        self._arguments = _Arguments(plan.args, terms, evaluate)
        width = plan.source.width
        self._keep = columns([*plan.keep, width, width + 1])

    def apply(self, rows: Rows) -> Rows:
        """The rows that pass, projected."""
        kept = rows[self._mask(rows)]
        return np.ascontiguousarray(kept[:, self._keep])

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._arguments.forget()

    def _mask(self, rows: Rows) -> Mask:
        if self._compare is not None:
            return self._numeric(rows, self._compare)
        if self._test in {EQUAL, SAME_TERM}:
            same: Mask = self._arguments.of(rows, 0) == self._arguments.of(rows, 1)
            if self._test == SAME_TERM or same.all():
                return np.broadcast_to(same, len(rows))
        true: Mask = self._arguments.values(rows) != 0
        return true

    def _numeric(self, rows: Rows, compare: Compare) -> Mask:
        left_ids, right_ids = self._arguments.of(rows, 0), self._arguments.of(rows, 1)
        left, left_class = self._terms.numeric(left_ids)
        right, right_class = self._terms.numeric(right_ids)
        mask: Mask = compare(left, right) & (left_class > 0) & (right_class > 0)
        # Rounding keeps the order, so doubles decide unless they are equal and one was rounded, or
        # a decimal meets an xsd:float, to which it would have to be rounded first.
        unsure = ((left == right) & ((left_class == _ROUNDED) | (right_class == _ROUNDED))) | (
            ((left_class == _FLOAT) & (right_class < _FLOAT))
            | ((right_class == _FLOAT) & (left_class < _FLOAT))
        )
        unsure &= left_ids != right_ids
        mask = np.broadcast_to(mask, len(rows))
        if unsure.any():
            mask = mask.copy()
            at = np.flatnonzero(np.broadcast_to(unsure, len(rows)))
            mask[at] = self._arguments.values(rows[at]) != 0
        return mask


class ApplyNode:
    """Rows with the value of a function as a new last column."""

    __slots__ = ("_arguments", "_copies", "_keep", "_terms", "_width", "output")

    def __init__(self, plan: Apply, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        self._copies = plan.function == COPY
        evaluate = _copy if self._copies else BUILTINS[plan.function].evaluate
        self._arguments = _Arguments(plan.args, terms, evaluate)
        self._keep = columns(plan.keep)
        self._width = plan.width

    def apply(self, rows: Rows) -> Rows:
        """The rows that have a value, projected, with the value."""
        values = self._arguments.of(rows, 0) if self._copies else self._arguments.values(rows)
        out = np.empty((len(rows), self._width + 2), np.int64)
        out[:, : self._width - 1] = rows[:, self._keep]
        out[:, self._width - 1] = values
        out[:, self._width :] = rows[:, -2:]
        if not self._copies:
            out = out[out[:, self._width - 1] != 0]
            # A computed term lives as long as the rows it is in.
            self._terms.touch(out[:, self._width - 1 : self._width], out[:, -1])
        return np.ascontiguousarray(out)

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._arguments.forget()


class SolveNode:
    """Rows with each value that makes a predicate true as a new last column."""

    __slots__ = ("_columns", "_keep", "_known", "_operands", "_solve", "_terms", "output")

    def __init__(self, plan: Solve, output: Stream, terms: Dictionary) -> None:
        self.output = output
        self._terms = terms
        solve = BUILTINS[plan.predicate].solve
        assert solve is not None
        self._solve = solve
        self._operands = [constant(o, terms) if isinstance(o, str) else o for o in plan.args]
        self._columns = [isinstance(o, int) for o in plan.args]
        self._keep = columns(plan.keep)
        self._known: dict[tuple[int, ...], list[int]] = {}

    def apply(self, rows: Rows) -> Rows:
        """Each row as often as there are values, projected, with the value."""
        solutions = [self._solutions(row) for row in rows.tolist()]
        counts = [len(found) for found in solutions]
        values = [value for found in solutions for value in found]
        width = len(self._keep)
        out = np.empty((len(values), width + 3), np.int64)
        out[:, :width] = np.repeat(rows[:, self._keep], counts, axis=0)
        out[:, width] = values
        out[:, width + 1 :] = np.repeat(rows[:, -2:], counts, axis=0)
        self._terms.touch(np.ascontiguousarray(out[:, width : width + 1]), out[:, -1].copy())
        return out

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._known.clear()

    def _solutions(self, row: list[int]) -> list[int]:
        key = tuple(
            0 if operand is None else row[operand] if column else operand
            for operand, column in zip(self._operands, self._columns, strict=True)
        )
        if key not in self._known:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            place = self._operands.index(None)
            given = (self._terms.term(term) if term else None for term in key)
            texts = [str(solution[place]) for solution in self._solve(*given)]
            self._known[key] = [self._terms.encode(text) for text in dict.fromkeys(texts)]
        return self._known[key]
