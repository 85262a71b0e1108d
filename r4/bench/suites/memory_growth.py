"""Does memory grow with the stream? R4 reads offers from a pipe, then ten times as many."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.suites.contestants import milliseconds
from r4.bench.workloads.catalogue import TRIPLES, WORKLOADS
from r4.bench.workloads.expected_answers import count_q1, outcome

TIMES: Final = 10
"""How much longer the longer stream is."""
MOST_GROWTH: Final = 1.1
"""How much more memory R4 means to need for it at most."""


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """A stream of so many triples, and what reading it used.

    ``wrong``: what is wrong with the answers; empty if nothing.
    """

    triples: int
    window: str
    usage: Usage
    wrong: str


def measure_growth(
    windows: tuple[str, ...], triples: int, folder: Path, say: Callable[[str], None]
) -> Iterator[MemoryGrowth]:
    """Read the shorter stream, then the longer one, under each window.

    Nothing but the answers is written to disk; generator and reader run side by side, so the time
    is that of the slower one.
    """
    workload, output = WORKLOADS["q1"], folder / "output"
    for window in windows:
        command = (sys.executable, "-m", "r4", "run", str(workload.rules), "--window", window, "-")
        for long in (triples, TIMES * triples):
            count = long // TRIPLES
            say(f"memory: {long:,} triples, window {window}")
            with subprocess.Popen(
                (sys.executable, "-m", "r4.bench", workload.stream, str(count)),
                stdout=subprocess.PIPE,
            ) as generator:
                assert generator.stdout is not None
                usage = measure_process(command, output, generator.stdout)
            with output.open("rb") as lines:
                found = outcome(lines).counts
            right = (0, *count_q1(count, milliseconds(window)))
            wrong = "" if found == right else f"{found} instead of {right} answers"
            yield MemoryGrowth(long, window, usage, wrong)
    output.unlink(missing_ok=True)
