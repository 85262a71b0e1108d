"""Bulk loading: on one core and on two, against nothing but parsing; then a rule on what is loaded.

Each is a process of its own, from its start to its end: of a load that is the start and the end of
Java too. One graph that joins with all that was loaded is answered by `r4 run --static FOLDER`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Final

from bench.harness.bounds import Bound
from bench.harness.process_usage import Usage
from bench.harness.rounds import OUTPUT, Series, paired_median, run_rounds
from bench.workloads import catalogue
from bench.workloads.catalogue import TRIPLES, Files
from bench.workloads.offers import offer_iri, offers, product_iri
from bench.workloads.stream_terms import DATE_TIME, GENERATED_AT, STEP, stamp
from r4.store.index import read_index
from r4.store.layout import FolderLayout

MEMORY: Final = "1g"
"""Heap of Spark's driver."""
LEAST_RATE: Final = 0.4
"""Of the triples a second of a parser that does nothing else, what loading on two cores means to
reach."""
LEAST_FASTER: Final = 1.2
"""How many times as fast as one core two mean to be."""
MOST_CPU: Final = 1.15
"""How much more processor time they mean to take."""
MOST_SECONDS: Final = 2.0
MOST_BYTES: Final = 500_000_000
"""What an answer on what is loaded means to take, as a process."""
_ASKED: Final = 100
_WORKERS: Final = re.compile(r"workers: ([0-9.]+) s of processor time")
_RULES: Final = catalogue.RULES / "asked.rif"
_ASK: Final = "http://offers.example/ask#"
PARSE, ONE, TWO, ANSWER = "parse", "load, 1 core", "load, 2 cores", "answer"


@dataclass(slots=True)
class LoadRuns:
    """A file, and the runs on it.

    Attributes:
        quads: in the file, as it was made.
        runs: usages by what ran, one a round.
        wrong: what was not as it should be; empty if nothing.
    """

    quads: int
    runs: dict[str, list[Usage]] = field(default_factory=dict)
    wrong: str = ""


def run_load(triples: int, rounds: int, folder: Path, say: Callable[[str], None]) -> LoadRuns:
    """Load a stream of offers, and ask for some.

    Raises:
        RunFailed: a program ended with an error.
    """
    count = triples // TRIPLES
    path = Files(folder).stream("offers", count)
    bulk = LoadRuns(count * (TRIPLES + 1))
    into, question = folder / "loaded", folder / "question.nq"
    question.write_text("".join(_question(count)), "utf-8")
    python = (sys.executable, "-m")
    loading = (*python, "r4", "load", str(path), "--into", str(into), "--memory", MEMORY)
    commands = {
        PARSE: (*python, "bench.peers.parse_only", str(path)),
        ONE: (*loading, "--master", "local[1]"),
        TWO: (*loading, "--master", "local[2]"),
        ANSWER: (*python, "r4", "run", str(_RULES), str(question), "--static", str(into)),
    }
    series = [Series[str, None](name) for name in commands]
    said: list[str] = []

    def check(each: Series[str, None], _: int) -> None:
        usage = each.usages[-1]
        each.runs[-1] = replace(usage, cpu=usage.cpu + _of_workers(said)), None
        said.clear()
        bulk.wrong = bulk.wrong or _wrong(each.key, bulk.quads, into, folder / OUTPUT, count)

    run_rounds(
        series,
        lambda each, _: commands[each.key],
        lambda _: None,
        rounds,
        folder,
        say,
        title=lambda each: f"{each.key}, {bulk.quads:,} quads",
        after=check,
        tell=lambda _, line: said.append(line),
    )
    bulk.runs = {each.key: each.usages for each in series}
    shutil.rmtree(into, ignore_errors=True)
    return bulk


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


def load_bounds(bulk: LoadRuns) -> Sequence[Bound]:
    """The bounds on medians; ratios are those of a round."""
    one, two, answer = (bulk.runs[name] for name in (ONE, TWO, ANSWER))
    seconds = {name: [run.seconds for run in runs] for name, runs in bulk.runs.items()}
    rate = paired_median(seconds[PARSE], seconds[TWO])
    faster = paired_median(seconds[ONE], seconds[TWO])
    work = paired_median([run.cpu for run in two], [run.cpu for run in one])
    peak = median(run.peak / 1e6 for run in answer)
    return (
        Bound("load", "triples/s of 2 cores over parsing", rate, LEAST_RATE, most=False),
        Bound("load", "2 cores, times as fast as 1", faster, LEAST_FASTER, most=False),
        Bound("load", "CPU of 2 cores over 1", work, MOST_CPU),
        Bound("answer", "answer, seconds", median(seconds[ANSWER]), MOST_SECONDS),
        Bound("answer", "answer, MB", peak, MOST_BYTES / 1e6),
    )
