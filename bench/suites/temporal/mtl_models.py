"""Who derives a model with metric time how fast: R4 and a peer, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.bounds import Ratio
from bench.harness.process_usage import measure_process
from bench.harness.rounds import OUTPUT, Series, run_rounds
from bench.suites.peer import Peer
from bench.workloads.temporal.metric_programs import PUBLISHED, WHOLE, found

LONG: Final = 60.0
"""Who takes more seconds of processor time runs once."""
OVER_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("lubm_t 10^4", "canonical"): 1 / 50,
    ("lubm_t 10^4", "seminaive"): 1 / 10,
    ("itemporal 10^4", "seminaive"): 1 / 50,
    ("weather", "seminaive"): 1 / 5,
}
"""(Program, mode of the peer) → the largest share of the peer's time that R4 means to take."""
REASONERS: Final[Mapping[str, Peer]] = {
    "meteor": Peer(
        "mtl_meteor",
        "MeTeoR derives a model with metric time, in Python; for ten minutes at most",
        "meteor_reasoner",
    ),
}
"""The peers that derive a model, by name."""


class ModelContestant(NamedTuple):
    """Who derives what; ``mode`` is one of the peer's."""

    runner: str
    name: str
    mode: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What a program reports of its own run.

    Attributes:
        load: seconds of processor time to read rules and facts.
        derive: those to derive the model.
        facts: its intervals of facts, up to where it repeats.
        idle: the bytes that it occupied before it read anything.
        within: of a peer, the interval in which it has all that holds.
        stopped: whether it was stopped before it had ended.
    """

    load: float
    derive: float
    facts: int
    idle: int
    within: str
    stopped: bool

    @property
    def seconds(self) -> float:
        """From file to model."""
        return self.load + self.derive

    @staticmethod
    def read_from(output: Path) -> ModelReport:
        """From the output of `bench.programs.temporal.materialise_model`, or of a peer."""
        return ModelReport(**json.loads(output.read_text(encoding="utf-8")))


@dataclass(slots=True)
class ModelRuns(Series[ModelContestant, ModelReport]):
    """The runs of one reasoner; one only where that was long.

    Attributes:
        compared: intervals of facts on which a peer was compared with R4; 0: it was not.
        wrong: in what it differs from R4; empty if in nothing.
    """

    compared: int = 0
    wrong: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it was stopped: its seconds are a lower bound."""
        return self.reports[0].stopped

    @property
    def is_done(self) -> bool:
        """Whether one run is enough, as it was long."""
        return bool(self.runs) and self.usages[0].cpu > LONG

    @property
    def best(self) -> ModelReport:
        """The report of the run that took the least time from file to model."""
        return min(self.reports, key=lambda report: report.seconds)

    @property
    def whole(self) -> float:
        """The least processor time of a whole process."""
        return min(usage.cpu for usage in self.usages)

    @property
    def bytes_a_fact(self) -> float:
        """What it occupied at most beyond what it did idle, for a fact of the model."""
        return max((usage.peak - report.idle) / max(report.facts, 1) for usage, report in self.runs)


def run_models(  # noqa: PLR0913, PLR0917 - what, who, and where
    names: Sequence[str],
    data: Path,
    share: float,
    peers: Sequence[str],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
) -> list[ModelRuns]:
    """Run everybody round by round, and compare the models of peers with that of R4.

    Raises:
        RunFailed: a program ended with an error.
    """
    files = {name: found(name, data, share, folder) for name in names}
    series = [ModelRuns(key) for name in files for key in _contestants(name, peers)]
    model = folder / "model"

    def is_compared(each: ModelRuns, number: int) -> bool:
        return not number and each.key.runner != "r4"

    def command(each: ModelRuns, number: int) -> tuple[str, ...]:
        written = (str(model),) if is_compared(each, number) else ()
        return (*_command(each.key, files[each.key.name]), *written)

    def compare(each: ModelRuns, number: int) -> None:
        if is_compared(each, number) and not each.stopped:
            _compare(each, (*files[each.key.name], str(model)), folder / OUTPUT)

    run_rounds(
        series,
        command,
        ModelReport.read_from,
        rounds,
        folder,
        say,
        after=compare,
        tell=lambda title, line: say(f"{title}: {line}"),
    )
    model.unlink(missing_ok=True)
    return series


def _contestants(name: str, peers: Sequence[str]) -> Iterator[ModelContestant]:
    yield ModelContestant("r4", name)
    for peer in peers:
        if peer in REASONERS:
            yield from (ModelContestant(peer, name, mode) for mode in PUBLISHED[name].modes)


def _command(key: ModelContestant, files: tuple[str, ...]) -> tuple[str, ...]:
    if key.runner == "r4":
        return (sys.executable, "-m", "bench.programs.temporal.materialise_model", *files)
    rounds = PUBLISHED[key.name].modes[key.mode]
    program = f"bench.peers.{REASONERS[key.runner].module}"
    return (sys.executable, "-m", program, *files, key.mode, str(rounds))


def _compare(series: ModelRuns, files: tuple[str, ...], output: Path) -> None:
    """Note in what the model of a peer differs from that of R4."""
    within = series.reports[0].within
    measure_process(
        (sys.executable, "-m", "bench.programs.temporal.compare_models", *files, within), output
    )
    values = json.loads(output.read_text(encoding="utf-8"))
    series.compared, series.wrong = values["compared"], values["wrong"]


def disputed_programs(series: Sequence[ModelRuns]) -> list[str]:
    """Programs on which R4 agrees with no mode of a peer, though it was compared with some."""
    compared = [each for each in series if each.compared or each.wrong]
    agreed = {each.key.name for each in compared if not each.wrong}
    return sorted({each.key.name for each in compared} - agreed)


def model_ratios(series: Sequence[ModelRuns], share: float) -> Iterator[Ratio[ModelContestant]]:
    """R4 over each mode of each peer."""
    ours = {each.key.name: each for each in series if each.key.runner == "r4"}
    for theirs in series:
        _, name, mode = theirs.key
        if not mode:
            continue
        over = ours[name]
        yield Ratio(
            over.key,
            theirs.key,
            over.best.seconds / theirs.best.seconds,
            over.whole / theirs.whole,
            OVER_PEERS.get((name, mode)) if share == WHOLE else None,
            counts=not theirs.wrong,
        )
