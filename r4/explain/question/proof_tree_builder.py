"""The leaves of trees, with names in place of ids: what is asserted, and what is absent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from r4.explain.explanation import (
    AbsenceNode,
    AssertedNode,
    AssertingElement,
    BuiltinNode,
    ChainNode,
    DerivedNode,
    FactOrigin,
    OperatorNode,
    ProofTree,
    Statement,
    StretchNode,
    TreeNode,
)
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.intervals import CellInterval
from r4.explain.justification.justifications import Justifications
from r4.explain.justification.proof_times import ProofTimes
from r4.explain.justification.rule_instances import (
    GroundFact,
    NegatedMatch,
    OperandRow,
    OperatorRow,
    RuleInstance,
    hull,
)
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep
from r4.explain.rendering.condition_text import ConditionWriter
from r4.explain.rendering.names import is_of_regime
from r4.explain.tick_spans import TickSpan, to_ticks
from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.names import metric_operator_name
from rete.planning.operands import is_auxiliary
from rete.planning.plan import TRIPLES, Dilate, Erode, Since


class LeafBuilder:
    """Makes leaves.

    Attributes:
        wording: says what ids stand for.
    """

    def __init__(
        self,
        ground: InstantState,
        wording: ConditionWriter,
        justified: Justifications,
        dropped: Collection[int] = (),
    ) -> None:
        """Begin.

        Args:
            ground: the state.
            wording: says what ids stand for.
            justified: says what asserts the facts.
            dropped: rules that are there no longer.
        """
        self._ground = ground
        self.wording = wording
        self._justified = justified
        self._dropped = dropped

    def leaf(self, leaf: ProofLeaf, timing: ProofTimes) -> AssertedNode:
        """A fact that is asserted, by the elements that are needed; or counts as that."""
        fact = leaf.node
        assert isinstance(fact, GroundFact)
        held = sorted(timing.used[leaf], key=lambda each: (each.lo, each.hi, each.name))
        lo, hi = hull(held) if held else (leaf.lo, leaf.hi)
        said = self.wording.statement(*fact)
        rules = [-each.name for each in held if each.name < 0]
        if not held:
            rules = list(self._justified.unkept.get(fact, ()))
            gone = bool(rules) and all(rule in self._dropped for rule in rules)
            origin = FactOrigin.DROPPED if gone else FactOrigin.UNKEPT
            origin = FactOrigin.CUT if fact in self._justified.cut else origin
        elif rules:
            origin = FactOrigin.RULES
        elif lo == NEG_INF:
            origin = FactOrigin.STATIC
        else:
            origin = FactOrigin.STREAM if any(each.name for each in held) else FactOrigin.LATER
        elements = (
            AssertingElement(self.wording.element(each.name), to_ticks(each.lo, each.hi))
            for each in held
            if origin is FactOrigin.STREAM
        )
        return AssertedNode(
            said,
            origin,
            tuple(elements),
            to_ticks(lo, hi),
            min(rules, default=0),
            self._same(fact),
            timing.ends.get(leaf),
        )

    def absence(self, absent: NegatedMatch, cell: int, timing: ProofTimes) -> AbsenceNode:
        """What must be absent at a cell."""
        span = to_ticks(*timing.absent(absent, cell))
        return AbsenceNode(self.wording.absent(absent), span, timing.ends.get((absent, cell)))

    def is_for_ever(self, fact: GroundFact) -> bool:
        """What always holds says less than what came, and comes after it."""
        return any(each.lo == NEG_INF for each in self._justified.held.get(fact, ()))

    def conditions(self, way: RuleInstance) -> Iterable[str]:
        """Built-ins with their values; regimes test what nobody doubts."""
        if is_of_regime(self.wording.names.labels.get(way.rule, 0)):
            return ()
        return dict.fromkeys(filter(None, map(self.wording.tested, way.tested)))

    def _same(self, fact: GroundFact) -> tuple[tuple[str, str], ...]:
        """The other names of the terms of a fact that stands for all that are the same."""
        if fact.relation != TRIPLES:
            return ()
        others = self._ground.same(fact.terms)
        decode = self.wording.text
        return tuple((decode(one), decode(other)) for one, other in others)


def build_tree(planter: LeafBuilder, timing: ProofTimes) -> ProofTree:
    """A justification as a tree, in which nothing is explained twice."""
    root = _TreeBuilder(planter, timing).grown()
    assert isinstance(root, AssertedNode | DerivedNode)
    return ProofTree(root, len(timing.proof.leaves), to_ticks(*timing.whole))


class _TreeBuilder:
    """A tree in the making."""

    def __init__(self, planter: LeafBuilder, timing: ProofTimes) -> None:
        self._words = planter
        self._wording = planter.wording
        self._timing = timing
        self._proof = timing.proof
        self._nodes: dict[ProofGoal, tuple[TreeNode, ...]] = {}
        self._first: dict[ProofGoal, ProofGoal | None] = {self._proof.root: None}
        self._levels: dict[ProofGoal, int] = {self._proof.root: 0}
        self._boxes: dict[ProofGoal, int] = {}
        self._heads: dict[ProofGoal, Statement] = {}

    def grown(self) -> TreeNode:
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
                self._levels[need] = self._levels[goal] + isinstance(goal.node, OperatorRow)
                stack.append((need, self._needs(need)))

    def _needs(self, goal: ProofGoal) -> Iterator[ProofGoal]:
        """What a goal needs, in the order in which it is shown; boxes of heads are noted."""
        for piece in self._proof.pieces[goal]:
            boxes = self._boxes.get(goal, 0)
            head = self._heads.get(goal)
            if isinstance(piece.by, RuleInstance) and isinstance(goal.node, GroundFact):
                boxes = self._wording.names.boxes.get(piece.by.rule, 0)
                head = self._wording.statement(*goal.node)
            for need in self._in_order(piece):
                if boxes and head is not None and len(piece.goals) == 1:
                    self._note(goal, need, boxes, head)
                yield need

    def _note(self, goal: ProofGoal, need: ProofGoal, boxes: int, head: Statement) -> None:
        """What a rule says of other times by a box around its head."""
        if isinstance(need.node, OperatorRow) and isinstance(need.node.plan, Dilate):
            self._heads[need], self._boxes[need] = head, boxes - 1
        elif isinstance(goal.node, OperatorRow) and isinstance(need.node, OperandRow) and boxes:
            self._heads[need], self._boxes[need] = head, boxes

    def _in_order(self, piece: ProofStep) -> list[ProofGoal]:
        """What always holds says less than what came, and comes after it."""

        def place(need: ProofGoal) -> int:
            if isinstance(need.node, GroundFact):
                return 2 * self._words.is_for_ever(need.node)
            return 1

        return (
            sorted(piece.goals, key=place)
            if isinstance(piece.by, RuleInstance)
            else list(piece.goals)
        )

    def _grow(self, goal: ProofGoal, piece: ProofStep, time: CellInterval) -> tuple[TreeNode, ...]:
        node = goal.node
        match node:
            case OperatorRow():
                return (self._operated(goal, node, piece, time),)
            case OperandRow() if isinstance(piece.by, ProofLeaf):
                text = self._wording.of_row(node.stream.plan, node.values)
                return (BuiltinNode(f"{text}; what that follows from was not kept"),)
            case GroundFact() if isinstance(piece.by, ProofLeaf):
                return (self._words.leaf(piece.by, self._timing),)
        assert isinstance(piece.by, RuleInstance)
        parts = self._parts(goal, piece, piece.by)
        if isinstance(node, OperandRow) or is_auxiliary(node.relation):
            return parts
        label = self._wording.names.labels.get(piece.by.rule, piece.by.rule)
        root = self._proof.root
        when = None if (goal.lo, goal.hi) == (root.lo, root.hi) else _needed(piece.lo, piece.hi)
        said = self._wording.statement(*node)
        return (DerivedNode(said, piece.by.rule, label, parts, to_ticks(*time), when=when),)

    def _parts(self, goal: ProofGoal, piece: ProofStep, way: RuleInstance) -> tuple[TreeNode, ...]:
        """What stands below an instance."""
        found = [node for need in self._in_order(piece) for node in self._below(need, goal)]
        found += map(BuiltinNode, self._words.conditions(way))
        found += (self._words.absence(each, piece.lo, self._timing) for each in way.absent)
        return tuple(found)

    def _below(self, need: ProofGoal, goal: ProofGoal) -> tuple[TreeNode, ...]:
        nodes = self._nodes[need]
        return nodes if self._first[need] == goal else tuple(map(as_repeated, nodes))

    def _operated(
        self, goal: ProofGoal, moved: OperatorRow, piece: ProofStep, time: CellInterval
    ) -> OperatorNode:
        plan, head = moved.plan, self._heads.get(goal)
        name = metric_operator_name(plan)
        if head is not None:
            name = "BoxMinus" if plan.future else "BoxPlus"
        whole = to_ticks(*time)
        if not piece.goals:
            what = self._wording.about(plan, moved.values)
            return OperatorNode(name, plan.rho, (), _needed(piece.lo, piece.hi), whole, what=what)
        need = piece.goals[0]
        is_above = any(self._first[each] != goal for each in piece.goals)
        below: tuple[TreeNode, ...] = ()
        if not is_above and isinstance(plan, Since):
            right, *left = piece.goals
            below = (
                StretchNode(
                    to_ticks(*self._timing.goals[right]), self._nodes[right], throughout=False
                ),
            )
            below += tuple(
                StretchNode(_throughout(each, right.lo), self._nodes[each]) for each in left
            )
        elif not is_above:
            below = self._nodes[need]
        when = (
            _throughout(need, goal.lo)
            if isinstance(plan, Erode)
            else to_ticks(*self._timing.goals[need])
        )
        return OperatorNode(
            name, plan.rho, below, when, whole, self._levels[goal], again=is_above, head=head
        )

    def _chain(self, goal: ProofGoal, grown: list[tuple[TreeNode, ...]]) -> ChainNode:
        """What proves a goal one after the other, each one node."""
        links: list[TreeNode] = []
        for piece, nodes in zip(self._proof.pieces[goal], grown, strict=True):
            links.append(
                nodes[0] if len(nodes) == 1 else StretchNode(_needed(piece.lo, piece.hi), nodes)
            )
        return ChainNode(tuple(links))


def as_repeated(node: TreeNode) -> TreeNode:
    """A node that was explained before."""
    match node:
        case DerivedNode() | OperatorNode():
            return replace(node, children=(), again=True)
        case ChainNode(children):
            return ChainNode(tuple(map(as_repeated, children)))
    return node


def _needed(lo: int, hi: int) -> TickSpan:
    """The time at which something is needed; a gap begins with the tick after it."""
    return replace(to_ticks(lo, hi), after=False)


def _throughout(need: ProofGoal, goal: int) -> TickSpan:
    """All of the time that ``need`` is about, its ends as from the cell ``goal`` it is seen."""
    lo, hi = need.lo, need.hi
    since = lo if lo <= NEG_INF else (lo + (goal & 1)) >> 1
    return TickSpan(since, hi if hi >= POS_INF else hi >> 1)
