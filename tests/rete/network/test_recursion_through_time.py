"""Recursion through time, over a negation, that is taken back: as if it had never been there."""

from __future__ import annotations

import pytest

from rete.graph.plan import Emit, Plan
from rete.network.horizon import overlaps
from rete.nodes.anti_join import AntiJoin
from rete.nodes.join import Join
from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.metric.since import Since
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.generators.draw import Draw, from_seed
from tests.rete.nodes.by_cell import scan
from tests.simulation.inference_run import InferenceRun

A, B, C, S = Relation("a", 2), Relation("b", 1), Relation("c", 1), Relation("s", 2)
HORIZON, WIDER = (0, 40), (0, 56)

Fact = tuple[Relation, tuple[int, ...]]


def rules(step: Plan) -> list[Emit]:
    """``A(y y) :- step(x y), not B(x), C(y)``, and ``A(x y) :- S(x y)``."""
    passed = AntiJoin(step, scan(B), ((0, 0),), (1,))
    once_more = Join(passed, scan(C), ((0, 0),), (0,))
    return [Emit(once_more, 1, (Head(A, (0, 0)),)), Emit(scan(S), 2, (Head(A, (0, 1)),))]


STEPS: dict[str, Plan] = {
    "diamond": Dilate(scan(A), (2, 3)),
    "wide diamond": Dilate(scan(A), (0, 5)),
    "box": Dilate(Erode(scan(A), (0, 3)), (1, 4)),
    "since": Since(scan(C), scan(A), ((0, 0),), (~0, ~1), (2, 5)),
    "until": Since(scan(C), scan(A), ((0, 0),), (0, ~1), (2, 5), future=True),
}


class Run(InferenceRun):
    def __init__(self, step: Plan) -> None:
        super().__init__(rules(step), Dictionary())
        self.widen(HORIZON)

    def held(self, horizon: tuple[int, int]) -> list[list[int]]:
        """The facts within these cells; beyond them it hangs on the order what is known."""
        (table,) = self.layers.tables
        rows = table.facts.content()
        rows = rows[overlaps(rows, horizon)]
        rows[:, -2:] = rows[:, -2:].clip(*horizon)
        return sorted(rows.tolist())


def fact(draw: Draw) -> Fact:
    relation = draw.weighted((3, S), (2, B), (4, C))
    lo = draw.integer(0, 30)
    longest = {S: 6, B: 4, C: 30}[relation]
    terms = [draw.integer(1, 2) for _ in range(relation.arity)]
    return relation, (*terms, lo, lo + draw.integer(1, longest))


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_what_is_taken_back_leaves_no_trace(step: Plan) -> None:
    lost = 0
    for seed in range(12):
        draw = from_seed(seed)
        given = [fact(draw) for _ in range(14)]
        run, there = Run(step), set[int]()
        for _ in range(30):
            number = draw.integer(1, len(given))
            if number in there:
                before = len(run.held(HORIZON))
                run.take(number)
                there.remove(number)
                lost += len(run.held(HORIZON)) < before
            else:
                run.insert(number, *given[number - 1])
                there.add(number)
        fresh = Run(step)
        for number in there:
            fresh.insert(number, *given[number - 1])
        assert run.held(HORIZON) == fresh.held(HORIZON), seed
        for each in (run, fresh):
            each.widen(WIDER)
            each.run()
        assert run.held(WIDER) == fresh.held(WIDER), seed
    assert lost
