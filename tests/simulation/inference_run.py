"""An inference engine in ids and cells, whose facts come and go by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rete.inference.inference_engine import InferenceEngine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rete.terms.relations import Relation


class InferenceRun(InferenceEngine):
    """An inference engine with three methods that tests need."""

    def insert(self, number: int, relation: Relation, *rows: Sequence[int]) -> None:
        """Assert facts, each its terms and two cells, by a name; derive what follows."""
        found = np.array(rows, np.int64)
        self.assert_facts(relation, found, np.full(len(found), number))
        self.run()

    def take(self, *numbers: int) -> None:
        """Facts of these names are asserted no longer, from the frontier on."""
        base_table = self.layers.base_table
        assert base_table is not None
        for relation, lost in base_table.retract(np.array(numbers, np.int64), self.bound):
            if len(lost):
                self.withdraw(relation, lost)
        self.run()

    def content(self) -> dict[Relation, list[list[int]]]:
        """The derived facts of each relation that has any."""
        found: dict[Relation, list[list[int]]] = {}
        for table in self.layers.tables:
            rows: list[list[int]] = table.facts.content().tolist()
            if rows:
                found[table.relation] = sorted(found.get(table.relation, []) + rows)
        return found
