"""Answers with free variables, and how many of their instances have entries or are confirmed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from temporal.hypothetical.output.entry_schema import AnswerValues, is_free


class InstanceCounts:
    """Counts of the instances of each answer with free variables.

    Attributes:
        waiting: per answer how many of its instances have entries.
        confirmed: per answer how many are confirmed; known as long as it may matter.
    """

    __slots__ = ("_shapes", "_time_is_free", "confirmed", "waiting")

    def __init__(self, shapes: Iterable[tuple[str | None, ...]], *, time_is_free: bool) -> None:
        """Begin.

        Args:
            shapes: those of all schemas: how a free variable is written, None if it is bound.
            time_is_free: whether the query has a time variable, the last of an answer.
        """
        self._shapes = [shape for shape in dict.fromkeys(shapes) if any(shape)]
        self._time_is_free = time_is_free
        self.waiting: Counter[AnswerValues] = Counter()
        self.confirmed: Counter[AnswerValues] = Counter()

    def generals(self, answer: AnswerValues) -> Iterator[AnswerValues]:
        """The answers, other than itself, that it is an instance of."""
        for shape in self._shapes:
            values: dict[str, str] = {}
            pairs = list(zip(shape, answer, strict=True))
            if all(free is None or values.setdefault(free, own) == own for free, own in pairs):
                general = tuple(free or own for free, own in pairs)
                if general != answer:
                    yield general

    def count(self, counter: Counter[AnswerValues], answer: AnswerValues, by: int) -> None:
        """Count an answer for those that it is an instance of.

        That it was confirmed is not forgotten where a time is free.
        """
        for general in self.generals(answer):
            is_kept = self._time_is_free and is_free(general[-1]) and counter is self.confirmed
            if by > 0 or not is_kept:
                counter[general] += by
                if not counter[general]:
                    del counter[general]
