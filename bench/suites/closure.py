"""`r4 bench closure`: who materialises the closure of a graph how fast, R4 and peers.

The closures of the first round are compared as sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Ratio, ratios_json, verdict
from bench.harness.peer import Peer
from bench.harness.process_usage import python
from bench.harness.rounds import Series, first_wrong, paired_median, read_json, run_rounds
from bench.harness.tables import TextTable, format_megabytes, tabled
from bench.suites.closure_parts import PARTS
from bench.workloads.graphs.university import graph

LEAST: Final = 300
"""The ontology alone has almost as many."""
TIMES: Final = 10
"""How many times as large the larger one of two graphs is whose growth is looked at."""
MOST_GROWTH: Final = 12.0
"""How many times the time of a graph R4 means to take for one ten times as large, at most."""
OVER_PEERS: Final[Mapping[tuple[str, str, int], float]] = {
    ("owlrl", "rdfs", 100_000): 1 / 20,
    ("owlrl", "owl-rl", 10_000): 1 / 50,
    ("reasonable", "owl-rl-less", 100_000): 1.0,
    ("sparq", "owl-rl-less", 1_000_000): 1.0,
    ("sparq", "owl-rl", 1_000_000): 1.0,
}
"""(Peer, part, triples) → the largest share of the peer's time that R4 means to take."""
CLOSERS: Final[Mapping[str, Peer]] = {
    "owlrl": Peer(
        "close_owlrl", "owlrl closes an rdflib graph, in Python; for ten minutes at most", "owlrl"
    ),
    "reasonable": Peer(
        "close_reasonable", "reasonable closes a graph, in Rust", needs="reasonable"
    ),
    "sparq": Peer("close_sparq", "sparq closes a graph, in Rust", needs="sparq-rdf"),
}


class ClosureContestant(NamedTuple):
    """Who closes what."""

    runner: str
    part: str
    triples: int

    def __str__(self) -> str:
        return f"{self.runner} {self.part}"


class ClosureReport(NamedTuple):
    """The report of a program on its own run."""

    load: float  # seconds it took to read the graph
    close: float  # seconds to close it
    hand: float  # seconds to make Python's terms of every triple
    aside: float  # seconds it did something for the measurement alone
    triples: int  # the size of the closure, as the program counts it
    stopped: bool  # whether it was stopped before it had ended

    @property
    def seconds(self) -> float:
        """From file to closure."""
        return self.load + self.close


@dataclass(slots=True)
class ClosureRuns(Series[ClosureContestant, ClosureReport]):
    """The runs of one contestant; one only where it was stopped."""

    # of a peer: triples that its closure and that of R4 have, of those that are compared
    compared: int = 0

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


BENCHMARK: Final = Benchmark(
    {"closure": "what follows from a university, under RDFS and OWL 2 RL, all at once"},
    lambda request: findings(close_graphs(request)),
    peers=CLOSERS,
)


def close_graphs(request: Request, parts: Sequence[str] = tuple(PARTS)) -> list[ClosureRuns]:
    """Everybody once a round; the closures of the first round are compared."""
    folder = request.folder
    found = [
        ClosureRuns(ClosureContestant(runner, name, size))
        for name in parts
        for size in sorted(set(request.sizes))
        for runner in ("r4", *(peer for peer in request.peers if peer in PARTS[name].peers))
    ]

    def command(each: ClosureRuns, number: int) -> tuple[str, ...]:
        written = () if number else (_closure(each.key, folder),)
        return python(*_program(each.key, folder), *written)

    def check(each: ClosureRuns, number: int) -> str:
        if not number and each is found[-1]:
            _compare(found, folder)
        return ""

    run_rounds(
        request,
        found,
        command,
        read_json(ClosureReport),
        title=lambda each: f"{each.key} {each.key.triples:,}",
        check=check,
    )
    return found


def _program(key: ClosureContestant, folder: Path) -> tuple[str, Path, str]:
    more = PARTS[key.part].more
    path = folder / f"university{'-more' * more}-{key.triples}.nt"
    if not path.exists():
        with path.open("w", encoding="utf-8") as file:
            file.writelines(graph(key.triples, more=more))
    own = key.runner == "r4"
    program = "bench.programs.close_graph" if own else CLOSERS[key.runner].program
    return program, path, key.part


