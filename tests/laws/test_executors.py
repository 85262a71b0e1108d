"""Whoever takes in elements, rows or columns, tells the same; so do both that take turns."""

from __future__ import annotations

import pytest

from rete import kernels
from tests.seeds import parts
from tests.simulation.executor_turns import compare

pytestmark = [
    pytest.mark.skipif(kernels.single is None, reason="rows need compiled kernels"),
    pytest.mark.compiled_only,
]
_SIZE = 50


@pytest.mark.parametrize("first", parts(_SIZE, check=2, test=10, soak=200))
def test_rows_and_columns_tell_the_same(first: int) -> None:
    features, wrong = compare(_SIZE, first, "")
    assert not wrong
    assert features["rows take an element in"] > 0.7 * _SIZE
    assert features["answers"] > 0.5 * _SIZE
