"""The collector runs again, whatever ended the block in which it was paused."""

from __future__ import annotations

import gc

import pytest

from rif.syntax.garbage_collection import collector_paused
from tests.interrupts import bytecodes, interrupted


def block() -> bool:
    with collector_paused():
        return gc.isenabled()


def test_it_does_not_run_in_the_block() -> None:
    assert gc.isenabled()
    assert not block()
    assert gc.isenabled()


@pytest.mark.parametrize("number", range(40))
def test_it_runs_after_an_interrupt_at_any_bytecode(number: int) -> None:
    assert bytecodes(block) < 40
    try:
        interrupted(block, number)
        assert gc.isenabled()
    finally:
        gc.enable()


def test_who_has_turned_it_off_finds_it_so() -> None:
    gc.disable()
    try:
        assert not block()
        assert not gc.isenabled()
    finally:
        gc.enable()
