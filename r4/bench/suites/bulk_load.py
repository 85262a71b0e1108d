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

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.workloads import catalogue
from r4.bench.workloads.catalogue import TRIPLES, Files
from r4.bench.workloads.offers import offer_iri, offers, product_iri
from r4.bench.workloads.stream_terms import DATE_TIME, GENERATED_AT, STEP, stamp
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


@dataclass(frozen=True, slots=True)
class LoadBound:
    """A figure, and the bound that R4 means to keep.

    Attributes:
        says: what it is.
        figure: the median over the rounds.
        limit: the bound.
        most: whether it is the largest figure that is right, or the least.
    """

    says: str
    figure: float
    limit: float
    most: bool

    @property
    def kept(self) -> bool:
        """Whether the bound is kept."""
        return self.figure <= self.limit if self.most else self.figure >= self.limit


def run_load(triples: int, rounds: int, folder: Path, say: Callable[[str], None]) -> LoadRuns:
    """Load a stream of offers, and ask for some.

    Raises:
        RunFailed: a program ended with an error.
    """
    count = triples // TRIPLES
    path = Files(folder).stream("offers", count)
    bulk = LoadRuns(count * (TRIPLES + 1))
    into, output, question = folder / "loaded", folder / "output", folder / "question.nq"
    question.write_text("".join(_question(count)), "utf-8")
    python = (sys.executable, "-m")
    loading = (*python, "r4", "load", str(path), "--into", str(into), "--memory", MEMORY)
    commands = {
        PARSE: (*python, "r4.bench.peers.parse_only", str(path)),
        ONE: (*loading, "--master", "local[1]"),
        TWO: (*loading, "--master", "local[2]"),
        ANSWER: (*python, "r4", "run", str(_RULES), str(question), "--static", str(into)),
    }
    for number in range(rounds):
        for name, command in commands.items():
            say(f"round {number + 1} of {rounds}: {name}, {bulk.quads:,} quads")
            said: list[str] = []
            usage = measure_process(command, output, tell=said.append)
            usage = replace(usage, cpu=usage.cpu + _of_workers(said))
            bulk.runs.setdefault(name, []).append(usage)
            bulk.wrong = bulk.wrong or _wrong(name, bulk.quads, into, output, count)
    shutil.rmtree(into, ignore_errors=True)
    output.unlink(missing_ok=True)
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


def load_bounds(bulk: LoadRuns) -> Sequence[LoadBound]:
    """The bounds; ratios are those of a round."""
    parse, one, two, answer = (bulk.runs[name] for name in (PARSE, ONE, TWO, ANSWER))
    rate = [a.seconds / b.seconds for a, b in zip(parse, two, strict=True)]
    faster = [a.seconds / b.seconds for a, b in zip(one, two, strict=True)]
    work = [b.cpu / a.cpu for a, b in zip(one, two, strict=True)]
    seconds = [each.seconds for each in answer]
    peak = [each.peak / 1e6 for each in answer]
    return (
        LoadBound("triples/s of 2 cores over parsing", median(rate), LEAST_RATE, most=False),
        LoadBound("2 cores, times as fast as 1", median(faster), LEAST_FASTER, most=False),
        LoadBound("CPU of 2 cores over 1", median(work), MOST_CPU, most=True),
        LoadBound("answer, seconds", median(seconds), MOST_SECONDS, most=True),
        LoadBound("answer, MB", median(peak), MOST_BYTES / 1e6, most=True),
    )
