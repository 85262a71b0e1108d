"""From rows to facts: streams whose rows each determine the one fact that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Rows
from rete.nodes.graph import Stream
from rete.planning.plan import Filter, Relation, Scan


@dataclass(frozen=True, slots=True)
class RowFact:
    """How a row determines its fact.

    Attributes:
        relation: that of the fact.
        columns: pairs of an argument of the fact, and the column of the row that gives it.
        constants: the arguments that are always the same, with their ids.
    """

    relation: Relation
    columns: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, int], ...]

    def of(self, rows: Rows, own: Sequence[int]) -> tuple[Relation, Rows]:
        """The relation and the facts of ``rows``; ``own`` are the columns of the stream in them."""
        arity = self.relation.arity
        facts = np.empty((len(rows), arity + 2), np.int64)
        for place, column in self.columns:
            facts[:, place] = rows[:, own[column]]
        for place, term in self.constants:
            facts[:, place] = term
        facts[:, arity:] = rows[:, -2:]
        return self.relation, facts


def row_fact_of(stream: Stream) -> RowFact | None:
    """How rows of ``stream`` determine their fact; None if they do not."""
    plan = stream.plan
    if isinstance(plan, Filter):
        source = row_fact_of(stream.sources[0])
        if source is None:
            return None
        at = {column: place for place, column in enumerate(plan.keep)}
        if any(column not in at for _, column in source.columns):
            return None
        found = tuple((place, at[column]) for place, column in source.columns)
        return RowFact(source.relation, found, source.constants)
    if not isinstance(plan, Scan):
        return None
    columns = {place: column for column, place in enumerate(plan.keep)}
    for _ in plan.equal:  # of equal arguments one gives the other
        for a, b in plan.equal:
            if a in columns:
                columns.setdefault(b, columns[a])
            elif b in columns:
                columns[a] = columns[b]
    places = [place for place, _ in plan.constants]
    if len({*columns, *places}) < plan.relation.arity:
        return None
    constants = tuple(zip(places, map(int, stream.constants), strict=True))
    return RowFact(plan.relation, tuple(columns.items()), constants)
