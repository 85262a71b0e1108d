"""Negation through time: cycles of rules that read earlier answers are cut at an operator.

A cycle through a negation has a meaning if each way round it leads through an operator of the past
that excludes now: then the state at an instant follows from earlier ones. Below each such operator
comes a `Known`, which lets rows pass as time comes to them.

An operator whose range begins a while ago needs no more. One that begins right behind now, as
``(0 s, 1 h]``, needs rules that hold at single instants: else there is no first instant at which
one would hold again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from rete.graph.directed_graph import feeders_first, number_components
from rete.graph.plan import Emit, MetricOperator, Plan
from rete.nodes.aggregate import Aggregate
from rete.nodes.begun import Begun
from rete.nodes.interval_ends import Begins, Ends
from rete.nodes.join import Join
from rete.nodes.known import Known
from rete.nodes.metric.diamond import Dilate
from rete.nodes.metric.since import Since
from rete.nodes.scan import Scan
from rete.planning.operands import is_auxiliary
from rete.planning.strata import (
    FactPattern,
    NotStratified,
    ReadPattern,
    has_negation,
    rule_dependency_graph,
    stratify,
)
from rete.planning.unification import unifies
from rete.terms.relations import MARKS, NAMED, STAMPED, TRIPLES, Head


def with_earlier_answers(
    emits: Sequence[Emit], *, at_instants: bool, lasting: Collection[str] = ()
) -> list[Emit]:
    """The bodies, cut where a cycle through a negation goes back in time; else as they are.

    ``at_instants``: whether what is asserted holds at single instants, but for triples with the
    predicates ``lasting``.
    """
    if not any(has_negation(emit.source) for emit in emits) or not (cycles := _cycles(emits)):
        return [*emits]
    result = list(emits)
    for bodies, patterns in cycles:
        for number in bodies:
            source = Begun(_cut(emits[number].source, patterns))
            result[number] = replace(emits[number], source=source)
    try:
        stratify(result)
    except NotStratified:
        return [*emits]
    near = [replace(emit, source=_without_near_cuts(emit.source)) for emit in result]
    if all(
        _hold_at_instants(result, bodies, at_instants=at_instants, lasting=lasting)
        for bodies, _ in _cycles(near)
    ):
        return result
    return [*emits]


def _cycles(emits: Sequence[Emit]) -> list[tuple[list[int], set[FactPattern]]]:
    """The bodies and the patterns of each component that has a negation in it."""
    graph = rule_dependency_graph(emits)
    components = feeders_first(graph)
    number_of = number_components(components)
    negating = {
        number_of[reader] for fed, reader in graph.negated if number_of[fed] == number_of[reader]
    }
    return [
        (
            sorted(node for node in components[number] if isinstance(node, int)),
            {node.pattern for node in components[number] if isinstance(node, ReadPattern)},
        )
        for number in sorted(negating)
    ]


def _cut(plan: Plan, patterns: set[FactPattern]) -> Plan:
    """A plan with a `Known` below each operator of the past that reads what the cycle derives."""
    sources = [_cut(source, patterns) for source in plan.sources]
    if isinstance(plan, MetricOperator) and not plan.future and plan.rho[0] > 0:
        delays = [plan.rho[0]] * len(sources)
        if isinstance(plan, Since):
            delays[0] = 1  # what holds in between leads up to now
        sources = [
            Known(source, delay) if _reads(source, patterns) else source
            for source, delay in zip(sources, delays, strict=True)
        ]
    return plan.with_sources(*sources) if sources else plan


def _without_near_cuts(plan: Plan) -> Plan:
    """A plan in which a cycle is cut only where its operator begins a while ago."""
    if isinstance(plan, Known) and plan.delay == 1:
        return _without_near_cuts(plan.source)
    return plan.with_sources(*map(_without_near_cuts, plan.sources))


def _reads(plan: Plan, patterns: set[FactPattern]) -> bool:
    if isinstance(plan, Known):
        return False
    if isinstance(plan, Scan):
        return (plan.relation, plan.pattern) in patterns
    return any(_reads(source, patterns) for source in plan.sources)


def _hold_at_instants(
    emits: Sequence[Emit], bodies: Iterable[int], *, at_instants: bool, lasting: Collection[str]
) -> bool:
    """Whether the bodies of a cycle hold at single instants alone.

    Those that rules are asked by, as for when a fact began, need not.
    """
    cycle = set(bodies)

    def may_last(scan: Scan) -> bool:
        """Whether what is asserted, and may match, holds longer."""
        if scan.relation not in {TRIPLES, STAMPED, NAMED}:
            return False
        predicate = scan.key[1]
        return not at_instants or (bool(lasting) if predicate is None else predicate in lasting)

    def holds(plan: Plan) -> bool:
        if isinstance(plan, Ends) or (isinstance(plan, Scan) and plan.relation == MARKS):
            return True
        if isinstance(plan, Scan):
            return not may_last(plan) and all(
                number in cycle or holds(emit.source)
                for number, emit in enumerate(emits)
                if any(_may_be(head, plan) for head in emit.heads)
            )
        if isinstance(plan, Join):
            return any(map(holds, plan.sources))
        if isinstance(plan, Dilate):
            return plan.rho[1] == plan.rho[0] + 1 and holds(plan.source)
        if isinstance(plan, Aggregate | Begins | Known) or plan.pointwise:
            return bool(plan.sources) and holds(plan.sources[0])
        return False

    rules = (
        number
        for number in bodies
        if not all(is_auxiliary(head.relation) for head in emits[number].heads)
    )
    return all(holds(emits[number].source) for number in rules)


def _may_be(head: Head, scan: Scan) -> bool:
    """Whether a head may be a fact that the scan matches."""
    return head.relation == scan.relation and unifies(scan.pattern, head.key)
