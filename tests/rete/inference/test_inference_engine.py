"""The inference engine: rules that negate, facts that come, go and are forgotten, saved states."""

from __future__ import annotations

import numpy as np
import pytest

from rete.arrays.delta import Rows
from rete.arrays.state_codec import StateReader
from rete.graph.plan import Emit
from rete.graph.streams import FactTable
from rete.inference.errors import LimitReached
from rete.nodes.anti_join import AntiJoin
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.simulation.inference_run import InferenceRun

A, B, C, D = (Relation(name, 1) for name in "abcd")
ONE = 1
"""A term."""


def scan(relation: Relation) -> Scan:
    return Scan(relation, (), (), (0,))


def copied(source: Relation, target: Relation, number: int = 1) -> Emit:
    """``target(x) :- source(x)``."""
    return Emit(scan(source), number, (Head(target, (0,)),))


def without(source: Relation, other: Relation, target: Relation, number: int = 1) -> Emit:
    """``target(x) :- source(x), not other(x)``."""
    plan = AntiJoin(scan(source), scan(other), ((0, 0),), (0,))
    return Emit(plan, number, (Head(target, (0,)),))


def held(engine: InferenceRun, relation: Relation) -> list[tuple[int, ...]]:
    """When facts of a relation hold that rules derive."""
    tables = (table for table in engine.layers.all_tables if table.relation == relation)
    return sorted(tuple(row[-2:]) for table in tables for row in table.facts.content().tolist())


def test_a_plan_that_negates_needs_nothing_more() -> None:
    engine = InferenceRun([without(A, B, C), copied(C, D, 2)], Dictionary())
    assert engine.negates
    engine.insert(1, A, (ONE, 0, 10))
    assert held(engine, D) == [(0, 10)]
    engine.insert(2, B, (ONE, 4, 6))
    assert held(engine, D) == [(0, 4), (6, 10)]
    engine.take(2)
    assert held(engine, D) == [(0, 10)]


def test_networks_know_up_to_where_rows_may_be_forgotten() -> None:
    """Nodes compare what they gave no further back than SteMs have the rows behind it."""
    engine = InferenceRun([copied(A, C)], Dictionary())
    engine.bound = 10
    engine.admit(engine.add([copied(C, D, 2)]))
    assert [network.bound for network in engine.layers.networks] == [10, 10]
    engine.bound = 7
    assert [network.bound for network in engine.layers.networks] == [7, 7]


def test_a_plan_that_negates_may_join_later() -> None:
    engine = InferenceRun([copied(A, C)], Dictionary(), retracts=True)
    before = engine.negates
    engine.insert(1, B, (ONE, 4, 6))
    engine.admit(engine.add([without(A, B, D, 2)]))
    assert (before, engine.negates) == (False, True)
    engine.insert(1, A, (ONE, 0, 10))
    assert (held(engine, C), held(engine, D)) == ([(0, 10)], [(0, 10)])  # it saw B too late
    engine.insert(1, B, (ONE, 2, 3))
    assert held(engine, D) == [(0, 2), (3, 10)]


def test_without_a_negation_nothing_is_kept_of_what_is_asserted() -> None:
    engine = InferenceRun([copied(A, C)], Dictionary())
    engine.insert(1, A, (ONE, 0, 10))
    assert engine.layers.base_table is None
    assert held(engine, C) == [(0, 10)]


def test_gains_and_losses_of_answers_are_reported() -> None:
    engine = InferenceRun(
        [without(A, B, C), copied(C, D, 2)], Dictionary(), answers=lambda relation: relation == D
    )
    told: list[tuple[str, str, list[list[int]]]] = []

    def gained(table: FactTable, found: Rows) -> None:
        told.append(("+", table.relation.op, found.tolist()))

    def lost(table: FactTable, found: Rows) -> None:
        told.append(("-", table.relation.op, found.tolist()))

    engine.on_gain, engine.on_loss = gained, lost
    engine.insert(1, A, (ONE, 0, 10))
    engine.insert(1, B, (ONE, 4, 6))
    assert told == [("+", "d", [[ONE, 0, 10]]), ("-", "d", [[ONE, 4, 6]])]


def test_what_a_dropped_rule_derived_goes() -> None:
    engine = InferenceRun([copied(A, C), copied(B, C, 2)], Dictionary(), retracts=True)
    engine.insert(1, A, (ONE, 0, 10))
    engine.insert(1, B, (ONE, 6, 12))
    for table, rule in engine.drop({1}):
        engine.disown(table, rule, whole=False)
    engine.run()
    assert held(engine, C) == [(6, 12)]


@pytest.mark.parametrize("negates", [False, True])
def test_a_restored_engine_resumes(negates: bool) -> None:
    emits = [without(A, B, C) if negates else copied(A, C), copied(C, D, 2)]

    def made(*, begins: bool = True) -> InferenceRun:
        return InferenceRun(emits, Dictionary(), retracts=True, begins=begins)

    whole, second = made(), made(begins=False)
    whole.insert(1, A, (ONE, 0, 10))
    whole.insert(2, B, (ONE, 4, 6))
    whole.widen((0, 40))
    second.restore(StateReader(whole.saved()), np.ones(9, np.bool_))
    for engine in (whole, second):
        engine.take(2)
        engine.insert(3, A, (ONE, 20, 22))
        engine.insert(4, B, (ONE, 1, 2))
    wanted = [(0, 1), (2, 10), (20, 22)] if negates else [(0, 10), (20, 22)]
    assert held(second, D) == held(whole, D) == wanted
    assert second.saved().keys() == whole.saved().keys()
    assert (second.horizon, second.derived) == (whole.horizon, whole.derived)


def test_what_is_asserted_may_be_saved_elsewhere() -> None:
    engine = InferenceRun([copied(A, C)], Dictionary(), retracts=True)
    engine.insert(1, A, (ONE, 0, 10))
    second = InferenceRun([copied(A, C)], Dictionary(), retracts=True, begins=False)
    saved = StateReader(engine.saved(base_table=False))
    second.restore(saved, np.ones(9, np.bool_), base_table=False)
    assert second.layers.base_table is not None
    assert not second.layers.base_table.relations
    assert held(second, C) == [(0, 10)]


def test_what_ended_before_the_frontier_is_forgotten_with_its_terms() -> None:
    terms = Dictionary()
    join = Join(scan(A), scan(B), ((0, 0),), (0,))
    engine = InferenceRun([Emit(join, 1, (Head(C, (0,)),))], terms, retracts=True)
    early, late, needed = (terms.encode(f'"{text}"') for text in ("early", "late", "needed"))
    engine.insert(0, A, (early, 0, 4), (late, 0, 9))
    engine.settle(6)
    engine.forget([np.array([needed])])
    found = [
        row
        for stream in engine.network.streams.values()
        if stream.stem
        for row in stream.stem.content().tolist()
    ]
    assert found == [[late, 0, 9]]
    assert len(terms) == 2
    assert terms.encode('"late"') == late
    assert terms.encode('"needed"') == needed


def test_a_run_that_is_stopped_resumes() -> None:
    engine = InferenceRun([copied(A, C), copied(C, D, 2)], Dictionary())

    def stopped() -> None:
        if held(engine, C):
            raise TimeoutError

    engine.watch = stopped
    with pytest.raises(TimeoutError):
        engine.insert(1, A, (ONE, 0, 10))
    engine.watch, engine.stop = None, LimitReached("no further")
    with pytest.raises(LimitReached, match="no further"):
        engine.run()
    assert held(engine, D) == []
    engine.stop = None
    engine.run()
    assert held(engine, D) == [(0, 10)]
