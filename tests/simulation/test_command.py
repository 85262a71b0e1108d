"""The simulation of commands: small batches, exit codes, crashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.run.driver import Driver
from r4.stream.batch import Batch
from rete.terms.dictionary import Dictionary
from tests.generators.streams.runs import random_case
from tests.simulation.command import CRASHED, call, run, small_batches

CASE = random_case(1)


@pytest.fixture
def counted() -> Iterator[Counter[str]]:
    """How often the engine takes a step, and how many terms it forgets."""
    seen: Counter[str] = Counter()
    step, sweep = Driver.step, Dictionary.sweep

    def counting_step(driver: Driver, batch: Batch) -> object:
        seen["steps"] += 1
        return step(driver, batch)

    def counting_sweep(terms: Dictionary, *args: object) -> int:
        forgotten = sweep(terms, *args)  # type: ignore[arg-type]
        seen["forgotten"] += forgotten
        return forgotten

    with (
        patch.object(Driver, "step", counting_step),
        patch.object(Dictionary, "sweep", counting_sweep),
    ):
        yield seen


def test_cutting_small_makes_more_batches_and_forgets_terms(
    counted: Counter[str], tmp_path: Path
) -> None:
    some = [random_case(seed) for seed in range(10)]
    whole = [run(case, tmp_path) for case in some]
    batches = counted["steps"]
    assert counted["forgotten"] == 0
    counted.clear()
    with small_batches(20):
        cut = [run(case, tmp_path) for case in some]
    assert counted["steps"] > 2 * batches
    assert counted["forgotten"] > 0
    assert [one.out for one in cut] == [one.out for one in whole]


def test_a_crash_is_told_apart_from_an_exit_code(tmp_path: Path) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    with patch.object(Driver, "begin", crash):
        printed = run(CASE, tmp_path)
    assert printed.code == CRASHED
    assert "ZeroDivisionError" in printed.err


def test_wrong_usage_is_no_crash() -> None:
    assert call(["run"]).code == 2
