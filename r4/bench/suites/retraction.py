"""Taking facts back against computing anew what is left: R4 against itself, and against peers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.suites.closure import ClosureReport
from r4.bench.workloads.retraction_graphs import RETRACTION_GRAPHS, RetractionGraph

MOST_TIMES: Final = 5
"""How many times what recomputing takes for a row R4 means to take at most for one that changes."""
MOST_SECONDS: Final = 0.02
"""And that much beside."""
MUCH: Final = 10
"""More rows overdeleted for one that changes are said."""
_LEAST: Final = 4


@dataclass(frozen=True, slots=True)
class RetractionDraw:
    """Some facts were taken back, and asserted again; each until the answers were told.

    Attributes:
        taken: seconds to take them back.
        telling: what of that went into telling the answers.
        again: seconds to assert them again.
        over: derived rows that were deleted on the way, those derived again included.
        changed: rows of the model that were gone.
    """

    taken: float
    telling: float
    again: float
    over: int
    changed: int


@dataclass(frozen=True, slots=True)
class RetractionStep:
    """Some draws of as many facts, one after the other.

    Attributes:
        name: how many facts, in words.
        facts: how many.
        draws: what became of each.
        afresh: seconds to compute the model of the facts that are left.
        telling_afresh: what of that went into telling the answers.
        whole: rows of the model of all facts.
        wrong: in what a model differs from one that was computed afresh; empty if in nothing.
    """

    name: str
    facts: int
    draws: tuple[RetractionDraw, ...]
    afresh: float
    telling_afresh: float
    whole: int
    wrong: str

    @staticmethod
    def read(told: Mapping[str, Any]) -> RetractionStep:
        """From what `r4.bench.programs.retract_facts` says."""
        return RetractionStep(
            **{**told, "draws": tuple(RetractionDraw(**draw) for draw in told["draws"])}
        )

    @property
    def taken(self) -> float:
        """Seconds to take facts back."""
        return median(draw.taken for draw in self.draws)

    @property
    def times(self) -> float:
        """How many times as fast as computing afresh it was to take them back."""
        return self.afresh / max(self.taken, 1e-9)

    @property
    def over_most(self) -> float:
        """The time it took over what it is meant to take at most."""
        return median(draw.taken / self.most(draw) for draw in self.draws)

    def most(self, draw: RetractionDraw) -> float:
        """The seconds that a draw is meant to take at most."""
        share = draw.changed / max(self.whole - draw.changed, 1)
        return MOST_TIMES * share * self.afresh + MOST_SECONDS

    @property
    def untold(self) -> RetractionStep:
        """The same without what it takes to tell the answers."""
        draws = (replace(each, taken=each.taken - each.telling) for each in self.draws)
        return replace(self, draws=tuple(draws), afresh=self.afresh - self.telling_afresh)

    @property
    def overdeletes(self) -> bool:
        """Whether much more was deleted than is gone."""
        return any(draw.over > MUCH * draw.changed for draw in self.draws)


@dataclass(frozen=True, slots=True)
class RetractionReport:
    """What was done with a graph in one run.

    Attributes:
        facts: its facts.
        model: all that holds, those included.
        build: seconds to compute it where facts may be taken back.
        steps: one after the other; the first one is that of a single fact, which makes what the
            others find made.
    """

    facts: int
    model: int
    build: float
    steps: tuple[RetractionStep, ...]

    @staticmethod
    def read(text: str) -> RetractionReport:
        """From what `r4.bench.programs.retract_facts` says."""
        told = json.loads(text)
        return RetractionReport(**{**told, "steps": tuple(map(RetractionStep.read, told["steps"]))})


@dataclass(slots=True)
class RetractionRuns:
    """A graph and what was done with it.

    Attributes:
        name: of the graph.
        runs: a usage and a trial a round.
        peers: per peer and number of facts taken back, the seconds of processor time it took to
            close what was left; None: it was stopped.
    """

    name: str
    runs: list[tuple[Usage, RetractionReport]] = field(default_factory=list)
    peers: dict[tuple[str, int], float | None] = field(default_factory=dict)

    @property
    def first(self) -> RetractionReport:
        """The first run: what is counted is the same in all."""
        return self.runs[0][1]

    @property
    def wrong(self) -> str:
        """What was wrong with some model; empty if nothing."""
        steps = [step for _, trial in self.runs for step in trial.steps]
        return "; ".join(dict.fromkeys(step.wrong for step in steps if step.wrong))

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(usage.peak for usage, _ in self.runs)

    def steps(self, number: int) -> list[RetractionStep]:
        """One step of each run."""
        return [trial.steps[number] for _, trial in self.runs]


@dataclass(frozen=True, slots=True)
class RetractionBound:
    """What R4 means to keep in one step, and what became of it.

    Attributes:
        taking, number: the step.
        says: what is divided by what.
        ratio: the median over the rounds.
        most: what it is to be at most.
    """

    taking: RetractionRuns
    number: int
    says: str
    ratio: float
    most: float

    @property
    def kept(self) -> bool:
        """Whether it is."""
        return self.ratio <= self.most


def run_retractions(  # noqa: PLR0913, PLR0917 - what, who, and where
    share: float,
    peers: Sequence[str],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
    names: Sequence[str] = tuple(RETRACTION_GRAPHS),
) -> list[RetractionRuns]:
    """Each graph once a round, of its size times ``share``; peers close what is left, once.

    Raises:
        RunFailed: a program ended with an error.
    """
    takings = [RetractionRuns(name) for name in names]
    output = folder / "output"
    for number in range(rounds):
        for taking in takings:
            graph = RETRACTION_GRAPHS[taking.name]
            able = [] if number else [peer for peer in peers if peer in graph.peers]
            size = max(int(graph.size * share), _LEAST)
            say(f"round {number + 1} of {rounds}: taking back from {taking.name}, {size:,}")
            command = (
                sys.executable,
                "-m",
                "r4.bench.programs.retract_facts",
                taking.name,
                str(size),
            )
            usage = measure_process((*command, *([str(folder)] if able else [])), output)
            taking.runs.append((usage, RetractionReport.read(output.read_text(encoding="utf-8"))))
            for peer in able:
                if taking.first.facts > graph.peers[peer]:
                    say(f"{taking.name} is too large for {peer}")
                    continue
                _close(taking, graph, peer, folder, say)
    output.unlink(missing_ok=True)
    return takings


def _close(
    taking: RetractionRuns,
    graph: RetractionGraph,
    peer: str,
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Let a peer close what is left after each step but the first."""
    output = folder / "output"
    for step in taking.first.steps[1:]:
        say(f"{peer} closes {taking.name} without {step.facts:,} facts")
        path = folder / survivors(step.facts)
        program = f"r4.bench.peers.close_{peer}"
        usage = measure_process((sys.executable, "-m", program, str(path), graph.part), output)
        told = ClosureReport(**json.loads(output.read_text(encoding="utf-8")))
        whole = told.seconds + told.hand + told.aside
        spent = usage.cpu * told.close / max(whole, 1e-9)  # other times are of the processor, too
        taking.peers[peer, step.facts] = None if told.stopped else spent
        if told.stopped:
            return


