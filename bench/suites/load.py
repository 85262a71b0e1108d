"""`r4 bench load`: bulk loading on one core and on two, against nothing but parsing; then a rule.

Each is a process of its own, from its start to its end: of a load that is the start and the end of
Java too. One graph that joins with all that was loaded is answered by `r4 run --static FOLDER`. The
number of triples in the folder is compared with that of the file, and the answers with the offers.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final, TypeAlias

from bench.harness.benchmark import Benchmark, Findings, Request, needs_spark
from bench.harness.bounds import Bound, bounds_json
from bench.harness.process_usage import python
from bench.harness.rounds import OUTPUT, Series, first_wrong, paired_median, run_rounds
from bench.harness.tables import TextTable, format_megabytes, tabled
from bench.workloads import catalogue
from bench.workloads.catalogue import TRIPLES, Files
from bench.workloads.offers import offer_iri, offers, product_iri
from bench.workloads.stream_terms import DATE_TIME, GENERATED_AT, STEP, stamp
from r4.store.index import read_index
from r4.store.layout import FolderLayout

MEMORY: Final = "1g"
"""Heap of Spark's driver."""
LEAST_RATE: Final = 0.4
"""The share of the triples a second of a parser that loading on two cores means to reach."""
LEAST_FASTER: Final = 1.2
"""How many times as fast as one core two mean to be."""
MOST_CPU: Final = 1.15
"""How much more processor time they mean to take."""
MOST_SECONDS: Final = 2.0
MOST_BYTES: Final = 500_000_000
"""The seconds and bytes that an answer on loaded data means to take, as a process."""
_ASKED: Final = 100
_WORKERS: Final = re.compile(r"workers: ([0-9.]+) s of processor time")
_RULES: Final = catalogue.RULES / "asked.rif"
_ASK: Final = "http://offers.example/ask#"
PARSE, ONE, TWO, ANSWER = "parse", "load, 1 core", "load, 2 cores", "answer"

LoadRuns: TypeAlias = Mapping[str, Series[str, None]]
"""The runs by what ran."""


def run(request: Request) -> Findings:
    """Load a stream of offers, and ask for some."""
    count, folder = request.triples // TRIPLES, request.folder
    quads = count * (TRIPLES + 1)
    path = Files(folder).stream("offers", count)
    into, question = folder / "loaded", folder / "question.nq"
    question.write_text("".join(_question(count)), "utf-8")
    loading = python("r4", "load", path, "--into", into, "--memory", MEMORY)
    commands = {
        PARSE: python("bench.peers.parse_only", path),
        ONE: (*loading, "--master", "local[1]"),
        TWO: (*loading, "--master", "local[2]"),
        ANSWER: python("r4", "run", _RULES, question, "--static", into),
    }
    found = {name: Series[str, None](name) for name in commands}
    said: list[str] = []

    def check(each: Series[str, None], _: int) -> str:
        usage = each.usages[-1]
        each.runs[-1] = replace(usage, cpu=usage.cpu + _of_workers(said)), None
        said.clear()
        return _wrong(each.key, quads, into, folder / OUTPUT, count)

    run_rounds(
        request,
        [*found.values()],
        lambda each, _: commands[each.key],
        title=lambda each: f"{each.key}, {quads:,} quads",
        check=check,
        tell=lambda _, line: said.append(line),
    )
    shutil.rmtree(into, ignore_errors=True)
    return findings(quads, found)


BENCHMARK: Final = Benchmark(
    {"load": "bulk loading on Spark, and a rule on what is loaded"}, run, lacks=needs_spark
)


def _of_workers(said: Sequence[str]) -> float:
    """Seconds of processor time of the workers of Spark: they are no children of what was run."""
    found = _WORKERS.search(said[-1]) if said else None
    return 0.0 if found is None else float(found[1])


def _asked(count: int) -> Iterator[tuple[str, str]]:
    """Some offers, and their products."""
    step = max(count // _ASKED, 1)
    for offer in islice(offers(count), 0, None, step):
        yield offer_iri(offer), product_iri(offer.product)


def _question(count: int) -> Iterator[str]:
    name = "<http://offers.example/question>"
    yield f'{name} {GENERATED_AT} "{stamp(STEP)}"^^{DATE_TIME} .\n'
    for offer, _ in _asked(count):
        yield f"{name} <{_ASK}offer> {offer} {name} .\n"


def _wrong(name: str, quads: int, into: Path, output: Path, count: int) -> str:
    if name in {ONE, TWO}:
        found = read_index(FolderLayout(into)).triples
        return "" if found == quads else f"{found:,} instead of {quads:,} quads"
    if name == ANSWER:
        lines = map(json.loads, output.read_text("utf-8").splitlines())
        answers = sorted((line["s"], line["o"]) for line in lines)
        return "" if answers == sorted(_asked(count)) else f"{len(answers)} answers, not these"
    return ""


def load_bounds(found: LoadRuns) -> Sequence[Bound]:
    """The bounds on medians; ratios are those of a round."""
    seconds = {name: [usage.seconds for usage in each.usages] for name, each in found.items()}
    cpu = {name: [usage.cpu for usage in each.usages] for name, each in found.items()}
    rate = paired_median(seconds[PARSE], seconds[TWO])
    faster = paired_median(seconds[ONE], seconds[TWO])
    peak = median(usage.peak / 1e6 for usage in found[ANSWER].usages)
    return (
        Bound("load", "triples/s of 2 cores over parsing", rate, LEAST_RATE, most=False),
        Bound("load", "2 cores, times as fast as 1", faster, LEAST_FASTER, most=False),
        Bound("load", "CPU of 2 cores over 1", paired_median(cpu[TWO], cpu[ONE]), MOST_CPU),
        Bound("answer", "answer, seconds", median(seconds[ANSWER]), MOST_SECONDS),
        Bound("answer", "answer, MB", peak, MOST_BYTES / 1e6),
    )


def findings(quads: int, found: LoadRuns) -> Findings:
    """Runs, bounds."""
    wrong = first_wrong(found.values())
    runs = {name: [asdict(usage) for usage in each.usages] for name, each in found.items()}
    bounds = bounds_json(load_bounds(found))
    return Findings(
        [*_tables(quads, found, wrong or "right")],
        {"bulk": {"quads": quads, "runs": runs, "bounds": bounds, "wrong": wrong}},
        wrong,
    )


def _tables(quads: int, found: LoadRuns, said: str) -> Iterator[TextTable]:
    medians = {name: median(usage.seconds for usage in each.usages) for name, each in found.items()}
    yield from tabled(
        f"Bulk loading of {quads:,} quads: whole processes, medians. Peak of the largest"
        " process, which may be Java.",
        ("", "seconds", "quads/s", "CPU", "peak MB"),
        (
            (
                *(name, f"{medians[name]:.2f}", f"{quads / medians[name]:,.0f}"),
                f"{median(usage.cpu for usage in each.usages):.2f}",
                format_megabytes(each.peak),
            )
            for name, each in found.items()
        ),
    )
    yield from tabled(
        f"Bounds, medians over the rounds. Folder and answers: {said}.",
        ("", "figure", "bound", ""),
        (
            (bound.description, f"{bound.figure:.2f}", bound.limit_text, bound.verdict)
            for bound in load_bounds(found)
        ),
    )
