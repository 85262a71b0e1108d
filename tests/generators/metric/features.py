"""What random cases exercise: from the syntax, and from the model by definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from rif.syntax.traversal import subformulas
from temporal.mtl import traversal
from temporal.mtl.ast import BinaryOperator, UnaryOperator
from tests.oracles.metric.models import Model, atom_name, atoms, consequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rif.syntax import ast
    from tests.generators.metric.programs import MetricCase
    from tests.oracles.metric.models import Problem
    from tests.oracles.metric.periodic_models import Endless


def features(case: MetricCase, given: Problem, expected: Endless) -> Iterator[str]:
    """The names of what it exercises."""
    rules = case.program.rules
    parts = [part for rule in rules for part in (*rule.head, rule.body)]
    if any(_nested(part) > 1 for part in parts):
        yield "nested operators"
    if any(len(traversal.names(rule.body)) > 1 for rule in rules):
        yield "several variables in a rule"
    if len({arg for fact in case.facts for arg in fact.args}) > 1:
        yield "several constants"
    if any(isinstance(sub, BinaryOperator) for part in parts for sub in subformulas(part)):
        yield "Since or Until"
    if given.scale > 1:
        yield "rationals"
    if not given.is_bounded:
        yield "ranges to infinity"
    yield from _of_time(expected)
    yield from _of_rounds(given, expected.model)


def _nested(formula: ast.Formula) -> int:
    inner = max(map(_nested, formula.parts), default=0)
    return inner + isinstance(formula, UnaryOperator | BinaryOperator)


def _of_time(expected: Endless) -> Iterator[str]:
    if expected.left or expected.right:
        yield "checked a million turns away"
    sides = [side for side in (expected.left_period, expected.right_period) if side]
    if sides:
        yield "endless"
    if len(sides) > 1:
        yield "endless on both sides"
    if any(_changes(expected, *side) for side in sides):
        yield "endless, and never constant"


def _changes(expected: Endless, begin: int, stop: int) -> bool:
    """Does something hold in a part of a turn?"""
    return any(
        len({expected.holds(ground, cell) for cell in range(begin, stop + 1)}) > 1
        for ground in expected.atoms()
    )


def _of_rounds(given: Problem, model: Model) -> Iterator[str]:
    """What follows from the data, from that, and from that by a cycle of rules."""
    stretch = model.stretch
    data = Model(stretch, model.margin)
    for ground, runs in given.data.items():
        for run in runs:
            data.truths[ground] = data.truths.get(ground, 0) | stretch.between(*run)
    once = _applied(given, data)
    twice = _applied(given, once)
    recursive = _recursive(given)
    if _more(model, data):
        yield "with answers"
    if _more(model, once):
        yield "a second round"
    if _more(model, once) & recursive:
        yield "a second round of recursion"
    if _more(model, twice) & recursive:
        yield "a third round of recursion"


def _applied(given: Problem, model: Model) -> Model:
    """All rules, once, to what a model has."""
    found = Model(model.stretch, model.margin, dict(model.truths))
    for rule in given.rules:
        for ground, truth in consequences(rule, model, given.names, given.scale):
            found.truths[ground] = found.truths.get(ground, 0) | model.tails(truth)
    return found


def _more(model: Model, part: Model) -> set[str]:
    """The predicates of what the one has and the other has not."""
    return {
        ground[0] for ground, truth in model.truths.items() if truth & ~part.truths.get(ground, 0)
    }


def _recursive(given: Problem) -> set[str]:
    """The predicates that lead to themselves."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for rule in given.rules:
        into = [atom_name(atom) for part in rule.head for atom in atoms(part)]
        graph.add_edges_from((atom_name(atom), name) for atom in atoms(rule.body) for name in into)
    cycles = nx.strongly_connected_components(graph)
    looped = {name for name in graph if graph.has_edge(name, name)}
    return looped.union(*(cycle for cycle in cycles if len(cycle) > 1))
