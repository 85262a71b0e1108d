"""Live models that are saved and loaded between their updates, by the library or by the command."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from r4.checkpoint.live_models import load_model, save_model
from rete.arrays.delta import NEG_INF, POS_INF
from temporal.intervals.interval import Interval
from temporal.maintenance.update_method import Method
from temporal.mtl.ast import MetricFact
from temporal.text.writer import write_program
from tests.generators.draw import from_seed
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.updates import story_of
from tests.simulation.command import call
from tests.simulation.metric.updates import FAR, compare_updates, runs_after

if TYPE_CHECKING:
    from pathlib import Path

    from temporal.maintenance.live_model import LiveModel
    from tests.generators.metric.updates import UpdateStory
    from tests.simulation.metric.updates import Runs

AROUND: Final = 30
"""The command prints what holds up to so many units of time from 0."""


def compare_saved(seed: int, folder: Path) -> tuple[Counter[str], str | None]:
    """What the story of a seed exercises, and how the model differs; None: it does not.

    Each fifth story is one of commands, each of which finds the model in a file.

    Raises:
        LimitReached: a model is not found.
    """
    story = story_of(seed)
    if seed % 5 == 3:
        return Counter({"by commands": 1}), command_differs(story, folder)
    path, draw, met = folder / "model", from_seed(2_000_003 + seed), Counter[str]()

    def between(live: LiveModel) -> LiveModel:
        what = draw.weighted((60, "loaded"), (20, "saved"), (20, "neither"))
        met[what] += 1
        if what != "neither":
            save_model(path, live)
        return load_model(path, story.case.program) if what == "loaded" else live

    methods = [Method.RECOMPUTE if draw.chance(12) else Method.DRED for _ in story.steps]
    found, fault = compare_updates(story, by_definition=False, between=between, methods=methods)
    return found + met, fault


def command_differs(story: UpdateStory, folder: Path) -> str | None:
    """How what ``r4 mtl update --state`` prints is not what follows from all data; None: it is."""
    state = folder / "state"
    state.unlink(missing_ok=True)
    rules = folder / "rules.txt"
    rules.write_text(write_program(story.case.program))
    names = ("data", "delete", "insert")
    data, delete, insert = (folder / f"{name}.txt" for name in names)
    shown = ("--from", str(-AROUND), "--to", str(AROUND), "--periods")
    held = runs_after({}, (), story.case.facts, story.scale)
    data.write_text(write_facts(story.case.facts))
    first = call(["mtl", "update", str(rules), str(data), "--state", str(state), *shown])
    if first.code:
        return f"exit code {first.code}: {first.err}\n{story}"
    for number, step in enumerate(story.steps):
        held = runs_after(held, step.delete, step.insert, story.scale)
        for path, facts in ((data, _facts(held, story.scale)), (delete, step.delete)):
            path.write_text(write_facts(facts))
        insert.write_text(write_facts(step.insert))
        changes = ("--delete", str(delete), "--insert", str(insert))
        found = call(["mtl", "update", str(rules), "--state", str(state), *changes, *shown])
        expected = call(["mtl", "materialise", str(rules), str(data), *shown])
        if (found.code, found.out) != (expected.code, expected.out):
            return f"step {number}: {found}\nnot {expected}\n{story}"
    return None


def _facts(held: Runs, scale: int) -> list[MetricFact]:
    """The explicit data as facts."""
    return [
        MetricFact(predicate, args, _interval(lo, hi, scale))
        for (predicate, args), runs in held.items()
        for lo, hi in runs
    ]


def _interval(lo: int, hi: int, scale: int) -> Interval:
    ends = (NEG_INF if lo == -FAR else lo), (POS_INF if hi == FAR else hi)
    return Interval.of_cells(*ends, scale)
