"""A proof through time: what makes a fact true at an instant, an operand throughout an interval.

Goals are proved piece by piece: from its first cell on by what makes it true the longest, then
where that ends by another. Of a diamond the witness is the latest that there is, of Since the
latest right side: they keep it true the longest.
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
    """What proves part of a goal.

    Attributes:
        lo, hi: that part.
        by: a leaf, or an instance; None: the operator that the goal is about.
        goals: what must be proved for that; of Since that of the right side, then, if there is
            something between, that of the left one.
    """

    lo: int
    hi: int
    by: ProofLeaf | RuleInstance | None
    goals: tuple[ProofGoal, ...] = ()


@dataclass(frozen=True, slots=True)
class TemporalProof:
    """A proof of a goal.

    Attributes:
        root: it.
        pieces: per goal what proves it, in order of time; no goal is needed for its own.
    """

    root: ProofGoal
    pieces: Mapping[ProofGoal, tuple[ProofStep, ...]]

    @property
    def leaves(self) -> frozenset[ProofLeaf]:
        """What it rests on."""
        every = (piece.by for pieces in self.pieces.values() for piece in pieces)
        return frozenset(by for by in every if isinstance(by, ProofLeaf))

    @property
    def order(self) -> Iterator[ProofGoal]:
        """Each goal once, after those it needs."""
        stack, seen = [self.root], set[ProofGoal]()
        done: set[ProofGoal] = set()
        while stack:
            goal = stack[-1]
            needs = [each for piece in self.pieces[goal] for each in piece.goals]
            waiting = [each for each in needs if each not in seen] if goal not in seen else []
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
    ways: Mapping[GroundFact, RuleInstance],
    leaves: Mapping[GroundFact, ProofLeaf],
) -> TemporalProof:
    """A proof at one instant, from an instance per fact that is no leaf."""
    pieces: dict[ProofGoal, tuple[ProofStep, ...]] = {}
    for fact in (root, *ways, *leaves):
        way = ways.get(fact)
        goals = () if way is None else tuple(goal_at(each, cell) for each in way.body)
        by: ProofLeaf | RuleInstance = leaves[fact] if way is None else way
        pieces[goal_at(fact, cell)] = (ProofStep(cell, cell + 1, by, goals),)
    return TemporalProof(goal_at(root, cell), pieces)


def prove(model: GroundModel, root: ProofGoal) -> TemporalProof:
    """A proof of ``root``, which is true in ``model``."""
    pieces: dict[ProofGoal, tuple[ProofStep, ...]] = {}
    waiting = [root]
    while waiting:
        goal = waiting.pop()
        if goal not in pieces:
            pieces[goal] = tuple(_pieces(model, goal))
            waiting += (each for piece in pieces[goal] for each in piece.goals)
    return TemporalProof(root, pieces)


def _pieces(model: GroundModel, goal: ProofGoal) -> Iterator[ProofStep]:
    at = goal.lo
    while at < goal.hi:
        piece = _longest(model, goal.node, at, goal.hi)
        yield piece
        at = piece.hi


def _longest(model: GroundModel, node: GroundNode, at: int, end: int) -> ProofStep:
    """What makes ``node`` true at a cell, and from there on the longest."""
    best = _leaf(model, node, at, end)
    if best is not None and best.hi == end:
        return best
    view = model.view(node, at)
    options = (
        _of_operator(model, node, at, end, view)
        if isinstance(node, OperatorRow)
        else (_of_ways(model, node, at, end, view))
    )
    return max([*([] if best is None else [best]), *options], key=lambda each: each.hi)


def _leaf(model: GroundModel, node: GroundNode, at: int, end: int) -> ProofStep | None:
    run = interval_at(model.given.get(node, ()), at)
    return None if run is None else ProofStep(at, min(run[1], end), ProofLeaf(node, *run))


def _of_ways(
    model: GroundModel, node: GroundFact | OperandRow, at: int, end: int, view: RoundView
) -> Iterator[ProofStep]:
    for way, spans in model.grounding.ways.get(node, {}).items():
        run = interval_at(model.when(way, spans, view), at)
        if run is not None:
            hi = min(run[1], end)
            goals = (ProofGoal(each, at, hi) for each in way.needs)
            yield ProofStep(at, hi, way, tuple(goals))


def _of_operator(
    model: GroundModel, moved: OperatorRow, at: int, end: int, view: RoundView
) -> Iterator[ProofStep]:
    plan = moved.plan
    there = dilate((at, at + 1), plan.rho, future=not plan.future)
    for row, lefts in model.grounding.operands.get(moved, {}).items():
        if isinstance(plan, Since):
            yield from _chains(model, row, lefts, ProofGoal(moved, at, end), view)
        elif isinstance(plan, Dilate):
            run = _latest(model, row, there, view)
            if run is not None:
                yield _reaching(plan, row, run, EVER, ProofGoal(moved, at, end))
        else:
            held = interval_at(apply_operator(plan, model.true(row, view)), at)
            if held is not None:
                hi = min(held[1], end)
                need = dilate((at, hi), plan.rho, future=not plan.future)
                yield ProofStep(at, hi, None, (ProofGoal(row, *need),))


def _latest(
    model: GroundModel, row: OperandRow, there: CellInterval, view: RoundView
) -> CellInterval | None:
    """From the latest cell among ``there`` in which an operand is true, how long it is by one way.

    It may be true longer by several.
    """
    found = intersect_sets(model.true(row, view), (there,))
    if not found:
        return None
    last = found[-1][1] - 1
    runs = [interval_at(spans, last) for spans in model.options(row, view)]
    return last, max(run[1] for run in runs if run is not None)


def _reaching(
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
    """Ways in which Since, or Until, is true: by the right side now, or chained by the left one."""
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
            run = _latest(model, psi, intersect(closed, there), view) if _has(closed, at) else None
            if run is not None:
                piece = _reaching(plan, psi, intersect(run, closed), closed, goal)
                (right,) = piece.goals
                ends = (at, right.hi - 1) if plan.future else (right.lo, piece.hi - 1)
                lo, hi = ends[0] | 1, ends[1] + (ends[1] & 1)
                left = (ProofGoal(phi, lo, hi),) if lo < hi else ()
                yield piece._replace(goals=(right, *left))


def _has(pair: CellInterval, cell: int) -> bool:
    return pair[0] <= cell < pair[1]
