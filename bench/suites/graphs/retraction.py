"""Retraction of facts against computing from scratch what is left: R4 against itself and peers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.harness.bounds import Bound
from bench.harness.process_usage import measure_process
from bench.harness.rounds import OUTPUT, Series, run_rounds
from bench.suites.graphs.closure import CLOSERS, ClosureReport
from bench.workloads.graphs.retraction_graphs import RETRACTION_GRAPHS, RetractionGraph

MOST_TIMES: Final = 5
"""How many times the time of recomputing a row R4 means to take at most for one that changes."""
MOST_SECONDS: Final = 0.02
"""And that much beside."""
MUCH: Final = 10
"""More rows overdeleted for one that changes are marked."""
MOST_OVER_BARE: Final = 3.0
"""How many times as long taking back may take with metric operators as without."""
_LEAST: Final = 4


@dataclass(frozen=True, slots=True)
class RetractionDraw:
    """Some facts were retracted, and asserted again; each until the answers were reported.

    Attributes:
        taken: seconds to retract them.
        telling: the part of that for reporting the answers.
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
        draws: the draws.
        afresh: seconds to compute the model of the facts that are left from scratch.
        telling_afresh: the part of that for reporting the answers.
        whole: rows of the model of all facts.
        wrong: in what a model differs from one computed from scratch; empty if in nothing.
    """

    name: str
    facts: int
    draws: tuple[RetractionDraw, ...]
    afresh: float
    telling_afresh: float
    whole: int
    wrong: str

    @staticmethod
    def read(values: Mapping[str, Any]) -> RetractionStep:
        """From a part of that output."""
        return RetractionStep(
            **{**values, "draws": tuple(RetractionDraw(**draw) for draw in values["draws"])}
        )

    @property
    def taken(self) -> float:
        """Seconds to retract facts."""
        return median(draw.taken for draw in self.draws)

    @property
    def times(self) -> float:
        """How many times as fast as computing from scratch it was to retract them."""
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
        """The same without the time to report the answers."""
        draws = (replace(each, taken=each.taken - each.telling) for each in self.draws)
        return replace(self, draws=tuple(draws), afresh=self.afresh - self.telling_afresh)

    @property
    def overdeletes(self) -> bool:
        """Whether much more was deleted than is gone."""
        return any(draw.over > MUCH * draw.changed for draw in self.draws)


@dataclass(frozen=True, slots=True)
class RetractionReport:
    """What a program reports of one run on a graph.

    Attributes:
        facts: its facts.
        model: all that holds, those included.
        build: seconds to compute it where facts may be retracted.
        steps: one after the other; the first one is that of a single fact, which makes what the
            others find made.
    """

    facts: int
    model: int
    build: float
    steps: tuple[RetractionStep, ...]

    @staticmethod
    def read_from(output: Path) -> RetractionReport:
        """From the output of `bench.programs.retract_facts`."""
        values = json.loads(output.read_text(encoding="utf-8"))
        return RetractionReport(
            **{**values, "steps": tuple(map(RetractionStep.read, values["steps"]))}
        )


@dataclass(slots=True)
class RetractionRuns(Series[str, RetractionReport]):
    """The runs on a graph, whose name is the key.

    Attributes:
        peers: per peer and number of facts retracted, the seconds of processor time it took to
            close what was left; None: it was stopped.
    """

    peers: dict[tuple[str, int], float | None] = field(default_factory=dict)

    @property
    def first(self) -> RetractionReport:
        """The report of the first run: what is counted is the same in all."""
        return self.reports[0]

    @property
    def wrong(self) -> str:
        """What was wrong with some model; empty if nothing."""
        steps = [step for report in self.reports for step in report.steps]
        return "; ".join(dict.fromkeys(step.wrong for step in steps if step.wrong))

    def steps(self, number: int) -> list[RetractionStep]:
        """One step of each run."""
        return [report.steps[number] for report in self.reports]


@dataclass(frozen=True, slots=True)
class RetractionBound(Bound):
    """What R4 means to keep in one step; the figure is the median over the rounds.

    Attributes:
        facts: how many are retracted.
    """

    facts: int = 0


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
    series = [RetractionRuns(name) for name in names]
    sizes = {name: max(int(RETRACTION_GRAPHS[name].size * share), _LEAST) for name in names}

    def able(each: RetractionRuns, number: int) -> list[str]:
        return [] if number else [p for p in peers if p in RETRACTION_GRAPHS[each.key].peers]

    def command(each: RetractionRuns, number: int) -> tuple[str, ...]:
        program = (sys.executable, "-m", "bench.programs.retract_facts")
        written = (str(folder),) if able(each, number) else ()
        return (*program, each.key, str(sizes[each.key]), *written)

    def close(each: RetractionRuns, number: int) -> None:
        graph = RETRACTION_GRAPHS[each.key]
        for peer in able(each, number):
            if each.first.facts > graph.peers[peer]:
                say(f"{each.key} is too large for {peer}")
                continue
            _close(each, graph, peer, folder, say)

    run_rounds(
        series,
        command,
        RetractionReport.read_from,
        rounds,
        folder,
        say,
        title=lambda each: f"taking back from {each.key}, {sizes[each.key]:,}",
        after=close,
    )
    return series


def _close(
    series: RetractionRuns,
    graph: RetractionGraph,
    peer: str,
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Let a peer close what is left after each step but the first."""
    output = folder / OUTPUT
    program = f"bench.peers.{CLOSERS[peer].module}"
    for step in series.first.steps[1:]:
        say(f"{peer} closes {series.key} without {step.facts:,} facts")
        path = folder / survivors(step.facts)
        usage = measure_process((sys.executable, "-m", program, str(path), graph.part), output)
        report = ClosureReport.read_from(output)
        whole = report.seconds + report.hand + report.aside
        spent = usage.cpu * report.close / max(whole, 1e-9)  # other times are of the processor, too
        series.peers[peer, step.facts] = None if report.stopped else spent
        if report.stopped:
            return


