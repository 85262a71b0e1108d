"""What was found of retraction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from bench.harness.rounds import first_wrong
from bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from bench.suites.graphs.retraction import (
    MUCH,
    RetractionBound,
    RetractionRuns,
    over_peers,
    retraction_bounds,
)


@dataclass(frozen=True, slots=True)
class RetractionFindings:
    """Retraction of facts from graphs.

    Attributes:
        graphs: the runs on each graph.
    """

    graphs: Sequence[RetractionRuns] = ()

    @property
    def wrong(self) -> str:
        """The first thing that is wrong; empty if nothing."""
        return first_wrong(self.graphs)

    def tables(self) -> Iterator[TextTable]:
        """Steps, graphs, bounds, peers."""
        if self.graphs:
            yield from self._graph_tables()

    def _graph_tables(self) -> Iterator[TextTable]:
        yield TextTable(
            "Taking facts back, in ms of processor time until the answers are told: medians. At"
            " first: just after another engine has worked. Gone: rows of the model. Overdeleted:"
            " rows deleted on the way.",
            (
                *("", "facts", "taken back", "ms", "at first", "again", "afresh", "times as fast"),
                *("gone", "overdeleted", "models"),
            ),
            tuple(row for series in self.graphs for row in _step_rows(series)),
        )
        yield TextTable(
            "The graphs.",
            ("", "facts", "model", "build ms", "peak MB"),
            tuple(map(_graph_row, self.graphs)),
        )
        yield TextTable(
            "Bounds, medians over the rounds; the first fact taken back has none. Untold: without"
            " what it takes on both sides to tell the answers.",
            ("", "", "taken back", "ratio", "bound"),
            tuple(map(_bound_row, retraction_bounds(self.graphs))),
            texts=2,
        )
        rows = tuple(row for series in self.graphs for row in _peer_rows(series))
        if rows:
            yield TextTable(
                "Time to take facts back over the time of others to close what is left.",
                ("", "over", "taken back", "ratio"),
                rows,
                texts=2,
            )

    def json(self) -> Mapping[str, Json]:
        """The same, complete."""
        return {
            "retractions": [
                {
                    "graph": series.key,
                    "runs": [
                        {**asdict(usage), "trial": asdict(report)} for usage, report in series.runs
                    ],
                    "peers": [
                        {"peer": peer, "facts": facts, "seconds": seconds}
                        for (peer, facts), seconds in series.peers.items()
                    ],
                    "wrong": series.wrong,
                }
                for series in self.graphs
            ],
            "retraction_bounds": [
                {
                    "graph": bound.name,
                    "facts": bound.facts,
                    "of": bound.description,
                    "ratio": bound.figure,
                    "bound": bound.limit,
                    "kept": bound.kept,
                }
                for bound in retraction_bounds(self.graphs)
            ],
        }


def _step_rows(series: RetractionRuns) -> Iterator[tuple[str, ...]]:
    for number, step in enumerate(series.first.steps):
        steps = series.steps(number)
        draws = [draw for each in steps for draw in each.draws]
        wrong = first_wrong(steps)
        much = f" (over {MUCH} times)" if step.overdeletes else ""
        yield (
            series.key,
            f"{series.first.facts:,}",
            f"{step.facts:,}",
            *(
                f"{1e3 * median(seconds):.1f}"
                for seconds in (
                    [each.taken for each in steps],
                    [each.draws[0].taken for each in steps],
                    [draw.again for draw in draws],
                    [each.afresh for each in steps],
                )
            ),
            f"{median(each.times for each in steps):.1f}",
            f"{median(draw.changed for draw in draws):,.0f}",
            f"{median(draw.over for draw in draws):,.0f}{much}",
            wrong or "right",
        )


def _graph_row(series: RetractionRuns) -> tuple[str, ...]:
    build = median(report.build for report in series.reports)
    facts, model = series.first.facts, series.first.model
    return (
        series.key,
        f"{facts:,}",
        f"{model:,}",
        f"{1e3 * build:.0f}",
        format_megabytes(series.peak),
    )


def _bound_row(bound: RetractionBound) -> tuple[str, ...]:
    return (
        bound.name,
        bound.description,
        f"{bound.facts:,}",
        f"{bound.figure:.3f}",
        format_bound(bound.limit, kept=bound.kept),
    )


def _peer_rows(series: RetractionRuns) -> Iterator[tuple[str, ...]]:
    for (peer, number), ratio in over_peers(series).items():
        facts = f"{series.first.steps[number].facts:,}"
        yield series.key, peer, facts, "it was stopped" if ratio is None else f"{ratio:.4f}"
