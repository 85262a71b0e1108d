"""Explanations of facts of a model as values: minimal sets of data, each with a proof."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from r4.explain.datalog_mtl.notation_writer import MetricConditionWriter, NotationWriter
from r4.explain.explanation import (
    AssertedNode,
    AssertingElement,
    BuiltinNode,
    DerivedNode,
    FactOrigin,
    ProofTree,
    Statement,
    TreeNode,
)
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.rule_instances import GroundFact, OperandRow, RuleInstance
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep, TemporalProof
from r4.explain.lacks import Lacks
from r4.explain.question.proof_tree_builder import ProofTreeBuilder
from r4.explain.tick_spans import to_ticks
from rete.storage.interval_sets import CellInterval, IntervalSet, coalesce
from rete.terms.relations import Relation
from temporal.mtl.ast import PredicateKey

TOP: Final = Statement(Relation("TOP", 0), ())
"""What always holds."""


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


def build_proof(proof: TemporalProof, writer: NotationWriter) -> ProofTree:
    """A proof as a tree; a node that several others need is one object."""
    root = _DataTreeBuilder(proof, writer).built()
    return ProofTree(root, len(proof.leaves), to_ticks(proof.root.lo, proof.root.hi))


def data_of(tree: ProofTree, writer: NotationWriter) -> tuple[DataUse, ...]:
    """The data of a proof, by their text."""
    used: dict[tuple[str, CellInterval], list[AssertedNode]] = defaultdict(list)
    for node in tree.nodes:
        if isinstance(node, AssertedNode) and node.origin is FactOrigin.DATA:
            used[writer.statement(node.fact), node.elements[0].span.cells].append(node)
    found = []
    for key, nodes in sorted(used.items()):
        changed = coalesce(each.span.cells for each in nodes if each.change)
        cells = coalesce(each.span.cells for each in nodes)
        found.append(DataUse(*key, tuple(cells), tuple(changed)))
    return tuple(found)


class _DataTreeBuilder(ProofTreeBuilder):
    """Its leaves are data, each with its cells in the data as what asserts it."""

    def __init__(self, proof: TemporalProof, writer: NotationWriter) -> None:
        needed = {goal: [step[:2] for step in steps] for goal, steps in proof.steps.items()}
        wording = MetricConditionWriter(writer)
        super().__init__(proof, needed, wording)
        self._writer, self._conditions = writer, wording

    def _leaf(self, step: ProofStep) -> AssertedNode:
        assert isinstance(step.reason, ProofLeaf)
        (node, *datum), when = step.reason, (step.lo, step.hi)
        assert isinstance(node, GroundFact)
        elements = (AssertingElement(None, to_ticks(*datum)),)
        fact, change = self._wording.statement(*node), self._writer.change_of(*node, when)
        return AssertedNode(fact, FactOrigin.DATA, elements, to_ticks(*when), change=change)

    def _parts(self, goal: ProofGoal, step: ProofStep) -> tuple[TreeNode, ...]:
        found = super()._parts(goal, step)
        if isinstance(step.reason, RuleInstance):
            builtins, absent = step.reason.builtins, step.reason.absent
            wording = self._conditions
            texts = chain(map(wording.builtin, builtins), map(wording.negation, absent))
            found += tuple(map(BuiltinNode, filter(None, texts)))
        if found or not isinstance(goal.node, OperandRow):
            return found
        return (AssertedNode(TOP, FactOrigin.STATIC, (), to_ticks(step.lo, step.hi)),)


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
        tree: the proof; None: none was found within the bound.
        when: the cells that the proof is about. Shifted by ``shift`` they are those of the
            question, or of the part of it that is shown.
        shift: ticks; 0: the proof is about the fact where it is.
    """

    data: tuple[DataUse, ...]
    tree: ProofTree | None
    when: CellInterval
    shift: int = 0

    @property
    def rule(self) -> int:
        """The number in the network of the rule that derives it at last; 0: no single one does."""
        root = None if self.tree is None else self.tree.root
        return root.rule if isinstance(root, DerivedNode) else 0

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
