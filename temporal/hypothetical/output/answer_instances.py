"""Answers with free variables are open as long as instances of them are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from rete.arrays.delta import POS_INF, Rows

AnswerKey: TypeAlias = tuple[int, ...]
"""A row of `EntryColumns.answers`: free variables are negative numbers."""
EndedEntry: TypeAlias = tuple[list[int], int]
"""The entry with which an answer ended, and why."""


class InstanceCounts:
    """How many instances of each answer with free variables have entries, or are certain.

    Args:
        shapes: those of all answers with free variables: these where they stand, else 0.
        has_time: whether the query has a time variable, the last of an answer.

    Attributes:
        ended: answers that have no entries any more, but instances that have.
    """

    def __init__(self, shapes: Sequence[AnswerKey], *, has_time: bool) -> None:
        self._shapes, self._has_time = shapes, has_time
        self._own: set[AnswerKey] = set()
        self._waiting: Counter[AnswerKey] = Counter()
        self._certain: Counter[AnswerKey] = Counter()
        self.ended: dict[AnswerKey, EndedEntry] = {}

    def generals(self, answer: AnswerKey) -> Iterator[AnswerKey]:
        """The answers, other than itself, that it is an instance of."""
        for shape in self._shapes:
            values: dict[int, int] = {}
            pairs = list(zip(shape, answer, strict=True))
            if all(not free or values.setdefault(free, own) == own for free, own in pairs):
                general = tuple(free or own for free, own in pairs)
                if general != answer:
                    yield general

    def closed(
        self,
        spans: Iterable[tuple[AnswerKey, int, int]],
        certain: Iterable[tuple[int, AnswerKey]],
        why: Mapping[tuple[AnswerKey, int], EndedEntry],
    ) -> Iterator[tuple[int, EndedEntry]]:
        """When answers are withdrawn, and with which entries.

        Args:
            spans: when each answer has entries; it had them before if that begins before 0.
            certain: from when each answer is certain.
            why: per answer and end of a span that is not certain then, how it ended.
        """
        changes = [(tau, 1, answer) for answer, *span in spans for tau in span]
        changes += [(tau, 0, answer) for tau, answer in certain]
        known = sorted(each for each in changes if 0 <= each[0] < POS_INF)
        for tau, some in groupby(known, itemgetter(0)):
            touched: dict[AnswerKey, None] = {}
            for _, is_span, answer in some:
                if not is_span:
                    self._count(self._certain, answer, 1)
                    self.ended.pop(answer, None)
                    continue
                ends = answer in self._own
                (self._own.remove if ends else self._own.add)(answer)
                self._count(self._waiting, answer, -1 if ends else 1)
                if (answer, tau) in why:
                    self.ended[answer] = why[answer, tau]
                touched |= dict.fromkeys((answer, *self.generals(answer)))
            for answer in touched:
                if answer in self.ended and answer not in self._own and not self._waiting[answer]:
                    entry = self.ended.pop(answer)
                    if not self._certain[answer]:
                        yield tau, entry

    def open(self, entries: Mapping[AnswerKey, list[int]]) -> dict[AnswerKey, list[int]]:
        """An entry of each answer that is open, with those that have ``entries``."""
        found = {answer: entry for answer, (entry, _) in self.ended.items()} | dict(entries)
        return {answer: entry for answer, entry in found.items() if not self._certain[answer]}

    def release(self, answers: Rows) -> None:
        """Answers are certain no longer: no input completes them again.

        That they were is not forgotten where a time is free.
        """
        for answer in map(tuple, answers.tolist() if self._shapes else []):
            self._count(self._certain, answer, -1)

    def _count(self, counter: Counter[AnswerKey], answer: AnswerKey, by: int) -> None:
        for general in self.generals(answer):
            is_kept = self._has_time and general[-1] < 0 and counter is self._certain
            if by > 0 or not is_kept:
                counter[general] += by
                if not counter[general]:
                    del counter[general]
