"""Justifications are those of the definition, and times those of the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from r4.explain.explanation import (
    EndKind,
)
from r4.explain.justification.hitting_sets import find_minimal_sets
from r4.explain.justification.hypergraph import Hypergraph
from r4.explain.justification.rule_instances import RuleInstance
from tests.seeds import parts
from tests.simulation.explanation.comparison import MANY, check, explanation
from tests.simulation.explanation.hypergraphs import built, by_definition, node, random_graph
from tests.simulation.explanation.runs import ExplainedRun, any_rules, dense_rules

PART = 20


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
@pytest.mark.parametrize(
    "make",
    [partial(any_rules, negation=False), partial(any_rules, negation=True), dense_rules],
    ids=["any rules", "negation", "dense rules"],
)
def test_what_is_said_is_what_the_definitions_say(
    make: Callable[[int], ExplainedRun], first: int
) -> None:
    for seed in range(first, first + PART):
        check(make, seed)


@pytest.mark.slow
def test_the_cases_have_what_is_hard_in_them() -> None:
    met = sum((check(dense_rules, seed) for seed in range(1000, 1000 + 2 * PART)), Counter[str]())
    assert met["explained"] > PART // 2
    assert met["in many ways"] > 3
    assert met["by several steps"] > 5
    assert met[EndKind.RETRACTED.value] > 0
    assert met[EndKind.ENDED.value] > 5


def test_a_fact_that_does_not_hold_has_no_justification() -> None:
    for seed in range(PART):
        run = dense_rules(seed)
        at = run.changes()[-1] + 1
        found = explanation(run, ("triple", "<http://e/a>", "<http://e/t>", "<http://e/b>"), at)
        assert not found.holds
        assert not found.trees


# The search alone


def test_all_minimal_sets_are_found_in_graphs_with_circles() -> None:
    many = 0
    for seed in range(300):
        graph = random_graph(seed)
        found, complete = find_minimal_sets(built(graph), MANY)
        assert complete
        assert len(found) == len(set(found))
        assert set(found) == by_definition(graph), seed
        many += len(found) > 1
    assert many > 20


def test_a_long_chain_is_explained_without_recursion() -> None:
    graph = Hypergraph(node(0))
    length = 3000
    for number in range(length):
        graph.add(node(number), RuleInstance(1, (node(number + 1),), (), ()))
    graph.assert_facts([node(length)])
    found, complete = find_minimal_sets(graph, 1)
    assert (found, complete) == ([frozenset({node(length)})], True)
    assert len(graph.proof(found[0])) == length


def test_of_very_many_justifications_some_are_given_soon() -> None:
    graph = Hypergraph(node(0))
    layers, width = 12, 3
    for layer in range(layers):
        for place in range(width):
            leaf = node(1000 + layer * width + place)
            graph.assert_facts([leaf])
            body = (leaf,) if layer == layers - 1 else (leaf, node(layer + 1))
            graph.add(node(layer), RuleInstance(1, body, (), ()))
    found, complete = find_minimal_sets(graph, 5)
    assert not complete
    assert len(found) >= 5
    assert {len(one) for one in found} == {layers}
