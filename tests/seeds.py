"""The seeds that are compared, always the same: how many for `make check`, `test` and `soak`."""

from __future__ import annotations

from typing import Any

import pytest


def parts(
    size: int, *, check: int, test: int, soak: int, first: int = 0, pure: int | None = None
) -> list[pytest.ParameterSet]:
    """The first seed of each part of ``size`` seeds, for ``pytest.mark.parametrize``.

    Args:
        size: how many seeds a part has; the test compares them, from its first seed on.
        check: so many parts have no mark: they run in `make check` too.
        test: the parts after those, up to this number, are slow: they run in `make test`.
        soak: the rest, up to this number, is for `make soak` alone: on the pure back end a third
            of it.
        first: the first seed of all.
        pure: of the parts for `make test`, those after the first ``pure`` run on the pure back end
            in `make soak` alone; None: none of them.
    """
    pure = test if pure is None else pure
    assert 0 <= check <= pure <= test <= soak
    slow, rest, once = pytest.mark.slow, pytest.mark.rest, pytest.mark.compiled_only
    both = -(-(soak - test) // 3)
    marks: list[tuple[pytest.MarkDecorator, ...]] = [
        *(check * [()]),
        *((pure - check) * [(slow,)]),
        *((test - pure) * [(slow, rest)]),
        *(both * [(pytest.mark.soak,)]),
        *((soak - test - both) * [(pytest.mark.soak, once)]),
    ]
    return [pytest.param(first + number * size, marks=mark) for number, mark in enumerate(marks)]


def soak(*values: Any) -> list[pytest.ParameterSet]:
    """Values that are for `make soak` alone; one of several arguments is a tuple."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.soak)
        for value in values
    ]
