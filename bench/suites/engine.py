"""`r4 bench engine`: the rate of the engine without input and output, on each kernel back end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.process_usage import measure_process, python
from bench.harness.rounds import OUTPUT
from bench.harness.tables import tabled
from rete import kernels

LEAST_RATE: Final = 3_000_000
"""Triples a second that the compiled back end means to take in batches of a thousand and more."""
MOST_MICROSECONDS: Final = 150
"""The microseconds that one graph at a time means to cost there, in the median."""
MOST_HIGH: Final = 1000
"""The microseconds that 99 of 100 graphs mean to cost at most."""
_LARGE: Final = 1000
_GRAPH: Final = 11


@dataclass(frozen=True, slots=True)
class EngineRate:
    """How fast one back end takes batches of one size."""

    kernels: str  # the back end
    batch: int  # triples in a batch
    rate: float  # triples a second of processor time, which a busy machine does not change
    median: float  # microseconds for a batch
    high: float  # microseconds that 99 of 100 stay below

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


BENCHMARK: Final = Benchmark(
    {"engine": "the engine alone, at several batch sizes, on each kernel back end"},
    lambda request: findings([*_measured(request)]),
)


def _measured(request: Request) -> Iterator[EngineRate]:
    output = request.folder / OUTPUT
    for name in ("compiled", "pure"):
        try:
            kernels.load(name)
        except ImportError:
            continue
        request.say(f"engine: {name} kernels")
        command = python("bench.programs.bare_engine", request.triples)
        measure_process(command, output, kernels=name)
        for values in json.loads(output.read_text(encoding="utf-8")):
            yield EngineRate(**values)
    output.unlink(missing_ok=True)


def findings(rates: list[EngineRate]) -> Findings:
    """A rate a row."""
    rows = (
        (
            f"{rate.batch:,}",
            rate.kernels,
            f"{rate.rate:,.0f}",
            f"{rate.median:,.0f}",
            f"{rate.high:,.0f}",
            rate.bound,
            "" if not rate.bound else "kept" if rate.kept else "missed",
        )
        for rate in rates
    )
    title = "The engine alone: q1 on triples that are numbers already, window 1 s."
    heads = ("triples at a time", "kernels", "triples/s", "median µs", "99 % µs", "bound", "")
    return Findings([*tabled(title, heads, rows)], {"engine": [*map(asdict, rates)]})
