"""What became of answers: from when they were possible, and how that ended."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from temporal.hypothetical.hypothesiser import Told
from temporal.hypothetical.output.line_templates import END_OF_INPUT
from temporal.ranking.top_k import DROPPED_PREFIX


@dataclass(slots=True)
class History:
    """An answer, from the first that is said of it to the last.

    Attributes:
        answer: variable of the query -> constant, or time.
        possible: why, each time that is said; empty if it is certain at once.
        end: that it is certain, or withdrawn; None: there is no more.
    """

    answer: Mapping[str, str | int]
    possible: list[Told]
    end: Told | None = None

    @property
    def begin(self) -> int:
        """When it is first told."""
        first = self.possible[0] if self.possible else self.end
        assert first is not None
        return first.tau

    @property
    def is_certain(self) -> bool:
        """Was it confirmed in the end?"""
        return self.end is not None and self.end.status == "answer"

    @property
    def is_open(self) -> bool:
        """Could it still become either when the input ended, or when it was dropped?"""
        because = self.end and self.end.because
        return self.end is None or bool(
            because and (because == END_OF_INPUT or because.startswith(DROPPED_PREFIX))
        )


def histories(told: Iterable[Told]) -> list[History]:
    """Of each answer what became of it, in the order in which they begin.

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