def _closure(key: ClosureContestant, folder: Path) -> Path:
    return folder / f"closure-{'-'.join(map(str, key))}.nt"


def _compare(found: Sequence[ClosureRuns], folder: Path) -> None:
    """Note where the closures of peers differ from those of R4; the files are removed."""
    by_key = {each.key: each for each in found}
    for key, each in by_key.items():
        own = by_key[key._replace(runner="r4")]
        if own is not each and not each.stopped:
            triples = []
            for path in (_closure(own.key, folder), _closure(key, folder)):
                with path.open(encoding="utf-8") as lines:
                    triples.append(PARTS[key.part].compared(lines, key.runner))
            mine, right = triples
            each.compared = len(mine & right)
            differences = (("missing", right - mine), ("too many", mine - right))
            each.note(
                "; ".join(
                    f"{len(those):,} {what}, such as {' '.join(min(those))}"
                    for what, those in differences
                    if those
                )
            )
    for key in by_key:
        _closure(key, folder).unlink(missing_ok=True)


def closure_ratios(found: Sequence[ClosureRuns]) -> Iterator[Ratio[ClosureContestant]]:
    """R4 over the peer of each part, and R4 over itself on a graph a tenth as large."""
    by_key = {each.key: each for each in found}
    for key, each in by_key.items():
        if key.runner != "r4":
            continue
        for peer in PARTS[key.part].peers:
            other = by_key.get(key._replace(runner=peer))
            if other is not None:
                yield _ratio(each, other, OVER_PEERS.get(other.key))
        smaller = by_key.get(key._replace(triples=key.triples // TIMES))
        if smaller is not None and smaller.key.triples * TIMES == key.triples:
            yield _ratio(each, smaller, MOST_GROWTH)


def _ratio(over: ClosureRuns, of: ClosureRuns, most: float | None) -> Ratio[ClosureContestant]:
    # Whoever was stopped ran once: then there is one pair.
    net, gross = paired_median(over.net, of.net), paired_median(over.gross, of.gross)
    return Ratio(over.key, of.key, net, gross, most)


def findings(found: Sequence[ClosureRuns]) -> Findings:
    """Runs, ratios."""
    return Findings(
        [*_tables(found)],
        {
            "closures": [each.json(compared=each.compared) for each in found],
            "closure_ratios": ratios_json(closure_ratios(found)),
        },
        first_wrong(found),
    )


def _tables(found: Sequence[ClosureRuns]) -> Iterator[TextTable]:
    yield from tabled(
        "Closing a graph of a university. Medians; whole: with the start and end of a process.",
        (
            *("", "triples", "load", "close", "whole", "processor", "peak MB"),
            *("closure", "compared", "answers"),
        ),
        map(_row, found),
    )
    yield from tabled(
        "Ratios of times from file to closure, medians over the rounds.",
        ("", "over", "triples", "of", "ratio", "of whole", "bound"),
        (
            (
                *(str(ratio.over), str(ratio.of)),
                *(f"{ratio.over.triples:,}", f"{ratio.of.triples:,}"),
                *(f"{ratio.net:.3f}", f"{ratio.gross:.3f}", verdict(ratio.net, ratio.most)),
            )
            for ratio in closure_ratios(found)
        ),
        texts=2,
    )


def _row(each: ClosureRuns) -> tuple[str, ...]:
    least = "> " if each.stopped else ""
    return (
        str(each.key),
        f"{each.key.triples:,}",
        f"{median(report.load for report in each.reports):.2f}",
        f"{least}{median(report.close for report in each.reports):.2f}",
        f"{least}{median(each.gross):.2f}",
        f"{least}{median(usage.cpu for usage, _ in each.runs):.2f}",
        format_megabytes(each.peak),
        "" if each.stopped else f"{each.reports[-1].triples:,}",
        f"{each.compared:,}" if each.compared else "",
        each.wrong or ("right" if each.compared else ""),
    )
