"""How long a proof holds, and what ends it.

What a proof uses may hold longer than the proof needs it. Each step holds as long as what it uses
lets it; what a metric operator uses lies at other times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from r4.explain.explanation import EndRole
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.rule_instances import (
    Assertion,
    GroundFact,
    NegatedMatch,
    OperatorRow,
    RuleInstance,
)
from r4.explain.justification.temporal_proof import ProofGoal, ProofStep, TemporalProof
from rete.arrays.delta import POS_INF
from rete.nodes.interval_ends import Ends, IntervalEnds, ToldRun
from rete.storage.interval_sets import (
    CellInterval,
    close,
    coalesce,
    intersect,
    intersect_sets,
    interval_at,
)

NegatedMatchAt: TypeAlias = tuple[NegatedMatch, int]
"""What is absent at a cell."""


@dataclass(slots=True, eq=False)
class ProofTimes:
    """The times of a proof.

    Attributes:
        assertions: per asserted fact the elements that assert it.
        goals: per goal the interval around it in which its proof holds.
        steps: the same of each step, in their order.
        used: per leaf the elements that assert it where it is needed.
        absences: what must be absent at a cell, and how long it is.
        ends: what ends the proof, and how it does.
    """

    state: InstantState
    proof: TemporalProof
    assertions: Mapping[GroundFact, Sequence[Assertion]]
    goals: dict[ProofGoal, CellInterval] = field(default_factory=dict)
    steps: dict[ProofGoal, list[CellInterval]] = field(default_factory=dict)
    used: dict[ProofLeaf, dict[Assertion, None]] = field(default_factory=dict)
    absences: dict[NegatedMatchAt, CellInterval] = field(default_factory=dict)
    ends: dict[ProofLeaf | NegatedMatchAt, EndRole] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for goal in self.proof.order:
            found = [self._of_step(goal, step) for step in self.proof.steps[goal]]
            self.steps[goal] = found
            self.goals[goal] = min(lo for lo, _ in found), max(hi for _, hi in found)
        self.ends.update(self._endings())

    @property
    def whole(self) -> CellInterval:
        """When all of it holds."""
        return self.goals[self.proof.root]

    def absent(self, absent: NegatedMatch, cell: int) -> CellInterval:
        """How long something is absent around a cell, as far as is known."""
        if (absent, cell) not in self.absences:
            self.absences[absent, cell] = self.state.interval(absent, cell)
        return self.absences[absent, cell]

    def _of_step(self, goal: ProofGoal, step: ProofStep) -> CellInterval:
        premises = [self.goals[each] for each in step.goals]
        if isinstance(step.reason, ProofLeaf):
            return self._of_leaf(step.reason, step)
        if isinstance(step.reason, RuleInstance):
            return intersect(
                *premises, *(self.absent(each, step.lo) for each in step.reason.absent)
            )
        assert isinstance(goal.node, OperatorRow)
        plan, description = goal.node.plan, self.state.description(goal.node)
        if isinstance(description, ToldRun):
            found = description.holds(coalesce(premises))
        else:
            found = plan.holds(*((premise,) for premise in premises))
        if plan.collective:  # one more row ends it, too
            found = intersect_sets(found, coalesce(self.state.times(goal.node)))
        interval = interval_at(found, step.lo)
        assert interval is not None
        return interval

    def _of_leaf(self, leaf: ProofLeaf, step: ProofStep) -> CellInterval:
        assertions = self.assertions.get(leaf.node, ()) if isinstance(leaf.node, GroundFact) else ()
        needed = [each for each in assertions if each.lo < step.hi and step.lo < each.hi]
        if not needed:
            self.used.setdefault(leaf, {})
            return leaf.lo, leaf.hi
        self.used.setdefault(leaf, {}).update(dict.fromkeys(needed))
        return coalesce((each.lo, each.hi) for each in needed)[0]

    def _endings(self) -> Iterator[tuple[ProofLeaf | NegatedMatchAt, EndRole]]:
        """What ends the proof, from its root down."""
        waiting = [(self.proof.root, EndRole.ENDS)] if self.whole[1] < POS_INF else []
        seen = set(waiting)
        while waiting:
            goal, how = waiting.pop()
            for step, span in zip(self.proof.steps[goal], self.steps[goal], strict=True):
                if span[1] != self.goals[goal][1]:
                    continue
                if isinstance(step.reason, ProofLeaf):
                    yield step.reason, how
                elif isinstance(step.reason, RuleInstance):
                    for absent in step.reason.absent:
                        if self.absent(absent, step.lo)[1] == span[1]:
                            yield (absent, step.lo), how
                for each in reversed(list(self._last(goal, step, span, how))):
                    passes = step.reason is None and span[1] > close(self.goals[each])[1]
                    found = each, EndRole.PASSES if passes else how
                    if found not in seen:
                        seen.add(found)
                        waiting.append(found)

    def _last(
        self, goal: ProofGoal, step: ProofStep, span: CellInterval, how: EndRole
    ) -> Iterator[ProofGoal]:
        """The goals of a step of ``goal`` that end where it ends."""
        operator = goal.node if step.reason is None else None
        if isinstance(operator, OperatorRow) and isinstance(operator.plan, IntervalEnds):
            if isinstance(operator.plan, Ends) and how is EndRole.ENDS:
                return  # it is about that instant alone
            last = max(self.goals[each][1] for each in step.goals)
            yield from (each for each in step.goals if self.goals[each][1] == last <= span[1])
        elif isinstance(operator, OperatorRow) and not operator.plan.collective:
            *right, left = step.goals
            chained = bool(right) and close(self.goals[left])[1] == span[1]
            yield left if chained or not right else right[0]
        else:
            yield from (each for each in step.goals if self.goals[each][1] == span[1])
