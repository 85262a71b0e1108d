"""The engine against its definitions, case by case: ``python -m tests.simulation AREA``.

``AREA [COUNT [FIRST [KIND]]]``: so many cases, from the seed FIRST on, of a kind of those of the
area. It prints what the cases exercise, and the first disagreements; exit code 1 if there are any.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from r4.spark.jobs.session import session
from tests.generators.draw import from_seed
from tests.generators.metric import programs
from tests.simulation import (
    early_results,
    executor_turns,
    metric_comparison,
    stream_comparison,
    timed_comparison,
)
from tests.simulation.hypothetical import seeds as hypothetical
from tests.simulation.meetings import comparison as meetings
from tests.simulation.meetings import event_comparison, number_comparison
from tests.simulation.metric import infinite_ranges, networks, operators, periods
from tests.simulation.metric.tally import tally
from tests.simulation.possible import seeds as possible
from tests.simulation.report import table, verdict
from tests.simulation.retraction import early_results as early_stories
from tests.simulation.retraction import seeds as retraction
from tests.simulation.shards import seeds as shards
from tests.simulation.shards import static_closure
from tests.simulation.spark import process_kills, thread_hosts
from tests.simulation.spark import session as on_spark
from tests.simulation.state import killed_engine, killed_run

Found: TypeAlias = tuple[Counter[str], dict[int, str]]
"""What the cases exercise, and where something is wrong, by seed."""
Comparison: TypeAlias = Callable[[int, int, str], Found]
"""Of so many cases, from a seed on, of a kind; an empty kind is the mix."""


def _streams(count: int, first: int, kind: str) -> Found:
    """Kinds: long, naf, long+naf; what disagrees is made smaller."""
    given = {"long": "long" in kind, "negation": "naf" in kind}
    features, wrong = stream_comparison.compare(count, first, **given)
    shown = {seed: stream_comparison.smallest(seed, **given) for seed in sorted(wrong)[:5]}
    return features, wrong | shown


def _metric_rules(count: int, first: int, kind: str) -> Found:
    """Kind: naf."""
    return metric_comparison.compare_metric(count, first, negation=kind == "naf")


def _early_results(count: int, first: int, kind: str) -> Found:
    """Kind: naf."""
    undone, wrong = early_results.compare(count, first, negation=kind == "naf")
    return Counter({"undone": undone}), wrong


def _early_stories(count: int, first: int, kind: str) -> Found:
    """Kinds: dense, plain, naf, regime."""
    return early_stories.compare(count, first, kind=kind)


def _retraction(count: int, first: int, kind: str) -> Found:
    """Kinds: dense, plain, naf, regime."""
    profile, wrong = retraction.compare(count, first, kind=kind or "mixed", every=1)
    steps = Counter({f"steps: {name}": number for name, number in profile.steps.items()})
    return profile.features + steps, wrong


def _meetings(count: int, first: int, kind: str) -> Found:
    """Kind: pending."""
    coverage, wrong = meetings.compare(count, first, pending=kind == "pending")
    shown = {seed: meetings.smallest(seed, pending=kind == "pending") for seed in sorted(wrong)[:5]}
    return coverage.features(), wrong | shown


def _events(count: int, first: int, _: str) -> Found:
    features, wrong = event_comparison.compare(count, first)
    shown = {seed: event_comparison.smallest(seed) for seed in sorted(wrong)[:5]}
    return features, wrong | shown


def _numbers(count: int, first: int, kind: str) -> Found:
    """Kind: events."""
    events = kind == "events"
    features, wrong = number_comparison.compare(count, first, events=events)
    shown = {n: number_comparison.smallest(n, events=events) for n in sorted(wrong)[:5]}
    return features, wrong | shown


def _possible(count: int, first: int, _: str) -> Found:
    seeds = range(first, first + count)
    with TemporaryDirectory() as folder:
        features = possible.profile(seeds, Path(folder))
        return features, dict(possible.disagreements(seeds, Path(folder)))


def _metric_models(count: int, first: int, kind: str) -> Found:
    """Kinds: those of `tests.generators.metric.programs`."""
    drawn = programs.case_of if not kind else lambda seed: programs.KINDS[kind](from_seed(seed))
    found = tally(count, first, drawn)
    left_out = {f"not counted: {why}": number for why, number in found.not_counted.items()}
    return found.exercised + Counter(left_out), found.wrong


def _each(case: Callable[[int], Iterable[str]]) -> Comparison:
    """Of a function that gives the features of a case, and raises where it is wrong."""

    def compare(count: int, first: int, _: str) -> Found:
        features: Counter[str] = Counter()
        wrong: dict[int, str] = {}
        for seed in range(first, first + count):
            try:
                features.update(case(seed))
            except Exception:  # noqa: BLE001 - shown with its seed
                wrong[seed] = traceback.format_exc()
        return features, wrong

    return compare


def _operators(seed: int) -> Iterable[str]:
    return (f"{ends}: {name}" for ends in operators.ENDS for name in operators.compare(seed, ends))


def _networks(seed: int) -> Iterable[str]:
    return (f"{name}: {compare(seed)}" for name, compare in networks.KINDS.items())


def _on_spark(count: int, first: int, _: str) -> Found:
    with session("local[2]") as spark:
        return on_spark.compare(spark, count, first)


AREAS: Final[dict[str, tuple[int, Comparison]]] = {
    "streams": (1000, _streams),
    "timed_streams": (1000, lambda count, first, _: timed_comparison.compare(count, first)),
    "killed_runs": (500, lambda count, first, _: killed_run.compare(count, first)),
    "killed_engines": (500, lambda count, first, _: killed_engine.compare(count, first)),
    "metric_rules": (1000, _metric_rules),
    "early_results": (300, _early_results),
    "early_stories": (300, _early_stories),
    "retraction": (1000, _retraction),
    "meetings": (1000, _meetings),
    "executors": (1000, executor_turns.compare),
    "events": (300, _events),
    "numbers": (1000, _numbers),
    "metric_models": (1000, _metric_models),
    "metric_operators": (100, _each(_operators)),
    "metric_networks": (100, _each(_networks)),
    "metric_periods": (500, _each(periods.compare_seed)),
    "metric_infinite_ranges": (200, _each(infinite_ranges.compare_seed)),
    "hypothetical": (1000, lambda count, first, _: hypothetical.compare(count, first)),
    "possible": (200, _possible),
    "shards": (300, lambda count, first, _: shards.compare(count, first)),
    "static_closures": (300, lambda count, first, _: static_closure.compare(count, first)),
    "spark_in_threads": (200, lambda count, first, _: thread_hosts.compare(count, first)),
    "sharded_reports": (200, lambda n, first, _: thread_hosts.compare(n, first, reports=True)),
    "spark": (16, _on_spark),
    "spark_kills": (20, lambda count, first, _: process_kills.compare(count, first)),
}
"""By name: how many cases if none are named, and the comparison."""


def main(name: str = "", count: str = "", first: str = "0", kind: str = "") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    if name not in AREAS:
        sys.stderr.write(f"areas: {', '.join(AREAS)}\n")
        return 2
    many, compare = AREAS[name]
    number = int(count or many)
    features, wrong = compare(number, int(first), kind)
    sys.stdout.write(table(features, number))
    return verdict(wrong, f"{number} cases of {name} {kind}".strip() + f" from seed {first} on")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
