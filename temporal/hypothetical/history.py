"""Histories of answers: from when they were possible, and how that ended."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from temporal.hypothetical.hypothesiser import Told
from temporal.hypothetical.ranking.top_k import DROPPED_PREFIX, END_OF_INPUT


@dataclass(slots=True)
class History:
    """An answer, from the first line about it to the last.

    Attributes:
        answer: variable of the query -> constant, or time.
        possible: the lines that support it; empty if it is certain at once.
        end: the line that it is certain or withdrawn; None: there is none.
    """

    answer: Mapping[str, str | int]
    possible: list[Told]
    end: Told | None = None

    @property
    def begin(self) -> int:
        """When it is first reported."""
        first = self.possible[0] if self.possible else self.end
        assert first is not None
        return first.tau

    @property
    def is_certain(self) -> bool:
        """Was it confirmed in the end?"""
        return self.end is not None and self.end.status == "answer"

    @property
    def is_open(self) -> bool:
        """Was it undecided when the input ended, or when it was dropped?"""
        because = self.end and self.end.because
        return self.end is None or bool(
            because and (because == END_OF_INPUT or because.startswith(DROPPED_PREFIX))
        )


def histories(told: Iterable[Told]) -> list[History]:
    """The history of each answer, in the order in which they begin.

    What is possible again after it was withdrawn, or dropped, is a history of its own.
    """
    found: list[History] = []
    running: dict[Hashable, History] = {}
    for each in told:
        key = tuple(each.answer.items())
        if key not in running:
            running[key] = History(each.answer, [])
            found.append(running[key])
        if each.status == "supported":
            running[key].possible.append(each)
        else:
            running.pop(key).end = each
    return found
