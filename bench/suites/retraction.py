"""`r4 bench retraction`: facts retracted from graphs, against computing what is left anew.

A program of R4 retracts and asserts facts, and compares each model with one computed anew; peers
that cannot retract close what is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from bench.harness.benchmark import Benchmark, Findings, Request
from bench.harness.bounds import Bound, verdict
from bench.harness.process_usage import measure_process, python
from bench.harness.rounds import OUTPUT, Series, first_wrong, read_json, run_rounds
from bench.harness.tables import TextTable, format_megabytes, format_milliseconds, tabled
from bench.suites.closure import CLOSERS, ClosureReport
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
    """Some facts were retracted, and asserted again; each until the answers were reported."""

    taken: float  # seconds to retract them
    again: float  # seconds to assert them again
    over: int  # derived rows that were deleted on the way, those derived again included
    changed: int  # rows of the model that were gone


@dataclass(frozen=True, slots=True)
class RetractionStep:
    """Some draws of as many facts, one after the other."""

    name: str  # how many facts, in words
    facts: int  # how many
    draws: tuple[RetractionDraw, ...]  # the draws
    afresh: float  # seconds to compute the model of the facts that are left from scratch
    whole: int  # rows of the model of all facts
    wrong: str  # in what a model differs from one computed from scratch; empty if in nothing

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
    def overdeletes(self) -> bool:
        """Whether much more was deleted than is gone."""
        return any(draw.over > MUCH * draw.changed for draw in self.draws)


@dataclass(frozen=True, slots=True)
class RetractionReport:
    """The report of a program on one run on a graph."""

    facts: int  # its facts
    model: int  # all that holds, those included
    build: float  # seconds to compute it where facts may be retracted
    # one after the other; the first one is that of a single fact, which makes what the others find
    # made
    steps: tuple[RetractionStep, ...]

    @staticmethod
    def of(steps: Sequence[Mapping[str, Any]], **values: Any) -> RetractionReport:  # noqa: ANN401
        """The report that `bench.programs.retract_facts` prints."""
        made = (
            RetractionStep(
                **{**step, "draws": tuple(RetractionDraw(**draw) for draw in step["draws"])}
            )
            for step in steps
        )
        return RetractionReport(**values, steps=tuple(made))


@dataclass(slots=True)
class RetractionRuns(Series[str, RetractionReport]):
    """The runs on a graph, whose name is the key."""

    # per peer and number of facts retracted, the seconds of processor time it took to close what
    # was left; None: it was stopped
    peers: dict[tuple[str, int], float | None] = field(default_factory=dict)

    @property
    def first(self) -> RetractionReport:
        """The report of the first run: what is counted is the same in all."""
        return self.reports[0]

    def steps(self, number: int) -> list[RetractionStep]:
        """One step of each run."""
        return [report.steps[number] for report in self.reports]


BENCHMARK: Final = Benchmark(
    {"retraction": "facts are taken back from graphs, against computing what is left anew"},
    lambda request: findings(retract(request)),
    {name: graph.description for name, graph in RETRACTION_GRAPHS.items()},
    CLOSERS,
)


def retract(
    request: Request, names: Sequence[str] = tuple(RETRACTION_GRAPHS)
) -> list[RetractionRuns]:
    """Run the graphs of these names, of their size times the share that is requested."""
    found = [RetractionRuns(name) for name in names]
    sizes = {name: max(int(RETRACTION_GRAPHS[name].size * request.share), _LEAST) for name in names}

    def able(each: RetractionRuns, number: int) -> list[str]:
        graph = RETRACTION_GRAPHS[each.key]
        return [] if number else [peer for peer in request.peers if peer in graph.peers]

    def command(each: RetractionRuns, number: int) -> tuple[str, ...]:
        written = (request.folder,) if able(each, number) else ()
        return python("bench.programs.retract_facts", each.key, sizes[each.key], *written)

    def check(each: RetractionRuns, number: int) -> str:
        graph = RETRACTION_GRAPHS[each.key]
        for peer in able(each, number):
            if each.first.facts > graph.peers[peer]:
                request.say(f"{each.key} is too large for {peer}")
            else:
                _close(request, each, graph, peer)
        return "; ".join(filter(None, (step.wrong for step in each.reports[-1].steps)))

    run_rounds(
        request,
        found,
        command,
        read_json(RetractionReport.of),
        title=lambda each: f"taking back from {each.key}, {sizes[each.key]:,}",
        check=check,
    )
    return found


def _close(request: Request, each: RetractionRuns, graph: RetractionGraph, peer: str) -> None:
    """Let a peer close what is left after each step but the first."""
    output = request.folder / OUTPUT
    for step in each.first.steps[1:]:
        request.say(f"{peer} closes {each.key} without {step.facts:,} facts")
        path = request.folder / survivors(step.facts)
        usage = measure_process(python(CLOSERS[peer].program, path, graph.part), output)
        report = ClosureReport(**json.loads(output.read_text(encoding="utf-8")))
        whole = report.seconds + report.hand + report.aside
        spent = usage.cpu * report.close / max(whole, 1e-9)  # other times are of the processor, too
        each.peers[peer, step.facts] = None if report.stopped else spent
        if report.stopped:
            return


def survivors(count: int) -> str:
    """The name of the file with what is left when ``count`` facts were taken back."""
    return f"survivors-{count}.nt"


def retraction_bounds(found: Sequence[RetractionRuns]) -> Iterator[tuple[int, Bound]]:
    """The number of facts taken back, and a bound; the first step, which makes indexes, has none.

    Figures are medians over the rounds.
    """
    by_name = {each.key: each for each in found}
    for each in found:
        least = RETRACTION_GRAPHS[each.key].least
        bare = by_name.get(RETRACTION_GRAPHS[each.key].bare)
        for number in range(1, len(each.first.steps)):
            steps, facts = each.steps(number), each.first.steps[number].facts
            if bare is not None and number == 1:
                pairs = zip(steps, bare.steps(1), strict=True)
                ratio = median(mine.taken / max(other.taken, 1e-9) for mine, other in pairs)
                says = "time over the same without operators"
                yield facts, Bound(each.key, says, ratio, MOST_OVER_BARE)
            ratio = median(step.over_most for step in steps)
            yield facts, Bound(each.key, "time over what is allowed", ratio, 1.0)
            if least is not None and number == 1:
                ratio = median(1 / step.times for step in steps)
                yield facts, Bound(each.key, "time over computing afresh", ratio, 1 / least)


def over_peers(found: RetractionRuns) -> Mapping[tuple[str, int], float | None]:
    """Per peer and step, the time to take facts back over that of the peer to close the rest."""
    ratios: dict[tuple[str, int], float | None] = {}
    for number, step in enumerate(found.first.steps):
        for (peer, facts), seconds in found.peers.items():
            if facts == step.facts and number:
                took = median(each.taken for each in found.steps(number))
                ratios[peer, number] = None if seconds is None else took / max(seconds, 1e-9)
    return ratios


def findings(found: Sequence[RetractionRuns]) -> Findings:
    """Steps, graphs, bounds, peers."""
    return Findings(
        [*_tables(found)],
        {
            "retractions": [
                each.json(
                    peers=[
                        {"peer": peer, "facts": facts, "seconds": seconds}
                        for (peer, facts), seconds in each.peers.items()
                    ]
                )
                for each in found
            ],
            "retraction_bounds": [
                {
                    "graph": bound.name,
                    "facts": facts,
                    "of": bound.description,
                    "ratio": bound.figure,
                    "bound": bound.limit,
                    "kept": bound.kept,
                }
                for facts, bound in retraction_bounds(found)
            ],
        },
        first_wrong(found),
    )


def _tables(found: Sequence[RetractionRuns]) -> Iterator[TextTable]:
    yield from tabled(
        "Taking facts back, in ms of processor time until the answers are told: medians. At"
        " first: just after another engine has worked. Gone: rows of the model. Overdeleted:"
        " rows deleted on the way.",
        (
            *("", "facts", "taken back", "ms", "at first", "again", "afresh", "times as fast"),
            *("gone", "overdeleted", "models"),
        ),
        (row for each in found for row in _step_rows(each)),
    )
    yield from tabled(
        "The graphs.",
        ("", "facts", "model", "build ms", "peak MB"),
        (
            (
                each.key,
                f"{each.first.facts:,}",
                f"{each.first.model:,}",
                f"{1e3 * median(report.build for report in each.reports):.0f}",
                format_megabytes(each.peak),
            )
            for each in found
        ),
    )
    yield from tabled(
        "Bounds, medians over the rounds; the first fact taken back has none.",
        ("", "", "taken back", "ratio", "bound"),
        (
            (
                *(bound.name, bound.description, f"{facts:,}", f"{bound.figure:.3f}"),
                verdict(bound.figure, bound.limit),
            )
            for facts, bound in retraction_bounds(found)
        ),
        texts=2,
    )
    yield from tabled(
        "Time to take facts back over the time of others to close what is left.",
        ("", "over", "taken back", "ratio"),
        (
            (
                *(each.key, peer, f"{each.first.steps[number].facts:,}"),
                "it was stopped" if ratio is None else f"{ratio:.4f}",
            )
            for each in found
            for (peer, number), ratio in over_peers(each).items()
        ),
        texts=2,
    )


def _step_rows(found: RetractionRuns) -> Iterator[tuple[str, ...]]:
    for number, step in enumerate(found.first.steps):
        steps = found.steps(number)
        draws = [draw for each in steps for draw in each.draws]
        times = (
            [each.taken for each in steps],
            [each.draws[0].taken for each in steps],
            [draw.again for draw in draws],
            [each.afresh for each in steps],
        )
        much = f" (over {MUCH} times)" if step.overdeletes else ""
        yield (
            *(found.key, f"{found.first.facts:,}", f"{step.facts:,}"),
            *(format_milliseconds(median(seconds)) for seconds in times),
            f"{median(each.times for each in steps):.1f}",
            f"{median(draw.changed for draw in draws):,.0f}",
            f"{median(draw.over for draw in draws):,.0f}{much}",
            next((each.wrong for each in steps if each.wrong), "right"),
        )
