"""A cap on answers that may have several sets of hypotheses at a time.

What is dropped is noted with its answer. It is no less a hypothetical answer: what it makes
needless is not told either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from temporal.cap import Cap, Text
from temporal.hypothetical.confidence import Prospects
from temporal.hypothetical.entries import Hypotheses, Known
from temporal.hypothetical.question import Question
from temporal.hypothetical.schemas import FREE, PROSPECT, TIME, Answer
from temporal.prospects import Lacking


class Ranking:
    """The order of what is held."""

    __slots__ = ("_question", "prospects")

    def __init__(self, question: Question, prospects: Prospects) -> None:
        self._question, self.prospects = question, prospects

    def confidence(self, tau: int, hypotheses: Hypotheses) -> Fraction:
        """How probable it is at a moment that all of some come."""
        return 1 - self.prospects.grade(lacking(hypotheses), tau)[0]

    def text(self, answer: Answer, hypotheses: Hypotheses) -> Text:
        """What orders an answer with hypotheses."""
        return self._question.text(answer), sorted(hypotheses.atoms), hypotheses.least

    def of(self, tau: int, answer: Answer, hypotheses: Hypotheses) -> tuple[Fraction, Text]:
        """What orders them at a moment, the best first."""
        return -self.confidence(tau, hypotheses), self.text(answer, hypotheses)


class RivalCap:
    """What is held.

    Attributes:
        cap: by answer and hypotheses.
    """

    __slots__ = ("_held", "_ranking", "cap")

    def __init__(self, most: int, ranking: Ranking) -> None:
        self.cap: Cap[tuple[Answer, Hypotheses], Lacking]
        self.cap = Cap(most, ranking.prospects.grade)
        self._ranking = ranking
        self._held: dict[Answer, set[Hypotheses]] = {}

    def cut(
        self, tau: int, touched: Iterable[Answer], known: Mapping[Answer, Known]
    ) -> frozenset[Answer]:
        """Drop what is too much at the end of a moment; the answers of it."""
        begun: list[tuple[Answer, Hypotheses]] = []
        for answer in touched:
            before, now = self._held.pop(answer, set()), set(known[answer].minimal())
            for some in before - now:
                self.cap.remove((answer, some))
            begun += ((answer, some) for some in now - before)
            if now:
                self._held[answer] = now
        self.cap.advance(tau)
        for answer, some in begun:
            text = self._ranking.text(answer, some)
            self.cap.offer((answer, some), text, lacking(some), tau)
        lost = self.cap.settle()
        for answer, some in lost:
            known[answer].drop(some)
            self._held[answer].remove(some)
            if not self._held[answer]:
                del self._held[answer]
        return frozenset(answer for answer, _ in lost)


def lacking(hypotheses: Hypotheses) -> Lacking:
    """What is waited for."""
    return [(one[PROSPECT], None if one[FREE] else one[TIME]) for one in hypotheses.atoms]
