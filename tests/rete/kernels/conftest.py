"""The kernels of each back end."""

from __future__ import annotations

from types import ModuleType

import pytest

from rete.kernels import load


@pytest.fixture(scope="module", params=["compiled", "pure"])
def modules(request: pytest.FixtureRequest) -> dict[str, ModuleType]:
    try:
        return load(request.param)
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