def survivors(count: int) -> str:
    """The name of the file with what is left when so many facts were taken back."""
    return f"survivors-{count}.nt"


def retraction_bounds(series: Sequence[RetractionRuns]) -> Iterator[RetractionBound]:
    """What R4 means to keep; the first step, which makes indexes, has no bound."""
    by_name = {each.key: each for each in series}
    for each in series:
        least = RETRACTION_GRAPHS[each.key].least
        bare = by_name.get(RETRACTION_GRAPHS[each.key].bare)
        if bare is not None:
            pairs = zip(each.steps(1), bare.steps(1), strict=True)
            ratio = median(mine.taken / max(other.taken, 1e-9) for mine, other in pairs)
            says = "time over the same without operators"
            facts = each.first.steps[1].facts
            yield RetractionBound(each.key, says, ratio, MOST_OVER_BARE, facts=facts)
        for number in range(1, len(each.first.steps)):
            facts, runs = each.first.steps[number].facts, each.steps(number)
            for steps, how in ((runs, ""), ([step.untold for step in runs], ", untold")):
                ratio = median(step.over_most for step in steps)
                says = "time over what is allowed" + how
                yield RetractionBound(each.key, says, ratio, 1.0, facts=facts)
                if number == 1 and least is not None:
                    ratio = median(1 / step.times for step in steps)
                    says = "time over computing afresh" + how
                    yield RetractionBound(each.key, says, ratio, 1 / least, facts=facts)


def over_peers(series: RetractionRuns) -> Mapping[tuple[str, int], float | None]:
    """Per peer and step, the time to take facts back over that of the peer to close the rest."""
    ratios: dict[tuple[str, int], float | None] = {}
    for number, step in enumerate(series.first.steps):
        for (peer, facts), seconds in series.peers.items():
            if facts == step.facts and number:
                took = median(each.taken for each in series.steps(number))
                ratios[peer, number] = None if seconds is None else took / max(seconds, 1e-9)
    return ratios
