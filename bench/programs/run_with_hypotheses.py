"""`r4 run` on readings of turbines, with possible answers or without.

It prints in JSON what that took. usage: run_with_hypotheses.py COUNT
certain|possible DELAY RULES STATIC STREAM
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Final, TypeAlias
from unittest.mock import patch

from bench.harness.process_usage import peak_memory
from bench.suites.possible_answers import CERTAIN, PossibleReport
from bench.workloads.temporal.turbine_rdf import StatusCounts
from r4.answers.output_order import Changes
from r4.cli.streams.run import command
from r4.run.driver import Driver
from r4.stream.batch import Batch

Step: TypeAlias = Callable[[Driver, Batch], list[Changes]]
_BEGINS: Final = '{"op":"+"', '{"status":"supported"', '{"status":"confirmed"', '{"status":"withdr'
_TRIPLES: Final = 2
"""Those of a reading."""


class HalfwayMemory:
    """The memory that is occupied when half of the readings are in."""

    def __init__(self, count: int) -> None:
        self._left = count * _TRIPLES // 2
        self.size = peak_memory()

    def watched(self, step: Step) -> Step:
        """The same step of a driver, with a look at memory."""

        def watched(driver: Driver, batch: Batch) -> list[Changes]:
            found = step(driver, batch)
            self._left -= len(batch.rows)
            if self._left >= 0:
                self.size = peak_memory()
            return found

        return watched


def run_command(count: int, how: str, delay: str, rules: str, *data: str) -> PossibleReport:
    """Run over ``data``, static and a stream of ``count`` readings, and count the output lines."""
    idle, half = peak_memory(), HalfwayMemory(count)
    static, stream = data
    output = Path(stream).with_suffix(".told")
    options = () if how == CERTAIN else ("--hypotheses",)
    files = (rules, "--static", static, stream, "--output", str(output))
    begun = process_time()
    with patch.object(Driver, "step", half.watched(Driver.step)):
        code = command.main((*files, "--delay", delay, *options), standalone_mode=False)
    seconds = process_time() - begun
    assert code == 0, code
    with output.open(encoding="utf-8") as lines:
        begins = Counter(next((b for b in _BEGINS if line.startswith(b)), "") for line in lines)
    size = output.stat().st_size
    output.unlink()
    counts = StatusCounts(*(begins[begin] for begin in _BEGINS))
    return PossibleReport(
        count, seconds, begins.total(), size, counts, idle, half.size, peak_memory()
    )


def main(count: str, how: str, delay: str, *paths: str) -> None:
    """Run, and print the report."""
    json.dump(run_command(int(count), how, delay, *paths)._asdict(), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
