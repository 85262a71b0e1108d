"""Explanations as values: proofs as trees of facts and operators, each with its cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from r4.explain.datalog_mtl.notation_writer import NotationWriter
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.rule_instances import GroundFact, OperatorRow, RuleInstance
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep, TemporalProof
from r4.explain.lacks import Lacks
from rete.storage.interval_sets import CellInterval, IntervalSet, coalesce
from temporal.mtl.ast import PredicateKey


class NodeKind(Enum):
    """What a node of a proof is."""

    DERIVED = "derived"
    """A fact that a rule derives."""
    DATA = "data"
    """A fact of the data."""
    OPERATOR = "operator"
    """A metric operator of a body, or a box over a head."""
    PARTS = "parts"
    """A fact, or what an operator is about, that follows in several parts of its time."""
    TOP = "top"
    """What always holds."""


@dataclass(frozen=True, slots=True, eq=False)
class ProofNode:
    """A node; one that several others need is one object.

    Attributes:
        text: the fact, the operator, or nothing.
        when: the cells in which it is needed.
        rule: the number of the rule that derives it; 0: none does.
        datum: of data the cells of the fact in the data.
        changed: of data how an update changes them: see `NotationWriter.change`.
        children: what it follows from.
    """

    kind: NodeKind
    text: str
    when: CellInterval
    children: tuple[ProofNode, ...] = ()
    rule: int = 0
    datum: CellInterval | None = None
    changed: str = ""


@dataclass(frozen=True, slots=True)
class DataUse:
    """A fact of the data.

    Attributes:
        text: the fact.
        datum: its cells in the data.
        used: the cells that a proof uses; all of them if there is no proof.
        changed: those of them that the other side of an update has not.
    """

    text: str
    datum: CellInterval
    used: IntervalSet
    changed: IntervalSet = ()


def build_proof(proof: TemporalProof, writer: NotationWriter) -> ProofNode:
    """The root of a proof, with all below it."""
    return _ProofBuilder(proof, writer).root


def data_of(proof: TemporalProof, writer: NotationWriter) -> tuple[DataUse, ...]:
    """The data of a proof, by their text."""
    used: dict[ProofLeaf, list[CellInterval]] = defaultdict(list)
    for steps in proof.steps.values():
        for step in steps:
            if isinstance(step.reason, ProofLeaf):
                used[step.reason].append((step.lo, step.hi))
    found: list[DataUse] = []
    for leaf, cells in used.items():
        assert isinstance(leaf.node, GroundFact)
        text = writer.fact(*leaf.node)
        changed = coalesce(each for each in cells if writer.change_of(*leaf.node, each))
        found.append(DataUse(text, (leaf.lo, leaf.hi), tuple(coalesce(cells)), tuple(changed)))
    return tuple(sorted(found, key=lambda each: (each.text, each.datum)))


def nodes_of(root: ProofNode) -> Iterator[ProofNode]:
    """All nodes, each once, from the root on."""
    stack, seen = [root], {id(root)}
    while stack:
        node = stack.pop()
        yield node
        for each in reversed(node.children):
            if id(each) not in seen:
                seen.add(id(each))
                stack.append(each)


class _ProofBuilder:
    """Makes the nodes of the goals of a proof, each once."""

    def __init__(self, proof: TemporalProof, writer: NotationWriter) -> None:
        self._proof = proof
        self._writer = writer
        self._boxes: dict[ProofGoal, int] = {}
        self._nodes: dict[ProofGoal, tuple[ProofNode, ...]] = {}
        order = list(proof.order)
        for goal in reversed(order):
            self._note_boxes(goal)
        for goal in order:
            parts = [self._of_step(goal, step) for step in proof.steps[goal]]
            self._nodes[goal] = parts[0] if len(parts) == 1 else (self._parts(goal, parts),)
        (self.root,) = self._nodes[proof.root]

    def _note_boxes(self, goal: ProofGoal) -> None:
        """Note which operators are boxes over the head of a rule."""
        for step in self._proof.steps[goal]:
            boxes = self._boxes.get(goal, 0)
            if isinstance(goal.node, GroundFact) and isinstance(step.reason, RuleInstance):
                boxes = self._writer.boxes(step.reason.rule)
            elif isinstance(goal.node, OperatorRow):
                boxes -= 1
            if boxes > 0 and len(step.goals) == 1:
                self._boxes[step.goals[0]] = boxes

    def _of_step(self, goal: ProofGoal, step: ProofStep) -> tuple[ProofNode, ...]:
        node, when = goal.node, (step.lo, step.hi)
        if isinstance(step.reason, ProofLeaf):
            assert isinstance(node, GroundFact)
            datum = step.reason.lo, step.reason.hi
            text, changed = self._writer.fact(*node), self._writer.change_of(*node, when)
            return (ProofNode(NodeKind.DATA, text, when, datum=datum, changed=changed),)
        below = tuple(each for premise in step.goals for each in self._nodes[premise])
        match node:
            case GroundFact():
                assert isinstance(step.reason, RuleInstance)
                text, rule = self._writer.fact(*node), self._writer.number(step.reason.rule)
                return (ProofNode(NodeKind.DERIVED, text, when, below, rule),)
            case OperatorRow():
                text = self._writer.operator(node.plan, is_head=goal in self._boxes)
                return (ProofNode(NodeKind.OPERATOR, text, when, below),)
        return below or (ProofNode(NodeKind.TOP, "TOP", when),)

    def _parts(self, goal: ProofGoal, parts: list[tuple[ProofNode, ...]]) -> ProofNode:
        text = self._writer.fact(*goal.node) if isinstance(goal.node, GroundFact) else ""
        links: list[ProofNode] = []
        for step, nodes in zip(self._proof.steps[goal], parts, strict=True):
            whole = ProofNode(NodeKind.PARTS, "", (step.lo, step.hi), nodes)
            links.append(nodes[0] if len(nodes) == 1 else whole)
        return ProofNode(NodeKind.PARTS, text, (goal.lo, goal.hi), tuple(links))


@dataclass(frozen=True, slots=True)
class IntervalQuestion:
    """A fact, by the ids of its arguments, and the cells in which it is explained."""

    key: PredicateKey
    terms: tuple[int, ...]
    when: CellInterval


@dataclass(frozen=True, slots=True)
class DataProof:
    """A minimal set of data that entail the fact in all of its interval, and a proof.

    Attributes:
        data: the facts of the data; of each what the proof uses.
        root: the proof; None: none was found within the bound.
        when: the cells that the proof is about. Shifted by ``shift`` they are those of the
            question, or of the part of it that is shown.
        shift: ticks; 0: the proof is about the fact where it is.
    """

    data: tuple[DataUse, ...]
    root: ProofNode | None
    when: CellInterval
    shift: int = 0

    @property
    def is_changed(self) -> bool:
        """Whether it rests on data that the other side of an update has not."""
        return any(each.changed for each in self.data)


@dataclass(frozen=True, slots=True)
class ModelExplanation:
    """Why a fact holds in an interval; or in which part of it, and what rules lack elsewhere.

    Attributes:
        question: the fact and the interval.
        holds: whether it holds in all of it.
        held: where it holds in the interval, in cells; of a long one as far as ``shown``.
        shown: the cells that were looked at for ``held``.
        proofs: its justifications, smallest first; before them those that an update changed.
        complete: whether there are no others.
        missing_at: a cell in which it does not hold; None: it holds.
        missing: what rules lack there that could derive it.
        taken: its justifications there before an update, which took them away.
    """

    question: IntervalQuestion
    holds: bool
    held: IntervalSet = ()
    shown: CellInterval = (0, 0)
    proofs: tuple[DataProof, ...] = ()
    complete: bool = True
    missing_at: int | None = None
    missing: Lacks = field(default_factory=Lacks)
    taken: tuple[DataProof, ...] = ()
