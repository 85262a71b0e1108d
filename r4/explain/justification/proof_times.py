"""How long a proof holds, and what it is that ends it.

All that a proof rests on may hold longer than the proof needs it; each step holds as long as that
lets it, which for metric operators lies at other times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from r4.explain.explanation import EndRole
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.intervals import (
    CellInterval,
    apply_operator,
    apply_since,
    close,
    coalesce,
    dilate,
    intersect,
    interval_at,
)
from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    NegatedMatch,
    OperatorRow,
    RuleInstance,
)
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep, TemporalProof
from rete.arrays.delta import POS_INF
from rete.planning.plan import Dilate, Since

NegatedMatchAt: TypeAlias = tuple[NegatedMatch, int]
"""What is absent at a cell."""


class ProofTimes:
    """The times of a proof.

    Attributes:
        goals: per goal the interval around it in which its proof holds.
        pieces: the same of each piece, in their order.
        used: per leaf the elements that assert it where it is needed.
        lacks: what must be absent at a cell, and how long it is so.
        ends: of what ends the proof, when and how it does.
    """

    def __init__(
        self,
        ground: InstantState,
        proof: TemporalProof,
        held: Mapping[GroundFact, Sequence[Assertion]],
    ) -> None:
        self._ground = ground
        self._held = held
        self.proof = proof
        self.goals: dict[ProofGoal, CellInterval] = {}
        self.pieces: dict[ProofGoal, list[CellInterval]] = {}
        self.used: dict[ProofLeaf, dict[Assertion, None]] = {}
        self.lacks: dict[NegatedMatchAt, CellInterval] = {}
        for goal in proof.order:
            self.pieces[goal] = [self._of_piece(goal, piece) for piece in proof.pieces[goal]]
            found = self.pieces[goal]
            self.goals[goal] = min(lo for lo, _ in found), max(hi for _, hi in found)
        self.ends: dict[ProofLeaf | NegatedMatchAt, EndRole] = dict(self._endings())

    @property
    def whole(self) -> CellInterval:
        """When all of it holds."""
        return self.goals[self.proof.root]

    def absent(self, absent: NegatedMatch, cell: int) -> CellInterval:
        """How long something is absent around a cell, as far as is known."""
        if (absent, cell) not in self.lacks:
            self.lacks[absent, cell] = self._ground.interval(absent, cell)
        return self.lacks[absent, cell]

    def _of_piece(self, goal: ProofGoal, piece: ProofStep) -> CellInterval:
        needs = [self.goals[each] for each in piece.goals]
        if isinstance(piece.by, ProofLeaf):
            return self._of_leaf(piece.by, piece)
        if isinstance(piece.by, RuleInstance):
            return intersect(*needs, *(self.absent(each, piece.lo) for each in piece.by.absent))
        assert isinstance(goal.node, OperatorRow)
        plan = goal.node.plan
        if isinstance(plan, Dilate):
            return dilate(needs[0], plan.rho, future=plan.future)
        if isinstance(plan, Since):
            found = apply_since(plan, needs[1] if len(needs) > 1 else None, needs[0])
        else:
            found = apply_operator(plan, (needs[0],))
        run = interval_at(found, piece.lo)
        assert run is not None
        return run

    def _of_leaf(self, leaf: ProofLeaf, piece: ProofStep) -> CellInterval:
        held = self._held.get(leaf.node, ()) if isinstance(leaf.node, GroundFact) else ()
        needed = [each for each in held if each.lo < piece.hi and piece.lo < each.hi]
        if not needed:
            self.used.setdefault(leaf, {})
            return leaf.lo, leaf.hi
        self.used.setdefault(leaf, {}).update(dict.fromkeys(needed))
        return coalesce((each.lo, each.hi) for each in needed)[0]

    def _endings(self) -> Iterator[tuple[ProofLeaf | NegatedMatchAt, EndRole]]:
        """What it is that ends the proof, from its root down."""
        waiting = [(self.proof.root, EndRole.ENDS)] if self.whole[1] < POS_INF else []
        seen = set(waiting)
        while waiting:
            goal, how = waiting.pop()
            for piece, span in zip(self.proof.pieces[goal], self.pieces[goal], strict=True):
                if span[1] != self.goals[goal][1]:
                    continue
                if isinstance(piece.by, ProofLeaf):
                    yield piece.by, how
                elif isinstance(piece.by, RuleInstance):
                    for absent in piece.by.absent:
                        if self.absent(absent, piece.lo)[1] == span[1]:
                            yield (absent, piece.lo), how
                for each in reversed(list(self._last(piece, span))):
                    passes = piece.by is None and span[1] > close(self.goals[each])[1]
                    found = each, EndRole.PASSES if passes else how
                    if found not in seen:
                        seen.add(found)
                        waiting.append(found)

    def _last(self, piece: ProofStep, span: CellInterval) -> Iterator[ProofGoal]:
        """The goals of a piece whose end is its own."""
        if isinstance(piece.by, RuleInstance):
            yield from (each for each in piece.goals if self.goals[each][1] == span[1])
        elif piece.by is None:
            *right, left = piece.goals
            chained = bool(right) and close(self.goals[left])[1] == span[1]
            yield left if chained or not right else right[0]
