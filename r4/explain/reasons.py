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

from r4.explain.grounding import Grounding, Leaf
from r4.explain.model import Model
from r4.explain.proof import Proof, instant, prove
from r4.explain.spans import run_at
from r4.explain.ways import Node

MOST_STEPS: Final = 2_000
"""Facts, operands and operators that are looked at, an interval each."""
_STEPS: Final = 500
"""After so many it is seen whether the fact follows from what was looked at."""
MOST_WORK: Final = 20_000
"""Evaluations of a fact, operand or operator in the search for further sets."""


_MORE: Final = 4
"""So many times as many sets are looked for as are asked for, as smaller ones may come late."""


class Reasons:
    """Searches minimal sets.

    Attributes:
        leaves: all that is given.
        cut: what is true, but led so far that it was not looked at.
        complete: whether there are no others than were found.
    """

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._goal = instant(grounding.root, grounding.ground.cell)
        self._work = 0
        self.cut: frozenset[Node] = frozenset()
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

    def _model(self, leaves: list[Leaf]) -> Model | None:
        """What follows from ``leaves``; None: the fact does not."""
        model = Model(self._grounding, leaves, self._components)
        self._work += model.work
        held = run_at(model.true(self._goal.node), self._goal.lo)
        return None if held is None else model

    def proofs(self, limit: int) -> Iterator[Proof]:
        """Proofs from some minimal sets, at least one if there is one; more where that is cheap.

        They differ in facts: of sets of the same facts at other times one is enough.
        """
        found: list[frozenset[Node]] = []
        nothing: frozenset[Node] = frozenset()
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

    def _least(self, proof: Proof) -> Proof:
        """A proof from a minimal set among the leaves of ``proof``."""
        needed: set[Leaf] = set()
        while spare := self._spare(proof.leaves, needed):
            rest = [leaf for leaf in self.leaves if leaf in proof.leaves and leaf != spare]
            model = self._model(rest)
            if model is None:
                needed.add(spare)
            else:
                proof = prove(model, self._goal)
        return proof

    def _spare(self, leaves: AbstractSet[Leaf], needed: AbstractSet[Leaf]) -> Leaf | None:
        """The next leaf to try to do without."""
        return next((leaf for leaf in self.leaves if leaf in leaves and leaf not in needed), None)
