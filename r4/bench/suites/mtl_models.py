"""Who derives a model with metric time how fast: R4 and a peer, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from r4.bench.harness.process_usage import Usage, measure_process
from r4.bench.suites.closure import ClosurePeer
from r4.bench.workloads.published_programs import PUBLISHED, WHOLE, found

LONG: Final = 60.0
"""Who takes more seconds of processor time runs once."""
OVER_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("lubm_t 10^4", "canonical"): 1 / 50,
    ("lubm_t 10^4", "seminaive"): 1 / 10,
    ("itemporal 10^4", "seminaive"): 1 / 50,
    ("weather", "seminaive"): 1 / 5,
}
"""(Program, mode of the peer) → the largest share of the peer's time that R4 means to take."""
REASONERS: Final[Mapping[str, ClosurePeer]] = {
    "meteor": ClosurePeer(
        "MeTeoR derives a model with metric time, in Python; for ten minutes at most",
        "meteor_reasoner",
    ),
}
"""Somebody else's way to derive a model: its program in `r4.bench.peers` is ``mtl_NAME``."""


class ModelContestant(NamedTuple):
    """Who derives what; ``mode`` is one of the peer's."""

    runner: str
    name: str
    mode: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What a program says of its own run.

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


@dataclass(slots=True)
class ModelRuns:
    """One reasoner and its runs.

    Attributes:
        reasoner: who derives what.
        runs: a usage and a report a round; one only where that was long.
        compared: intervals of facts on which a peer was compared with R4; 0: it was not.
        wrong: in what it differs from R4; empty if in nothing.
    """

    reasoner: ModelContestant
    runs: list[tuple[Usage, ModelReport]] = field(default_factory=list)
    compared: int = 0
    wrong: str = ""

    @property
    def stopped(self) -> bool:
        """Whether it was stopped: its seconds are a lower bound."""
        return self.runs[0][1].stopped

    @property
    def is_long(self) -> bool:
        """Whether to run it once is enough."""
        return bool(self.runs) and self.runs[0][0].cpu > LONG

    @property
    def best(self) -> ModelReport:
        """The run that took the least time from file to model."""
        return min((told for _, told in self.runs), key=lambda told: told.seconds)

    @property
    def whole(self) -> float:
        """The least processor time of a whole process."""
        return min(usage.cpu for usage, _ in self.runs)

    @property
    def peak(self) -> int:
        """The largest resident set of any run, in bytes."""
        return max(usage.peak for usage, _ in self.runs)

    @property
    def bytes_a_fact(self) -> float:
        """What it occupied at most beyond what it did idle, for a fact of the model."""
        return max((usage.peak - told.idle) / max(told.facts, 1) for usage, told in self.runs)


@dataclass(frozen=True, slots=True)
class ModelRatio:
    """The time of R4 over that of a peer.

    Attributes:
        over, of: who and who.
        net: from file to model; an upper bound where ``of`` was stopped.
        gross: of whole processes.
        most: the bound R4 means to keep, on `net`; None: none.
        counts: whether the peer is right.
    """

    over: ModelContestant
    of: ModelContestant
    net: float
    gross: float
    most: float | None
    counts: bool

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where there is none."""
        return self.most is None or self.net <= self.most


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
    derivings = [ModelRuns(reasoner) for name in files for reasoner in _reasoners(name, peers)]
    output, model = folder / "output", folder / "model"
    for number in range(rounds):
        for deriving in derivings:
            if deriving.is_long:
                continue
            reasoner = deriving.reasoner
            says = f"round {number + 1} of {rounds}: {reasoner}"
            say(says)
            command = _command(reasoner, files[reasoner.name])
            asked = () if number or reasoner.runner == "r4" else (str(model),)

            def tell(line: str, says: str = says) -> None:
                say(f"{says}: {line}")

            usage = measure_process((*command, *asked), output, tell=tell)
            deriving.runs.append((usage, ModelReport(**json.loads(output.read_text("utf-8")))))
            if asked and not deriving.stopped:
                _compare(deriving, (*files[reasoner.name], str(model)), output)
    for path in (output, model):
        path.unlink(missing_ok=True)
    return derivings


def _reasoners(name: str, peers: Sequence[str]) -> Iterator[ModelContestant]:
    yield ModelContestant("r4", name)
    for peer in peers:
        if peer in REASONERS:
            yield from (ModelContestant(peer, name, mode) for mode in PUBLISHED[name].modes)


def _command(reasoner: ModelContestant, files: tuple[str, ...]) -> tuple[str, ...]:
    if reasoner.runner == "r4":
        return (sys.executable, "-m", "r4.bench.programs.materialise_model", *files)
    rounds = PUBLISHED[reasoner.name].modes[reasoner.mode]
    program = f"r4.bench.peers.mtl_{reasoner.runner}"
    return (sys.executable, "-m", program, *files, reasoner.mode, str(rounds))


def _compare(deriving: ModelRuns, files: tuple[str, ...], output: Path) -> None:
    """Write down in what the model of a peer differs from that of R4."""
    within = deriving.runs[0][1].within
    measure_process(
        (sys.executable, "-m", "r4.bench.programs.compare_models", *files, within), output
    )
    told = json.loads(output.read_text(encoding="utf-8"))
    deriving.compared, deriving.wrong = told["compared"], told["wrong"]


def disputed_programs(derivings: Sequence[ModelRuns]) -> list[str]:
    """Programs on which R4 agrees with no mode of a peer, though it was compared with some."""
    compared = [one for one in derivings if one.compared or one.wrong]
    agreed = {one.reasoner.name for one in compared if not one.wrong}
    return sorted({one.reasoner.name for one in compared} - agreed)


def model_ratios(derivings: Sequence[ModelRuns], share: float) -> Iterator[ModelRatio]:
    """R4 over each mode of each peer."""
    ours = {one.reasoner.name: one for one in derivings if one.reasoner.runner == "r4"}
    for theirs in derivings:
        _, name, mode = theirs.reasoner
        if not mode:
            continue
        over = ours[name]
        yield ModelRatio(
            over.reasoner,
            theirs.reasoner,
            over.best.seconds / theirs.best.seconds,
            over.whole / theirs.whole,
            OVER_PEERS.get((name, mode)) if share == WHOLE else None,
            not theirs.wrong,
        )
