"""A model in which derivations are traced backwards, and minimal sets of data that entail a fact.

The rows of the model are given to the rules once more, within a window. So what rules derive there
is in the tables, with all that it may follow from; the data alone stand in the base table. Which of
it follows from the data without a circle is decided by `r4.explain.justification.ground_model`.
Whether some data entail a fact is decided by materialising them alone: on the model that they have;
what is negated is asked of the whole model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import networkx as nx
import numpy as np

from r4.explain.datalog_mtl.model_explanation import IntervalQuestion
from r4.explain.justification.hitting_sets import minimal_part
from r4.explain.justification.instant_state import InstantState
from rete.arrays.delta import NEG_INF
from rete.graph.plan import Emit
from rete.inference.inference_engine import InferenceEngine
from rete.storage.interval_sets import CellInterval
from temporal.facts.bulk_loader import Dataset
from temporal.model.least_model import Model
from temporal.model.limits import Limits
from temporal.model.materialisation import materialise
from temporal.mtl import traversal
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.lowering import lower, relation_named
from temporal.mtl.validation import arities, predicate_name
from temporal.periods.period_search import EVERYWHERE


def rules_for(program: MetricProgram, predicate: str) -> dict[int, int]:
    """The rules that may lead to a predicate: number among them → number in the program."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_node(predicate)
    heads: list[str] = []
    for rule in program.rules:
        (atom,) = traversal.atoms(rule.head[0])
        heads.append(predicate_name(atom))
        read = (predicate_name(each) for each in traversal.atoms(rule.body))
        graph.add_edges_from((each, heads[-1]) for each in read)
    needed = {predicate, *nx.ancestors(graph, predicate)}
    kept = [number for number, head in enumerate(heads, 1) if head in needed]
    return dict(enumerate(kept, 1))


class ModelState:
    """A model with the rules that lead to the predicate of a question.

    Attributes:
        model: the whole model.
        program: these rules.
        numbers: their numbers in the program.
        emits: their plans.
    """

    def __init__(self, model: Model, program: MetricProgram, predicate: str) -> None:
        self.model = model
        self.numbers = rules_for(program, predicate)
        self.program = MetricProgram(
            tuple(program.rules[number - 1] for number in self.numbers.values())
        )
        self.emits: tuple[Emit, ...] = lower(self.program, model.scale)

    def within(self, window: CellInterval, cell: int = 0) -> InstantState:
        """The model within a window of cells, at one of them. Costs what rules derive there.

        The window is `EVERYWHERE` only if the rules do not derive for ever.
        """
        inference = InferenceEngine(self.emits, self.model.terms, retracts=True)
        base_table = inference.layers.base_table
        assert base_table is not None
        if window != EVERYWHERE:
            inference.widen(window)
        for key, rows in self.model.explicit.items():
            base_table.add(relation_named(*key), rows, None, NEG_INF)
        periodic = self.model.periodic
        is_whole = window == EVERYWHERE
        for key, rows in periodic.facts.items() if is_whole else periodic.around(*window):
            inference.push(relation_named(*key), rows)
        inference.run()
        return InstantState(inference.layers, cell)


MOST_DATA: Final = 20_000
"""From more facts no minimal set is searched for without a proof."""
_MOST_DERIVED: Final = 2_000_000

DataFact = tuple[PredicateKey, tuple[int, ...]]
"""A predicate, and the ids of the arguments, then the first cell and the one behind the last."""


@dataclass(frozen=True)
class DataSets:
    """Decides which data entail the fact of a question; remembers what it decided."""

    state: ModelState
    question: IntervalQuestion
    _decided: dict[frozenset[DataFact], bool] = field(default_factory=dict)

    @property
    def _negated(self) -> Model | None:
        return self.state.model if traversal.negates(self.state.program) else None

    @property
    def relevant(self) -> list[DataFact]:
        """All data of predicates that may lead to the fact."""
        read = set(arities(self.state.program).items()) | {self.question.key}
        explicit = self.state.model.explicit
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
        model, question = self.state.model, self.question
        rows: dict[PredicateKey, list[tuple[int, ...]]] = {}
        for key, row in sorted(data):
            rows.setdefault(key, []).append(row)
        matrices = {
            key: np.array(some, np.int64).reshape(len(some), key[1] + 2)
            for key, some in rows.items()
        }
        dataset = Dataset(model.scale, matrices, model.notation)
        limits = Limits(facts=_MOST_DERIVED)
        part = materialise(
            self.state.program, dataset, model.terms, limits=limits, negated=self._negated
        )
        return part.periodic.holds(question.key, question.terms, *question.when)

    def is_minimal(self, data: Collection[DataFact]) -> bool:
        """Do these data entail the fact, and none but all of them?"""
        some = frozenset(data)
        return self.entail(some) and not any(self.entail(some - {each}) for each in some)

    def least(self, data: Sequence[DataFact]) -> list[DataFact]:
        """A minimal set of ``data``, which entail the fact; late ones are left out first."""
        found = minimal_part(data[::-1], self.entail)
        return [each for each in data if each in found]
