"""Whether some of the data entail a fact at any distance, and minimal sets that do.

It is decided by materialising them alone, exactly: on the model that they have.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from r4.explain.datalog_mtl.model_state import ModelState
from r4.explain.datalog_mtl.proof_nodes import IntervalQuestion
from r4.explain.justification.hitting_sets import minimal_part
from rete.arrays.delta import Rows
from temporal.facts.bulk_loader import Dataset
from temporal.model.limits import Limits
from temporal.model.materialisation import materialise
from temporal.mtl.ast import PredicateKey
from temporal.mtl.validation import arities

MOST_DATA: Final = 20_000
"""From more facts no minimal set is searched for without a proof."""
_MOST_DERIVED: Final = 2_000_000

DataFact = tuple[PredicateKey, tuple[int, ...]]
"""A predicate, and the ids of the arguments, then the first cell and the one behind the last."""


class DataSets:
    """Decides which data entail the fact of a question; remembers what it decided."""

    def __init__(self, state: ModelState, question: IntervalQuestion) -> None:
        self._state = state
        self._question = question
        self._decided: dict[frozenset[DataFact], bool] = {}

    @property
    def relevant(self) -> list[DataFact]:
        """All data of predicates that may lead to the fact."""
        read = set(arities(self._state.program).items()) | {self._question.key}
        explicit = self._state.model.explicit
        return [
            (key, tuple(row))
            for key in sorted(read & explicit.keys())
            for row in explicit[key].tolist()
        ]

    def entail(self, data: Collection[DataFact]) -> bool:
        """Do these data entail the fact in all of its interval?"""
        some = frozenset(data)
        if some not in self._decided:
            self._decided[some] = self._entail(some)
        return self._decided[some]

    def _entail(self, data: Collection[DataFact]) -> bool:
        model, question = self._state.model, self._question
        rows: dict[PredicateKey, list[tuple[int, ...]]] = {}
        for key, row in sorted(data):
            rows.setdefault(key, []).append(row)
        dataset = Dataset(
            model.scale,
            {key: _matrix(key, some) for key, some in rows.items()},
            model.notation,
        )
        limits = Limits(facts=_MOST_DERIVED)
        part = materialise(self._state.program, dataset, model.terms, limits=limits)
        return part.periodic.holds(question.key, question.terms, *question.when)

    def is_minimal(self, data: Collection[DataFact]) -> bool:
        """Do these data entail the fact, and none but all of them?"""
        some = frozenset(data)
        return self.entail(some) and not any(self.entail(some - {each}) for each in some)

    def least(self, data: Sequence[DataFact]) -> list[DataFact]:
        """A minimal set of ``data``, which entail the fact; late ones are left out first."""
        found = minimal_part(data[::-1], self.entail)
        return [each for each in data if each in found]


def _matrix(key: PredicateKey, rows: list[tuple[int, ...]]) -> Rows:
    return np.array(rows, np.int64).reshape(len(rows), key[1] + 2)
