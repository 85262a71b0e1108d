"""A run with a state that is killed at any moment gives what one gives that never was."""

from __future__ import annotations

import pytest

from tests.seeds import parts
from tests.simulation.state import killed_engine, killed_process
from tests.simulation.state.killed_run import compare

PART = 50
PROCESSES = 4
ENGINES = 10


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_what_is_told_is_what_a_run_tells_that_was_never_killed(first: int) -> None:
    found, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["killed"] > PART // 2
    assert found["resumed"] > PART // 2


@pytest.mark.parametrize("first", parts(PROCESSES, check=0, test=0, soak=3))
def test_processes_that_kill_themselves_leave_what_another_goes_on_from(first: int) -> None:
    found, faults = killed_process.compare(PROCESSES, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["killed"] > PROCESSES // 2


@pytest.mark.parametrize("first", parts(ENGINES, check=0, test=1, soak=20))
def test_changes_of_a_killed_engine_are_those_of_one_that_never_was(first: int) -> None:
    found, faults = killed_engine.compare(ENGINES, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["killed"] > ENGINES // 2
    assert found["resumed"] > ENGINES // 2
    assert found["changes"] >= ENGINES // 2
    assert found["twice"]
    assert 0 < found["power fails"] < ENGINES
