"""Contestants that run in turns, round by round, each run a process that is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, Generic, Protocol, TypeVar

from bench.harness.process_usage import RunFailed, Usage, measure_process

OUTPUT: Final = "output"
"""The file in the folder that has the standard output of a run."""

_BRIEF: Final = 0.01
"""Seconds below which a run is too short in any case."""

K = TypeVar("K")
S = TypeVar("S")


@dataclass(slots=True)
class Series(Generic[K, S]):
    """The runs of one contestant, one a round.

    Attributes:
        key: what tells it from the others.
        runs: per run what the process used, and what its program reported.
        idles: what the same program used on empty input, once a round, where that is measured.
    """

    key: K
    runs: list[tuple[Usage, S]] = field(default_factory=list)
    idles: list[Usage] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether it needs no further runs."""
        return False

    def fail(self, _error: RunFailed) -> bool:
        """A run failed: whether the others go on without it."""
        return False

    @property
    def usages(self) -> list[Usage]:
        """What each run used."""
        return [usage for usage, _ in self.runs]

    @property
    def reports(self) -> list[S]:
        """What the program of each run reported."""
        return [report for _, report in self.runs]

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(usage.peak for usage in self.usages)

    @property
    def start(self) -> float:
        """Seconds until a process of this kind is at work: the quickest run on empty input."""
        return min(idle.seconds for idle in self.idles)

    @property
    def after_start(self) -> list[float]:
        """Seconds of each run without its start."""
        return [max(usage.seconds - self.start, 1e-9) for usage in self.usages]

    @property
    def seconds(self) -> float:
        """The median run without its start."""
        return median(self.after_start)

    @property
    def work(self) -> list[float]:
        """Seconds of processor time of each run without that of its start."""
        start = min(idle.cpu for idle in self.idles)
        return [max(usage.cpu - start, 1e-9) for usage in self.usages]

    @property
    def short(self) -> bool:
        """Whether a run takes no longer than its start varies: its time has no meaning."""
        varies = max(idle.seconds for idle in self.idles) - self.start
        return self.seconds <= max(varies, _BRIEF)


class ProgramReport(Protocol):
    """What a program reports of its own run over readings."""

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
class CheckedSeries(Series[str, R]):
    """The runs of some work, whose programs report counts that are known.

    Attributes:
        expected: these counts.
    """

    expected: tuple[int, ...] = field(kw_only=True)

    @property
    def best(self) -> R:
        """The report of the run that took the least time."""
        return min(self.reports, key=lambda report: report.seconds)

    @property
    def wrong(self) -> str:
        """The counts that are not right; empty if all are."""
        for report in self.reports:
            if report.counts != self.expected:
                return f"{tuple(report.counts)} instead of {tuple(self.expected)}"
        return ""

    @property
    def growth(self) -> float:
        """The memory at the end over that by the middle; the median."""
        return median(report.peak / report.half for report in self.reports)

    def time_ratio(self, other: CheckedSeries[R]) -> float:
        """Its time over that of ``other``; the median over the rounds."""
        return paired_median(
            [report.seconds for report in self.reports],
            [report.seconds for report in other.reports],
        )


class Judged(Protocol):
    """What was held to the right answers."""

    @property
    def wrong(self) -> str:
        """In what it differs from them; empty: in nothing."""
        ...


def first_wrong(found: Iterable[Judged]) -> str:
    """The first thing that is wrong; empty if nothing."""
    return next(filter(None, (each.wrong for each in found)), "")


def paired_median(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median over the rounds of ours over theirs; of the rounds that both have."""
    return median(a / b for a, b in zip(ours, theirs, strict=False))


AnySeries = TypeVar("AnySeries", bound=Series[Any, Any])


def run_rounds(  # noqa: PLR0913, PLR0917 - what, how, and where
    series: Sequence[AnySeries],
    command: Callable[[AnySeries, int], tuple[str, ...]],
    read: Callable[[Path], object],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
    *,
    title: Callable[[AnySeries], str] = lambda each: str(each.key),
    idle: Callable[[AnySeries], tuple[str, ...]] | None = None,
    after: Callable[[AnySeries, int], None] | None = None,
    tell: Callable[[str, str], None] = lambda _title, _line: None,
) -> None:
    """Run everybody once a round, A B C A B C …, so that what troubles the machine troubles all.

    Args:
        series: who runs; whoever is done is left out.
        command: the command of a run, by the number of the round.
        read: reads the report of a program from its standard output.
        rounds: how often.
        folder: has the outputs, as long as the programs run.
        say: shows a line for each run.
        title: what is shown of a contestant.
        idle: the command on empty input, which is measured before each run.
        after: is called after each run, while its output is there.
        tell: shows a line of standard error, below the line of its run.

    Raises:
        RunFailed: a program ended with an error, and the others do not go on without it.
    """
    output = folder / OUTPUT
    for number in range(rounds):
        for each in series:
            if each.is_done:
                continue
            line = f"round {number + 1} of {rounds}: {title(each)}"
            say(line)
            words = command(each, number)
            try:
                if idle is not None:
                    each.idles.append(measure_process(idle(each), output))
                usage = measure_process(words, output, tell=partial(tell, line))
            except RunFailed as error:
                if each.fail(error):
                    continue
                raise
            each.runs.append((usage, read(output)))
            if after is not None:
                after(each, number)
    output.unlink(missing_ok=True)
