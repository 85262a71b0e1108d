"""Join cost: how many pairs an order of joins makes, estimated from counts, and a cheap order.

The model is that of System R [Selinger79, 4]: a join of two parts makes as many pairs as their
product has, divided for each shared variable by the number of its values. That number is the
*effective* one: of so many equally frequent values the join of a column with itself would be as
large as it is. So a value that very many rows have counts as what it costs, and the number can be
estimated from a sample, which that of distinct values cannot [Alon99].

The result of a join is a set: it has at most as many rows as there are combinations of the values
of the variables that are still needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Final, NamedTuple

from rete.planning.join_graph import JOIN, JoinGraph, Postfix
from rete.planning.lowering import Test, input_variables
from rif.syntax.terms import Variable

_PASSED: Final = 1 / 3
"""The part of the rows that pass a test, if nothing is known of it [Selinger79, Table 1]."""


class ColumnCounts(NamedTuple):
    """How many values a column has.

    Attributes:
        distinct: distinct ones.
        effective: equally frequent ones with which it would join itself to as many pairs.
    """

    distinct: float
    effective: float


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows a leaf has, and how many values each of its columns."""

    rows: float
    columns: tuple[ColumnCounts, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """Some leaves that are joined, as an estimate; ``cost`` is the pairs that were made for it."""

    order: Postfix
    cost: float
    rows: float
    columns: Mapping[Variable, ColumnCounts]


class JoinCost:
    """Estimates the orders of a join graph; ``rows`` is what all leaves have together."""

    def __init__(self, graph: JoinGraph, counts: Sequence[RowCounts]) -> None:
        """Begin; ``counts`` are those of the leaves."""
        self.rows = sum(found.rows for found in counts)
        self._graph = graph
        self._steps = graph.steps
        self._leaves: list[_Part] = []
        for number, (leaf, found) in enumerate(zip(graph.leaves, counts, strict=True)):
            columns = dict(zip(leaf.args, found.columns, strict=True))
            part = self._after_steps(_Part((number,), 0, found.rows, columns))
            self._leaves.append(part)
            self._steps = tuple(
                step for step in self._steps if not input_variables(step) <= part.columns.keys()
            )

    def of(self, order: Postfix) -> float:
        """The pairs that an order makes, those of its last join included."""
        parts: list[_Part] = []
        for each in order:
            if each == JOIN:
                right, left = parts.pop(), parts.pop()
                parts.append(self._joined(left, right))
            else:
                parts.append(self._leaves[each])
        return parts[0].cost

    def cheap_order(self) -> Postfix:
        """An order that makes few pairs: always the two parts that make the fewest are joined next.

        Parts without a shared variable come together last. Of equal ones those that were compiled
        first [Fegaras98]. Cubic in the leaves.
        """
        parts = list(self._leaves)
        while len(parts) > 1:
            pairs = list(combinations(range(len(parts)), 2))
            near = [(i, j) for i, j in pairs if parts[i].columns.keys() & parts[j].columns.keys()]
            joined = {(i, j): self._joined(parts[i], parts[j]) for i, j in near or pairs}
            i, j = min(
                joined, key=lambda ij: joined[ij].cost - parts[ij[0]].cost - parts[ij[1]].cost
            )
            parts[i] = joined[i, j]
            del parts[j]
        return parts[0].order

    def _joined(self, left: _Part, right: _Part) -> _Part:
        columns = {**left.columns, **right.columns}
        pairs = left.rows * right.rows
        for variable in left.columns.keys() & right.columns.keys():
            mine, theirs = left.columns[variable], right.columns[variable]
            pairs /= max(mine.effective, theirs.effective, 1)
            columns[variable] = ColumnCounts(*map(min, mine, theirs))
        order = (*left.order, *right.order, JOIN)
        done = [left.columns.keys(), right.columns.keys()]
        part = _Part(order, left.cost + right.cost + pairs, pairs, columns)
        return self._projected(self._after_steps(part, done))

    def _after_steps(self, part: _Part, done: Sequence[AbstractSet[Variable]] = ()) -> _Part:
        """``part`` after the steps that it binds the inputs of, and no set of ``done`` does."""
        rows, columns = part.rows, dict(part.columns)
        for step in self._steps:
            inputs = input_variables(step)
            if not inputs <= columns.keys() or any(inputs <= before for before in done):
                continue
            if isinstance(step, Test):
                rows *= _PASSED
            elif step.variable not in columns:
                arguments = [columns[variable] for variable in inputs]
                columns[step.variable] = ColumnCounts(
                    prod(counts.distinct for counts in arguments),
                    prod(counts.effective for counts in arguments),
                )
        return _Part(part.order, part.cost, rows, columns)

    def _projected(self, part: _Part) -> _Part:
        needed = set(self._graph.out)
        for number, leaf in enumerate(self._graph.leaves):
            if number not in part.order:
                needed |= set(leaf.args)
        for step in self._steps:
            if not input_variables(step) <= part.columns.keys():
                needed |= input_variables(step)
        kept = {each: counts for each, counts in part.columns.items() if each in needed}
        most = prod(counts.distinct for counts in kept.values())
        if most <= part.rows:  # each combination of values once
            even = {each: ColumnCounts(own.distinct, own.distinct) for each, own in kept.items()}
            return _Part(part.order, part.cost, most, even)
        rows = part.rows
        capped = {each: ColumnCounts(*(min(n, rows) for n in own)) for each, own in kept.items()}
        return _Part(part.order, part.cost, rows, capped)
