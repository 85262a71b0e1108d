"""The agenda: facts are pushed or withdrawn, it runs, and what is derived is the least model."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rete.nodes.join
from rete.graph.plan import Emit
from rete.inference import agenda
from rete.inference.errors import LimitReached
from rete.nodes.anti_join import AntiJoin
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import Head, Relation
from tests.oracles.rules.plans import derived
from tests.rete.nodes.by_cell import CELLS, matrix, scan
from tests.simulation.inference_run import InferenceRun

EDGE, BLOCKED = Relation("<urn:edge>", 2), Relation("<urn:blocked>", 1)
PATH, FREE = Relation("<urn:path>", 2), Relation("<urn:free>", 2)

RULES = [
    # path(?x ?y) :- edge(?x ?y)
    Emit(scan(EDGE), 1, (Head(PATH, (0, 1)),)),
    # path(?x ?z) :- And(path(?x ?y) edge(?y ?z))
    Emit(Join(scan(PATH), scan(EDGE), ((1, 0),), (0, ~1)), 2, (Head(PATH, (0, 1)),)),
    # free(?x ?y) :- And(path(?x ?y) Naf(blocked(?y)))
    Emit(AntiJoin(scan(PATH), scan(BLOCKED), ((1, 0),), (0, 1)), 3, (Head(FREE, (0, 1)),)),
]

Fact = tuple[Relation, tuple[int, ...], tuple[int, int]]
Model = dict[str, set[tuple[int, ...]]]

times = st.tuples(st.sampled_from(CELLS[:-1]), st.integers(1, 8)).map(
    lambda drawn: (drawn[0], min(sum(drawn), CELLS.stop))
)
facts = st.sampled_from([EDGE, EDGE, EDGE, BLOCKED]).flatmap(
    lambda relation: st.tuples(
        st.just(relation), st.tuples(*[st.integers(1, 4)] * relation.arity), times
    )
)


def model(asserted: list[Fact]) -> Model:
    """The least model of `RULES` at each cell: negation last, all else until nothing is new."""
    found: Model = defaultdict(set)
    for cell in CELLS:
        known = {
            ("atom", relation.op, *map(str, terms))
            for relation, terms, (lo, hi) in asserted
            if lo <= cell < hi
        }
        for rules in (RULES[:2], RULES[2:]):
            while new := {fact for rule in rules for fact in derived(rule, known)} - known:
                known |= new
        for _, op, *terms in known:
            found[op].add((*map(int, terms), cell))
    return {op: rows for op, rows in found.items() if op in {PATH.op, FREE.op}}


def held(of: InferenceRun) -> Model:
    """The derived facts at each cell."""
    return {
        relation.op: {(*row[:-2], cell) for row in rows for cell in range(*row[-2:])}
        for relation, rows in of.content().items()
    }


def test_what_is_pushed_is_derived_when_the_agenda_runs() -> None:
    of = InferenceRun(RULES, Dictionary())
    of.assert_facts(EDGE, matrix([(1, 2, 0, 9), (2, 3, 4, 20)], 2), np.array([1, 2]))
    assert of.content() == {}
    of.run()
    assert of.content()[PATH] == [[1, 2, 0, 9], [1, 3, 4, 9], [2, 3, 4, 20]]


def test_what_is_withdrawn_takes_with_it_what_no_other_facts_derive() -> None:
    of = InferenceRun(RULES, Dictionary())
    for number, ends in enumerate([(1, 2), (2, 3), (1, 3)], 1):
        of.insert(number, EDGE, (*ends, 0, 9))
    of.take(1)
    assert of.content()[PATH] == [[1, 3, 0, 9], [2, 3, 0, 9]]


@given(batches=st.lists(st.lists(facts, max_size=5), max_size=4), order=st.randoms())
def test_in_whatever_batches_facts_come_the_least_model_is_derived(batches, order) -> None:
    of = InferenceRun(RULES, Dictionary())
    for number, batch in enumerate(batches):
        order.shuffle(batch)
        for relation, terms, ends in batch:
            of.assert_facts(relation, matrix([(*terms, *ends)], relation.arity), np.array([number]))
        of.run()
    assert held(of) == model([fact for batch in batches for fact in batch])


@given(
    given_facts=st.lists(facts, min_size=1, max_size=8),
    turns=st.lists(st.integers(0, 7), max_size=12),
)
def test_facts_that_come_and_go_leave_the_least_model_of_those_that_are_there(
    given_facts, turns
) -> None:
    of, there = InferenceRun(RULES, Dictionary()), set[int]()
    for turn in turns:
        number = turn % len(given_facts)
        relation, terms, ends = given_facts[number]
        if number in there:
            of.take(number + 1)
            there.remove(number)
        else:
            of.insert(number + 1, relation, (*terms, *ends))
            there.add(number)
        assert held(of) == model([given_facts[each] for each in there])


@given(batches=st.lists(st.lists(facts, max_size=5), max_size=4))
def test_listeners_are_told_each_change_once(batches) -> None:
    told: set[tuple[int, ...]] = set()

    def gained(table, rows) -> None:
        new = {(*row[:-2], cell) for row in rows.tolist() for cell in range(*row[-2:])}
        if table.relation == FREE:
            assert not new & told
            told.update(new)

    def lost(table, rows) -> None:
        old = {(*row[:-2], cell) for row in rows.tolist() for cell in range(*row[-2:])}
        if table.relation == FREE:
            assert old <= told
            told.difference_update(old)

    of = InferenceRun(RULES, Dictionary(), answers=FREE.__eq__)
    of.on_gain, of.on_loss = gained, lost
    for number, batch in enumerate(batches):
        for relation, terms, ends in batch:
            of.assert_facts(relation, matrix([(*terms, *ends)], relation.arity), np.array([number]))
        of.run()
    assert told == held(of).get(FREE.op, set())


def test_beyond_its_limit_it_stops_and_another_run_goes_on() -> None:
    of = InferenceRun(RULES[:2], Dictionary())
    of.limit = 5
    of.assert_facts(EDGE, matrix([(number, number + 1, 0, 9) for number in range(1, 9)], 2))
    with pytest.raises(LimitReached, match="more than 5 facts were derived at once"):
        of.run()
    assert 5 < of.derived < 8 * 9 // 2
    of.limit = None
    of.run()
    assert len(of.content()[PATH]) == 8 * 9 // 2


def test_equal_plans_are_run_once() -> None:
    twice = [RULES[0], Emit(scan(EDGE), 4, (Head(FREE, (0, 1)),))]
    of = InferenceRun(twice, Dictionary())
    assert [type(plan) for plan in of.network.streams] == [Scan]
    of.assert_facts(EDGE, np.array([[1, 2, 0, 9]], np.int64))
    of.run()
    assert of.derived == 2


def test_a_large_join_meets_rows_that_are_moved_before_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is left of a delta met no row that its SteM had moved behind others meanwhile."""
    monkeypatch.setattr(agenda, "_MANY_PAIRS", 1)
    monkeypatch.setattr(rete.nodes.join, "MOST_PAIRS", 1)
    monkeypatch.setattr(rete.nodes.join, "_FIRST_SLICE", 1)
    of = InferenceRun(RULES[:2], Dictionary())
    lasting = [(term, 1, 0, 1000) for term in range(2, 12)]
    ended = [(term, 1, 0, 10) for term in range(100, 1100)]
    of.push(PATH, matrix(lasting + ended, 2))
    of.settle(100)
    of.push(EDGE, matrix([(1, term, 100, 1000) for term in range(2000, 2300)], 2))
    of.run()
    there = {(x, y) for x, y, _, end in of.content()[PATH] if end == 1000}
    assert there == {(x, y) for x in range(1, 12) for y in range(2000, 2300)}
