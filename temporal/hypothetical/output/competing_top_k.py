"""A cap on answers that may have several sets of hypotheses at a time.

What is dropped is noted with its answer. It is no less a hypothetical answer: what it makes
needless is not told either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.output.answer_state import AnswerState, HypothesisSet
from temporal.hypothetical.output.answer_writer import AnswerWriter
from temporal.hypothetical.output.entry_schema import FREE, PROSPECT, TIME, AnswerValues
from temporal.ranking.arrival_probability import AwaitedArrivals
from temporal.ranking.top_k import OrderText, TopK


class HypothesisRanking:
    """The order of what is held."""

    __slots__ = ("_question", "prospects")

    def __init__(self, question: AnswerWriter, prospects: ArrivalProspects) -> None:
        self._question, self.prospects = question, prospects

    def confidence(self, tau: int, hypotheses: HypothesisSet) -> Fraction:
        """How probable it is at a moment that all of some come."""
        return 1 - self.prospects.grade(awaited_arrivals(hypotheses), tau)[0]

    def text(self, answer: AnswerValues, hypotheses: HypothesisSet) -> OrderText:
        """What orders an answer with hypotheses."""
        return self._question.text(answer), sorted(hypotheses.atoms), hypotheses.least

    def of(
        self, tau: int, answer: AnswerValues, hypotheses: HypothesisSet
    ) -> tuple[Fraction, OrderText]:
        """What orders them at a moment, the best first."""
        return -self.confidence(tau, hypotheses), self.text(answer, hypotheses)


class CompetingTopK:
    """What is held.

    Attributes:
        cap: by answer and hypotheses.
    """

    __slots__ = ("_held", "_ranking", "cap")

    def __init__(self, most: int, ranking: HypothesisRanking) -> None:
        self.cap: TopK[tuple[AnswerValues, HypothesisSet], AwaitedArrivals]
        self.cap = TopK(most, ranking.prospects.grade)
        self._ranking = ranking
        self._held: dict[AnswerValues, set[HypothesisSet]] = {}

    def cut(
        self, tau: int, touched: Iterable[AnswerValues], known: Mapping[AnswerValues, AnswerState]
    ) -> frozenset[AnswerValues]:
        """Drop what is too much at the end of a moment; the answers of it."""
        begun: list[tuple[AnswerValues, HypothesisSet]] = []
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
            self.cap.offer((answer, some), text, awaited_arrivals(some), tau)
        lost = self.cap.settle()
        for answer, some in lost:
            known[answer].drop(some)
            self._held[answer].remove(some)
            if not self._held[answer]:
                del self._held[answer]
        return frozenset(answer for answer, _ in lost)


def awaited_arrivals(hypotheses: HypothesisSet) -> AwaitedArrivals:
    """What is waited for."""
    return [(one[PROSPECT], None if one[FREE] else one[TIME]) for one in hypotheses.atoms]
