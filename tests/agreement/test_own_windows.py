"""Windows of sources and predicates: the engine tells what the definition gives, however run."""

from __future__ import annotations

import tempfile
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.generators.draw import from_hypothesis
from tests.generators.meetings.histories import Meeting, meeting, random_meeting
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history_answers import expected_lines
from tests.seeds import parts
from tests.simulation.meetings.comparison import difference, smallest

if TYPE_CHECKING:
    from collections.abc import Iterator

from hypothesis import strategies as st

PART = 400
"""Seeds; of eight cases one has such windows."""


def has_own_windows(case: Meeting) -> bool:
    return bool(case.history.source_windows or case.history.predicate_windows)


def lines_of(case: Meeting) -> list[str] | None:
    try:
        return expected_lines(case.history)
    except TooBig:
        return None


def disagreements(seeds: Iterator[int], folder: Path) -> tuple[int, int, list[int]]:
    """Cases with answers, those with windows of sources, and the seeds of those that disagree."""
    answered, of_sources, faults = 0, 0, []
    for seed in seeds:
        case = random_meeting(seed)
        wanted = lines_of(case) if has_own_windows(case) else None
        if wanted is not None:
            answered += bool(wanted)
            of_sources += bool(case.history.source_windows)
            faults += [seed] if difference(case, wanted, folder) else []
    return answered, of_sources, faults


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=10))
def test_each_triple_has_the_window_of_its_source_or_of_its_predicate(
    first: int, tmp_path: Path
) -> None:
    seeds = islice(count(first), PART)
    answered, of_sources, faults = disagreements(seeds, tmp_path)
    assert not faults, smallest(faults[0])
    assert (answered > 25, of_sources > 5) == (True, True)


@st.composite
def windowed_meetings(draw: st.DrawFn) -> Meeting:
    return meeting(from_hypothesis(draw))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.slow
@given(case=windowed_meetings().filter(has_own_windows))
def test_so_it_is_of_cases_that_shrink(case: Meeting) -> None:
    wanted = lines_of(case)
    if wanted is not None:
        with tempfile.TemporaryDirectory() as folder:
            assert difference(case, wanted, Path(folder)) is None
