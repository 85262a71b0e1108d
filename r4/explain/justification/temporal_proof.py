"""A proof through time: what makes a fact true at an instant, an operand throughout an interval.

A goal is proved step by step: from its first cell on by what makes it true the longest, and where
that ends by the next. The witness of a diamond is the latest that there is, that of Since the
latest right side, as these keep it true the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from r4.explain.justification.ground_model import GroundModel, RoundView
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.intervals import (
    EVER,
    CellInterval,
    apply_operator,
    close,
    dilate,
    intersect,
    intersect_sets,
    interval_at,
)
from r4.explain.justification.rule_instances import (
    GroundFact,
    GroundNode,
    OperandRow,
    OperatorRow,
    RuleInstance,
)
from rete.planning.plan import Dilate, Since


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
        goals: what must be proved for that; of Since that of the right side, then, if there is
            something between, that of the left one.
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
    options = (
        _of_operator(model, node, at, end, view)
        if isinstance(node, OperatorRow)
        else (_of_instances(model, node, at, end, view))
    )
    return max([*([] if best is None else [best]), *options], key=lambda each: each.hi)


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
    plan = operator.plan
    there = dilate((at, at + 1), plan.rho, future=not plan.future)
    for row, lefts in model.program.operands.get(operator, {}).items():
        if isinstance(plan, Since):
            yield from _chains(model, row, lefts, ProofGoal(operator, at, end), view)
        elif isinstance(plan, Dilate):
            run = _latest(model, row, there, view)
            if run is not None:
                yield _witness_step(plan, row, run, EVER, ProofGoal(operator, at, end))
        else:
            held = interval_at(apply_operator(plan, model.true(row, view)), at)
            if held is not None:
                hi = min(held[1], end)
                need = dilate((at, hi), plan.rho, future=not plan.future)
                yield ProofStep(at, hi, None, (ProofGoal(row, *need),))


def _latest(
    model: GroundModel, row: OperandRow, there: CellInterval, view: RoundView
) -> CellInterval | None:
    """From the latest cell of ``there`` in which an operand is true, how long one instance lasts.

    Several instances may keep it true longer.
    """
    found = intersect_sets(model.true(row, view), (there,))
    if not found:
        return None
    last = found[-1][1] - 1
    runs = [interval_at(spans, last) for spans in model.options(row, view)]
    return last, max(run[1] for run in runs if run is not None)


def _witness_step(
    plan: Dilate | Since, row: OperandRow, run: CellInterval, within: CellInterval, goal: ProofGoal
) -> ProofStep:
    """What a witness makes true of ``goal``: from its first cell on, within an interval.

    Its first cell alone, if that is enough; else all of it that reaches the goal.
    """
    first = run[0], run[0] + 1
    alone = intersect(dilate(first, plan.rho, future=plan.future), within)[1] >= goal.hi
    used = first if alone else run
    hi = min(dilate(used, plan.rho, future=plan.future)[1], within[1], goal.hi)
    need = intersect(used, dilate((goal.lo, hi), plan.rho, future=not plan.future))
    return ProofStep(goal.lo, hi, None, (ProofGoal(row, *need),))


def _chains(
    model: GroundModel,
    psi: OperandRow,
    lefts: Iterable[OperandRow],
    goal: ProofGoal,
    view: RoundView,
) -> Iterator[ProofStep]:
    """Steps that make Since, or Until, true: by the right side now, or with the left one after."""
    assert isinstance(goal.node, OperatorRow)
    at, plan = goal.lo, goal.node.plan
    assert isinstance(plan, Since)
    if plan.rho[0] == 0:
        run = _latest(model, psi, (at, at + 1), view)
        if run is not None:
            hi = min(run[1], goal.hi)
            yield ProofStep(at, hi, None, (ProofGoal(psi, at, hi),))
    there = dilate((at, at + 1), plan.rho, future=not plan.future)
    for phi in lefts:
        for held in model.true(phi, view):
            closed = close(held)
            run = (
                _latest(model, psi, intersect(closed, there), view)
                if _contains(closed, at)
                else None
            )
            if run is not None:
                step = _witness_step(plan, psi, intersect(run, closed), closed, goal)
                (right,) = step.goals
                ends = (at, right.hi - 1) if plan.future else (right.lo, step.hi - 1)
                lo, hi = ends[0] | 1, ends[1] + (ends[1] & 1)
                left = (ProofGoal(phi, lo, hi),) if lo < hi else ()
                yield step._replace(goals=(right, *left))


def _contains(pair: CellInterval, cell: int) -> bool:
    return pair[0] <= cell < pair[1]
