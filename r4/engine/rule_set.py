"""The rules that run, and how rules are added and dropped."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from r4.foreign.formulas import AUXILIARY as PATHS
from r4.program.program import Program
from r4.program.regimes import AUXILIARY
from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.state_codec import State, StateReader
from rete.inference.inference_engine import InferenceEngine
from rete.network.network import Network
from rete.planning.operands import is_auxiliary
from rete.terms.relations import Relation

_STEPS: Final = (f"<{AUXILIARY}", f"<{PATHS}")

RuleChange: TypeAlias = Program | tuple[int, ...]
"""The rules that join, or the numbers of those that leave."""


class WaitingChange(NamedTuple):
    """A change of the program that its networks follow once all before it is final.

    Attributes:
        since: the cell from which on it counts.
        place: in the history of changes.
    """

    since: int
    place: int
    change: RuleChange


class RuleSet:
    """A program, and the rules that were added and dropped since.

    That history is saved with an engine: the networks are built again by repeating it.

    Attributes:
        program: what runs, after the changes that wait.
        waiting: the changes that wait, in order.
        looks_back: whether some rule asks, or asked, for other times; see `Program.looks_back`.
    """

    def __init__(self, program: Program, inference: InferenceEngine) -> None:
        self.program = program
        self._inference = inference
        self.looks_back = program.looks_back
        self.waiting: deque[WaitingChange] = deque()
        self._history: list[tuple[int, ...] | None] = []

    def note(self, change: RuleChange, since: int | None) -> None:
        """Note a change of the program; its networks wait until all before ``since`` is final.

        None: they do not wait, but `join` or `leave` follows.
        """
        if since is not None:
            self.waiting.append(WaitingChange(since, len(self._history), change))
        if isinstance(change, tuple):
            self._history.append(change)
            emits = tuple(emit for emit in self.program.emits if emit.rule not in change)
            self.program = replace(self.program, emits=emits)
            return
        self._history.append(None)
        program = change
        self.program = replace(
            self.program,
            labels=self.program.labels + program.labels,
            places=self.program.places + program.places,
            emits=self.program.emits + program.emits,
            facts=self.program.facts + program.facts,
            reads_marks=self.program.reads_marks or program.reads_marks,
            reach=program.reach,
        )

    def join(self, program: Program) -> Network:
        """Build the network of rules that were added."""
        network = self._inference.add(program.emits)
        self.looks_back |= program.looks_back
        return network

    def saved(self) -> list[State]:
        """The history, in order: what has no ``dropped`` numbers are rules that were added."""
        history: list[State] = [
            {} if rules is None else {"dropped": np.array(rules, np.int64)}
            for rules in self._history
        ]
        for since, place, _ in self.waiting:
            history[place]["since"] = since
        return history

    def rebuild(self, history: list[StateReader], joined: Iterator[Program]) -> None:
        """Add and drop rules as ``history`` says; ``joined`` are the added ones, in order."""
        for step in history:
            since = step.integer("since", NEG_INF, POS_INF) if "since" in step else None
            change: RuleChange
            if "dropped" in step:
                change = tuple(step.array("dropped", np.int64, None).tolist())
            else:
                change = next(joined)
            self.note(change, since)
            if since is not None:
                continue
            if isinstance(change, tuple):
                self._inference.layers.drop(change)
            else:
                self.join(change)


def is_answer(relation: Relation) -> bool:
    """Whether facts of the relation are answers, and not steps of rules."""
    return not (relation.op.startswith(_STEPS) or is_auxiliary(relation))
