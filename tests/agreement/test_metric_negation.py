"""Programs with negations and comparisons do what the definition says, in every command."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count as counted_from
from typing import TYPE_CHECKING

import pytest

from rif.errors.report import RuleErrors
from temporal.maintenance.update_method import Method
from temporal.model.limits import LimitReached
from temporal.mtl import traversal
from temporal.mtl.analysis import analyse
from temporal.mtl.strata import check_strata
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_program
from tests.generators.draw import from_seed
from tests.generators.metric import fact_streams
from tests.generators.metric.negation import case_of, negated, renamed
from tests.generators.metric.updates import story_of
from tests.oracles.metric.periodic_models import Undecided
from tests.seeds import parts
from tests.simulation.metric import explanations
from tests.simulation.metric import fact_streams as stream_runs
from tests.simulation.metric.tally import Tally
from tests.simulation.metric.updates import compare_updates

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporal.mtl.analysis import ProgramAnalysis
    from tests.generators.metric.programs import MetricCase

FAR = 1_000_003
"""How far behind a seed the next one is that is drawn in its place."""


def is_refused(seed: int, drawn: Callable[[int], MetricCase] = case_of) -> bool:
    """Whether a program is refused though no predicate of it depends on its own absence.

    A variable of a left side of Since within a negation may be bound by what the head leads to.
    """
    try:
        check_strata(drawn(seed).program)
    except RuleErrors:
        return True
    return False


@pytest.mark.parametrize(
    "first",
    [*parts(60, check=1, test=2, soak=2), *parts(180, check=0, test=0, soak=6, first=120)],
)
def test_random_models_are_those_of_the_definition(first: int) -> None:
    count = 60 if first < 120 else 180
    found = Tally(first)
    seeds = [seed for seed in range(first, first + count) if not is_refused(seed)]
    for seed in seeds:
        case = case_of(seed)
        assert parse_program(write_program(case.program)) == case.program
        found.add(seed, case)
    assert not found.wrong, next(iter(found.wrong.values()))
    assert len(seeds) > count * 11 // 12
    assert found.cases > count * 5 // 6
    assert found.exercised["endless"] > count // 2
    assert found.exercised["with answers"] > count * 2 // 3


def updated(seed: int) -> MetricCase:
    """A case; a fifth of them are maintained though they negate, as few others are."""
    if seed % 5:
        return case_of(seed)
    others = map(case_of, counted_from(seed, FAR))
    return next(case for case in others if is_maintained(analyse(case.program)))


def is_maintained(known: ProgramAnalysis) -> bool:
    """Whether a program negates, and its models are maintained as data come and go."""
    return known.negates and known.is_maintained


@pytest.mark.parametrize("first", parts(30, check=1, test=2, soak=20))
def test_updated_models_are_those_that_are_derived_anew(first: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(first, first + 30):
        if is_refused(seed, updated):
            continue
        story = story_of(seed, updated)
        methods = (Method.DRED, Method.RECOMPUTE, Method.AUTO)
        try:
            exercised, fault = compare_updates(story, methods=methods)
        except (Undecided, LimitReached):
            continue
        assert fault is None, fault
        known = analyse(story.case.program)
        met.update(exercised)
        met["maintained"] += is_maintained(known)
        met["endless"] += known.negates and known.may_be_endless
    assert met["endless"] > 10
    assert met["maintained"] >= 4


@pytest.mark.parametrize("first", parts(40, check=1, test=2, soak=20))
def test_answers_along_a_stream_are_those_of_each_prefix(first: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(first, first + 40):
        draw = from_seed(seed)
        base = case_of(seed)
        if seed % 3 == 0:
            base = renamed(draw, negated(draw, fact_streams.signals(draw)))
        case = fact_streams.stream_of(draw, base, ahead=20)
        is_negating = traversal.negates(case.program)
        if is_negating and case.memory == "dense":
            case = replace(case, memory="auto")
        met.update(stream_runs.compare(case))
        met["negates"] += is_negating
    assert met["negates"] > 25
    assert met["with answers"] > 12
    assert met["endless"] > 15


@pytest.mark.parametrize(
    "first", [*parts(30, check=1, test=2, soak=2), *parts(180, check=0, test=0, soak=3, first=60)]
)
def test_explanations_are_right_and_minimal_what_is_negated_being_as_it_is(first: int) -> None:
    count = 30 if first < 60 else 180
    met: Counter[str] = Counter()
    for seed in range(first, first + count):
        if not is_refused(seed):
            met.update(explanations.compare(seed, case_of))
    assert met["explained"] > count * 3 // 5
    assert met["all found"] > count // 6
    assert met["shifted"] > count // 6
    assert met["after a deletion"] > count // 3
