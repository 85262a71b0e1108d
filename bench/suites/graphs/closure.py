"""Who materialises the closure of a graph how fast: R4 and peers, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.bounds import Ratio
from bench.harness.rounds import Series, paired_median, run_rounds
from bench.suites.graphs.closure_parts import PARTS
from bench.suites.peer import Peer
from bench.workloads.graphs.university import graph

LEAST: Final = 300
"""The ontology alone has almost as many."""
TIMES: Final = 10
"""How many times as large the larger one of two graphs is whose growth is looked at."""
MOST_GROWTH: Final = 12.0
"""How many times the time of a graph R4 means to take for one ten times as large, at most."""
OVER_PEERS: Final[Mapping[tuple[str, int], float]] = {
    ("rdfs", 100_000): 1 / 20,
    ("owl-rl", 10_000): 1 / 50,
    ("owl-rl-less", 100_000): 1.0,
}
"""(Part, triples) → the largest share of the peer's time that R4 means to take."""


CLOSERS: Final[Mapping[str, Peer]] = {
    "owlrl": Peer(
        "close_owlrl", "owlrl closes an rdflib graph, in Python; for ten minutes at most", "owlrl"
    ),
    "reasonable": Peer(
        "close_reasonable", "reasonable closes a graph, in Rust", needs="reasonable"
    ),
}


class ClosureContestant(NamedTuple):
    """Who closes what."""

    runner: str
    part: str
    triples: int

    def __str__(self) -> str:
        return f"{self.runner} {self.part}"


@dataclass(frozen=True, slots=True)
class ClosureReport:
    """What a program reports of its own run.

    Attributes:
        load: seconds it took to read the graph.
        close: seconds to close it.
        hand: seconds to make Python's terms of every triple.
        aside: seconds it did something for the measurement alone.
        triples: the size of the closure, as the program counts it.
        stopped: whether it was stopped before it had ended.
    """

    load: float
    close: float
    hand: float
    aside: float
    triples: int
    stopped: bool

    @property
    def seconds(self) -> float:
        """From file to closure."""
        return self.load + self.close

    @staticmethod
    def read_from(output: Path) -> ClosureReport:
        """From the output of `bench.programs.close_graph`, or of a peer."""
        return ClosureReport(**json.loads(output.read_text(encoding="utf-8")))


@dataclass(slots=True)
class ClosureRuns(Series[ClosureContestant, ClosureReport]):
    """The runs of one contestant; one only where it was stopped.

    Attributes:
        compared: triples that two closures are compared on; 0: there was nobody to compare with.
        wrong: in what they differ; empty if in nothing.
    """

    compared: int = 0
    wrong: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it was stopped: its seconds are a lower bound."""
        return any(report.stopped for report in self.reports)

    @property
    def is_done(self) -> bool:
        """Whether it was stopped: it would be again."""
        return self.stopped

    @property
    def net(self) -> list[float]:
        """Seconds from file to closure of each run."""
        return [report.seconds for report in self.reports]

    @property
    def gross(self) -> list[float]:
        """The same with the start and the end of a process, and handing over."""
        return [usage.seconds - report.aside for usage, report in self.runs]


def run_closures(  # noqa: PLR0913, PLR0917 - what, who, and where
    sizes: Sequence[int],
    peers: Sequence[str],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
    parts: Sequence[str] = tuple(PARTS),
) -> list[ClosureRuns]:
    """Everybody once a round; the closures of the first round are compared.

    Raises:
        RunFailed: a program ended with an error.
    """
    found = [
        ClosureRuns(ClosureContestant(runner, name, size))
        for name in parts
        for size in sorted(set(sizes))
        for runner in ("r4", *(peer for peer in peers if peer == PARTS[name].peer))
    ]

    def command(series: ClosureRuns, number: int) -> tuple[str, ...]:
        written = () if number else (str(_closure(series.key, folder)),)
        return (*_command(series.key, folder), *written)

    def compare(series: ClosureRuns, number: int) -> None:
        if not number and series is found[-1]:
            _compare(found, folder)

    run_rounds(
        found,
        command,
        ClosureReport.read_from,
        rounds,
        folder,
        say,
        title=lambda series: f"{series.key} {series.key.triples:,}",
        after=compare,
    )
    return found


def _command(key: ClosureContestant, folder: Path) -> tuple[str, ...]:
    more = PARTS[key.part].more
    path = folder / f"university{'-more' * more}-{key.triples}.nt"
    if not path.exists():
        with path.open("w", encoding="utf-8") as file:
            file.writelines(graph(key.triples, more=more))
    own = key.runner == "r4"
    program = "programs.close_graph" if own else f"peers.{CLOSERS[key.runner].module}"
    return (sys.executable, "-m", f"bench.{program}", str(path), key.part)


def _closure(key: ClosureContestant, folder: Path) -> Path:
    return folder / f"closure-{'-'.join(map(str, key))}.nt"


def _compare(found: Sequence[ClosureRuns], folder: Path) -> None:
    """Note where the closures of R4 differ from those of the peers; the files are removed."""
    met = {series.key: series for series in found}
    for key, series in met.items():
        part = PARTS[key.part]
        other = met.get(key._replace(runner=part.peer))
        if key.runner == "r4" and other is not None and not other.stopped:
            triples = []
            for path in (_closure(key, folder), _closure(other.key, folder)):
                with path.open(encoding="utf-8") as lines:
                    triples.append(part.compared(lines))
            mine, right = triples
            series.compared = len(mine & right)
            series.wrong = "; ".join(
                f"{len(those):,} {what}, such as {' '.join(min(those))}"
                for what, those in (("missing", right - mine), ("too many", mine - right))
                if those
            )
    for key in met:
        _closure(key, folder).unlink(missing_ok=True)


def closure_ratios(found: Sequence[ClosureRuns]) -> Iterator[Ratio[ClosureContestant]]:
    """R4 over the peer of each part, and R4 over itself on a graph a tenth as large."""
    met = {series.key: series for series in found}
    for key, series in met.items():
        if key.runner != "r4":
            continue
        other = met.get(key._replace(runner=PARTS[key.part].peer))
        if other is not None:
            yield _ratio(series, other, OVER_PEERS.get(key[1:]))
        smaller = met.get(key._replace(triples=key.triples // TIMES))
        if smaller is not None and smaller.key.triples * TIMES == key.triples:
            yield _ratio(series, smaller, MOST_GROWTH)


def _ratio(over: ClosureRuns, of: ClosureRuns, most: float | None) -> Ratio[ClosureContestant]:
    # Whoever was stopped ran once: then there is one pair.
    net, gross = paired_median(over.net, of.net), paired_median(over.gross, of.gross)
    return Ratio(over.key, of.key, net, gross, most)
