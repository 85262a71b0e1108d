"""The comparison with the oracle notices every mistake that is made on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.streams import FAULTS, Fault
from tests.generators.streams.runs import random_case
from tests.oracles.streams.run import expected
from tests.simulation.stream_comparison import cut_of, difference

CASES = 1000
"""Within how many random cases each must be noticed."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_noticed(fault: Fault, tmp_path: Path) -> None:
    noticed = next((seed for seed in range(CASES) if _notices(fault, seed, tmp_path)), None)
    assert noticed is not None


def _notices(fault: Fault, seed: int, folder: Path) -> bool:
    """Whether a case prints something else; a crash does not count."""
    case = random_case(seed)
    wanted = expected(case.scenario).lines
    with fault():
        found = [difference(case, wanted, folder, cut) for cut in (None, cut_of(seed))]
    return any(text and "\nexit 0\n" in text for text in found)
