"""Proofs as trees, with names in place of ids: the leaves, and the nodes above them.

A leaf is a fact that is asserted, or a match that is absent; a node above it is a fact that a rule
derives, or an operator. Each goal of a proof is explained once, where it is met first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

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
from rete.nodes.metric.diamond import Dilate
from rete.planning.operands import is_auxiliary
from rete.storage.interval_sets import CellInterval
from rete.terms.relations import TRIPLES


@dataclass(frozen=True, slots=True)
class LeafBuilder:
    """Makes the leaves of trees; the rules that are ``dropped`` are there no longer."""

    state: InstantState
    wording: ConditionWriter
    justified: Justifications
    dropped: Collection[int]

    def leaf(self, leaf: ProofLeaf, timing: ProofTimes) -> AssertedNode:
        """A fact that is asserted, by the elements that are needed; or that counts as asserted."""
        fact = leaf.node
        assert isinstance(fact, GroundFact)
        assertions = sorted(timing.used[leaf], key=lambda each: (each.lo, each.hi, each.name))
        lo, hi = hull(assertions) if assertions else (leaf.lo, leaf.hi)
        statement = self.wording.statement(*fact)
        rules = [-each.name for each in assertions if each.name < 0]
        if not assertions:
            rules = list(self.justified.unkept.get(fact, ()))
            gone = bool(rules) and all(rule in self.dropped for rule in rules)
            origin = FactOrigin.DROPPED if gone else FactOrigin.UNKEPT
            origin = FactOrigin.TRUNCATED if fact in self.justified.truncated else origin
        elif rules:
            origin = FactOrigin.RULES
        elif lo == NEG_INF:
            origin = FactOrigin.STATIC
        else:
            named = any(each.name for each in assertions)
            origin = FactOrigin.STREAM if named else FactOrigin.LATER
        elements = (
            AssertingElement(self.wording.element(each.name), to_ticks(each.lo, each.hi))
            for each in assertions
            if origin is FactOrigin.STREAM
        )
        return AssertedNode(
            statement,
            origin,
            tuple(elements),
            to_ticks(lo, hi),
            min(rules, default=0),
            self._same(fact),
            timing.ends.get(leaf),
        )

    def absence(self, absent: NegatedMatch, cell: int, timing: ProofTimes) -> AbsenceNode:
        """A match that must be absent at a cell."""
        span = to_ticks(*timing.absent(absent, cell))
        return AbsenceNode(self.wording.absent(absent), span, timing.ends.get((absent, cell)))

    def is_for_ever(self, fact: GroundFact) -> bool:
        """Whether a fact always holds: it tells less than what came, and is shown after it."""
        return any(each.lo == NEG_INF for each in self.justified.assertions.get(fact, ()))

    def conditions(self, instance: RuleInstance) -> Iterable[str]:
        """Built-ins with their values; not those of entailment regimes, which nobody doubts."""
        if is_of_regime(self.wording.names.labels.get(instance.rule, 0)):
            return ()
        return dict.fromkeys(filter(None, map(self.wording.builtin, instance.builtins)))

    def _same(self, fact: GroundFact) -> tuple[tuple[str, str], ...]:
        """Pairs of terms of a fact and others that are equal to them at all times."""
        if fact.relation != TRIPLES:
            return ()
        others = self.state.same(fact.terms)
        decode = self.wording.text
        return tuple((decode(one), decode(other)) for one, other in others)


def build_tree(leaves: LeafBuilder, timing: ProofTimes) -> ProofTree:
    """A justification as a tree, in which nothing is explained twice."""
    root = _TreeBuilder(leaves, timing).built()
    assert isinstance(root, AssertedNode | DerivedNode)
    return ProofTree(root, len(timing.proof.leaves), to_ticks(*timing.whole))


class _TreeBuilder:
    """A tree while it is built."""

    def __init__(self, leaves: LeafBuilder, timing: ProofTimes) -> None:
        self._leaves = leaves
        self._wording = leaves.wording
        self._timing = timing
        self._proof = timing.proof
        self._nodes: dict[ProofGoal, tuple[TreeNode, ...]] = {}
        self._first: dict[ProofGoal, ProofGoal | None] = {self._proof.root: None}
        self._levels: dict[ProofGoal, int] = {self._proof.root: 0}
        self._boxes: dict[ProofGoal, int] = {}
        self._heads: dict[ProofGoal, Statement] = {}

    def built(self) -> TreeNode:
        """The root, with all below it; nothing is explained twice."""
        self._walk()
        for goal in self._proof.order:
            times = self._timing.steps[goal]
            built = [
                self._nodes_of(goal, step, time)
                for step, time in zip(self._proof.steps[goal], times, strict=True)
            ]
            self._nodes[goal] = built[0] if len(built) == 1 else (self._chain(goal, built),)
        (root,) = self._nodes[self._proof.root]
        return root

    def _walk(self) -> None:
        """Note where each goal is met first, and below how many operators."""
        root = self._proof.root
        stack = [(root, self._premises(root))]
        while stack:
            goal, premises = stack[-1]
            premise = next(premises, None)
            if premise is None:
                stack.pop()
            elif premise not in self._first:
                self._first[premise] = goal
                self._levels[premise] = self._levels[goal] + isinstance(goal.node, OperatorRow)
                stack.append((premise, self._premises(premise)))

    def _premises(self, goal: ProofGoal) -> Iterator[ProofGoal]:
        """What a goal needs, in the order in which it is shown; notes boxes of heads."""
        for step in self._proof.steps[goal]:
            boxes = self._boxes.get(goal, 0)
            head = self._heads.get(goal)
            if isinstance(step.reason, RuleInstance) and isinstance(goal.node, GroundFact):
                boxes = self._wording.names.boxes.get(step.reason.rule, 0)
                head = self._wording.statement(*goal.node)
            for premise in self._in_order(step):
                if boxes and head is not None and len(step.goals) == 1:
                    self._note(goal, premise, boxes, head)
                yield premise

    def _note(self, goal: ProofGoal, premise: ProofGoal, boxes: int, head: Statement) -> None:
        """Note what a rule concludes for other times by a box around its head."""
        if isinstance(premise.node, OperatorRow) and isinstance(premise.node.plan, Dilate):
            self._heads[premise], self._boxes[premise] = head, boxes - 1
        elif isinstance(goal.node, OperatorRow) and isinstance(premise.node, OperandRow) and boxes:
            self._heads[premise], self._boxes[premise] = head, boxes

    def _in_order(self, step: ProofStep) -> list[ProofGoal]:
        """The goals of a step as they are shown: of an instance those that always hold last."""
        if not isinstance(step.reason, RuleInstance):
            return list(step.goals)
        facts = {goal: goal.node for goal in step.goals if isinstance(goal.node, GroundFact)}
        always = {goal for goal, fact in facts.items() if self._leaves.is_for_ever(fact)}
        return sorted(step.goals, key=lambda goal: 2 * (goal in always) if goal in facts else 1)

    def _nodes_of(
        self, goal: ProofGoal, step: ProofStep, time: CellInterval
    ) -> tuple[TreeNode, ...]:
        node = goal.node
        match node:
            case OperatorRow():
                return (self._operator_node(goal, node, step, time),)
            case OperandRow() if isinstance(step.reason, ProofLeaf):
                text = self._wording.of_row(node.stream.plan, node.values)
                return (BuiltinNode(f"{text}; what that follows from was not kept"),)
            case GroundFact() if isinstance(step.reason, ProofLeaf):
                return (self._leaves.leaf(step.reason, self._timing),)
        assert isinstance(step.reason, RuleInstance)
        parts = self._parts(goal, step, step.reason)
        if isinstance(node, OperandRow) or is_auxiliary(node.relation):
            return parts
        label = self._wording.names.labels.get(step.reason.rule, step.reason.rule)
        root = self._proof.root
        when = None if (goal.lo, goal.hi) == (root.lo, root.hi) else _needed_span(step.lo, step.hi)
        statement = self._wording.statement(*node)
        return (DerivedNode(statement, step.reason.rule, label, parts, to_ticks(*time), when=when),)

    def _parts(
        self, goal: ProofGoal, step: ProofStep, instance: RuleInstance
    ) -> tuple[TreeNode, ...]:
        found = [node for premise in self._in_order(step) for node in self._below(premise, goal)]
        found += map(BuiltinNode, self._leaves.conditions(instance))
        found += (self._leaves.absence(each, step.lo, self._timing) for each in instance.absent)
        return tuple(found)

    def _below(self, premise: ProofGoal, goal: ProofGoal) -> tuple[TreeNode, ...]:
        nodes = self._nodes[premise]
        return nodes if self._first[premise] == goal else tuple(map(as_repeated, nodes))

    def _operator_node(
        self, goal: ProofGoal, operator: OperatorRow, step: ProofStep, time: CellInterval
    ) -> OperatorNode:
        plan, head, whole = operator.plan, self._heads.get(goal), to_ticks(*time)
        name = plan.name if head is None or not isinstance(plan, Dilate) else plan.head_name
        throughout = plan.throughout[0] if len(plan.throughout) == 1 else None
        if not step.goals:
            what = self._wording.about(plan, operator.values)
            when = _needed_span(step.lo, step.hi)
            return OperatorNode(name, plan.distances, (), when, whole, throughout, what=what)
        premise = step.goals[0]
        is_above = not plan.collective and any(self._first[each] != goal for each in step.goals)
        below = [node for each in step.goals for node in self._below(each, goal)]
        if throughout is None:
            below = [
                StretchNode(self._span(each, premise.lo, always), self._nodes[each], always)
                for each, always in zip(step.goals, plan.throughout, strict=False)
            ]
        when = self._span(premise, goal.lo, plan.throughout[0])
        shown = name, plan.distances, () if is_above else tuple(below), when, whole, throughout
        return OperatorNode(*shown, self._levels[goal], again=is_above, head=head)

    def _span(self, premise: ProofGoal, seen: int, throughout: bool) -> TickSpan:  # noqa: FBT001 - as operators say
        """When a premise is true, or its whole time if it is needed throughout."""
        if throughout:
            return _whole_span(premise, seen)
        return to_ticks(*self._timing.goals[premise])

    def _chain(self, goal: ProofGoal, built: list[tuple[TreeNode, ...]]) -> ChainNode:
        links: list[TreeNode] = []
        for step, nodes in zip(self._proof.steps[goal], built, strict=True):
            links.append(
                nodes[0] if len(nodes) == 1 else StretchNode(_needed_span(step.lo, step.hi), nodes)
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


def _needed_span(lo: int, hi: int) -> TickSpan:
    """The time at which something is needed; a gap begins with the tick after it."""
    return replace(to_ticks(lo, hi), after=False)


def _whole_span(premise: ProofGoal, goal: int) -> TickSpan:
    """The whole time of ``need``, its ends as seen from the cell ``goal``."""
    lo, hi = premise.lo, premise.hi
    since = lo if lo <= NEG_INF else (lo + (goal & 1)) >> 1
    return TickSpan(since, hi if hi >= POS_INF else hi >> 1)
