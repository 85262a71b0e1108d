"""Justifications through metric operators: minimal sets of asserted facts with their times.

A set is found by a proof of the fact from all that is asserted; of its leaves those are left out
that can be. Another set lacks one of its facts, at all times, so `hitting_sets` finds the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from r4.explain.justification.ground_model import GroundModel
from r4.explain.justification.ground_program import GroundProgram, ProofLeaf
from r4.explain.justification.hitting_sets import hitting_set_tree, minimal_part
from r4.explain.justification.rule_instances import GroundNode
from r4.explain.justification.temporal_proof import ProofGoal, TemporalProof, prove
from rete.storage.interval_sets import interval_at

MAX_STEPS: Final = 2_000
"""Facts, operands and operators that are looked at, an interval each."""
_STEPS: Final = 500
"""After so many it is seen whether the fact follows from what was looked at."""
MAX_WORK: Final = 20_000
"""Evaluations of a fact, operand or operator in the search for further sets."""
_MORE: Final = 4
"""So many times as many sets are looked for as are requested, as smaller ones may come late."""


class TemporalJustifications:
    """The search for minimal sets of leaves.

    Attributes:
        leaves: all that is given.
        truncated: what is true, but leads so far into the past that it was not looked at.
        complete: whether there are no others than were found.
    """

    def __init__(self, program: GroundProgram) -> None:
        self._program = program
        self._goal = ProofGoal(program.root, *program.when)
        self._work = 0
        self.truncated: frozenset[GroundNode] = frozenset()
        steps = 0
        while True:
            program.look(_STEPS)
            steps += _STEPS
            self._components = program.components
            self.leaves = list(program.leaves)
            self._first = self._model(self.leaves)
            if program.is_whole or steps >= MAX_STEPS or self._first is not None:
                break
        self.complete = program.is_whole
        if self._first is None:
            left = list(program.unexplored())
            self._components = program.components
            self.truncated = frozenset(leaf.node for leaf in left)
            self.leaves += [*left, *program.unkept]
            self.complete = False
            self._first = self._model(self.leaves)

    def _model(self, leaves: list[ProofLeaf]) -> GroundModel | None:
        """What follows from ``leaves``; None: the fact does not."""
        model = GroundModel(self._program, leaves, self._components)
        self._work += model.work
        held = interval_at(model.true(self._goal.node), self._goal.lo)
        return None if held is None or held[1] < self._goal.hi else model

    def proofs(self, limit: int) -> list[TemporalProof]:
        """Proofs from some minimal sets, at least one if there is one; more where that is cheap.

        They differ in facts: of sets of the same facts at other times one is enough.
        """
        proofs: list[TemporalProof] = []

        def find(
            avoid: frozenset[GroundNode], known: frozenset[GroundNode] | None
        ) -> tuple[frozenset[GroundNode], Iterable[GroundNode]] | None:
            if known is None:
                rest = [leaf for leaf in self.leaves if leaf.node not in avoid]
                model = self._model(rest) if avoid else self._first
                if model is None:
                    return None
                proof = self._least(prove(model, self._goal))
                proofs.append(proof)
                known = frozenset(leaf.node for leaf in proof.leaves)
            return known, dict.fromkeys(leaf.node for leaf in self.leaves if leaf.node in known)

        _, complete = hitting_set_tree(
            find, lambda size: self._work > MAX_WORK or size >= _MORE * limit
        )
        self.complete = self.complete and complete
        return proofs

    def proof_with(self, wanted: Callable[[ProofLeaf], bool]) -> TemporalProof | None:
        """A proof from a minimal set that has a ``wanted`` leaf, if one is found; else None.

        The other leaves are left out first.
        """
        if self._first is None:
            return None
        others = [leaf for leaf in self.leaves if not wanted(leaf)]
        if len(others) == len(self.leaves):
            return None
        kept = {leaf for leaf in self.leaves if wanted(leaf)}
        kept |= minimal_part(others, lambda some: self._model_of(some) is not None, kept)
        model = self._model_of(kept)
        if model is None:
            return None
        proof = self._least(prove(model, self._goal))
        return proof if any(map(wanted, proof.leaves)) else None

    def _model_of(self, leaves: AbstractSet[ProofLeaf]) -> GroundModel | None:
        return self._model([leaf for leaf in self.leaves if leaf in leaves])

    def _least(self, proof: TemporalProof) -> TemporalProof:
        """A proof from a minimal set among the leaves of ``proof``."""
        needed: set[ProofLeaf] = set()
        while spare := self._spare(proof.leaves, needed):
            model = self._model_of(proof.leaves - {spare})
            if model is None:
                needed.add(spare)
            else:
                proof = prove(model, self._goal)
        return proof

    def _spare(
        self, leaves: AbstractSet[ProofLeaf], needed: AbstractSet[ProofLeaf]
    ) -> ProofLeaf | None:
        return next((leaf for leaf in self.leaves if leaf in leaves and leaf not in needed), None)
