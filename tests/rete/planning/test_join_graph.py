"""Join trees in other orders: the same rows and columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.graph.plan import Emit, Plan
from rete.nodes.join import Join
from rete.planning.join_cost import ColumnCounts, JoinCost, RowCounts
from rete.planning.join_graph import JOIN, JoinGraph, PlanOrders, Postfix, join_trees, tree_leaves
from tests.generators.draw import Draw, from_seed
from tests.generators.streams.runs import RunCase, cases, random_case
from tests.oracles.rules.plans import derived
from tests.oracles.streams.run import read_all
from tests.rif.rule_parser import parse_rules
from tests.simulation.shuffled_orders import random_order

_MANY = 10
"""Orders of so many leaves and joins may begin with large products."""
NEAR = "_near(?a ?d) :- And(_val(?a ?c) _val(?b ?c) _by(?b ?d))"


def plan(rule: str) -> Plan:
    document = parse_rules(f"Forall ?a ?b ?c ?d ?e ({rule})").document
    (emit,) = compile_document(document, TimeScale()).emits
    return emit.source


def uniform(rows: float, *distinct: float) -> RowCounts:
    return RowCounts(rows, tuple(ColumnCounts(count, count) for count in distinct))


@given(cases(negation=True), st.integers(0, 10**6))
def test_every_order_of_a_join_tree_derives_the_same(case: RunCase, seed: int) -> None:
    every_order_derives_the_same(case, from_seed(seed))


def test_every_order_of_a_join_tree_derives_the_same_for_many_seeds() -> None:
    met = sum(
        every_order_derives_the_same(random_case(seed, negation=True), from_seed(seed))
        for seed in range(100)
    )
    assert met > 50


def every_order_derives_the_same(case: RunCase, draw: Draw) -> int:
    """How many join trees came into another order."""
    facts = sorted({one.fact for one in read_all(case.scenario).assertions}, key=str)[:9]
    changed = 0
    for emit in compile_document(case.scenario.document, TimeScale()).emits:
        trees = list(join_trees(emit.source))
        orders = {tree: random_order(len(tree_leaves(tree)), draw) for tree in trees}
        in_use = Emit(PlanOrders(orders).of(emit.source), emit.rule, emit.heads)
        assert in_use.source.width == emit.source.width
        if max(map(len, orders.values()), default=0) < _MANY:
            assert derived(in_use, facts) == derived(emit, facts)
            changed += in_use != emit
    return changed


def test_an_order_joins_each_leaf_once() -> None:
    graph = JoinGraph.of(plan(NEAR))
    assert graph.is_order(graph.compiled)
    assert graph.is_order((1, 2, JOIN, 0, JOIN))
    wrong = [(), (0,), (0, 1, JOIN), (0, JOIN, 1, 2, JOIN), (0, 1, 1, JOIN, JOIN), (0, 1, 2, JOIN)]
    assert not any(map(graph.is_order, wrong))
    assert not graph.is_order((0, 1, JOIN, 3, JOIN))


def test_the_order_as_compiled_is_that_plan() -> None:
    for rule in (NEAR, "_p(?a ?e) :- And(_q(?a ?b) _q(?b ?c) _q(?c ?d) _q(?d ?e))"):
        (tree,) = join_trees(plan(rule))
        graph = JoinGraph.of(tree)
        assert graph.plan(graph.compiled) == tree


def test_of_two_patterns_there_is_one_order() -> None:
    assert not list(join_trees(plan("_p(?a ?c) :- And(_q(?a ?b) _q(?b ?c))")))


def cost_of(graph: JoinGraph, by: RowCounts, val: RowCounts) -> JoinCost:
    return JoinCost(graph, [by if "by" in str(leaf) else val for leaf in graph.leaves])


def val_first(graph: JoinGraph) -> Postfix:
    """The order that begins with the two patterns of one relation."""
    (by,) = (number for number, leaf in enumerate(graph.leaves) if "by" in str(leaf))
    one, two = {0, 1, 2} - {by}
    return one, two, JOIN, by, JOIN


def test_a_key_that_all_rows_share_is_joined_last() -> None:
    graph = JoinGraph.of(plan(NEAR))
    cost = cost_of(graph, uniform(1000, 1000, 3), uniform(1000, 1000, 1))
    assert cost.of(cost.cheap_order()) == 1000 + 3 * 1000
    assert cost.of(val_first(graph)) >= 1000 * 1000


def test_one_frequent_value_counts_as_what_it_costs() -> None:
    """Half of the rows have one value: as many pairs as if all rows had one of four."""
    graph = JoinGraph.of(plan(NEAR))
    skewed = RowCounts(1000, (ColumnCounts(1000, 1000), ColumnCounts(501, 4)))
    even = RowCounts(1000, (ColumnCounts(1000, 1000), ColumnCounts(501, 501)))
    by = uniform(1000, 1000, 1000)
    first, second = (cost_of(graph, by, val).of(val_first(graph)) for val in (skewed, even))
    assert first > 50 * second


def test_parts_without_a_common_variable_come_together_last() -> None:
    graph = JoinGraph.of(plan("_p(?a ?d) :- And(_q(?a ?b) _q(?b ?c) _r(?d) _s(?d))"))
    cost = JoinCost(graph, [uniform(10, *[10] * len(leaf.args)) for leaf in graph.leaves])
    joined = graph.plan(cost.cheap_order())
    assert isinstance(joined, Join)
    assert not joined.on
