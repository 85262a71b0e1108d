"""What a triple costs in each input format, against pyoxigraph parsing the same file alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.harness.process_usage import measure_process
from bench.workloads.sensor_files import TRIPLES


@dataclass(frozen=True, slots=True)
class FormatCost:
    """The cost of one format.

    Attributes:
        name: that of ``-i``.
        triples: of the stream, without stamps.
        seconds: processor time until all its elements are batches of ids.
        parsed: the same of pyoxigraph parsing the file; None: it does not.
    """

    name: str
    triples: int
    seconds: float
    parsed: float | None

    @property
    def microseconds(self) -> float:
        """Of a triple."""
        return self.seconds / self.triples * 1e6

    @property
    def parse_microseconds(self) -> float | None:
        """Of a triple, by pyoxigraph."""
        return None if self.parsed is None else self.parsed / self.triples * 1e6


def measure_formats(
    triples: int, rounds: int, folder: Path, say: Callable[[str], None]
) -> list[FormatCost]:
    """All formats, in one process.

    Raises:
        RunFailed: some triples were wrong, say.
    """
    say("formats: one stream in each input format")
    output = folder / "output"
    command = (sys.executable, "-m", "bench.programs.read_formats")
    measure_process((*command, str(triples // TRIPLES), str(rounds), str(folder)), output)
    found = [FormatCost(**values) for values in json.loads(output.read_text(encoding="utf-8"))]
    output.unlink(missing_ok=True)
    return found
