"""Runs whose programs report how many output lines of each kind they wrote, which is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Protocol, TypeVar

from bench.harness.rounds import Series, paired_median


class ProgramReport(Protocol):
    """The report of a program on its own run over readings."""

    @property
    def seconds(self) -> float:
        """Of processor time."""
        ...

    @property
    def counts(self) -> tuple[int, ...]:
        """How many output lines of each kind."""
        ...

    @property
    def half(self) -> int:
        """The bytes that it had occupied at most by the middle of its input."""
        ...

    @property
    def peak(self) -> int:
        """And at the end."""
        ...


R = TypeVar("R", bound=ProgramReport)


@dataclass(slots=True)
class CountedSeries(Series[str, R]):
    """The runs of some work, whose programs report counts that are known."""

    expected: tuple[int, ...] = field(kw_only=True)  # these counts

    @property
    def best(self) -> R:
        """The report of the run that took the least time."""
        return min(self.reports, key=lambda report: report.seconds)

    @property
    def growth(self) -> float:
        """The memory at the end over that by the middle; the median."""
        return median(report.peak / report.half for report in self.reports)

    def check(self) -> str:
        """The counts of the last run that are not right; empty if all are."""
        found, right = self.reports[-1].counts, self.expected
        return "" if found == right else f"{tuple(found)} instead of {tuple(right)}"

    def time_ratio(self, other: CountedSeries[R]) -> float:
        """Its time over that of ``other``; the median over the rounds."""
        seconds = ([report.seconds for report in each.reports] for each in (self, other))
        return paired_median(*seconds)
