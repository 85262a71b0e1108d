"""Sayings: lines of single answers, with what orders them at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from temporal.hypothetical.entries import Evidence, Hypotheses
from temporal.hypothetical.lines import Status
from temporal.hypothetical.question import Question
from temporal.hypothetical.rival_cap import Ranking
from temporal.hypothetical.schemas import TEXT, Answer, Stated
from temporal.hypothetical.term_text import quoted
from temporal.prospects import shown

Said: TypeAlias = tuple[int, str, Sequence[Evidence], str]
"""What orders lines of one moment, and the line."""


class Sayings:
    """Makes lines."""

    __slots__ = ("_question", "_ranking", "_tells_confidence")

    def __init__(self, question: Question, ranking: Ranking, *, tells_confidence: bool) -> None:
        self._question, self._ranking = question, ranking
        self._tells_confidence = tells_confidence

    def supported(
        self, tau: int, answer: Answer, hypotheses: Hypotheses, evidence: Evidence
    ) -> Said:
        """That an answer follows if what it waits for comes."""
        confidence = None
        if self._tells_confidence:
            confidence = shown(self._ranking.confidence(tau, hypotheses))
        text, lists = self._question.text(answer), (sorted(hypotheses.atoms), evidence)
        atoms = _list(evidence), _list(lists[0])
        line = self._question.line(tau, Status.SUPPORTED, text, atoms, confidence=confidence)
        return int(Status.SUPPORTED), text, lists, line

    def certain(self, tau: int, answer: Answer, evidence: Evidence) -> Said:
        """That an answer follows."""
        confidence = "1" if self._tells_confidence else None
        text, atoms = self._question.text(answer), (_list(evidence), "[]")
        line = self._question.line(tau, Status.ANSWER, text, atoms, confidence=confidence)
        return int(Status.ANSWER), text, (), line

    def withdrawn(self, tau: int, answer: Answer, because: str) -> Said:
        """That an answer is told no longer, and why."""
        confidence = "0" if self._tells_confidence else None
        text = self._question.text(answer)
        line = self._question.line(
            tau, Status.WITHDRAWN, text, ("[]", "[]"), because=because, confidence=confidence
        )
        return int(Status.WITHDRAWN), text, (), line


def _list(atoms: Sequence[Stated]) -> str:
    """The texts of atoms as JSON."""
    return f"[{','.join([quoted(atom[TEXT]) for atom in atoms])}]"
