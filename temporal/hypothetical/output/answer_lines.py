"""The three kinds of lines about one answer, with what orders them at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from temporal.hypothetical.output.answer_state import Evidence, HypothesisSet
from temporal.hypothetical.output.answer_writer import AnswerWriter
from temporal.hypothetical.output.competing_top_k import HypothesisRanking
from temporal.hypothetical.output.entry_schema import TEXT, AnswerValues, HypothesisRecord
from temporal.hypothetical.output.line_templates import AnswerStatus
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.syntax.term_text import quote_json

OrderedLine: TypeAlias = tuple[int, str, Sequence[Evidence], str]
"""A line, behind what orders the lines of one moment."""


class AnswerLines:
    """Makes lines."""

    __slots__ = ("_ranking", "_with_confidence", "_writer")

    def __init__(
        self, writer: AnswerWriter, ranking: HypothesisRanking, *, with_confidence: bool
    ) -> None:
        self._writer, self._ranking = writer, ranking
        self._with_confidence = with_confidence

    def supported(
        self, tau: int, answer: AnswerValues, hypotheses: HypothesisSet, evidence: Evidence
    ) -> OrderedLine:
        """The line that an answer follows if all that it awaits arrives."""
        confidence = None
        if self._with_confidence:
            confidence = format_confidence(self._ranking.confidence(tau, hypotheses))
        text, lists = self._writer.text(answer), (sorted(hypotheses.atoms), evidence)
        atoms = _list(evidence), _list(lists[0])
        line = self._writer.line(tau, AnswerStatus.SUPPORTED, text, atoms, confidence=confidence)
        return int(AnswerStatus.SUPPORTED), text, lists, line

    def certain(self, tau: int, answer: AnswerValues, evidence: Evidence) -> OrderedLine:
        """The line that an answer follows."""
        confidence = "1" if self._with_confidence else None
        text, atoms = self._writer.text(answer), (_list(evidence), "[]")
        line = self._writer.line(tau, AnswerStatus.ANSWER, text, atoms, confidence=confidence)
        return int(AnswerStatus.ANSWER), text, (), line

    def withdrawn(self, tau: int, answer: AnswerValues, because: str) -> OrderedLine:
        """The line that an answer is withdrawn, and why."""
        confidence = "0" if self._with_confidence else None
        text = self._writer.text(answer)
        line = self._writer.line(
            tau, AnswerStatus.WITHDRAWN, text, ("[]", "[]"), because=because, confidence=confidence
        )
        return int(AnswerStatus.WITHDRAWN), text, (), line


def _list(atoms: Sequence[HypothesisRecord]) -> str:
    """The texts of atoms as JSON."""
    return f"[{','.join([quote_json(atom[TEXT]) for atom in atoms])}]"
