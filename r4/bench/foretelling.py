"""What `r4 run --hypotheses` costs over `r4 run`, on the same readings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from r4.bench.growth import MOST_GROWTH
from r4.bench.hypothesising import Bound
from r4.bench.measure import measure
from r4.bench.readings import Readings
from r4.bench.turbines import RULES, Foretold, foretold, quads, static
from r4.bench.workloads import Files

COUNT: Final = 200_000
DEVICES: Final = 1000
CERTAIN: Final = "certain"
POSSIBLE: Final = "possible"
LEAST_RATE: Final = 5_000
"""Readings a second of processor time that R4 means to take with hypotheses."""


@dataclass(frozen=True, slots=True)
class Told:
    """Some readings, and what is told of them.

    Attributes:
        delay: how late they may be.
        how: `CERTAIN` or `POSSIBLE`.
    """

    delay: int
    how: str


WORKS: Final[Mapping[str, Told]] = {
    f"run{' --hypotheses' * (how == POSSIBLE)}, delay {delay}": Told(delay, how)
    for delay in (0, 5)
    for how in (CERTAIN, POSSIBLE)
}
"""By name, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a program says of its own run.

    Attributes:
        readings: how many there were.
        seconds: of processor time, from files to a file.
        lines: how many were told.
        size: their bytes.
        counts: how many of each kind.
        idle, half, peak: the bytes that it had occupied at most before it read anything, by the
            middle of the readings, and at the end.
    """

    readings: int
    seconds: float
    lines: int
    size: int
    counts: Foretold
    idle: int
    half: int
    peak: int

    @property
    def rate(self) -> float:
        """Readings a second."""
        return self.readings / self.seconds

    @staticmethod
    def read_from(text: str) -> Run:
        """From what `r4.bench.foretell` says."""
        told = json.loads(text)
        return Run(**{**told, "counts": Foretold(*told["counts"])})


@dataclass(slots=True)
class Foretelling:
    """Some work and its runs, one a round.

    Attributes:
        name: one of `WORKS`.
        expected: what must be told.
        runs: what each said.
    """

    name: str
    expected: Foretold
    runs: list[Run] = field(default_factory=list)

    @property
    def best(self) -> Run:
        """The run that took the least time."""
        return min(self.runs, key=lambda run: run.seconds)

    @property
    def wrong(self) -> str:
        """What was told that is not so; empty if nothing."""
        right = self.expected
        if WORKS[self.name].how == CERTAIN:
            right = Foretold(right.answers, 0, 0, 0)
        for run in self.runs:
            if run.counts != right:
                return f"{tuple(run.counts)} instead of {tuple(right)}"
        return ""


def foretell_all(
    share: float, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Foretelling]:
    """Each work once a round, on a share of the readings; a process each.

    Raises:
        RunFailed: a program ended with an error.
    """
    files, output = Files(folder), folder / "output"
    moments = max(1, round(COUNT * share / DEVICES))
    readings = {work: Readings(moments * DEVICES, DEVICES, work.delay) for work in WORKS.values()}
    expected = {each: foretold(each) for each in set(readings.values())}
    found = [Foretelling(name, expected[readings[work]]) for name, work in WORKS.items()]
    for number in range(rounds):
        for telling in found:
            say(f"round {number + 1} of {rounds}: {telling.name}")
            work = WORKS[telling.name]
            each = readings[work]
            paths = (
                files.file("turbines.rif", lambda: iter([RULES])),
                files.file("turbines.nt", partial(static, each)),
                files.file(f"{each.name}.nq", partial(quads, each)),
            )
            command = (sys.executable, "-m", "r4.bench.foretell", str(each.count), work.how)
            measure((*command, str(work.delay), *map(str, paths)), output)
            telling.runs.append(Run.read_from(output.read_text(encoding="utf-8")))
    output.unlink(missing_ok=True)
    return found


def over(telling: Foretelling, found: Sequence[Foretelling]) -> float:
    """How many times what the run without hypotheses takes; the median over the rounds."""
    work = WORKS[telling.name]
    (plain,) = (each for each in found if WORKS[each.name] == Told(work.delay, CERTAIN))
    pairs = zip(telling.runs, plain.runs, strict=True)
    return median(ours.seconds / theirs.seconds for ours, theirs in pairs)


def foretelling_bounds(found: Sequence[Foretelling]) -> Iterator[Bound]:
    """What R4 means to keep; ratios are medians over the rounds."""
    for telling in found:
        if WORKS[telling.name].how == POSSIBLE:
            rate = telling.best.rate
            yield Bound(telling.name, "readings a second", rate, LEAST_RATE, most=False)
            grown = median(run.peak / run.half for run in telling.runs)
            yield Bound(telling.name, "peak memory over that by half", grown, MOST_GROWTH)
