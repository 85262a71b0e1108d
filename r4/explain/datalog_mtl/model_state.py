"""A network with the rows of a model, in which derivations are traced backwards.

The rows of the model are given to the rules once more, within a window. So what rules derive there
is in the tables, with all that it may follow from; the data alone stand in the base table. Which of
it follows from the data without a circle is decided by `r4.explain.justification.ground_model`.
"""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import GroundFact
from rete.agenda import Agenda
from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.graph.plan import Emit
from rete.network.layers import Layers
from rete.network.network import Network
from rete.storage.base_table import BaseTable
from rete.storage.interval_sets import CellInterval
from rete.terms.relations import Relation
from rif.syntax.terms import Local
from temporal.model.least_model import Model
from temporal.mtl import traversal
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.lowering import lower
from temporal.mtl.validation import predicate_name
from temporal.periods.coalescing import coalesce
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
        return GroundFact(_relation(key), terms)

    def within(self, window: CellInterval, cell: int = 0) -> InstantState:
        """The model within a window of cells, at one of them. Costs what rules derive there.

        The window is `EVERYWHERE` only if the rules do not derive for ever.
        """
        network = Network(self.emits, self.model.terms, answers=lambda _: False)
        layers = Layers(network)
        layers.base_table = BaseTable(instances=False)
        agenda = Agenda(layers, lambda _table, _rows: None)
        if window != EVERYWHERE:
            agenda.widen(window)
        for key, rows in self.model.explicit.items():
            layers.base_table.add(_relation(key), rows, None, NEG_INF)
        for key, rows in self._rows(window):
            if network.reads(_relation(key)):
                agenda.push(_relation(key), rows)
        agenda.run()
        return InstantState(layers, cell)

    def _rows(self, window: CellInterval) -> Iterator[tuple[PredicateKey, Rows]]:
        """The rows of the model; what holds for ever keeps its infinite ends."""
        periodic = self.model.periodic
        if periodic.is_finite or window == EVERYWHERE:
            yield from periodic.facts.items()
            return
        begin, end = periodic.segment
        lo = window[0] if begin > NEG_INF else NEG_INF
        hi = window[1] if end < POS_INF else POS_INF
        for key, rows in periodic.unfold(lo, hi):
            of = periodic.facts[key]
            endless = of[(of[:, -2] <= NEG_INF) | (of[:, -1] >= POS_INF)]
            yield key, coalesce(np.concatenate([rows, endless]))


def _relation(key: PredicateKey) -> Relation:
    return Relation(str(Local(key[0])), key[1])
