"""Plain numbers in rows: moved, bounded, ending their rows, and taken back."""

from __future__ import annotations

import numpy as np
import pytest

from rete.drawing.names import Names
from rete.graph.plan import Emit, map_constants
from rete.graph.streams import Stream
from rete.network.network import Network
from rete.nodes.join import Join
from rete.nodes.metric.shift import Shift, ShiftNode
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text
from rete.terms.relations import Head, Relation
from tests.generators.draw import from_seed
from tests.rete.nodes.by_cell import scan
from tests.simulation.inference_run import InferenceRun

S, A, B = Relation("s", 2), Relation("a", 2), Relation("b", 1)


def shifted(plan: Shift, *rows: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    node = ShiftNode(plan, Stream(plan), Dictionary())
    given = np.array(rows, np.int64)
    origins, found = node.trace(given)
    assert node.apply(given).tolist() == found.tolist()
    return origins.tolist(), found.tolist()


def test_a_number_is_moved_within_its_bounds() -> None:
    plan = Shift(scan(S), 1, -2, 0, 3)
    rows = [(7, 1, 0, 9), (7, 2, 0, 9), (7, 5, 0, 9), (7, 6, 0, 9)]
    assert shifted(plan, *rows) == ([1, 2], [[7, 0, 0, 9], [7, 3, 0, 9]])


def test_a_row_ends_so_long_after_its_number_if_not_before() -> None:
    plan = Shift(scan(S), 1, 1, 0, 99, 5)
    rows = [(7, 1, 0, 9), (7, 1, 0, 4), (7, 1, 7, 9)]
    assert shifted(plan, *rows) == ([0, 1], [[7, 2, 0, 7], [7, 2, 0, 4]])


def test_equal_shifts_are_one_node_by_value_too() -> None:
    plan = Shift(scan(S), 1, 1, 0, 99)
    emits = [Emit(plan, 1, (Head(A, (0, 1)),)), Emit(plan, 2, (Head(B, (0,)),))]
    assert map_constants(emits, value_text) == emits
    assert len(Network(emits, Dictionary()).streams) == 2


def test_a_shift_is_shown_with_what_it_adds() -> None:
    plan = Shift(scan(S), 1, -1, 0, 99)
    assert Names().operator(plan.name, plan.distances) == "shift -1"


class Run(InferenceRun):
    """``A(x t) :- S(x t)`` and ``A(x t+1) :- A(x t), B(x)``, up to 6."""

    def __init__(self) -> None:
        step = Join(Shift(scan(A), 1, 1, 0, 6), scan(B), ((0, 0),), (0, 1))
        rules = [Emit(scan(S), 1, (Head(A, (0, 1)),)), Emit(step, 2, (Head(A, (0, 1)),))]
        super().__init__(rules, Dictionary(), maintains=True)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_taken_back_leaves_no_trace(seed: int) -> None:
    draw = from_seed(seed)
    given = []
    for _ in range(10):
        relation = draw.weighted((3, S), (2, B))
        terms = [draw.integer(1, 2), draw.integer(0, 5)][: relation.arity]
        lo = draw.integer(0, 8)
        given.append((relation, (*terms, lo, lo + draw.integer(1, 8))))
    run, there = Run(), set[int]()
    for _ in range(25):
        number = draw.integer(1, len(given))
        if number in there:
            run.take(number)
            there.remove(number)
        else:
            run.insert(number, *given[number - 1])
            there.add(number)
        fresh = Run()
        for each in there:
            fresh.insert(each, *given[each - 1])
        assert run.content() == fresh.content()
    assert run.content()
