"""Justifications through metric operators: minimal sets of asserted facts with their times.

A set is found by proving the fact from all that is asserted; what can be left out of what that
rests on, is. Another set lacks one of its facts, at all times, which makes a tree of facts to avoid
[Reiter87].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from r4.explain.justification.ground_model import GroundModel
from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.intervals import interval_at
from r4.explain.justification.rule_instances import GroundNode
from r4.explain.justification.temporal_proof import TemporalProof, goal_at, prove

MOST_STEPS: Final = 2_000
"""Facts, operands and operators that are looked at, an interval each."""
_STEPS: Final = 500
"""After so many it is seen whether the fact follows from what was looked at."""
MOST_WORK: Final = 20_000
"""Evaluations of a fact, operand or operator in the search for further sets."""


_MORE: Final = 4
"""So many times as many sets are looked for as are asked for, as smaller ones may come late."""


class TemporalJustifications:
    """Searches minimal sets.

    Attributes:
        leaves: all that is given.
        cut: what is true, but led so far that it was not looked at.
        complete: whether there are no others than were found.
    """

    def __init__(self, grounding: GroundProgram) -> None:
        self._grounding = grounding
        self._goal = goal_at(grounding.root, grounding.ground.cell)
        self._work = 0
        self.cut: frozenset[GroundNode] = frozenset()
        steps = 0
        while True:
            grounding.look(_STEPS)
            steps += _STEPS
            self._components = grounding.components
            self.leaves = list(grounding.leaves)
            self._first = self._model(self.leaves)
            if grounding.is_whole or steps >= MOST_STEPS or self._first is not None:
                break
        self.complete = grounding.is_whole
        if self._first is None:
            left = list(grounding.left())
            self._components = grounding.components
            self.cut = frozenset(leaf.node for leaf in left)
            self.leaves += [*left, *grounding.unkept]
            self.complete = False
            self._first = self._model(self.leaves)

    def _model(self, leaves: list[ProofLeaf]) -> GroundModel | None:
        """What follows from ``leaves``; None: the fact does not."""
        model = GroundModel(self._grounding, leaves, self._components)
        self._work += model.work
        held = interval_at(model.true(self._goal.node), self._goal.lo)
        return None if held is None else model

    def proofs(self, limit: int) -> Iterator[TemporalProof]:
        """Proofs from some minimal sets, at least one if there is one; more where that is cheap.

        They differ in facts: of sets of the same facts at other times one is enough.
        """
        found: list[frozenset[GroundNode]] = []
        nothing: frozenset[GroundNode] = frozenset()
        waiting = deque([nothing])
        seen = {nothing}
        while waiting:
            if found and (self._work > MOST_WORK or len(found) >= _MORE * limit):
                self.complete = False
                return
            avoided = waiting.popleft()
            one = next((each for each in found if each.isdisjoint(avoided)), None)
            if one is None:
                rest = [leaf for leaf in self.leaves if leaf.node not in avoided]
                model = self._model(rest) if avoided else self._first
                if model is None:
                    continue
                proof = self._least(prove(model, self._goal))
                one = frozenset(leaf.node for leaf in proof.leaves)
                found.append(one)
                yield proof
            for node in dict.fromkeys(leaf.node for leaf in self.leaves if leaf.node in one):
                more = avoided | {node}
                if more not in seen:
                    seen.add(more)
                    waiting.append(more)

    def _least(self, proof: TemporalProof) -> TemporalProof:
        """A proof from a minimal set among the leaves of ``proof``."""
        needed: set[ProofLeaf] = set()
        while spare := self._spare(proof.leaves, needed):
            rest = [leaf for leaf in self.leaves if leaf in proof.leaves and leaf != spare]
            model = self._model(rest)
            if model is None:
                needed.add(spare)
            else:
                proof = prove(model, self._goal)
        return proof

    def _spare(
        self, leaves: AbstractSet[ProofLeaf], needed: AbstractSet[ProofLeaf]
    ) -> ProofLeaf | None:
        """The next leaf to try to do without."""
        return next((leaf for leaf in self.leaves if leaf in leaves and leaf not in needed), None)
