"""The back ends, one after the other."""

from __future__ import annotations

import pytest

from rete.kernels import Backend, load


@pytest.fixture(params=["pure", "compiled"])
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.param
    try:
        load(found)
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    return found
