"""Answers with free variables, and how many of their instances have entries or are confirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from temporal.hypothetical.output.entry_schema import AnswerValues


class InstanceCounts:
    """Counts of the instances of each answer with free variables.

    Attributes:
        waiting: per answer how many of its instances have entries.
    """

    __slots__ = ("_confirmed", "_shapes", "_time_is_free", "waiting")

    def __init__(self, shapes: Iterable[tuple[str | None, ...]], *, time_is_free: bool) -> None:
        """Begin.

        Args:
            shapes: those of all schemas: how a free variable is written, None if it is bound.
            time_is_free: whether the query has a time variable, the last of an answer.
        """
        self._shapes = [shape for shape in dict.fromkeys(shapes) if any(shape)]
        self._time_is_free = time_is_free
        self.waiting: Counter[AnswerValues] = Counter()
        self._confirmed: Counter[AnswerValues] = Counter()

    def generals(self, answer: AnswerValues) -> Iterator[AnswerValues]:
        """The answers, other than itself, that it is an instance of."""
        for shape in self._shapes:
            values: dict[str, int | str] = {}
            pairs = list(zip(shape, answer, strict=True))
            if all(free is None or values.setdefault(free, own) == own for free, own in pairs):
                general = tuple(own if free is None else free for free, own in pairs)
                if general != answer:
                    yield general

    def count_waiting(self, answer: AnswerValues, by: int) -> None:
        """Count an answer that has entries, or less by one."""
        for general in self.generals(answer):
            self._count(self.waiting, general, by)

    def confirm(self, answer: AnswerValues) -> Iterator[AnswerValues]:
        """Remember that an answer is confirmed; what it is an instance of."""
        for general in self.generals(answer):
            self._confirmed[general] += 1
            yield general

    def forget(self, answer: AnswerValues) -> None:
        """Forget that an answer was confirmed, but where a time is free."""
        for general in self.generals(answer):
            if not (self._time_is_free and isinstance(general[-1], str)):
                self._count(self._confirmed, general, -1)

    def has_confirmed(self, answer: AnswerValues) -> bool:
        """Whether an instance of an answer was confirmed; known as long as it may matter."""
        return answer in self._confirmed

    @staticmethod
    def _count(counter: Counter[AnswerValues], general: AnswerValues, by: int) -> None:
        counter[general] += by
        if not counter[general]:
            del counter[general]
