"""What nodes give, cell by cell, beside the definition of their plans in `tests.oracles`.

A cell is an instant, or the open gap between two. A delta is compared as the set of its rows at
each of its cells, so it does not matter into which rows it is cut.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF
from rete.graph.plan import Emit, Plan
from rete.network.network import Network
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.oracles.metric.operators import CellRange, Stretch
from tests.oracles.rules.plans import derived

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rete.arrays.delta import Cells, Rows
    from tests.oracles.metric.operators import Truth

CELLS = range(16)
"""Rows that are drawn hold in some of these."""
STRETCH = Stretch(-63, 79)
"""Wide enough on both sides of `CELLS` for any range that is drawn."""
OUT = Relation("<urn:out>", 0)


def scan(relation: Relation) -> Scan:
    """All facts of a relation."""
    return Scan(relation, (), (), tuple(range(relation.arity)))


def network(plan: Plan, terms: Dictionary | None = None) -> Network:
    """A network of one rule, whose body is ``plan``."""
    return Network([_rule(plan)], Dictionary() if terms is None else terms)


def _rule(plan: Plan) -> Emit:
    out = OUT._replace(arity=plan.width)
    return Emit(plan, 1, (Head(out, tuple(range(plan.width))),))


def matrix(rows: Iterable[Iterable[int]], width: int) -> Rows:
    """Rows of ``width`` terms as a delta."""
    return np.array([list(row) for row in rows], np.int64).reshape(-1, width + 2)


def deltas(width: int, *, terms: int = 2, most: int = 5) -> st.SearchStrategy[Rows]:
    """Deltas of rows of ``width`` terms, which are 1 to ``terms``."""
    times = st.tuples(st.sampled_from(CELLS[:-1]), st.integers(1, 6)).map(
        lambda drawn: (drawn[0], min(sum(drawn), CELLS.stop))
    )
    row = st.tuples(st.tuples(*[st.integers(1, terms)] * width), times)
    return st.lists(row, max_size=most).map(
        lambda drawn: matrix([(*ids, *ends) for ids, ends in drawn], width)
    )


def ranges() -> st.SearchStrategy[Cells]:
    """Distances of metric operators, in cells: not empty, from 0 on, some without an end."""

    def between(lo: int, length: int | None) -> Cells:
        return lo, POS_INF if length is None else lo + length

    return st.builds(between, st.integers(0, 6), st.integers(1, 6) | st.none())


def cells(*parts: Rows) -> set[tuple[int, ...]]:
    """Each row at each of its cells: the terms, then the cell."""
    rows = [row for part in parts for row in part.tolist()]
    return {(*row[:-2], cell) for row in rows for cell in range(*row[-2:])}


def disjoint(*parts: Rows) -> bool:
    """Whether no row holds twice at a cell."""
    return sum(int((part[:, -1] - part[:, -2]).sum()) for part in parts) == len(cells(*parts))


def defined(
    plan: Plan, facts: Mapping[Relation, Rows], terms: Dictionary | None = None
) -> set[tuple[int, ...]]:
    """The rows of a pointwise plan at each cell, by its definition."""
    found: set[tuple[int, ...]] = set()
    for cell in CELLS:
        there = [
            ("atom", relation.op, *(_text(term, terms) for term in row[:-2]))
            for relation, rows in facts.items()
            for row in rows.tolist()
            if row[-2] <= cell < row[-1]
        ]
        for fact in derived(_rule(plan), there):
            found.add((*(_id(text, terms) for text in fact[2:]), cell))
    return found


def _text(term: int, terms: Dictionary | None) -> str:
    return str(term) if terms is None else terms.decode(term)


def _id(text: str, terms: Dictionary | None) -> int:
    return int(text) if terms is None else terms.lookup(text)


def cell_range(rho: Cells) -> CellRange:
    """A range of an operator as the oracle of metric operators takes it."""
    lo, hi = rho
    high = None if hi >= POS_INF else hi & ~1
    return CellRange(lo & ~1, high, lo % 2 == 0, hi % 2 == 1)


def truths(rows: Rows) -> dict[tuple[int, ...], Truth]:
    """When the terms of each row hold."""
    found: dict[tuple[int, ...], Truth] = defaultdict(int)
    for *terms, lo, hi in rows.tolist():
        found[tuple(terms)] |= STRETCH.between(lo, hi)
    return found


def within(truth_of: Mapping[tuple[int, ...], Truth]) -> dict[tuple[int, ...], Truth]:
    """What holds at some time only."""
    return {terms: truth for terms, truth in truth_of.items() if truth}


def partitions(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """A delta cut into two, at each of its rows."""
    for at in range(len(rows) + 1):
        yield rows[:at], rows[at:]
