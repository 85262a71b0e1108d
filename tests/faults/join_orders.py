"""Faults of networks that go over to other orders of joins, detected by `r4 run` and by memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from rete.graph.plan import Plan
from rete.network import plan_migration
from rete.network.network import Network
from rete.planning.join_graph import JoinGraph
from rif.syntax.terms import Variable
from tests.faults.detection import Fault, FaultArea
from tests.generators.draw import from_seed
from tests.generators.stories.retraction import story
from tests.generators.streams.runs import random_case
from tests.oracles.streams.run import expected
from tests.simulation.retraction.seeds import disagreement_of
from tests.simulation.shuffled_orders import shuffled_orders
from tests.simulation.stream_comparison import cut_of, difference


def joins_begin_empty() -> AbstractContextManager[object]:
    """A join that was not done before has no rows of what came before."""
    return patch.object(plan_migration, "_computed", lambda *_: iter(()))


def ended_too_soon() -> AbstractContextManager[object]:
    """Rows that end within four ticks of the frontier are not joined."""
    right = plan_migration._stored
    return patch.object(plan_migration, "_stored", lambda stream, bound: right(stream, bound + 8))


def columns_change_places() -> AbstractContextManager[object]:
    """A tree in another order has its columns in reverse."""
    right = JoinGraph.plan

    def plan(graph: JoinGraph, postfix: tuple[int, ...], *rest: Any) -> Plan:
        if postfix == graph.compiled:
            return right(graph, postfix, *rest)
        out: tuple[Variable, ...] = graph.out[::-1]
        return right(JoinGraph(graph.leaves, graph.steps, out, graph.compiled), postfix, *rest)

    return patch.object(JoinGraph, "plan", plan)


def old_nodes_stay() -> AbstractContextManager[object]:
    """Nodes that nothing needs any more go on joining, and are found in memory."""
    return patch.object(Network, "prune", lambda _: None)


FAULTS: Final = (
    joins_begin_empty,
    ended_too_soon,
    columns_change_places,
    old_nodes_stay,
)


def _detects(seed: int, fault: Fault) -> bool:
    case = random_case(seed, negation=bool(seed % 2))
    wanted = expected(case.scenario).lines
    told = story(from_seed(seed), kind=("dense", "naf")[seed % 2])
    with TemporaryDirectory() as folder, fault(), shuffled_orders(seed):
        if difference(case, wanted, Path(folder), cut_of(seed)):
            return True
        return disagreement_of(told)[1] is not None


AREA: Final = FaultArea(FAULTS, _detects)
