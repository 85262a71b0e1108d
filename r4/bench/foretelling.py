"""What `r4 run --hypotheses` costs over `r4 run`, on the same readings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from r4.bench.bounds import Bound
from r4.bench.growth import MOST_GROWTH
from r4.bench.readings import Readings
from r4.bench.rounds import Series, run_all
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

    @property
    def told(self) -> Foretold:
        """How many of each kind."""
        return self.counts

    @staticmethod
    def read_from(text: str) -> Run:
        """From what `r4.bench.foretell` says."""
        told = json.loads(text)
        return Run(**{**told, "counts": Foretold(*told["counts"])})


Foretelling: TypeAlias = Series[Run]


def foretell_all(
    share: float, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[Foretelling]:
    """Each work once a round, on a share of the readings; a process each.

    Raises:
        RunFailed: a program ended with an error.
    """
    files = Files(folder)
    moments = max(1, round(COUNT * share / DEVICES))
    readings = {work: Readings(moments * DEVICES, DEVICES, work.delay) for work in WORKS.values()}
    right = {each: foretold(each) for each in set(readings.values())}

    def expected(work: Told) -> Foretold:
        counts = right[readings[work]]
        return Foretold(counts.answers, 0, 0, 0) if work.how == CERTAIN else counts

    def command(name: str) -> tuple[str, ...]:
        work = WORKS[name]
        each = readings[work]
        paths = (
            files.file("turbines.rif", lambda: iter([RULES])),
            files.file("turbines.nt", partial(static, each)),
            files.file(f"{each.name}.nq", partial(quads, each)),
        )
        program = (sys.executable, "-m", "r4.bench.foretell", str(each.count), work.how)
        return (*program, str(work.delay), *map(str, paths))

    found = [Foretelling(name, expected(work)) for name, work in WORKS.items()]
    run_all(found, command, Run.read_from, rounds, folder, say)
    return found


def over(telling: Foretelling, found: Sequence[Foretelling]) -> float:
    """How many times what the run without hypotheses takes; the median over the rounds."""
    work = WORKS[telling.name]
    (plain,) = (each for each in found if WORKS[each.name] == Told(work.delay, CERTAIN))
    return telling.over(plain)


def foretelling_bounds(found: Sequence[Foretelling]) -> Iterator[Bound]:
    """What R4 means to keep; ratios are medians over the rounds."""
    for telling in found:
        if WORKS[telling.name].how == POSSIBLE:
            rate = telling.best.rate
            yield Bound(telling.name, "readings a second", rate, LEAST_RATE, most=False)
            says = "peak memory over that by half"
            yield Bound(telling.name, says, telling.grown, MOST_GROWTH)
