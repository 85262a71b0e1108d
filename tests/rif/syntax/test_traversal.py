"""Walks over terms and formulas: names that clash."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from rif.syntax.traversal import distinct_names


@pytest.mark.parametrize(
    ("wanted", "taken", "expected"),
    [
        ("xyz", (), ["x", "y", "z"]),
        ("xxyx", (), ["x", "x2", "y", "x3"]),
        ("xx", ("x", "x3"), ["x2", "x4"]),
        (["x", "x2", "x"], (), ["x", "x2", "x3"]),
    ],
)
def test_names_that_clash_get_the_first_number_that_is_free(
    wanted: Sequence[str], taken: Iterable[str], expected: list[str]
) -> None:
    assert distinct_names(wanted, taken) == expected
