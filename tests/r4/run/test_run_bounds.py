"""The memory of a run: what happens near its limit."""

from __future__ import annotations

import pytest

from r4.run.run_bounds import MemoryFull, RunBounds
from rete.memory_limit import MemoryLimit


class _Machine:
    """Memory in use, and a clock."""

    def __init__(self, *, kept: int) -> None:
        self.used = self.seconds = 0.0
        self.forgotten = 0
        self._kept = kept
        memory = MemoryLimit(1000, used=lambda: int(self.used), now=lambda: self.seconds)
        self.bounds = RunBounds(memory)

    def forget(self) -> None:
        self.forgotten += 1
        self.used = min(self.used, self._kept)

    def may_read(self, used: int, *, waits: bool = False, after: float = 1) -> bool:
        self.used = used
        self.seconds += after
        return self.bounds.may_read(self.forget, waits=waits)


def test_near_the_limit_all_is_forgotten_that_may_be() -> None:
    machine = _Machine(kept=500)
    machine.may_read(890)
    assert machine.may_read(900)
    assert machine.forgotten == 0
    assert machine.may_read(901)
    assert (machine.forgotten, machine.used) == (1, 500)


def test_what_costs_much_is_rare_unless_nothing_else_helps() -> None:
    machine = _Machine(kept=920)
    machine.may_read(920)
    assert [machine.may_read(930, after=0.3) for _ in range(3)] == [True] * 3
    assert machine.forgotten == 1
    assert machine.may_read(951, after=0.05)
    assert machine.forgotten == 2


def test_room_is_kept_for_what_one_event_has_needed() -> None:
    machine = _Machine(kept=10_000)
    assert [machine.may_read(used) for used in (200, 350, 500, 650, 700)] == [True] * 5
    with pytest.raises(MemoryFull, match="701 of 1,000"):
        machine.may_read(701)
    machine = _Machine(kept=10_000)
    assert [machine.may_read(used) for used in (0, 450, 500)] == [True] * 3
    with pytest.raises(MemoryFull, match="501 of 1,000"):
        machine.may_read(501)


def test_a_limit_below_what_there_is_before_any_element_is_told() -> None:
    with pytest.raises(MemoryFull, match="needed before any stream is read"):
        _Machine(kept=10_000).may_read(960)
    machine = _Machine(kept=10_000)
    assert machine.may_read(100)
    with pytest.raises(MemoryFull, match="a window bounds what is kept"):
        machine.may_read(960)


def test_where_no_clock_moves_time_the_run_ends() -> None:
    machine = _Machine(kept=960)
    with pytest.raises(MemoryFull, match="960 of 1,000 bytes of memory are in use"):
        machine.may_read(990)


def test_where_the_clock_moves_time_it_is_waited_for_what_that_frees() -> None:
    machine = _Machine(kept=960)
    assert [machine.may_read(990, waits=True) for _ in range(9)] == [False] * 9
    assert machine.may_read(940, waits=True)
    assert [machine.may_read(990, waits=True) for _ in range(10)] == [False] * 10
    with pytest.raises(MemoryFull):
        machine.may_read(990, waits=True)


def test_between_two_looks_it_is_as_it_was() -> None:
    machine = _Machine(kept=960)
    assert machine.may_read(100)
    assert machine.may_read(990, after=0.001)
    assert not machine.may_read(990, waits=True)
    assert not machine.may_read(100, waits=True, after=0.001)
