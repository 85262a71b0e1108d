"""`r4 bench memory`: does memory grow with a stream, read from a pipe, and one ten times as long?

Nothing but the answers is written to disk; generator and reader run side by side, so the time is
that of the slower one. Answers are counted.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import linear_regression
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import verdict
from bench.harness.process_usage import Usage, measure_process, python, variables_of_a_run
from bench.harness.rounds import OUTPUT
from bench.harness.tables import format_megabytes, tabled
from bench.workloads import offer_retractions
from bench.workloads.catalogue import RULES, TRIPLES
from bench.workloads.expected_answers import count_q1, outcome
from bench.workloads.stream_terms import milliseconds

TIMES: Final = 10
"""How much longer the longer stream is."""
MOST_GROWTH: Final = 1.1
"""How much more memory R4 means to need for it at most."""
_FEWEST: Final = 20
"""Seconds that a run takes at least for its slope to mean something."""


class EndlessStream(NamedTuple):
    """Rules on a stream that could go on without an end."""

    rules: str  # the name of their file
    stream: str  # a key of `bench.workloads.catalogue.STREAMS`
    # how many begin and end, by the number of elements and milliseconds
    count_answers: Callable[[int, int], tuple[int, int]]


ENDLESS: Final[Sequence[EndlessStream]] = (
    EndlessStream("q1", "offers", count_q1),
    EndlessStream("lookback", "offers-retracted", offer_retractions.count_answers),
)


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """Rules on a stream of some length, and what reading it used.

    ``wrong``: what is wrong with the answers; empty if nothing.
    """

    name: str
    triples: int
    window: str
    usage: Usage
    wrong: str

    @property
    def slope(self) -> float | None:
        """Bytes for each million triples, over all but the first quarter; None: not known."""
        sizes = self.usage.resident
        if len(sizes) < _FEWEST:
            return None
        later = range(len(sizes) // 4, len(sizes))
        slope, _ = linear_regression(later, [sizes[second] for second in later])
        return slope * len(sizes) / self.triples * 1_000_000


def run(request: Request) -> Findings:
    """Read the shorter part of each stream, then the longer one, under the longest window."""
    found = list(_measured(request))
    shortest = {each.name: each.usage.peak for each in reversed(found)}
    ratios = [each.usage.peak / shortest[each.name] for each in found]
    rows = (
        (
            each.name,
            f"{each.triples:,}",
            each.window,
            format_megabytes(each.usage.peak),
            f"{ratio:.2f}",
            verdict(ratio, MOST_GROWTH),
            "" if each.slope is None else f"{each.slope / 1_000_000:.3f}",
            f"{each.usage.seconds:.2f}",
            each.wrong or "right",
        )
        for each, ratio in zip(found, ratios, strict=True)
    )
    table = tabled(
        "Memory as the stream grows, read from a pipe.",
        (
            *("rules", "triples", "window", "peak MB", "over the shorter", "bound"),
            *("MB gained per million triples", "seconds", "answers"),
        ),
        rows,
    )
    figures = {"memory": [{**asdict(each), "slope": each.slope} for each in found]}
    return Findings([*table], figures, next((each.wrong for each in found if each.wrong), ""))


def _measured(request: Request) -> Iterator[MemoryGrowth]:
    output, window = request.folder / OUTPUT, max(request.windows, key=milliseconds)
    for rules, stream, count_answers in ENDLESS:
        command = python("r4", "run", RULES / f"{rules}.rif", "--window", window, "-")
        for long in (request.triples, TIMES * request.triples):
            count = long // TRIPLES
            request.say(f"memory: {rules}, {long:,} triples, window {window}")
            with subprocess.Popen(
                python("bench", stream, count),
                stdout=subprocess.PIPE,
                env=variables_of_a_run(),
            ) as generator:
                assert generator.stdout is not None
                usage = measure_process(command, output, generator.stdout)
            with output.open("rb") as lines:
                found = outcome(lines).counts
            right = (0, *count_answers(count, milliseconds(window)))
            wrong = "" if found == right else f"{found} instead of {right} answers"
            yield MemoryGrowth(rules, long, window, usage, wrong)
    output.unlink(missing_ok=True)


BENCHMARK: Final = Benchmark(
    {
        "memory": "memory of q1, and of rules that look back on offers, of which some are"
        f" retracted; on a stream, and one {TIMES} times as long"
    },
    run,
)
