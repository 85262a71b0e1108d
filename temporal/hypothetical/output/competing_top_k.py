"""At most k sets of hypotheses where answers may have several at a time.

A dropped set is noted with its answer. It is no less a hypothetical answer: sets that it makes
redundant are not reported either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from temporal.hypothetical.evidence.confidence import ArrivalProspects
from temporal.hypothetical.output.answer_state import AnswerState, HypothesisSet
from temporal.hypothetical.output.answer_writer import AnswerWriter
from temporal.hypothetical.output.entry_schema import FREE, PROSPECT, TIME, AnswerValues
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, TopK


class HypothesisRanking:
    """The order of sets of hypotheses."""

    __slots__ = ("_writer", "prospects")

    def __init__(self, writer: AnswerWriter, prospects: ArrivalProspects) -> None:
        self._writer, self.prospects = writer, prospects

    def confidence(self, tau: int, hypotheses: HypothesisSet) -> Fraction:
        """How probable it is at a moment that all of some hypotheses arrive."""
        return 1 - self.prospects.grade(awaited_arrivals(hypotheses), tau)[0]

    def text(self, answer: AnswerValues, hypotheses: HypothesisSet) -> OrderText:
        """The text by which an answer with hypotheses is ordered."""
        return self._writer.text(answer), sorted(hypotheses.atoms), hypotheses.least

    def of(
        self, tau: int, answer: AnswerValues, hypotheses: HypothesisSet
    ) -> tuple[Fraction, OrderText]:
        """The key by which they are ordered at a moment, the best first."""
        return -self.confidence(tau, hypotheses), self.text(answer, hypotheses)


class CompetingTopK:
    """The sets of hypotheses that are kept.

    Attributes:
        best: the best sets, by answer and hypotheses.
    """

    __slots__ = ("_kept", "_ranking", "best")

    def __init__(self, most: int, ranking: HypothesisRanking) -> None:
        self.best: TopK[tuple[AnswerValues, HypothesisSet], AwaitedArrivals]
        self.best = TopK(most, ranking.prospects.grade)
        self._ranking = ranking
        self._kept: dict[AnswerValues, set[HypothesisSet]] = {}

    def cut(
        self, tau: int, touched: Iterable[AnswerValues], known: Mapping[AnswerValues, AnswerState]
    ) -> frozenset[AnswerValues]:
        """Drop the sets beyond the k best at the end of a moment; their answers."""
        begun: list[tuple[AnswerValues, HypothesisSet]] = []
        for answer in touched:
            before, now = self._kept.pop(answer, set()), set(known[answer].minimal())
            for some in before - now:
                self.best.remove((answer, some))
            begun += ((answer, some) for some in now - before)
            if now:
                self._kept[answer] = now
        self.best.advance(tau)
        for answer, some in begun:
            text = self._ranking.text(answer, some)
            self.best.offer((answer, some), text, awaited_arrivals(some), tau)
        dropped = self.best.settle()
        for answer, some in dropped:
            known[answer].drop(some)
            self._kept[answer].remove(some)
            if not self._kept[answer]:
                del self._kept[answer]
        return frozenset(answer for answer, _ in dropped)


def awaited_arrivals(hypotheses: HypothesisSet) -> AwaitedArrivals:
    """The arrivals that a set of hypotheses awaits."""
    return [(one[PROSPECT], None if one[FREE] else one[TIME]) for one in hypotheses.atoms]
