"""The engine tells of random queries, line by line, what the definitions say."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tests.generators.draw import from_hypothesis
from tests.generators.hypothetical.queries import QueryCase, case
from tests.oracles.hypothetical.definitions import DomainTooBig
from tests.seeds import parts
from tests.simulation.hypothetical.seeds import (
    LONG,
    case_of,
    compare,
    disagreement_of,
    engine_output,
    oracle_output,
)

PART = 25


@st.composite
def cases(draw: st.DrawFn) -> QueryCase:
    return case(from_hypothesis(draw), nested=draw(st.booleans()))


@settings(max_examples=settings().max_examples // 2)
@given(cases(), st.integers(0, 9))
def test_lines_are_those_of_the_oracle(given: QueryCase, number: int) -> None:
    assert disagreement_of(given, number, by_definition=False)[1] is None


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=12))
def test_lines_are_those_of_the_oracle_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_what_differs_in_bounds_alone_is_told_with_the_least_evidence_of_all() -> None:
    """A case that once disagreed: two schemata, the same atoms, other bounds on a free time."""
    _, fault = disagreement_of(case_of(104766), 104766)
    assert fault is None


@settings(max_examples=settings().max_examples // 3)
@given(cases())
def test_how_facts_are_cut_into_batches_changes_no_line(given: QueryCase) -> None:
    try:
        oracle_output(given, by_definition=False)
    except DomainTooBig:
        reject()  # the engine may take minutes
    assert engine_output(given, 1) == engine_output(given, 0) == engine_output(given, 4)


ENDINGS = re.compile(r"(s+w)*(s*a)?")
"""Of one answer: each time it is supported it is withdrawn or confirmed, and then no more."""


@pytest.mark.parametrize("seed", [*range(10), pytest.param(LONG - 1, marks=pytest.mark.slow)])
def test_what_was_supported_is_in_the_end_confirmed_or_withdrawn(seed: int) -> None:
    stories: defaultdict[str, str] = defaultdict(str)
    for line in map(json.loads, engine_output(case_of(seed)).lines):
        stories[json.dumps(line["answer"])] += line["status"][0]
    for answer, story in stories.items():
        assert ENDINGS.fullmatch(story) or "?" in answer
