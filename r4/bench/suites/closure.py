"""Who closes a graph how fast: R4 and the peers, a process each, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.suites.closure_parts import PARTS
from r4.bench.workloads.university import graph

SIZES: Final = (10_000, 100_000)
"""Triples of the graphs."""
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


@dataclass(frozen=True, slots=True)
class ClosurePeer:
    """Somebody else's way to close a graph: its program in `r4.bench.peers` is ``close_NAME``.

    Attributes:
        says: one line on what it is.
        needs: the package of the extra ``bench`` that it stands on.
    """

    says: str
    needs: str


CLOSERS: Final[Mapping[str, ClosurePeer]] = {
    "owlrl": ClosurePeer(
        "owlrl closes an rdflib graph, in Python; for ten minutes at most", "owlrl"
    ),
    "reasonable": ClosurePeer("reasonable closes a graph, in Rust", "reasonable"),
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
    """What a program says of its own run.

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


@dataclass(slots=True)
class ClosureRuns:
    """One entrant and its runs.

    Attributes:
        entrant: who closes what.
        runs: a usage and a report a round; one only where it was stopped.
        compared: triples that two closures are compared on; 0: there was nobody to compare with.
        wrong: in what they differ; empty if in nothing.
    """

    entrant: ClosureContestant
    runs: list[tuple[Usage, ClosureReport]] = field(default_factory=list)
    compared: int = 0
    wrong: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it was stopped: its seconds are a lower bound."""
        return any(told.stopped for _, told in self.runs)

    @property
    def net(self) -> list[float]:
        """Seconds from file to closure of each run."""
        return [told.seconds for _, told in self.runs]

    @property
    def gross(self) -> list[float]:
        """The same with the start and the end of a process, and handing over."""
        return [usage.seconds - told.aside for usage, told in self.runs]

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(usage.peak for usage, _ in self.runs)


@dataclass(frozen=True, slots=True)
class ClosureRatio:
    """One time over another.

    Attributes:
        over, of: what is divided by what.
        net: the median over the rounds of the ratio from file to closure; an upper bound where
            ``of`` was stopped.
        gross: the same of whole processes.
        most: the bound R4 means to keep, on `net`; None: none.
    """

    over: ClosureContestant
    of: ClosureContestant
    net: float
    gross: float
    most: float | None

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where there is none."""
        return self.most is None or self.net <= self.most


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
    closings = [
        ClosureRuns(ClosureContestant(runner, name, size))
        for name in parts
        for size in sorted(set(sizes))
        for runner in ("r4", *(peer for peer in peers if peer == PARTS[name].peer))
    ]
    output = folder / "output"
    for number in range(rounds):
        for closing in closings:
            if closing.stopped:
                continue
            entrant = closing.entrant
            say(f"round {number + 1} of {rounds}: {entrant} {entrant.triples:,}")
            written = () if number else (str(_closure(entrant, folder)),)
            usage = measure_process((*_command(entrant, folder), *written), output)
            closing.runs.append(
                (usage, ClosureReport(**json.loads(output.read_text(encoding="utf-8"))))
            )
        if not number:
            _compare(closings, folder)
    output.unlink(missing_ok=True)
    return closings


def _command(entrant: ClosureContestant, folder: Path) -> tuple[str, ...]:
    more = PARTS[entrant.part].more
    path = folder / f"university{'-more' * more}-{entrant.triples}.nt"
    if not path.exists():
        with path.open("w", encoding="utf-8") as file:
            file.writelines(graph(entrant.triples, more=more))
    program = "programs.close_graph" if entrant.runner == "r4" else f"peers.close_{entrant.runner}"
    return (sys.executable, "-m", f"r4.bench.{program}", str(path), entrant.part)


def _closure(entrant: ClosureContestant, folder: Path) -> Path:
    return folder / f"closure-{'-'.join(map(str, entrant))}.nt"


def _compare(closings: Sequence[ClosureRuns], folder: Path) -> None:
    """Write down where the closures of R4 differ from those of the peers; they are removed."""
    met = {closing.entrant: closing for closing in closings}
    for entrant, closing in met.items():
        part = PARTS[entrant.part]
        other = met.get(entrant._replace(runner=part.peer))
        if entrant.runner == "r4" and other is not None and not other.stopped:
            found = []
            for path in (_closure(entrant, folder), _closure(other.entrant, folder)):
                with path.open(encoding="utf-8") as lines:
                    found.append(part.compared(lines))
            mine, right = found
            closing.compared = len(mine & right)
            closing.wrong = "; ".join(
                f"{len(those):,} {what}, such as {' '.join(min(those))}"
                for what, those in (("missing", right - mine), ("too many", mine - right))
                if those
            )
    for entrant in met:
        _closure(entrant, folder).unlink(missing_ok=True)


def closure_ratios(closings: Sequence[ClosureRuns]) -> Iterator[ClosureRatio]:
    """R4 over the peer of each part, and R4 over itself on a graph a tenth as large."""
    met = {closing.entrant: closing for closing in closings}
    for entrant, closing in met.items():
        if entrant.runner != "r4":
            continue
        other = met.get(entrant._replace(runner=PARTS[entrant.part].peer))
        if other is not None:
            yield _share(closing, other, OVER_PEERS.get(entrant[1:]))
        smaller = met.get(entrant._replace(triples=entrant.triples // TIMES))
        if smaller is not None and smaller.entrant.triples * TIMES == entrant.triples:
            yield _share(closing, smaller, MOST_GROWTH)


def _share(over: ClosureRuns, of: ClosureRuns, most: float | None) -> ClosureRatio:
    # Whoever was stopped ran once: then there is one pair.
    net = zip(over.net, of.net, strict=False)
    gross = zip(over.gross, of.gross, strict=False)
    return ClosureRatio(
        over.entrant,
        of.entrant,
        median(a / b for a, b in net),
        median(a / b for a, b in gross),
        most,
    )
