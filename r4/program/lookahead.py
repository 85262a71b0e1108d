"""Lookahead and lookback: how far the answers of metric rules reach in time, and whether they end.

An answer at t depends on facts up to t plus the *lookahead* of its rules, so it is final only once
the frontier has passed that; and on facts from t minus their *lookback* on. Ranges must be whole
ticks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from r4.program.errors import (
    EndlessLookahead,
    NegationBeforeRecursion,
    OpenRange,
    OperatorFinerThanTick,
)
from r4.program.program import NO_REACH, ClausePlace, Program, Ticks, TimeReach
from r4.time.ticks import TimeScale
from rete.arrays.delta import POS_INF, Cells
from rete.graph.directed_graph import DirectedGraph, feeders_first, number_components
from rete.graph.plan import Emit, MetricOperator, Plan, below
from rete.nodes.aggregate import Aggregate as AggregatePlan
from rete.nodes.interval_ends import IntervalEnds
from rete.nodes.known import Known
from rete.nodes.scan import Scan
from rete.planning.strata import (
    FactPattern,
    ReadPattern,
    RuleGraphNode,
    has_negation,
    rule_dependency_graph,
)
from rete.terms.relations import MARKS, STAMPED, Relation
from rif.errors.base import RuleError
from rif.syntax import ast
from rif.syntax.aggregates import Aggregate
from rif.syntax.traversal import formulas_of, rules
from temporal.errors import OutOfBounds
from temporal.intervals.durations import VariableRange
from temporal.metric_rif.calendars import calendar_error
from temporal.metric_rif.events import EventFormula, Every
from temporal.mtl.ast import MetricFormula

_SHOWN: Final = 5
"""Rules of a cycle that a message names."""


def is_metric(emits: Iterable[Emit]) -> bool:
    """Is there a metric operator in one of the bodies or heads?"""
    plans = below(*(emit.source for emit in emits))
    return any(isinstance(plan, MetricOperator) for plan in plans)


def asks_for_times(emits: Collection[Emit]) -> bool:
    """Does a body ask when facts begin or end, or for the marks of a calendar?"""
    plans = below(*(emit.source for emit in emits))
    return any(isinstance(plan, IntervalEnds) for plan in plans) or reads_marks(emits)


def reads_marks(emits: Iterable[Emit]) -> bool:
    """Does a body ask for the marks of a calendar?"""
    plans = below(*(emit.source for emit in emits))
    return any(isinstance(plan, Scan) and plan.relation == MARKS for plan in plans)


def range_errors(document: ast.Document, scale: TimeScale) -> Iterator[RuleError]:
    """The ranges of a document that are no whole number of ticks, or leave the time line.

    Calendars that there are not, too.
    """
    for each in chain.from_iterable(map(formulas_of, rules(document))):
        if isinstance(each, Every) and (error := calendar_error(each, scale.per_second)):
            yield error
    for formula in operators(document):
        try:
            formula.rho.cells(scale.per_second)
        except OutOfBounds:
            message = f"{formula.rho} reaches farther than 2^60 ticks"
            yield OutOfBounds(message, formula.span, "a range without end is written inf")
        except ValueError:
            message = f"{formula.rho} is no whole number of {scale.unit} ticks"
            yield OperatorFinerThanTick(message, formula.span)


def operators(document: ast.Document) -> Iterator[MetricFormula]:
    """All metric operators of a document, in order."""
    formulas = chain.from_iterable(map(formulas_of, rules(document)))
    return (each for each in formulas if isinstance(each, MetricFormula))


def open_range_errors(documents: Iterable[ast.Document], where: str) -> Iterator[RuleError]:
    """The ranges of documents that end in a variable, which they cannot ``where`` they stand."""
    for formula in chain.from_iterable(map(operators, documents)):
        if isinstance(formula.rho, VariableRange):
            yield OpenRange(f"{formula.rho} ends in a variable {where}", formula.span)


def without_instances(document: ast.Document) -> Iterator[tuple[ast.Formula, str]]:
    """The formulas of a document that facts with a begin each do not have, and their words."""
    for formula in chain.from_iterable(map(formulas_of, rules(document))):
        if isinstance(formula, Aggregate):
            yield formula, formula.function
        elif isinstance(formula, MetricFormula | EventFormula | Every):
            yield formula, type(formula).__name__


def time_reach(
    emits: Sequence[Emit], places: Sequence[ClausePlace], labels: Sequence[str | int]
) -> TimeReach:
    """How far the answers of ``emits``, all bodies that run together, reach back in time.

    How far they look ahead follows from the network (`rete.network.lookback`); here is only checked
    that it has an end.

    ``places`` and ``labels`` are of the rules, by their numbers from 1.

    Raises:
        EndlessLookahead: a cycle of rules looks ahead, or a range to infinity does.
        NegationBeforeRecursion: a negation feeds a cycle of rules that looks back.
    """
    if not is_metric(emits):
        return NO_REACH
    graph = rule_dependency_graph(emits)
    ahead = _weights(graph, emits, lambda plan: _ticks(plan.rho) if plan.future else 0)
    back = _weights(graph, emits, lambda plan: 0 if plan.future else _ticks(plan.rho))
    components = number_components(feeders_first(graph))
    for (fed, reader), ticks in ahead.items():
        if ticks == math.inf:
            raise _lookahead_error([emits[reader].rule], places, labels, "to inf")
        if ticks and components[fed] == components[reader]:
            import networkx as nx  # noqa: PLC0415 - for faults alone

            path: list[RuleGraphNode] = nx.shortest_path(graph.as_networkx(), reader, fed)
            cycle = [emits[node].rule for node in path if isinstance(node, int)]
            raise _lookahead_error(cycle, places, labels)
    looping = [
        reader
        for (fed, reader), ticks in back.items()
        if ticks and components[fed] == components[reader]
    ]
    for body in looping:
        for before in sorted(_bodies_before(graph, body)):
            if has_negation(emits[before].source):
                raise _negation_error(emits[before].rule, emits[body].rule, places, labels)
    reads_itself = any(isinstance(plan, Known) for plan in below(*(e.source for e in emits)))
    derived = {head.relation for emit in emits for head in emit.heads}
    return TimeReach(
        math.inf if looping or reads_itself else _longest(graph, components, back),
        any(_keeps_for_ever(emit.source, derived) for emit in emits),
        bool(looping),
        sum(_total(emit.source) for emit in emits),
        reads_itself,
    )


def _bodies_before(graph: DirectedGraph[RuleGraphNode], body: int) -> set[int]:
    """The body, and all that feed it over any number of others."""
    found: set[RuleGraphNode] = {body}
    left: list[RuleGraphNode] = [body]
    while left:
        feeders = graph.predecessors[left.pop()].keys() - found
        found |= feeders
        left += feeders
    return {node for node in found if isinstance(node, int)}


_Edges: TypeAlias = Mapping[tuple[ReadPattern, int], Ticks]


def _weights(
    graph: DirectedGraph[RuleGraphNode],
    emits: Sequence[Emit],
    weigh: Callable[[MetricOperator], Ticks],
) -> _Edges:
    """How far what a body reads may be from its heads, for each edge between the two."""
    found: dict[tuple[ReadPattern, int], Ticks] = {}
    for number, emit in enumerate(emits):
        sums: dict[FactPattern, Ticks] = {}
        _walk(emit.source, 0, weigh, sums)
        for fed in graph.predecessors[number]:
            if isinstance(fed, ReadPattern):
                found[fed, number] = sums[fed.pattern]
    return found


def _walk(
    plan: Plan,
    so_far: Ticks,
    weigh: Callable[[MetricOperator], Ticks],
    sums: dict[FactPattern, Ticks],
) -> None:
    """Enter for each scan below ``plan`` the largest sum of operators on a path to it."""
    if isinstance(plan, Scan):
        pattern = plan.relation, plan.pattern
        sums[pattern] = max(sums.get(pattern, 0), so_far)
    elif isinstance(plan, MetricOperator):
        so_far += weigh(plan)
    for source in plan.sources:
        _walk(source, so_far, weigh, sums)


def _ticks(rho: Cells) -> Ticks:
    return math.inf if rho[1] >= POS_INF else rho[1] // 2


def _total(plan: Plan) -> int:
    """The farthest finite ends of all ranges of ``plan`` together."""
    total = sum(map(_total, plan.sources))
    if not isinstance(plan, MetricOperator):
        return total
    nearest, farthest = plan.rho
    return total + (nearest if farthest >= POS_INF else farthest) // 2


def _longest(
    graph: DirectedGraph[RuleGraphNode], components: Mapping[RuleGraphNode, int], weights: _Edges
) -> Ticks:
    """The largest sum of weights on a path; within a component they are 0."""
    between: dict[int, dict[int, Ticks]] = {}
    for source, target in graph.edges():
        one, other = components[source], components[target]
        if one != other:
            weight: Ticks = 0
            if isinstance(source, ReadPattern) and isinstance(target, int):
                weight = weights.get((source, target), 0)
            into = between.setdefault(other, {})
            into[one] = max(into.get(one, 0), weight)
    reached: dict[int, Ticks] = {}
    for component in sorted(set(components.values())):  # each after those that feed it
        into = between.get(component, {})
        reached[component] = max((reached[one] + w for one, w in into.items()), default=0)
    return max(reached.values(), default=0)


def _keeps_for_ever(plan: Plan, derived: Container[Relation]) -> bool:
    """Whether an operator needs what it reads for ever; a box only until its interval has ended.

    Not if that is summed up, see `rete.network.summation`; ``derived``: the relations of heads.
    """
    sources = plan.sources
    if isinstance(plan, AggregatePlan) and plan.sums_up:
        (diamond,) = sources
        if plan.chooses or STAMPED not in derived:
            sources = diamond.sources
    elif max(plan.retention(0, retracts=True), default=0) >= POS_INF:
        return True
    return any(_keeps_for_ever(source, derived) for source in sources)


def _lookahead_error(
    numbers: Sequence[int],
    places: Sequence[ClausePlace],
    labels: Sequence[str | int],
    how: str = "",
) -> EndlessLookahead:
    """The error of a cycle of rules, each derived from the next; or of a range, ``how``."""
    names = [f"rule {labels[n - 1]}{places[n - 1]}" for n in dict.fromkeys(numbers)]
    if how:
        message = f"{names[0]} looks ahead {how}, so that nothing of it is ever final"
    else:
        cut = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else names
        shown = ", which derives from ".join([*cut, "itself" if len(names) == 1 else names[0]])
        message = f"rules look ahead in a cycle, and so for ever: {shown}"
    hint = "give the range an end" if how else None
    return EndlessLookahead.at(places[numbers[0] - 1], message, hint)


def _negation_error(
    rule: int, looping: int, places: Sequence[ClausePlace], labels: Sequence[str | int]
) -> NegationBeforeRecursion:
    name, cycle = (f"rule {labels[n - 1]}{places[n - 1]}" for n in (rule, looping))
    message = f"{name} negates, and feeds a cycle that derives on: {cycle}"
    return NegationBeforeRecursion.at(places[rule - 1], message)


def memory_warning(
    program: Program, sources: Collection[str] = (), *, forgets: bool = False, remedy: str = ""
) -> str:
    """Why streams, from ``sources`` of these names, need memory without bound; ``""``: they do not.

    No sources: they are not known. ``forgets``: what is older than a bound is not retracted;
    ``remedy``: how its user says that, if that is possible.
    """
    windows = program.windows
    others = set(sources) - {name for name, _ in windows.sources}
    if not program.metric and program.window is None and (others or not sources):
        if windows.lengths:
            return (
                "a Window of some sources or predicates alone: what else is asserted holds for"
                " ever, so memory is not bounded"
            )
        return "no Window: what is asserted holds for ever, so memory is not bounded"
    if program.reach.keeps_for_ever:
        return "what a range to inf looks back on holds for ever, so memory is not bounded"
    if program.reach.derives_on and not forgets:
        what = "rules may derive for ever from what once held, so memory may not be bounded"
        return f"{what}; {remedy} bounds it, if nothing older is retracted" if remedy else what
    return ""
