"""Works that run in turns, a process each, and say themselves what they took and told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Generic, Protocol, TypeVar

from r4.bench.harness.process_usage import measure_process


class ProgramReport(Protocol):
    """What a program says of its own run."""

    @property
    def seconds(self) -> float:
        """Of processor time."""
        ...

    @property
    def told(self) -> tuple[int, ...]:
        """How many it told of each kind."""
        ...

    @property
    def half(self) -> int:
        """The bytes that it had occupied at most by the middle of its input."""
        ...

    @property
    def peak(self) -> int:
        """And at the end."""
        ...


S = TypeVar("S", bound=ProgramReport)


@dataclass(slots=True)
class Series(Generic[S]):
    """Some work and its runs, one a round.

    Attributes:
        name: of the work.
        expected: what must be told.
        runs: what each said.
    """

    name: str
    expected: tuple[int, ...]
    runs: list[S] = field(default_factory=list)

    @property
    def best(self) -> S:
        """The run that took the least time."""
        return min(self.runs, key=lambda run: run.seconds)

    @property
    def wrong(self) -> str:
        """What was told that is not so; empty if nothing."""
        for run in self.runs:
            if run.told != self.expected:
                return f"{tuple(run.told)} instead of {tuple(self.expected)}"
        return ""

    @property
    def grown(self) -> float:
        """How many times what it occupied by the middle it did at the end; the median."""
        return median(run.peak / run.half for run in self.runs)

    def over(self, other: Series[S]) -> float:
        """How many times what ``other`` takes it takes; the median over the rounds."""
        pairs = zip(self.runs, other.runs, strict=True)
        return median(ours.seconds / theirs.seconds for ours, theirs in pairs)


def run_rounds(  # noqa: PLR0913, PLR0917 - what, how, and where
    works: Sequence[Series[S]],
    command: Callable[[str], tuple[str, ...]],
    read: Callable[[str], S],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Each work once a round, in a process of its own.

    Args:
        works: what runs.
        command: by the name of a work, what runs it.
        read: understands what that says.
        rounds: how often.
        folder: has what they say, as long as they run.
        say: is told what runs.

    Raises:
        RunFailed: a program ended with an error.
    """
    output = folder / "output"
    for number in range(rounds):
        for work in works:
            say(f"round {number + 1} of {rounds}: {work.name}")
            measure_process(command(work.name), output)
            work.runs.append(read(output.read_text(encoding="utf-8")))
    output.unlink(missing_ok=True)
