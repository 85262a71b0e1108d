"""`r4 bench mtl`: who derives a model with metric time how fast, R4 and a peer.

In the first round the peer writes its model, and a program of R4 compares it with its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Benchmark, Findings, Lack, Request
from bench.harness.bounds import Ratio, ratios_json, verdict
from bench.harness.peer import Peer
from bench.harness.process_usage import measure_process, python
from bench.harness.rounds import OUTPUT, Series, read_json, run_rounds
from bench.harness.tables import TextTable, format_megabytes, tabled
from bench.workloads.temporal.metric_programs import PUBLISHED, WHOLE, found, missing

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


class ModelReport(NamedTuple):
    """The report of a program on its own run."""

    load: float  # seconds of processor time to read rules and facts
    derive: float  # those to derive the model
    facts: int  # its intervals of facts, up to where it repeats
    idle: int  # the bytes that it occupied before it read anything
    within: str  # of a peer, the interval in which it has all that holds
    stopped: bool  # whether it was stopped before it had ended

    @property
    def seconds(self) -> float:
        """From file to model."""
        return self.load + self.derive


@dataclass(slots=True)
class ModelRuns(Series[ModelContestant, ModelReport]):
    """The runs of one reasoner; one only where that was long."""

    compared: int = 0  # intervals of facts on which a peer was compared with R4; 0: it was not

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
    def bytes_a_fact(self) -> float:
        """The most that it occupied beyond what it did idle, for a fact of the model."""
        return max((usage.peak - report.idle) / max(report.facts, 1) for usage, report in self.runs)


def lacks(_name: str, data: Path | None) -> Lack:
    """The programs whose files are not there; the others run."""
    if data is None:
        line = "mtl: its programs and facts are not shipped: name their folder, --data FOLDER"
        return Lack([line], whole=True)
    paths = {name: missing(name, data) for name in PUBLISHED}
    lines = [f"mtl: {name}: {path} is not there" for name, path in paths.items() if path]
    return Lack(lines, whole=len(lines) == len(paths))


def programs(data: Path) -> list[str]:
    """The names of those whose files are there."""
    return [name for name in PUBLISHED if missing(name, data) is None]


BENCHMARK: Final = Benchmark(
    {"mtl": "all that follows from published rules with metric time; see --data"},
    lambda request: findings(derive(request), request.share),
    {name: published.description for name, published in PUBLISHED.items()},
    REASONERS,
    lacks,
)


def derive(request: Request) -> list[ModelRuns]:
    """The runs of everybody."""
    folder, data = request.folder, request.data
    files = {name: found(name, data, request.share, folder) for name in programs(data)}
    series = [ModelRuns(key) for name in files for key in _contestants(name, request.peers)]
    model = folder / "model"

    def is_compared(each: ModelRuns, number: int) -> bool:
        return not number and each.key.runner != "r4"

    def command(each: ModelRuns, number: int) -> tuple[str, ...]:
        written = (str(model),) if is_compared(each, number) else ()
        return (*_command(each.key, files[each.key.name]), *written)

    def check(each: ModelRuns, number: int) -> str:
        if not is_compared(each, number) or each.stopped:
            return ""
        paths = *files[each.key.name], str(model)
        each.compared, wrong = compare_models(request, *paths, each.reports[0].within)
        return wrong

    run_rounds(
        request,
        series,
        command,
        read_json(ModelReport),
        check=check,
        tell=lambda title, line: request.say(f"{title}: {line}"),
    )
    model.unlink(missing_ok=True)
    return series


def compare_models(request: Request, *arguments: str) -> tuple[int, str]:
    """On how many intervals of facts a peer's model was compared with R4's, and how it differs.

    The arguments are those of `bench.programs.compare_models`.
    """
    output = request.folder / OUTPUT
    measure_process(python("bench.programs.compare_models", *arguments), output)
    values = json.loads(output.read_text(encoding="utf-8"))
    return values["compared"], values["wrong"]


def _contestants(name: str, peers: Sequence[str]) -> Iterator[ModelContestant]:
    yield ModelContestant("r4", name)
    for peer in peers:
        if peer in REASONERS:
            yield from (ModelContestant(peer, name, mode) for mode in PUBLISHED[name].modes)


def _command(key: ModelContestant, files: tuple[str, ...]) -> tuple[str, ...]:
    if key.runner == "r4":
        return python("bench.programs.materialise_model", *files)
    rounds = PUBLISHED[key.name].modes[key.mode]
    return python(REASONERS[key.runner].program, *files, key.mode, rounds)


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
        if mode:
            over = ours[name]
            yield Ratio(
                over.key,
                theirs.key,
                over.best.seconds / theirs.best.seconds,
                over.cpu / theirs.cpu,
                OVER_PEERS.get((name, mode)) if share == WHOLE else None,
                counts=not theirs.wrong,
            )


def findings(series: Sequence[ModelRuns], share: float = WHOLE) -> Findings:
    """Runs, ratios; wrong is a program on which R4 agrees with no mode of a peer."""
    return Findings(
        [*_tables(series, share)],
        {
            "models": [
                each.json(share=share, compared=each.compared, bytes_a_fact=each.bytes_a_fact)
                for each in series
            ],
            "model_ratios": ratios_json(model_ratios(series, share)),
        },
        next(iter(disputed_programs(series)), ""),
    )


def _tables(series: Sequence[ModelRuns], share: float) -> Iterator[TextTable]:
    part = "" if share == WHOLE else f" of the first {share:g} of the facts"
    yield from tabled(
        f"Models with metric time{part}: least seconds of processor time. Whole: with the"
        " start and end of a process.",
        (
            *("", "load", "derive", "whole", "facts", "peak MB", "bytes a fact"),
            *("bounds", "compared", "answers"),
        ),
        (_row(each, share) for each in series),
    )
    yield from tabled(
        "Ratios of processor times from file to model.",
        ("", "over", "ratio", "times as fast", "of whole", "bound"),
        (
            (
                *(str(ratio.over), str(ratio.of)),
                *(f"{ratio.net:.4f}", f"{1 / ratio.net:.1f}", f"{ratio.gross:.3f}"),
                verdict(ratio.net, ratio.most) if ratio.counts else "the peer is wrong",
            )
            for ratio in model_ratios(series, share)
        ),
        texts=2,
    )


def _row(each: ModelRuns, share: float) -> tuple[str, ...]:
    best = each.best
    least = "> " if each.stopped else ""
    return (
        str(each.key),
        f"{best.load:.2f}",
        f"{least}{best.derive:.2f}",
        f"{least}{each.cpu:.2f}",
        "" if each.stopped else f"{best.facts:,}",
        format_megabytes(each.peak),
        "" if each.stopped else f"{each.bytes_a_fact:,.0f}",
        _bounds(each) if share == WHOLE and each.key.runner == "r4" else "",
        f"{each.compared:,}" if each.compared else "",
        each.wrong or ("as R4" if each.compared else ""),
    )


def _bounds(each: ModelRuns) -> str:
    """The bounds of R4 on time and memory, and whether they are kept."""
    published = PUBLISHED[each.key.name]
    texts = []
    if (most := published.seconds) is not None:
        texts.append(f"{most:g} s {'kept' if each.best.seconds <= most else 'missed'}")
    if (peak := published.peak) is not None:
        kept = "kept" if each.peak <= peak else "missed"
        texts.append(f"{format_megabytes(peak)} MB {kept}")
    return ", ".join(texts)
