"""Justifications are those of the definition, and times those of the answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations

import pytest

from r4.explain.explanation import (
    AssertedNode,
    DerivedNode,
    EndKind,
    Explanation,
    ProofTree,
    Statement,
)
from r4.explain.justification.hitting_sets import find_minimal_sets
from r4.explain.justification.hypergraph import Hypergraph
from r4.explain.justification.rule_instances import GroundFact as Node
from r4.explain.justification.rule_instances import RuleInstance
from r4.explain.question.explainer import Explainer
from r4.explain.question.playback import Playback
from r4.explain.rendering.names import collect_names
from r4.time.ticks import TimeScale
from rete.agenda import LimitReached
from rete.arrays.delta import NEG_INF, POS_INF
from rete.planning.plan import TRIPLES, Relation
from tests.oracles.rules.formulas import Fact, TooBig
from tests.oracles.rules.justifications import justifications
from tests.seeds import parts
from tests.simulation.explanation.runs import ExplainedRun, any_rules, dense_rules

MANY = 1000
BIGGEST = 7
"""Facts at an instant: their subsets are all looked at."""

PART = 20


def explanation(run: ExplainedRun, fact: Fact, at: int, limit: int = MANY) -> Explanation:
    """What an engine that plays the run says."""
    relation, texts = _relation(fact)
    ids = run.core.terms.encode_many(texts)
    run.core.terms.pin(ids)
    why = Explainer(run.core, collect_names([run.document], run.core.program, TimeScale()), limit)
    playback = Playback(run.core, why, relation, ids.tolist(), at)
    return playback.run(run.batches, lambda: run.last)


def _relation(fact: Fact) -> tuple[Relation, tuple[str, ...]]:
    if fact[0] == "triple":
        return TRIPLES, fact[1:]
    return Relation(fact[1], len(fact) - 2), fact[2:]


def _fact(said: Statement) -> Fact:
    if said.relation == TRIPLES:
        return ("triple", *said.terms)
    return ("atom", said.relation.op, *said.terms)


def leaves(tree: ProofTree) -> frozenset[Fact]:
    return frozenset(_fact(node.fact) for node in tree.nodes if isinstance(node, AssertedNode))


def check(make: Callable[[int], ExplainedRun], seed: int) -> Counter[str]:
    """Compare what is said of some fact at some instant; what the case has in it."""
    run, draw = make(seed), random.Random(seed)  # noqa: S311 - no secrets here
    times = run.changes()
    if not times:
        return Counter()
    small = [time for time in times if len(run.base(time)) <= BIGGEST]
    if not small:
        return Counter()
    at = max(draw.sample(small, min(2, len(small))), key=lambda time: len(run.base(time)))
    base = run.base(at)
    try:
        derived, _ = run.program.least_model(base)
        facts = [fact for fact in sorted({*derived, *base}) if len(fact) > 1]
        if not facts:
            return Counter()
        some = draw.sample(facts, min(3, len(facts)))
        fact = max(some, key=lambda one: (one not in base, one in derived))
        wanted = justifications(run.program, base, fact)
        found = explanation(run, fact, at)
    except (TooBig, LimitReached):
        return Counter()
    assert found.complete, seed
    assert {leaves(tree) for tree in found.trees} == wanted, seed
    sizes = [len(leaves(tree)) for tree in found.trees]
    assert sizes == [tree.size for tree in found.trees] == sorted(sizes), seed
    assert found.derived == (fact in derived), seed
    for tree in found.trees:
        check_proof(tree)
    if found.derived:
        check_time(run, found, fact, at, seed)
    return Counter(
        {
            "explained": 1,
            "in many ways": len(wanted) > 1,
            "by several steps": any(_steps(tree) > 1 for tree in found.trees),
            "ends": len(found.causes) > 0,
            **{cause.kind.value: 1 for cause in found.causes},
        }
    )


def _steps(tree: ProofTree) -> int:
    return sum(isinstance(node, DerivedNode) for node in tree.nodes)


def check_proof(tree: ProofTree) -> None:
    """No fact is among its own reasons, and what is not explained again is explained."""
    explained = {
        node.fact for node in tree.nodes if isinstance(node, DerivedNode) and not node.again
    }

    def walk(node: AssertedNode | DerivedNode, above: frozenset[Statement]) -> None:
        assert node.fact not in above
        if isinstance(node, DerivedNode):
            assert node.fact in explained
            for each in node.children:
                if isinstance(each, AssertedNode | DerivedNode):
                    walk(each, above | {node.fact})

    walk(tree.root, frozenset())


def check_time(run: ExplainedRun, found: Explanation, fact: Fact, at: int, seed: int) -> None:
    """It is derived as long as the definition says, and something ends when it does."""

    def holds(now: int) -> bool:
        return fact in run.program.least_model(run.base(now))[0]

    first, last = run.changes()[0] - 1, run.changes()[-1] + 1
    since = until = at
    while since > first and holds(since - 1):
        since -= 1
    while until <= last and holds(until):
        until += 1
    assert found.span is not None
    known = max(found.span.since, first), min(found.span.until, last + 1)
    assert known == (since, until), seed
    assert found.span.since > NEG_INF or since == first
    if found.span.until < POS_INF:
        assert found.causes, seed


@pytest.mark.parametrize("first", parts(PART, check=1, test=3, soak=10))
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


def node(number: int) -> Node:
    return Node(TRIPLES, (number, 0, 0))


Graph = tuple[list[tuple[Node, RuleInstance]], list[Node]]
"""Instances of rules with what they give, and what is asserted; the root is node 0."""


def random_graph(seed: int) -> Graph:
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    size = draw.randint(3, 9)
    ways = []
    for rule in range(draw.randint(2, 3 * size)):
        body = draw.sample(range(size), draw.choice((1, 2, 2, 3)))
        if draw.random() < 0.03:
            body = []
        ways.append(
            (node(draw.randrange(size)), RuleInstance(rule, tuple(map(node, body)), (), ()))
        )
    return ways, [node(number) for number in range(1, size) if draw.random() < 0.6]


def built(graph: Graph) -> Hypergraph:
    made = Hypergraph(node(0))
    for head, way in graph[0]:
        made.add(head, way)
    made.assert_facts(graph[1])
    return made


def by_definition(graph: Graph) -> set[frozenset[Node]]:
    found: set[frozenset[Node]] = set()
    ways, held = graph
    for size in range(len(held) + 1):
        for some in map(frozenset, combinations(held, size)):
            if any(one <= some for one in found):
                continue
            known = set(some)
            while new := {
                head for head, way in ways if head not in known and known.issuperset(way.body)
            }:
                known |= new
            if node(0) in known:
                found.add(some)
    return found


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
