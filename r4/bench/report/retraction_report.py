"""What was found of taking facts back, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import median

from r4.bench.harness.tables import Json, TextTable, format_bound, format_megabytes
from r4.bench.suites.retraction import (
    MUCH,
    RetractionBound,
    RetractionRuns,
    over_peers,
    retraction_bounds,
)


def retraction_tables(takings: Sequence[RetractionRuns]) -> Iterator[TextTable]:
    """One for each kind of finding that there is."""
    if not takings:
        return
    yield TextTable(
        "Taking facts back, in ms of processor time until the answers are told: medians. At first: "
        "just after another engine has worked. Gone: rows of the model. Overdeleted: rows deleted "
        "on the way.",
        (
            *("", "facts", "taken back", "ms", "at first", "again", "afresh", "times as fast"),
            *("gone", "overdeleted", "models"),
        ),
        tuple(row for taking in takings for row in _step_rows(taking)),
    )
    yield TextTable(
        "The graphs.",
        ("", "facts", "model", "build ms", "peak MB"),
        tuple(map(_graph_row, takings)),
    )
    yield TextTable(
        "Bounds, medians over the rounds; the first fact taken back has none. Untold: without what "
        "it takes on both sides to tell the answers.",
        ("", "", "taken back", "ratio", "bound"),
        tuple(map(_bound_row, retraction_bounds(takings))),
        texts=2,
    )
    rows = tuple(row for taking in takings for row in _peer_rows(taking))
    if rows:
        yield TextTable(
            "Time to take facts back over the time of others to close what is left.",
            ("", "over", "taken back", "ratio"),
            rows,
            texts=2,
        )


def retraction_json(takings: Sequence[RetractionRuns]) -> Mapping[str, Json]:
    """The same, complete."""
    return {
        "retractions": [
            {
                "graph": taking.name,
                "runs": [{**asdict(usage), "trial": asdict(trial)} for usage, trial in taking.runs],
                "peers": [
                    {"peer": peer, "facts": facts, "seconds": seconds}
                    for (peer, facts), seconds in taking.peers.items()
                ],
                "wrong": taking.wrong,
            }
            for taking in takings
        ],
        "retraction_bounds": [
            {
                "graph": found.taking.name,
                "facts": _facts(found),
                "of": found.says,
                "ratio": found.ratio,
                "bound": found.most,
                "kept": found.kept,
            }
            for found in retraction_bounds(takings)
        ],
    }


def _facts(found: RetractionBound) -> int:
    return found.taking.first.steps[found.number].facts


def _step_rows(taking: RetractionRuns) -> Iterator[tuple[str, ...]]:
    for number, step in enumerate(taking.first.steps):
        steps = taking.steps(number)
        draws = [draw for each in steps for draw in each.draws]
        wrong = next((each.wrong for each in steps if each.wrong), "")
        much = f" (over {MUCH} times)" if step.overdeletes else ""
        yield (
            taking.name,
            f"{taking.first.facts:,}",
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


def _graph_row(taking: RetractionRuns) -> tuple[str, ...]:
    build = median(trial.build for _, trial in taking.runs)
    facts, model = taking.first.facts, taking.first.model
    return (
        taking.name,
        f"{facts:,}",
        f"{model:,}",
        f"{1e3 * build:.0f}",
        format_megabytes(taking.peak),
    )


def _bound_row(found: RetractionBound) -> tuple[str, ...]:
    return (
        found.taking.name,
        found.says,
        f"{_facts(found):,}",
        f"{found.ratio:.3f}",
        format_bound(found.most, kept=found.kept),
    )


def _peer_rows(taking: RetractionRuns) -> Iterator[tuple[str, ...]]:
    for (peer, number), ratio in over_peers(taking).items():
        facts = f"{taking.first.steps[number].facts:,}"
        yield taking.name, peer, facts, "it was stopped" if ratio is None else f"{ratio:.4f}"