def survivors(count: int) -> str:
    """The name of the file with what is left when so many facts were taken back."""
    return f"survivors-{count}.nt"


def retraction_bounds(takings: Sequence[RetractionRuns]) -> Iterator[RetractionBound]:
    """What R4 means to keep; the first step, which makes indexes, has no bound."""
    for taking in takings:
        least = RETRACTION_GRAPHS[taking.name].least
        for number in range(1, len(taking.first.steps)):
            told = taking.steps(number)
            for steps, how in ((told, ""), ([step.untold for step in told], ", untold")):
                ratio = median(step.over_most for step in steps)
                yield RetractionBound(taking, number, "time over what is allowed" + how, ratio, 1.0)
                if number == 1 and least is not None:
                    ratio = median(1 / step.times for step in steps)
                    says = "time over computing afresh" + how
                    yield RetractionBound(taking, number, says, ratio, 1 / least)


def over_peers(taking: RetractionRuns) -> Mapping[tuple[str, int], float | None]:
    """Per peer and step, the time to take facts back over that of the peer to close the rest."""
    found: dict[tuple[str, int], float | None] = {}
    for number, step in enumerate(taking.first.steps):
        for (peer, facts), seconds in taking.peers.items():
            if facts == step.facts and number:
                took = median(each.taken for each in taking.steps(number))
                found[peer, number] = None if seconds is None else took / max(seconds, 1e-9)
    return found
