"""From rows to facts: streams whose rows each determine the one fact that they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rete.arrays.delta import Rows
from rete.graph.streams import LinearNode, Stream
from rete.nodes.scan import Scan
from rete.terms.relations import Relation


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
    if isinstance(plan, Scan):
        if not plan.is_injective:
            return None
        columns = tuple((a, b) for a, b in plan.places_told.items() if b is not None)
        places = [place for place, _ in plan.constants]
        constants = tuple(zip(places, map(int, stream.constants), strict=True))
        return RowFact(plan.relation, columns, constants)
    source = row_fact_of(stream.sources[0]) if isinstance(stream.node, LinearNode) else None
    at = {place: column for column, place in enumerate(plan.columns)}
    if source is None or not plan.pointwise or not {c for _, c in source.columns} <= at.keys():
        return None
    found = tuple((place, at[column]) for place, column in source.columns)
    return RowFact(source.relation, found, source.constants)
