"""Proofs as trees, with names in place of ids: the leaves, and the nodes above them.

A leaf is a fact that is asserted, or a match that is absent; a node above it is a fact that a rule
derives, or an operator. Each goal of a proof is explained once, where it is met first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
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
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep, TemporalProof
from r4.explain.question.group_members import group_members
from r4.explain.rendering.condition_text import ConditionWriter
from r4.explain.rendering.names import is_of_regime
from r4.explain.tick_spans import TickSpan, to_ticks
from rete.arrays.delta import NEG_INF, POS_INF
from rete.graph.plan import NonPointwise
from rete.nodes.aggregate import Aggregate
from rete.nodes.interval_ends import ToldRun
from rete.nodes.metric.diamond import Dilate
from rete.planning.operands import is_auxiliary
from rete.storage.interval_sets import CellInterval
from rete.terms.relations import TRIPLES, as_asserted


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
    return ProofTree(root, len(timing.proof.leaves), to_ticks(*timing.whole))


class ProofTreeBuilder(ABC):
    """Makes the nodes of the goals of a proof, each once, needed when the goal is."""

    def __init__(
        self,
        proof: TemporalProof,
        times: Mapping[ProofGoal, Sequence[CellInterval]],
        wording: ConditionWriter,
    ) -> None:
        """Begin; ``times``: when each step of a goal holds, or is needed."""
        self._proof = proof
        self._times = times
        self._wording = wording
        self._nodes: dict[ProofGoal, tuple[TreeNode, ...]] = {}
        self._boxes: dict[ProofGoal, int] = {}
        self._heads: dict[ProofGoal, Statement] = {}

    def built(self) -> AssertedNode | DerivedNode | ChainNode:
        """The root, with all below it."""
        order = list(self._proof.order)
        for goal in reversed(order):
            self._note_heads(goal)
        for goal in order:
            built = [
                self._nodes_of(goal, step, time)
                for step, time in zip(self._proof.steps[goal], self._times[goal], strict=True)
            ]
            self._nodes[goal] = built[0] if len(built) == 1 else (self._chain(goal, built),)
        (root,) = self._nodes[self._proof.root]
        assert isinstance(root, AssertedNode | DerivedNode | ChainNode)
        return root

    def _note_heads(self, goal: ProofGoal) -> None:
        """Note what a rule concludes for other times by a box around its head."""
        for step in self._proof.steps[goal]:
            boxes, head = self._boxes.get(goal, 0), self._heads.get(goal)
            if isinstance(step.reason, RuleInstance) and isinstance(goal.node, GroundFact):
                boxes = self._wording.head_boxes(step.reason.rule)
                head = self._wording.statement(*goal.node)
            if boxes and head is not None and len(step.goals) == 1:
                (premise,) = step.goals
                if isinstance(premise.node, OperatorRow) and isinstance(premise.node.plan, Dilate):
                    self._heads[premise], self._boxes[premise] = head, boxes - 1
                elif isinstance(goal.node, OperatorRow) and isinstance(premise.node, OperandRow):
                    self._heads[premise], self._boxes[premise] = head, boxes

    def _nodes_of(
        self, goal: ProofGoal, step: ProofStep, time: CellInterval
    ) -> tuple[TreeNode, ...]:
        node = goal.node
        if isinstance(node, OperatorRow):
            return (self._operator_node(goal, node, step, time),)
        if isinstance(step.reason, ProofLeaf):
            return (self._leaf(step),)
        assert isinstance(step.reason, RuleInstance)
        parts = self._parts(goal, step)
        if isinstance(node, OperandRow) or is_auxiliary(as_asserted(node.relation)):
            return parts
        root, wording, rule = self._proof.root, self._wording, step.reason.rule
        fact = wording.statement(as_asserted(node.relation), node.terms)
        # A gap begins with the tick after it.
        needed = replace(to_ticks(step.lo, step.hi), after=False)
        when = None if (goal.lo, goal.hi) == (root.lo, root.hi) else needed
        by = rule, wording.rule_label(rule)
        return (DerivedNode(fact, *by, parts, to_ticks(*time), when=when),)

    @abstractmethod
    def _leaf(self, step: ProofStep) -> TreeNode: ...

    def _parts(self, goal: ProofGoal, step: ProofStep) -> tuple[TreeNode, ...]:  # noqa: ARG002 - for those that mark what is repeated
        """What stands below a goal that a step proves."""
        return tuple(node for premise in step.goals for node in self._nodes[premise])

    def _operator_node(
        self, goal: ProofGoal, operator: OperatorRow, step: ProofStep, time: CellInterval
    ) -> OperatorNode:
        shown = self._operator_name(goal, operator.plan), operator.plan.distances
        return OperatorNode(*shown, self._parts(goal, step), to_ticks(*time), to_ticks(*time), None)

    def _operator_name(self, goal: ProofGoal, plan: NonPointwise) -> str:
        """Its name; over a head that of the box."""
        return plan.head_name if goal in self._heads and isinstance(plan, Dilate) else plan.name

    def _chain(self, goal: ProofGoal, built: list[tuple[TreeNode, ...]]) -> ChainNode:
        links = (
            nodes[0] if len(nodes) == 1 else StretchNode(to_ticks(step.lo, step.hi), nodes)
            for step, nodes in zip(self._proof.steps[goal], built, strict=True)
        )
        fact = self._wording.statement(*goal.node) if isinstance(goal.node, GroundFact) else None
        return ChainNode(tuple(links), to_ticks(goal.lo, goal.hi), fact)


class _TreeBuilder(ProofTreeBuilder):
    """Of a fact at an instant: a tree, in which nothing is explained twice."""

    def __init__(self, leaves: LeafBuilder, timing: ProofTimes) -> None:
        super().__init__(timing.proof, timing.steps, leaves.wording)
        self._leaves = leaves
        self._timing = timing
        self._first: dict[ProofGoal, ProofGoal] = {}
        self._levels: dict[ProofGoal, int] = {}
        self._walk()

    def _walk(self) -> None:
        """Note where each goal is met first, and below how many operators."""
        stack = [(self._proof.root, self._proof.root, 0)]
        while stack:
            goal, above, level = stack.pop()
            if goal not in self._levels:
                self._first[goal], self._levels[goal] = above, level
                level += isinstance(goal.node, OperatorRow)
                for step in reversed(self._proof.steps[goal]):
                    stack += ((each, goal, level) for each in reversed(self._in_order(step)))

    def _in_order(self, step: ProofStep) -> Sequence[ProofGoal]:
        """Of an instance those that always hold come last."""
        if not isinstance(step.reason, RuleInstance):
            return step.goals
        facts = {goal: goal.node for goal in step.goals if isinstance(goal.node, GroundFact)}
        always = {goal for goal, fact in facts.items() if self._leaves.is_for_ever(fact)}
        return sorted(step.goals, key=lambda goal: 2 * (goal in always) if goal in facts else 1)

    def _leaf(self, step: ProofStep) -> TreeNode:
        assert isinstance(step.reason, ProofLeaf)
        node = step.reason.node
        if isinstance(node, GroundFact):
            return self._leaves.leaf(step.reason, self._timing)
        assert isinstance(node, OperandRow)
        text = self._wording.of_row(node.stream.plan, node.values)
        return BuiltinNode(f"{text}; what that follows from was not kept")

    def _parts(self, goal: ProofGoal, step: ProofStep) -> tuple[TreeNode, ...]:
        found = [node for premise in self._in_order(step) for node in self._below(premise, goal)]
        if isinstance(step.reason, RuleInstance):
            found += map(BuiltinNode, self._leaves.conditions(step.reason))
            absent = step.reason.absent
            found += (self._leaves.absence(each, step.lo, self._timing) for each in absent)
        return tuple(found)

    def _below(self, premise: ProofGoal, goal: ProofGoal) -> tuple[TreeNode, ...]:
        nodes = self._nodes[premise]
        return nodes if self._first[premise] == goal else tuple(map(as_repeated, nodes))

    def _operator_node(
        self, goal: ProofGoal, operator: OperatorRow, step: ProofStep, time: CellInterval
    ) -> OperatorNode:
        plan, name, whole = operator.plan, self._operator_name(goal, operator.plan), to_ticks(*time)
        throughout = plan.throughout[0] if len(plan.throughout) == 1 else None
        if not step.goals:
            what = self._wording.about(plan, operator.values)
            when = to_ticks(step.lo, step.hi)
            return OperatorNode(name, plan.distances, (), when, whole, throughout, what=what)
        premise = step.goals[0]
        is_above = not plan.collective and any(self._first[each] != goal for each in step.goals)
        below = self._parts(goal, step)
        if throughout is None:
            below = tuple(
                StretchNode(self._span(each, premise.lo, always), self._nodes[each], always)
                for each, always in zip(step.goals, plan.throughout, strict=False)
            )
        when = self._span(premise, goal.lo, plan.throughout[0])
        event, members, state = "", None, self._leaves.state
        if isinstance(plan, Aggregate):
            members = group_members(state, self._wording, operator, goal.lo)
            when = to_ticks(goal.lo, goal.lo + 1)
        elif isinstance(description := state.description(operator), ToldRun):
            event = self._wording.event(plan, operator.values)
            lo, hi = description.run
            when = to_ticks(lo, hi if description.at_end else POS_INF)
        shown = name, plan.distances, () if is_above else below, when, whole, throughout
        return OperatorNode(
            *(*shown, self._levels[goal]),
            again=is_above,
            head=self._heads.get(goal),
            event=event,
            members=members,
        )

    def _span(self, premise: ProofGoal, seen: int, throughout: bool) -> TickSpan:  # noqa: FBT001 - as operators say
        """When a premise is true, or its whole time if needed: its ends as seen from a cell."""
        if not throughout:
            return to_ticks(*self._timing.goals[premise])
        lo, hi = premise.lo, premise.hi
        since = lo if lo <= NEG_INF else (lo + (seen & 1)) >> 1
        return TickSpan(since, hi if hi >= POS_INF else hi >> 1)


def as_repeated(node: TreeNode) -> TreeNode:
    """A node that was explained before."""
    match node:
        case DerivedNode() | OperatorNode():
            return replace(node, children=(), again=True)
        case ChainNode(children):
            return replace(node, children=tuple(map(as_repeated, children)))
    return node
