"""The rate of the engine without input and output, on each kernel back end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.harness.process_usage import measure_process
from rete import kernels

LEAST_RATE: Final = 3_000_000
"""Triples a second that the compiled back end means to take in batches of a thousand and more."""
MOST_MICROSECONDS: Final = 150
"""What one graph at a time means to cost there, in the median."""
MOST_HIGH: Final = 1000
"""What 99 of 100 graphs mean to cost at most, in microseconds."""
_LARGE: Final = 1000
_GRAPH: Final = 11


@dataclass(frozen=True, slots=True)
class EngineRate:
    """How fast one back end takes batches of one size.

    Attributes:
        kernels: the back end.
        batch: triples in a batch.
        rate: triples a second of processor time, which a busy machine does not change.
        median, high: microseconds for a batch: the median, and what 99 of 100 stay below.
    """

    kernels: str
    batch: int
    rate: float
    median: float
    high: float

    @property
    def bound(self) -> str:
        """The bound in words; empty where there is none."""
        if self.kernels == "compiled" and self.batch >= _LARGE:
            return f"{LEAST_RATE:,} triples/s"
        if self.kernels == "compiled" and self.batch == _GRAPH:
            return f"{MOST_MICROSECONDS} µs, 99 % {MOST_HIGH} µs"
        return ""

    @property
    def kept(self) -> bool:
        """Whether it is; true where there is no bound."""
        if self.batch >= _LARGE:
            return self.rate >= LEAST_RATE or not self.bound
        short = self.median <= MOST_MICROSECONDS and self.high <= MOST_HIGH
        return short or not self.bound


def back_ends() -> Iterator[str]:
    """The back ends that load here."""
    for name in ("compiled", "pure"):
        try:
            kernels.load(name)
        except ImportError:
            continue
        yield name


def measure_engine(triples: int, folder: Path, say: Callable[[str], None]) -> Iterator[EngineRate]:
    """All sizes of batches up to ``triples``, on each back end, a process each."""
    output = folder / "output"
    for name in back_ends():
        say(f"engine: {name} kernels")
        command = (sys.executable, "-m", "bench.programs.bare_engine", str(triples))
        measure_process(command, output, kernels=name)
        for values in json.loads(output.read_text(encoding="utf-8")):
            yield EngineRate(**values)
    output.unlink(missing_ok=True)
