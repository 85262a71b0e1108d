"""Which facts are derived at the frontier or later, and when that ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from sortedcontainers import SortedDict

from r4.possible.tracking.live_entries import SchematicFact
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.network.layers import Layers
from rete.storage.fact_set import FactSet
from rete.terms.relations import Relation


class CertainAnswers:
    """The certain answers, from the tables of the networks.

    Attributes:
        frontier: in cells.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._ending: SortedDict[int, dict[SchematicFact, None]] = SortedDict()
        self._known: dict[SchematicFact, bool] = {}
        self.frontier = NEG_INF

    def reach(self, frontier: int) -> None:
        """Note that derivations have changed, and the frontier is here, in cells."""
        self.frontier = frontier
        self._known.clear()

    def holds(self, fact: SchematicFact) -> bool:
        """Is a fact derived at the frontier or later? If it ends, that is noted."""
        if fact not in self._known:
            self.look_up([fact])
        return self._known[fact]

    def look_up(self, facts: Iterable[SchematicFact]) -> None:
        """Cache whether these facts are derived, in one look-up."""
        by_relation: dict[Relation, list[SchematicFact]] = {}
        for fact in facts:
            by_relation.setdefault(fact.relation, []).append(fact)
            self._known[fact] = False
        for relation, queried in by_relation.items():
            for _, rows in self._found(relation, queried):
                for *args, _, end in rows.tolist():
                    fact = SchematicFact(relation, tuple(args))
                    self._known[fact] = True
                    if end < POS_INF:
                        self._ending.setdefault(end, {})[fact] = None

    def rule(self, fact: SchematicFact) -> int:
        """The rule with the least number that derives a fact that holds."""
        found = self._found(fact.relation, [fact])
        starts = ((table, np.ascontiguousarray(rows[:, :-1])) for table, rows in found)
        return min(int(table.rule_at(queried).min()) for table, queried in starts)

    def ended(self) -> Iterator[SchematicFact]:
        """The facts whose noted end the frontier has reached; each once."""
        while self._ending and self._ending.peekitem(0)[0] <= self.frontier:
            yield from self._ending.popitem(0)[1]

    def _found(
        self, relation: Relation, facts: Sequence[SchematicFact]
    ) -> Iterator[tuple[FactSet, Rows]]:
        """Per table its rows of some facts, at the frontier or later."""
        queried = np.array([(*fact.args, self.frontier, POS_INF) for fact in facts], np.int64)
        for table in self._layers.tables:
            if table.relation == relation:
                rows = table.answer_facts.facts.meet(queried, NEG_INF)
                if len(rows):
                    yield table.answer_facts, rows
