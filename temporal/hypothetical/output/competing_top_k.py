"""At most k sets of hypotheses where answers may have several at a time.

A dropped set is noted with its answer. It is no less a hypothetical answer: sets that it makes
redundant are not reported either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from temporal.hypothetical.output.answer_state import AnswerState, HypothesisSet
from temporal.hypothetical.output.entry_schema import AnswerValues
from temporal.hypothetical.ranking.arrival_probability import AwaitedArrivals
from temporal.hypothetical.ranking.top_k import OrderText, RiskFunction, TopK


class CompetingTopK:
    """The sets of hypotheses that are kept.

    Attributes:
        best: the best sets, by answer and hypotheses.
    """

    __slots__ = ("_kept", "_text", "best")

    def __init__(
        self,
        most: int,
        grade: RiskFunction[AwaitedArrivals],
        text: Callable[[AnswerValues, HypothesisSet], OrderText],
    ) -> None:
        self.best: TopK[tuple[AnswerValues, HypothesisSet], AwaitedArrivals] = TopK(most, grade)
        self._text = text
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
            self.best.offer((answer, some), self._text(answer, some), some.awaited, tau)
        dropped = self.best.settle()
        for answer, some in dropped:
            known[answer].drop(some)
            self._kept[answer].remove(some)
            if not self._kept[answer]:
                del self._kept[answer]
        return frozenset(answer for answer, _ in dropped)
