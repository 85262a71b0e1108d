"""A network with the rows of a model, in which derivations are traced backwards.

The rows of the model are given to the rules once more, within a window. So what rules derive there
is in the tables, with all that it may follow from; the data alone stand in the base table. Which of
it follows from the data without a circle is decided by `r4.explain.justification.ground_model`.
"""

from __future__ import annotations

import networkx as nx

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import GroundFact
from rete.arrays.delta import NEG_INF
from rete.graph.plan import Emit
from rete.inference.inference_engine import InferenceEngine
from rete.storage.interval_sets import CellInterval
from temporal.model.least_model import Model
from temporal.mtl import traversal
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.lowering import lower, relation_named
from temporal.mtl.validation import predicate_name
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

    def fact(self, key: PredicateKey, terms: tuple[int, ...]) -> GroundFact:
        """A fact of its network."""
        return GroundFact(relation_named(*key), terms)

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
