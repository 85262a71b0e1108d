"""`r4 bench sources`: elements dealt out to a thousand files, against one file that has them all.

Each is a process of its own, from its start to its end. The answers are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Bound, bounds_json, bounds_table
from bench.harness.process_usage import python
from bench.harness.rounds import OUTPUT, Series, first_wrong, paired_median, run_rounds
from bench.workloads.catalogue import RULES
from bench.workloads.sensor_files import LIVE, MAPPING, TRIPLES, Reading, readings

FILES: Final = 1000
MOST: Final = 2.0
"""How much more processor time R4 means to take for them than for one."""
SUFFIXES: Final = {"nquads": "nq", "trig": "trig", "csv": "csv", "ndjson": "ndjson"}
"""The formats, with the suffixes of their files."""


class Dealt(NamedTuple):
    """A format, and how many files have the elements."""

    form: str
    files: int


def run(request: Request) -> Findings:
    """Write the files, and run a rule over them, round by round."""
    given = readings(request.triples // TRIPLES)
    mapping = request.folder / "mapping.toml"
    mapping.write_text(MAPPING, "utf-8")
    series: list[Series[Dealt, None]] = []
    commands: dict[Dealt, tuple[str, ...]] = {}
    for form in SUFFIXES:
        options = ("--mapping", mapping) if form.endswith(("csv", "ndjson")) else ()
        for count in (1, min(FILES, len(given))):
            each = Dealt(form, count)
            paths = _written(each, given, request.folder)
            commands[each] = python("r4", "run", RULES / "readings.rif", *paths, *options)
            series.append(Series(each))
    answers: dict[str, bytes] = {}

    def check(each: Series[Dealt, None], _: int) -> str:
        found = (request.folder / OUTPUT).read_bytes()
        is_right = found and answers.setdefault(each.key.form, found) == found
        return "" if is_right else f"{each.key.form}: other answers of {each.key.files} files"

    run_rounds(request, series, lambda each, _: commands[each.key], check=check)
    bounds = [_bound(one, many) for one, many in zip(series[::2], series[1::2], strict=True)]
    title = f"{len(given):,} elements in many files, over the same in one: processor time, with"
    return Findings(
        [*bounds_table(f"{title} the start of the process.", bounds)],
        {"sources": {"runs": [each.json() for each in series], "bounds": bounds_json(bounds)}},
        first_wrong(series),
    )


BENCHMARK: Final = Benchmark(
    {"sources": f"elements dealt out to {FILES:,} files, against one file that has them all"}, run
)


def _written(each: Dealt, given: Sequence[Reading], folder: Path) -> list[Path]:
    """The files, written, of which each has every n-th element."""
    paths = []
    for number in range(each.files):
        paths.append(folder / f"readings-{each.files}-{number}.{SUFFIXES[each.form]}")
        paths[-1].write_text("".join(LIVE[each.form](given[number :: each.files])), "utf-8")
    return paths


def _bound(one: Series[Dealt, None], many: Series[Dealt, None]) -> Bound:
    ours, theirs = ([usage.cpu for usage in each.usages] for each in (many, one))
    name = f"{many.key.files:,} files over 1"
    return Bound(many.key.form, name, paired_median(ours, theirs), MOST)
