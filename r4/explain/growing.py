"""The nodes of a tree, from a proof and its times: those of a goal after those of what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from r4.explain.grounding import Leaf
from r4.explain.planting import Planter
from r4.explain.proof import Goal, Piece
from r4.explain.spans import Pair
from r4.explain.ticks import in_ticks
from r4.explain.timing import Timing
from r4.explain.tree import (
    Asserted,
    Chain,
    Concluded,
    Condition,
    Node,
    Operated,
    Span,
    Statement,
    Stretch,
    Tree,
)
from r4.explain.ways import Fact, Moved, Row, Way
from rete.delta import NEG_INF, POS_INF
from rete.explain.operators import name_of
from rete.operands import is_made
from rete.plan import Dilate, Erode, Since


def grown(planter: Planter, timing: Timing) -> Tree:
    """A justification as a tree, in which nothing is explained twice."""
    root = _Growing(planter, timing).grown()
    assert isinstance(root, Asserted | Concluded)
    return Tree(root, len(timing.proof.leaves), in_ticks(*timing.whole))


class _Growing:
    """A tree in the making."""

    def __init__(self, planter: Planter, timing: Timing) -> None:
        self._words = planter
        self._wording = planter.wording
        self._timing = timing
        self._proof = timing.proof
        self._nodes: dict[Goal, tuple[Node, ...]] = {}
        self._first: dict[Goal, Goal | None] = {self._proof.root: None}
        self._levels: dict[Goal, int] = {self._proof.root: 0}
        self._boxes: dict[Goal, int] = {}
        self._heads: dict[Goal, Statement] = {}

    def grown(self) -> Node:
        """The root, with all below it; nothing is explained twice."""
        self._walk()
        for goal in self._proof.order:
            times = self._timing.pieces[goal]
            grown = [
                self._grow(goal, piece, time)
                for piece, time in zip(self._proof.pieces[goal], times, strict=True)
            ]
            self._nodes[goal] = grown[0] if len(grown) == 1 else (self._chain(goal, grown),)
        (root,) = self._nodes[self._proof.root]
        return root

    def _walk(self) -> None:
        """Find where each goal is met first, and below how many operators."""
        root = self._proof.root
        stack = [(root, self._needs(root))]
        while stack:
            goal, needs = stack[-1]
            need = next(needs, None)
            if need is None:
                stack.pop()
            elif need not in self._first:
                self._first[need] = goal
                self._levels[need] = self._levels[goal] + isinstance(goal.node, Moved)
                stack.append((need, self._needs(need)))

    def _needs(self, goal: Goal) -> Iterator[Goal]:
        """What a goal needs, in the order in which it is shown; boxes of heads are noted."""
        for piece in self._proof.pieces[goal]:
            boxes = self._boxes.get(goal, 0)
            head = self._heads.get(goal)
            if isinstance(piece.by, Way) and isinstance(goal.node, Fact):
                boxes = self._wording.names.boxes.get(piece.by.rule, 0)
                head = self._wording.statement(*goal.node)
            for need in self._in_order(piece):
                if boxes and head is not None and len(piece.goals) == 1:
                    self._note(goal, need, boxes, head)
                yield need

    def _note(self, goal: Goal, need: Goal, boxes: int, head: Statement) -> None:
        """What a rule says of other times by a box around its head."""
        if isinstance(need.node, Moved) and isinstance(need.node.plan, Dilate):
            self._heads[need], self._boxes[need] = head, boxes - 1
        elif isinstance(goal.node, Moved) and isinstance(need.node, Row) and boxes:
            self._heads[need], self._boxes[need] = head, boxes

    def _in_order(self, piece: Piece) -> list[Goal]:
        """What always holds says less than what came, and comes after it."""

        def place(need: Goal) -> int:
            if isinstance(need.node, Fact):
                return 2 * self._words.is_for_ever(need.node)
            return 1

        return sorted(piece.goals, key=place) if isinstance(piece.by, Way) else list(piece.goals)

    def _grow(self, goal: Goal, piece: Piece, time: Pair) -> tuple[Node, ...]:
        node = goal.node
        match node:
            case Moved():
                return (self._operated(goal, node, piece, time),)
            case Row() if isinstance(piece.by, Leaf):
                text = self._wording.of_row(node.stream.plan, node.values)
                return (Condition(f"{text}; what that follows from was not kept"),)
            case Fact() if isinstance(piece.by, Leaf):
                return (self._words.leaf(piece.by, self._timing),)
        assert isinstance(piece.by, Way)
        parts = self._parts(goal, piece, piece.by)
        if isinstance(node, Row) or is_made(node.relation):
            return parts
        label = self._wording.names.labels.get(piece.by.rule, piece.by.rule)
        root = self._proof.root
        when = None if (goal.lo, goal.hi) == (root.lo, root.hi) else _needed(piece.lo, piece.hi)
        said = self._wording.statement(*node)
        return (Concluded(said, piece.by.rule, label, parts, in_ticks(*time), when=when),)

    def _parts(self, goal: Goal, piece: Piece, way: Way) -> tuple[Node, ...]:
        """What stands below an instance."""
        found = [node for need in self._in_order(piece) for node in self._below(need, goal)]
        found += map(Condition, self._words.conditions(way))
        found += (self._words.absence(each, piece.lo, self._timing) for each in way.absent)
        return tuple(found)

    def _below(self, need: Goal, goal: Goal) -> tuple[Node, ...]:
        nodes = self._nodes[need]
        return nodes if self._first[need] == goal else tuple(map(again, nodes))

    def _operated(self, goal: Goal, moved: Moved, piece: Piece, time: Pair) -> Operated:
        plan, head = moved.plan, self._heads.get(goal)
        name = name_of(plan)
        if head is not None:
            name = "BoxMinus" if plan.future else "BoxPlus"
        whole = in_ticks(*time)
        if not piece.goals:
            what = self._wording.about(plan, moved.values)
            return Operated(name, plan.rho, (), _needed(piece.lo, piece.hi), whole, what=what)
        need = piece.goals[0]
        is_above = any(self._first[each] != goal for each in piece.goals)
        below: tuple[Node, ...] = ()
        if not is_above and isinstance(plan, Since):
            right, *left = piece.goals
            below = (
                Stretch(in_ticks(*self._timing.goals[right]), self._nodes[right], throughout=False),
            )
            below += tuple(Stretch(_throughout(each, right.lo), self._nodes[each]) for each in left)
        elif not is_above:
            below = self._nodes[need]
        when = (
            _throughout(need, goal.lo)
            if isinstance(plan, Erode)
            else in_ticks(*self._timing.goals[need])
        )
        return Operated(
            name, plan.rho, below, when, whole, self._levels[goal], again=is_above, head=head
        )

    def _chain(self, goal: Goal, grown: list[tuple[Node, ...]]) -> Chain:
        """What proves a goal one after the other, each one node."""
        links: list[Node] = []
        for piece, nodes in zip(self._proof.pieces[goal], grown, strict=True):
            links.append(
                nodes[0] if len(nodes) == 1 else Stretch(_needed(piece.lo, piece.hi), nodes)
            )
        return Chain(tuple(links))


def again(node: Node) -> Node:
    """A node that was explained before."""
    match node:
        case Concluded() | Operated():
            return replace(node, because=(), again=True)
        case Chain(because):
            return Chain(tuple(map(again, because)))
    return node


def _needed(lo: int, hi: int) -> Span:
    """The time at which something is needed; a gap begins with the tick after it."""
    return replace(in_ticks(lo, hi), after=False)


def _throughout(need: Goal, goal: int) -> Span:
    """All of the time that ``need`` is about, its ends as from the cell ``goal`` it is seen."""
    lo, hi = need.lo, need.hi
    since = lo if lo <= NEG_INF else (lo + (goal & 1)) >> 1
    return Span(since, hi if hi >= POS_INF else hi >> 1)
