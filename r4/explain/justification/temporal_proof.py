"""A proof through time: what makes a fact true at an instant, an operand throughout an interval.

A goal is proved step by step: from its first cell on by what makes it true the longest, and where
that ends by the next. The witness of a diamond is the latest that there is, that of Since the
latest right side, as these keep it true the longest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from r4.explain.justification.ground_model import GroundModel, RoundView
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.rule_instances import (
    GroundFact,
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
)
from rete.arrays.delta import POS_INF
from rete.storage.interval_sets import (
    CellInterval,
    IntervalSet,
    intersect_sets,
    interval_at,
)


class ProofGoal(NamedTuple):
    """That something is true in all cells from ``lo`` on, before ``hi``."""

    node: GroundNode
    lo: int
    hi: int


class ProofStep(NamedTuple):
    """A step of a proof: what proves part of a goal.

    Attributes:
        lo, hi: that part.
        reason: a leaf, or an instance; None: the operator that the goal is about.
        goals: what must be proved for that; of an operator in the order of its operands.
    """

    lo: int
    hi: int
    reason: ProofLeaf | RuleInstance | None
    goals: tuple[ProofGoal, ...] = ()


@dataclass(frozen=True, slots=True)
class TemporalProof:
    """A proof of a goal.

    Attributes:
        root: the goal.
        steps: per goal what proves it, in order of time; no goal is needed for its own proof.
    """

    root: ProofGoal
    steps: Mapping[ProofGoal, tuple[ProofStep, ...]]

    @property
    def leaves(self) -> frozenset[ProofLeaf]:
        """The leaves that it uses."""
        every = (step.reason for steps in self.steps.values() for step in steps)
        return frozenset(reason for reason in every if isinstance(reason, ProofLeaf))

    @property
    def order(self) -> Iterator[ProofGoal]:
        """Each goal once, after those it needs."""
        stack, seen = [self.root], set[ProofGoal]()
        done: set[ProofGoal] = set()
        while stack:
            goal = stack[-1]
            premises = [each for step in self.steps[goal] for each in step.goals]
            waiting = [each for each in premises if each not in seen] if goal not in seen else []
            seen.add(goal)
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            if goal not in done:
                done.add(goal)
                yield goal


def goal_at(node: GroundNode, cell: int) -> ProofGoal:
    """That something is true at an instant."""
    return ProofGoal(node, cell, cell + 1)


def instant_proof(
    root: GroundFact,
    cell: int,
    instances: Mapping[GroundFact, RuleInstance],
    leaves: Mapping[GroundFact, ProofLeaf],
) -> TemporalProof:
    """A proof at one instant, from an instance per fact that is no leaf."""
    steps: dict[ProofGoal, tuple[ProofStep, ...]] = {}
    for fact in (root, *instances, *leaves):
        instance = instances.get(fact)
        goals = () if instance is None else tuple(goal_at(each, cell) for each in instance.body)
        reason: ProofLeaf | RuleInstance = leaves[fact] if instance is None else instance
        steps[goal_at(fact, cell)] = (ProofStep(cell, cell + 1, reason, goals),)
    return TemporalProof(goal_at(root, cell), steps)


def prove(model: GroundModel, root: ProofGoal) -> TemporalProof:
    """A proof of ``root``, which is true in ``model``."""
    steps: dict[ProofGoal, tuple[ProofStep, ...]] = {}
    waiting = [root]
    while waiting:
        goal = waiting.pop()
        if goal not in steps:
            steps[goal] = tuple(_steps(model, goal))
            waiting += (each for step in steps[goal] for each in step.goals)
    return TemporalProof(root, steps)


def _steps(model: GroundModel, goal: ProofGoal) -> Iterator[ProofStep]:
    at = goal.lo
    while at < goal.hi:
        step = _longest(model, goal.node, at, goal.hi)
        yield step
        at = step.hi


def _longest(model: GroundModel, node: GroundNode, at: int, end: int) -> ProofStep:
    """What makes ``node`` true at a cell, and from there on the longest."""
    best = _leaf(model, node, at, end)
    if best is not None and best.hi == end:
        return best
    view = model.view(node, at)
    options = [] if best is None else [best]
    if isinstance(node, OperatorRow):
        options += _of_operator(model, node, at, end, view)
    else:
        options += _of_instances(model, node, at, end, view)
    return max(options, key=lambda each: each.hi)


def _leaf(model: GroundModel, node: GroundNode, at: int, end: int) -> ProofStep | None:
    run = interval_at(model.given.get(node, ()), at)
    return None if run is None else ProofStep(at, min(run[1], end), ProofLeaf(node, *run))


def _of_instances(
    model: GroundModel, node: GroundFact | OperandRow, at: int, end: int, view: RoundView
) -> Iterator[ProofStep]:
    for instance, spans in model.program.rule_instances.get(node, {}).items():
        run = interval_at(model.instance_times(instance, spans, view), at)
        if run is not None:
            hi = min(run[1], end)
            goals = (ProofGoal(each, at, hi) for each in instance.premises)
            yield ProofStep(at, hi, instance, tuple(goals))


def _of_operator(
    model: GroundModel, operator: OperatorRow, at: int, end: int, view: RoundView
) -> Iterator[ProofStep]:
    for rows, when in model.program.combinations(operator):
        within = interval_at(when, at)
        if within is None:
            continue
        operands = (_Operand(model, row, view) for row in rows)
        description, until = model.program.description(operator), min(end, within[1])
        for hi, needs in description.witnesses(at, until, *operands):
            goals = (ProofGoal(rows[number], *when) for number, when in needs)
            yield ProofStep(at, hi, None, tuple(goals))


class _Operand(NamedTuple):
    """When a row of an operand is true in a view."""

    model: GroundModel
    row: OperandRow
    view: RoundView

    @property
    def true(self) -> IntervalSet:
        return self.model.true(self.row, self.view)

    def latest(self, there: CellInterval) -> CellInterval | None:
        """From the latest cell of ``there`` in which it is true, how long one instance lasts.

        Several instances may keep it true longer. What is true for ever has no latest cell: then
        all of ``there`` in which one instance is true for ever.
        """
        found = intersect_sets(self.true, (there,))
        if not found:
            return None
        last = found[-1][1] - 1
        options = (interval_at(spans, last) for spans in self.model.options(self.row, self.view))
        runs = [run for run in options if run is not None]
        if found[-1][1] >= POS_INF:
            return max(found[-1][0], min(lo for lo, _ in runs)), POS_INF
        return last, max(hi for _, hi in runs)
