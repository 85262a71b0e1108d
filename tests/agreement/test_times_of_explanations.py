"""Explanations say when a fact is an answer, as `r4 run` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.generators.meetings.histories import Meeting, random_meeting
from tests.generators.meetings.number_constants import random_number_case
from tests.seeds import parts
from tests.simulation.explanation import (
    asked_engine,
    event_answers,
    line_comparison,
    meeting_comparison,
    regime_comparison,
)

PART = 30


@pytest.mark.parametrize("first", parts(PART, check=0, test=0, soak=5))
def test_under_a_regime_the_time_of_an_answer_is_that_of_its_lines(
    first: int, tmp_path: Path
) -> None:
    met = sum(
        (regime_comparison.check(seed, tmp_path) for seed in range(first, first + PART)),
        Counter[str](),
    )
    assert met["answers"] > met["asked"] // 4
    assert met["shorter"] > 0


@pytest.mark.parametrize("drawn", [random_meeting, random_number_case])
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10, first=400))
def test_where_features_meet_the_time_of_an_answer_is_that_of_its_lines(
    first: int, drawn: Callable[[int], Meeting], tmp_path: Path
) -> None:
    cases = range(first, first + PART)
    met = sum((meeting_comparison.check(seed, tmp_path, drawn) for seed in cases), Counter[str]())
    assert met["asked"] >= PART // 4


@pytest.mark.parametrize("first", parts(2 * PART, check=0, test=1, soak=60))
def test_all_times_are_those_of_lines_where_operators_meet_retractions(
    first: int, tmp_path: Path
) -> None:
    cases = range(first, first + 2 * PART)
    met = sum((line_comparison.check(seed, tmp_path) for seed in cases), Counter[str]())
    assert met["asked"] >= 4 * PART
    assert met["holds"] > met["asked"] // 4
    assert met["several"] > met["asked"] // 25
    assert met["retracts"] > met["asked"] // 3


@pytest.mark.parametrize("first", parts(4 * PART, check=0, test=1, soak=12))
def test_of_event_times_and_aggregates_times_are_those_of_lines_and_members_those_of_groups(
    first: int, tmp_path: Path
) -> None:
    cases = range(first, first + 4 * PART)
    met = sum((event_answers.check(seed, tmp_path) for seed in cases), Counter[str]())
    assert met["asked"] > PART // 2
    assert met["fails"] > 0
    assert met["aggregate"] > 0
    assert met["At"] > 0


@pytest.mark.parametrize("first", parts(4 * PART, check=0, test=1, soak=5))
def test_an_engine_that_is_asked_tells_what_one_tells_that_is_not(first: int) -> None:
    met = sum(map(asked_engine.check, range(first, first + 4 * PART)), Counter[str]())
    assert met["asked"] > 4 * PART
    assert met["holds"] > met["asked"] // 4
    assert met["lines"] > 2 * PART
