"""Strata: what must be complete before what is negated is asked for [Ceri89].

The graph has the bodies of rules, the patterns of their heads and the patterns that they read. A
head feeds a pattern if a fact can match both, which their constants decide; so a triple whose
predicate is a variable feeds all triples. Rules are stratified if no cycle leads through a pattern
that a negation reads. Then each body has a stratum: the greatest number of negations of derived
facts on a path that leads to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from rete.graph.directed_graph import DirectedGraph, feeders_first, number_components
from rete.graph.plan import Emit, Plan
from rete.nodes.known import Known
from rete.nodes.scan import Scan
from rete.planning.unification import ConstantPattern, UnificationHub, fed_groups
from rete.terms.relations import Relation

FactPattern: TypeAlias = tuple[Relation, ConstantPattern]
"""Facts of a relation that have these constants."""


@dataclass(frozen=True, slots=True)
class CycleStep:
    """A step of a cycle: the body ``emit`` reads ``pattern``, which the next body derives.

    Attributes:
        emit: its place among all bodies.
        negated: whether the body requires that no fact matches.
    """

    emit: int
    pattern: FactPattern
    negated: bool


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of rules.

    Attributes:
        emits: of each body, from 0.
        patterns: of each pattern that is read: the highest of the bodies that may feed it.
    """

    emits: tuple[int, ...]
    patterns: dict[FactPattern, int]


@dataclass(frozen=True, slots=True)
class ReadPattern:
    """The facts that match a pattern that is read."""

    pattern: FactPattern


RuleGraphNode: TypeAlias = int | ReadPattern | UnificationHub
"""A body by its place, a pattern; a hub is the facts of a pattern of heads, or joins groups."""


class RuleDependencyGraph(DirectedGraph[RuleGraphNode]):
    """Bodies, by their places, and patterns: which feeds which.

    ``negated`` are the edges from a pattern to a body that requires that no fact matches it.
    """

    __slots__ = ("negated",)

    def __init__(self) -> None:
        super().__init__()
        self.negated: set[tuple[RuleGraphNode, RuleGraphNode]] = set()


class NotStratified(Exception):
    """A fact depends on its own absence.

    Attributes:
        cycle: the steps of one cycle, the first being negated; the last is fed by the first.
    """

    def __init__(self, cycle: Sequence[CycleStep]) -> None:
        super().__init__("a cycle leads through a negation")
        self.cycle = tuple(cycle)


def has_negation(plan: Plan) -> bool:
    """Whether there is a negation in ``plan``."""
    return plan.negated is not None or not plan.monotone or any(map(has_negation, plan.sources))


def stratify(emits: Sequence[Emit]) -> Strata:
    """The strata of ``emits``: all bodies of all rules that run together.

    The cost is that of the plans, times the different sets of places of constants in patterns.

    Raises:
        NotStratified: there are none.
    """
    graph = rule_dependency_graph(emits)
    components = feeders_first(graph)
    component = number_components(components)
    for fed, reader in graph.edges():
        if (fed, reader) in graph.negated and component[fed] == component[reader]:
            raise NotStratified(_steps(graph, fed, reader))
    level = [0] * len(components)
    for number, members in enumerate(components):
        for source in members:
            for target in graph.successors[source]:
                negated = (source, target) in graph.negated
                later = negated and len(graph.predecessors[source]) > 0
                there = component[target]
                level[there] = max(level[there], level[number] + later)
    return Strata(
        tuple(level[component[number]] for number in range(len(emits))),
        {node.pattern: level[component[node]] for node in graph if isinstance(node, ReadPattern)},
    )


def rule_dependency_graph(emits: Sequence[Emit]) -> RuleDependencyGraph:
    """Which bodies, by their places, feed which patterns, and which patterns feed which bodies."""
    graph = RuleDependencyGraph()
    heads: dict[Relation, dict[ConstantPattern, UnificationHub]] = {}
    reads: dict[Relation, dict[ConstantPattern, ReadPattern]] = {}
    known: dict[Plan, dict[tuple[Scan, bool], None]] = {}
    for number, emit in enumerate(emits):
        graph.add_nodes((number,))
        for head in emit.heads:
            known_heads = heads.setdefault(head.relation, {})
            derived = known_heads.setdefault(head.key, UnificationHub())
            graph.add_edges(((number, derived),))
        for scan, negated in sorted(_read(emit.source, known), key=lambda pair: pair[1]):
            fed = ReadPattern((scan.relation, scan.pattern))
            reads.setdefault(scan.relation, {})[scan.pattern] = fed
            graph.add_edges(((fed, number),))
            if negated:
                graph.negated.add((fed, number))
    for relation, derived_by in heads.items():
        groups = fed_groups(derived_by.items(), [*reads.get(relation, {}).items()])
        for left, right in groups:
            hub = UnificationHub()
            graph.add_edges((node, hub) for node in left)
            graph.add_edges((hub, node) for node in right)
    return graph


def _read(
    plan: Plan, known: dict[Plan, dict[tuple[Scan, bool], None]]
) -> dict[tuple[Scan, bool], None]:
    """The scans of a plan, and whether they are negated: each once, in the order of the plan."""
    if plan not in known:
        found: dict[tuple[Scan, bool], None] = {}
        if isinstance(plan, Scan):
            found[plan, False] = None
        for source in () if isinstance(plan, Known) else plan.joined:
            scans = _read(source, known)
            found |= scans if plan.monotone else {(scan, True): None for scan, _ in scans}
        if plan.negated is not None:
            excluded = {plan.base} if plan.correlated else set()
            absent = _scans_without(plan.sources[plan.negated], excluded)
            found |= {(scan, True): None for scan in absent}
        known[plan] = found
    return known[plan]


def _scans_without(plan: Plan, excluded: set[Plan]) -> Iterator[Scan]:
    if plan in excluded or isinstance(plan, Known):
        return
    if isinstance(plan, Scan):
        yield plan
    for source in plan.sources:
        yield from _scans_without(source, excluded)


def _steps(
    graph: RuleDependencyGraph, fed: RuleGraphNode, reader: RuleGraphNode
) -> list[CycleStep]:
    """The steps of a shortest cycle through that edge, against its direction and from it on."""
    import networkx as nx  # noqa: PLC0415 - for faults alone

    path: list[RuleGraphNode] = [*nx.shortest_path(graph.as_networkx(), reader, fed), reader]
    backwards = path[::-1]
    return [
        CycleStep(body, node.pattern, (node, body) in graph.negated)
        for body, node in pairwise(backwards)
        if isinstance(node, ReadPattern) and isinstance(body, int)
    ]
