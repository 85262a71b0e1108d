"""A proof through time: what makes a fact true at an instant, an operand throughout an interval.

Goals are proved piece by piece: from its first cell on by what makes it true the longest, then
where that ends by another. Of a diamond the witness is the latest that there is, of Since the
latest right side: they keep it true the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from r4.explain.grounding import Leaf
from r4.explain.model import Model, View
from r4.explain.spans import EVER, Pair, closure, dilated, meet, met, operated, run_at
from r4.explain.ways import Fact, Moved, Node, Row, Way
from rete.plan import Dilate, Since


class Goal(NamedTuple):
    """That something is true in all cells from ``lo`` on, before ``hi``."""

    node: Node
    lo: int
    hi: int


class Piece(NamedTuple):
    """What proves part of a goal.

    Attributes:
        lo, hi: that part.
        by: a leaf, or an instance; None: the operator that the goal is about.
        goals: what must be proved for that; of Since that of the right side, then, if there is
            something between, that of the left one.
    """

    lo: int
    hi: int
    by: Leaf | Way | None
    goals: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof of a goal.

    Attributes:
        root: it.
        pieces: per goal what proves it, in order of time; no goal is needed for its own.
    """

    root: Goal
    pieces: Mapping[Goal, tuple[Piece, ...]]

    @property
    def leaves(self) -> frozenset[Leaf]:
        """What it rests on."""
        every = (piece.by for pieces in self.pieces.values() for piece in pieces)
        return frozenset(by for by in every if isinstance(by, Leaf))

    @property
    def order(self) -> Iterator[Goal]:
        """Each goal once, after those it needs."""
        stack, seen = [self.root], set[Goal]()
        done: set[Goal] = set()
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


def instant(node: Node, cell: int) -> Goal:
    """That something is true at an instant."""
    return Goal(node, cell, cell + 1)


def at_once(root: Fact, cell: int, ways: Mapping[Fact, Way], leaves: Mapping[Fact, Leaf]) -> Proof:
    """A proof at one instant, from an instance per fact that is no leaf."""
    pieces: dict[Goal, tuple[Piece, ...]] = {}
    for fact in (root, *ways, *leaves):
        way = ways.get(fact)
        goals = () if way is None else tuple(instant(each, cell) for each in way.body)
        by: Leaf | Way = leaves[fact] if way is None else way
        pieces[instant(fact, cell)] = (Piece(cell, cell + 1, by, goals),)
    return Proof(instant(root, cell), pieces)


def prove(model: Model, root: Goal) -> Proof:
    """A proof of ``root``, which is true in ``model``."""
    pieces: dict[Goal, tuple[Piece, ...]] = {}
    waiting = [root]
    while waiting:
        goal = waiting.pop()
        if goal not in pieces:
            pieces[goal] = tuple(_pieces(model, goal))
            waiting += (each for piece in pieces[goal] for each in piece.goals)
    return Proof(root, pieces)


def _pieces(model: Model, goal: Goal) -> Iterator[Piece]:
    at = goal.lo
    while at < goal.hi:
        piece = _longest(model, goal.node, at, goal.hi)
        yield piece
        at = piece.hi


def _longest(model: Model, node: Node, at: int, end: int) -> Piece:
    """What makes ``node`` true at a cell, and from there on the longest."""
    best = _leaf(model, node, at, end)
    if best is not None and best.hi == end:
        return best
    view = model.view(node, at)
    options = (
        _of_operator(model, node, at, end, view)
        if isinstance(node, Moved)
        else (_of_ways(model, node, at, end, view))
    )
    return max([*([] if best is None else [best]), *options], key=lambda each: each.hi)


def _leaf(model: Model, node: Node, at: int, end: int) -> Piece | None:
    run = run_at(model.given.get(node, ()), at)
    return None if run is None else Piece(at, min(run[1], end), Leaf(node, *run))


def _of_ways(model: Model, node: Fact | Row, at: int, end: int, view: View) -> Iterator[Piece]:
    for way, spans in model.grounding.ways.get(node, {}).items():
        run = run_at(model.when(way, spans, view), at)
        if run is not None:
            hi = min(run[1], end)
            goals = (Goal(each, at, hi) for each in way.needs)
            yield Piece(at, hi, way, tuple(goals))


def _of_operator(model: Model, moved: Moved, at: int, end: int, view: View) -> Iterator[Piece]:
    plan = moved.plan
    there = dilated((at, at + 1), plan.rho, future=not plan.future)
    for row, lefts in model.grounding.operands.get(moved, {}).items():
        if isinstance(plan, Since):
            yield from _chains(model, row, lefts, Goal(moved, at, end), view)
        elif isinstance(plan, Dilate):
            run = _latest(model, row, there, view)
            if run is not None:
                yield _reaching(plan, row, run, EVER, Goal(moved, at, end))
        else:
            held = run_at(operated(plan, model.true(row, view)), at)
            if held is not None:
                hi = min(held[1], end)
                need = dilated((at, hi), plan.rho, future=not plan.future)
                yield Piece(at, hi, None, (Goal(row, *need),))


def _latest(model: Model, row: Row, there: Pair, view: View) -> Pair | None:
    """From the latest cell among ``there`` in which an operand is true, how long it is by one way.

    It may be true longer by several.
    """
    found = met(model.true(row, view), (there,))
    if not found:
        return None
    last = found[-1][1] - 1
    runs = [run_at(spans, last) for spans in model.options(row, view)]
    return last, max(run[1] for run in runs if run is not None)


def _reaching(plan: Dilate | Since, row: Row, run: Pair, within: Pair, goal: Goal) -> Piece:
    """What a witness makes true of ``goal``: from its first cell on, within an interval.

    Its first cell alone, if that is enough; else all of it that reaches the goal.
    """
    first = run[0], run[0] + 1
    alone = meet(dilated(first, plan.rho, future=plan.future), within)[1] >= goal.hi
    used = first if alone else run
    hi = min(dilated(used, plan.rho, future=plan.future)[1], within[1], goal.hi)
    need = meet(used, dilated((goal.lo, hi), plan.rho, future=not plan.future))
    return Piece(goal.lo, hi, None, (Goal(row, *need),))


def _chains(
    model: Model, psi: Row, lefts: Iterable[Row], goal: Goal, view: View
) -> Iterator[Piece]:
    """Ways in which Since, or Until, is true: by the right side now, or chained by the left one."""
    assert isinstance(goal.node, Moved)
    at, plan = goal.lo, goal.node.plan
    assert isinstance(plan, Since)
    if plan.rho[0] == 0:
        run = _latest(model, psi, (at, at + 1), view)
        if run is not None:
            hi = min(run[1], goal.hi)
            yield Piece(at, hi, None, (Goal(psi, at, hi),))
    there = dilated((at, at + 1), plan.rho, future=not plan.future)
    for phi in lefts:
        for held in model.true(phi, view):
            closed = closure(held)
            run = _latest(model, psi, meet(closed, there), view) if _has(closed, at) else None
            if run is not None:
                piece = _reaching(plan, psi, meet(run, closed), closed, goal)
                (right,) = piece.goals
                ends = (at, right.hi - 1) if plan.future else (right.lo, piece.hi - 1)
                lo, hi = ends[0] | 1, ends[1] + (ends[1] & 1)
                left = (Goal(phi, lo, hi),) if lo < hi else ()
                yield piece._replace(goals=(right, *left))


def _has(pair: Pair, cell: int) -> bool:
    return pair[0] <= cell < pair[1]
