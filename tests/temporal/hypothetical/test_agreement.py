"""The engine tells of random queries, line by line, what the definitions say."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases.hypothetical import Case, case
from tests.draw import from_hypothesis
from tests.hypothetical.planting import FAULTS, noticed
from tests.hypothetical.seeds import LONG, case_of, compare, fault_of, told
from tests.planted import Fault

PART = 25
FIRST, *LATER = range(0, 200, PART)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    return case(from_hypothesis(draw))


@given(cases(), st.integers(0, 9))
def test_lines_are_those_of_the_oracle(given: Case, number: int) -> None:
    assert fault_of(given, number, by_definition=False)[1] is None


@pytest.mark.parametrize(
    "first", [FIRST, *(pytest.param(first, marks=pytest.mark.slow) for first in LATER)]
)
def test_lines_are_those_of_the_oracle_for_many_seeds(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


def test_what_differs_in_bounds_alone_is_told_with_the_least_evidence_of_all() -> None:
    """A case that once disagreed: two schemata, the same atoms, other bounds on a free time."""
    _, fault = fault_of(case_of(104766), 104766)
    assert fault is None


@settings(max_examples=settings().max_examples // 3)
@given(cases())
def test_how_facts_are_cut_into_batches_changes_no_line(given: Case) -> None:
    assert told(given, 1) == told(given, 0) == told(given, 4)


ENDINGS = re.compile(r"(s+w)*(s*a)?")
"""Of one answer: each time it is supported it is withdrawn or confirmed, and then no more."""


@pytest.mark.parametrize("seed", [*range(10), pytest.param(LONG - 1, marks=pytest.mark.slow)])
def test_what_was_supported_is_in_the_end_confirmed_or_withdrawn(seed: int) -> None:
    stories: defaultdict[str, str] = defaultdict(str)
    for line in map(json.loads, told(case_of(seed)).lines):
        stories[json.dumps(line["answer"])] += line["status"][0]
    for answer, story in stories.items():
        assert ENDINGS.fullmatch(story) or "?" in answer


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_noticed(fault: Fault) -> None:
    assert noticed(fault) is not None
