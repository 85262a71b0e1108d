"""Random hypergraphs of rule instances, and their minimal sets by definition."""

from __future__ import annotations

import random
from itertools import combinations

from r4.explain.justification.hypergraph import Hypergraph
from r4.explain.justification.rule_instances import GroundFact as Node
from r4.explain.justification.rule_instances import RuleInstance
from rete.terms.relations import TRIPLES


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
