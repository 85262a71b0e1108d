"""Live models beside models that are derived anew, and beside those of the definition."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Rows
from rete.storage.row_algebra import coalesce, subtract
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.update_method import Method
from temporal.model.limits import LimitReached
from temporal.model.materialisation import materialise
from temporal.mtl.ast import constant
from temporal.mtl.validation import arities
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.updates import story_of
from tests.oracles.metric.models import Problem, cells
from tests.oracles.metric.periodic_models import Undecided, solve
from tests.simulation.metric.models import difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporal.maintenance.live_model import Update
    from temporal.model.least_model import Model
    from temporal.mtl.ast import MetricFact, PredicateKey
    from temporal.periods.periodic_model import PeriodicModel
    from tests.generators.metric.updates import UpdateStory
    from tests.oracles.metric.models import Ground

TURNS: Final = 2
"""So many repetitions on each side of both models are compared."""
MOST_CELLS: Final = 4_000
"""Longer stretches are not compared cell by cell."""
FAR: Final = 10**9

Runs = dict["Ground", list[tuple[int, int]]]
"""Half-open runs of cells of each atom, disjoint; infinite ends lie far out."""


@dataclass(slots=True)
class UpdateTally:
    """What was compared, and what it exercised."""

    cases: int = 0
    exercised: Counter[str] = field(default_factory=Counter)
    wrong: dict[int, str] = field(default_factory=dict)
    not_counted: Counter[str] = field(default_factory=Counter)


def loaded(facts: Iterable[MetricFact], story: UpdateStory, terms: Dictionary) -> Dataset:
    """Facts in cells of the story."""
    loader = BulkLoader(terms, arities(story.case.program))
    loader.text([write_facts(facts).encode()])
    assert not loader.faults
    return loader.data(story.scale)


def compare_updates(
    story: UpdateStory,
    *,
    by_definition: bool = True,
    between: Callable[[LiveModel], LiveModel] = lambda live: live,
    methods: Sequence[Method] = (Method.DRED,),
) -> tuple[Counter[str], str | None]:
    """What a story exercises, and how a live model differs; None: it does not.

    Args:
        story: the updates.
        by_definition: whether models are compared with those of the definition, too.
        between: gives the live model that an update goes on with; its terms have equal ids.
        methods: those of the updates, in turn.

    Raises:
        LimitReached: one of the models is not found.
        Undecided: the definition does not say what one of them is.
    """
    terms = Dictionary()
    exercised: Counter[str] = Counter()
    live = LiveModel(story.case.program, loaded(story.case.facts, story, terms), terms)
    held = runs_after({}, (), story.case.facts, story.scale)
    for number, step in enumerate(story.steps):
        live = between(live)
        before = live.model()
        terms = before.terms
        held = runs_after(held, step.delete, step.insert, story.scale)
        found = live.update(
            loaded(step.delete, story, terms),
            loaded(step.insert, story, terms),
            methods[number % len(methods)],
        )
        after = live.model()
        afresh = materialise(story.case.program, _dataset(held, story, terms), terms)
        if afresh.limit is not None:
            raise LimitReached(afresh.limit)
        fault = (
            _explicit_differs(live.explicit, _dataset(held, story, terms).rows)
            or _models_differ(after, afresh)
            or _change_differs(before, after, found)
        )
        if fault is None and by_definition:
            runs = {ground: [_open(run) for run in runs] for ground, runs in held.items()}
            given = Problem(story.case.program.rules, runs, story.scale)
            fault = difference(given, solve(given), after)
        if fault is not None:
            return exercised, f"step {number}: {fault}\n{found.statistics}\n{story}"
        exercised.update(_features(before, after, found))
    return exercised, None


def _features(before: Model, after: Model, found: Update) -> set[str]:
    names = set()
    statistics = found.statistics
    if statistics.overdeleted:
        names.add("overdeleted")
    if statistics.rederived:
        names.add("rederived")
    if statistics.inserted:
        names.add("inserted")
    sides = [(m.periodic.left, m.periodic.right) for m in (before, after)]
    turning = [any(not side.is_constant for side in pair) for pair in sides]
    if all(turning):
        names.add("endless before and after")
    if turning[0] != turning[1]:
        names.add("endless before or after")
    if all(any(not side.is_constant for side in pair) for pair in zip(*sides, strict=True)):
        names.add("endless on both sides")
    for one, other in zip(*sides, strict=True):
        if not one.is_constant and not other.is_constant and one.shift != other.shift:
            names.add("another period")
    if statistics.method is Method.RECOMPUTE:
        names.add("recomputed")
    return names


def _explicit_differs(
    found: dict[PredicateKey, Rows], expected: dict[PredicateKey, Rows]
) -> str | None:
    for key in found.keys() | expected.keys():
        parts = [_in_order(facts[key]) if key in facts else [] for facts in (found, expected)]
        if parts[0] != parts[1]:
            return f"explicit {key}: {parts[0]}, not {parts[1]}"
    return None


def _models_differ(found: Model, expected: Model) -> str | None:
    mine, other = found.periodic, expected.periodic
    if (mine.left, mine.right) != (other.left, other.right):
        return f"sides {mine.left, mine.right}, not {other.left, other.right}"
    window = _window([mine, other])
    one, two = (_unfolded(model, window) for model in (mine, other))
    for key in one.keys() | two.keys():
        if one.get(key) != two.get(key):
            return f"{key} in {window}: {one.get(key)}, not {two.get(key)}"
    return None


def _change_differs(before: Model, after: Model, found: Update) -> str | None:
    """The old model less what was lost, and what was gained, is the new one; no more changed."""
    models = [before.periodic, after.periodic, found.change.gained, found.change.lost]
    window = _window(models)
    old, new, gained, lost = (dict(model.unfold(*window)) for model in models)
    for key in {**old, **new, **gained, **lost}:
        none = np.empty((0, key[1] + 2), np.int64)
        was, now, more, less = (part.get(key, none) for part in (old, new, gained, lost))
        for name, said, rows in (
            ("gained", more, subtract(now, was)),
            ("lost", less, subtract(was, now)),
        ):
            if _in_order(said) != _in_order(rows):
                return f"{name} {key} in {window}: {_in_order(said)}, not {_in_order(rows)}"
    return None


def _window(models: list[PeriodicModel[PredicateKey]]) -> tuple[int, int]:
    """Cells with some repetitions of all models."""
    lo, hi = 0, 0
    for model in models:
        turn = 2 * TURNS
        lo = min(lo, model.left.source[0], model.left.period[0] - turn * model.left.shift)
        hi = max(hi, model.right.source[1], model.right.period[1] + turn * model.right.shift)
    return max(lo, -MOST_CELLS), min(hi, MOST_CELLS)


def _unfolded(
    model: PeriodicModel[PredicateKey], window: tuple[int, int]
) -> dict[PredicateKey, list[tuple[int, ...]]]:
    return {key: _in_order(rows) for key, rows in model.unfold(*window) if len(rows)}


def _in_order(rows: Rows) -> list[tuple[int, ...]]:
    return sorted(map(tuple, coalesce(rows).tolist()))


def runs_after(
    held: Runs, delete: Iterable[MetricFact], insert: Iterable[MetricFact], scale: int
) -> Runs:
    """Explicit data after an update, run by run."""
    found = {ground: list(runs) for ground, runs in held.items()}
    for fact in delete:
        ground = fact.predicate, fact.args
        found[ground] = [
            run for one in found.get(ground, []) for run in _less(one, _closed(fact, scale))
        ]
    for fact in insert:
        ground, run = (fact.predicate, fact.args), _closed(fact, scale)
        apart = [one for one in found.get(ground, []) if one[1] < run[0] or run[1] < one[0]]
        near = [one for one in found.get(ground, []) if one not in apart] + [run]
        found[ground] = [*apart, (min(lo for lo, _ in near), max(hi for _, hi in near))]
    return {ground: runs for ground, runs in found.items() if runs}


def _less(run: tuple[int, int], gone: tuple[int, int]) -> list[tuple[int, int]]:
    pieces = (run[0], min(run[1], gone[0])), (max(run[0], gone[1]), run[1])
    return [piece for piece in pieces if piece[0] < piece[1]]


def _closed(fact: MetricFact, scale: int) -> tuple[int, int]:
    lo, hi = cells(fact.interval, scale)
    return -FAR if lo is None else lo, FAR if hi is None else hi


def _open(run: tuple[int, int]) -> tuple[int | None, int | None]:
    lo, hi = run
    return None if lo == -FAR else lo, None if hi == FAR else hi


def _dataset(held: Runs, story: UpdateStory, terms: Dictionary) -> Dataset:
    """Explicit data, in cells."""
    found: dict[PredicateKey, list[list[int]]] = {}
    for (predicate, args), runs in held.items():
        ids = [terms.encode(str(constant(arg).value)) for arg in args]
        rows = found.setdefault((predicate, len(args)), [])
        for lo, hi in runs:
            rows.append([*ids, NEG_INF if lo == -FAR else lo, POS_INF if hi == FAR else hi])
    return Dataset(story.scale, {key: np.array(rows, np.int64) for key, rows in found.items()})


def tally_updates(seeds: Iterable[int], *, by_definition: bool = True) -> UpdateTally:
    """Compare the stories of some seeds."""
    found = UpdateTally()
    for seed in seeds:
        story = story_of(seed)
        try:
            exercised, fault = compare_updates(story, by_definition=by_definition)
        except (LimitReached, Undecided) as why:
            found.not_counted[f"{type(why).__name__}: {why}"[:60]] += 1
            continue
        except Exception as error:  # noqa: BLE001 - a crash is a difference, and the next is tried
            exercised, fault = Counter(), f"{type(error).__name__}: {error}\n{story}"
        found.cases += 1
        found.exercised.update(set(exercised))
        if fault is not None:
            found.wrong[seed] = f"seed {seed}: {fault}"
    return found
