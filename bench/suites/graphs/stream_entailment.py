"""The people of the university as a stream, under the rules of OWL 2 RL: triples a second.

Each individual is a graph, one a millisecond; the ontology is static, the window is ten seconds.
The rule asks who leads a department. That somebody is a chair is said nowhere: it follows from a
defined class (a person, head of some department), and a person he is by his rank.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from bench.harness.process_usage import Usage
from bench.harness.rounds import Series, run_rounds
from bench.workloads import catalogue
from bench.workloads.expected_answers import outcome
from bench.workloads.graphs.university import ONTOLOGY, described_individuals, ontology, stream
from bench.workloads.stream_terms import RDF_TYPE

WINDOW: Final = 10_000
"""Milliseconds."""
RULES: Final = catalogue.RULES / "chairs.rif"


@dataclass(frozen=True, slots=True)
class EntailedStream:
    """A stream of so many triples that was read.

    Attributes:
        triples: stamps are not counted.
        runs: a usage a round.
        idles: the same on an empty stream.
        answers: how many began and ended.
        wrong: what is wrong with them; empty where nothing is.
    """

    triples: int
    runs: tuple[Usage, ...]
    idles: tuple[Usage, ...]
    answers: tuple[int, int]
    wrong: str

    @property
    def seconds(self) -> float:
        """The median run without what the quickest takes on an empty stream."""
        start = min(idle.seconds for idle in self.idles)
        return max(median(run.seconds for run in self.runs) - start, 1e-9)

    @property
    def rate(self) -> float:
        """Triples a second."""
        return self.triples / self.seconds

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(run.peak for run in self.runs)


def run_entailed_streams(
    sizes: Sequence[int], rounds: int, folder: Path, say: Callable[[str], None]
) -> Iterator[EntailedStream]:
    """A stream of each size, as many times as there are rounds.

    Raises:
        RunFailed: R4 ended with an error.
    """
    static = _write(folder / "university.nt", ontology())
    empty = _write(folder / "nobody.nq", ())
    regime = ("--entailment", "owl-rl", "--static", str(static))
    command = (sys.executable, "-m", "r4", "run", str(RULES), "--window", "10s", *regime)
    for size in sorted(set(sizes)):
        _write(_people(folder, size), stream(size))
        series = Series[int, tuple[int, int, int]](size)
        run_rounds(
            [series],
            lambda each, _: (*command, str(_people(folder, each.key))),
            _count_answers,
            rounds,
            folder,
            say,
            title=lambda each: f"a stream of {each.key:,} triples under owl-rl",
            idle=lambda _: (*command, str(empty)),
        )
        found, right = series.reports[-1], (0, *count_chairs(size))
        wrong = "" if found == right else f"{found} instead of {right} answers"
        triples = sum(len(about) for _, about in described_individuals(size))
        runs, idles = tuple(series.usages), tuple(series.idles)
        yield EntailedStream(triples, runs, idles, found[1:], wrong)


def _people(folder: Path, size: int) -> Path:
    return folder / f"people-{size}.nq"


def _count_answers(output: Path) -> tuple[int, int, int]:
    with output.open("rb") as lines:
        return outcome(lines).counts


def count_chairs(triples: int) -> tuple[int, int]:
    """How many answers begin and end in a stream, found by reading the triples one by one.

    Nobody heads two departments and no name of a head is doubled. A department is told of before
    its head, so it leaves the window first.
    """
    head, kind = f" <{ONTOLOGY}headOf> ", f" {RDF_TYPE} <{ONTOLOGY}Department>"
    departments: dict[str, int] = {}
    began: list[int] = []
    number = -1
    for number, (iri, about) in enumerate(described_individuals(triples)):
        if iri + kind in about:
            departments[iri] = number
        began += [departments[line.split(" ")[2]] for line in about if head in line]
    return len(began), sum(start + WINDOW <= number for start in began)


def _write(path: Path, lines: Iterator[str] | Sequence[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return path
