"""`r4 bench formats`: a triple in each input format, against pyoxigraph parsing the file alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.process_usage import measure_process, python
from bench.harness.rounds import OUTPUT
from bench.harness.tables import tabled
from bench.workloads.sensor_files import TRIPLES


@dataclass(frozen=True, slots=True)
class FormatCost:
    """The cost of one format."""

    name: str  # that of ``-i``
    triples: int  # of the stream, without stamps
    seconds: float  # processor time until all its elements are batches of ids
    parsed: float | None  # the same of pyoxigraph parsing the file; None: it does not


def run(request: Request) -> Findings:
    """All formats, in one process, which ends with an error if some triples are wrong."""
    request.say("formats: one stream in each input format")
    output = request.folder / OUTPUT
    given = request.triples // TRIPLES, request.rounds, request.folder
    measure_process(python("bench.programs.read_formats", *given), output)
    costs = [FormatCost(**values) for values in json.loads(output.read_text(encoding="utf-8"))]
    output.unlink(missing_ok=True)
    table = tabled(
        f"Input formats: {costs[0].triples:,} triples in elements of three; processor time"
        " until they are batches of ids.",
        ("-i", "µs a triple", "pyoxigraph alone", "ratio", "ratio to N-Quads alone"),
        _rows(costs),
    )
    return Findings([*table], {"formats": [*map(asdict, costs)]})


def _rows(costs: Sequence[FormatCost]) -> Iterator[tuple[str, ...]]:
    """The ratios are to pyoxigraph on the same file, and on N-Quads."""
    base = next(each.parsed for each in costs if each.name == "nquads")
    assert base is not None
    for each in costs:
        alone = ("", "")
        if each.parsed is not None:
            alone = f"{each.parsed / each.triples * 1e6:.2f}", f"{each.seconds / each.parsed:.2f}"
        micro = f"{each.seconds / each.triples * 1e6:.2f}"
        yield each.name, micro, *alone, f"{each.seconds / base:.2f}"


BENCHMARK: Final = Benchmark(
    {"formats": "a triple in each input format, against pyoxigraph parsing alone"}, run
)
