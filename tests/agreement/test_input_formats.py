"""The same stream in every format of input gives the same answers."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.seeds import parts
from tests.simulation.input_formats import FormatsCase, difference_of_dealt, differences

PART = 5


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, pure=0, test=1, soak=40))
def test_formats_of_input_give_the_same_answers(first: int, tmp_path: Path) -> None:
    features: Counter[str] = Counter()
    for seed in range(first, first + PART):
        case = FormatsCase.of(seed)
        wrong, found = differences(case, tmp_path, parquet=find_spec("pyarrow") is not None)
        assert not wrong, f"seed {seed}: {wrong}"
        features += found
    assert features["answers"] > PART / 2
    assert features["ends"] > PART / 3


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, pure=1, test=3, soak=60))
def test_a_stream_that_is_dealt_out_to_files_gives_the_same_answers(
    first: int, tmp_path: Path
) -> None:
    for seed in range(first, first + PART):
        wrong = difference_of_dealt(seed, tmp_path)
        assert not wrong, f"seed {seed}: {wrong}"
