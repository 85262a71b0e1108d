"""Folders with little room behind their terms, so that maps are small, and soon full."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from r4.loaded import columns
from r4.spark.loading import loader


@pytest.fixture(scope="module", autouse=True)
def little_room() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "ROOM", 64)
        patch.setattr(loader, "ROOM", 64)
        patch.setattr(columns, "TEXT_ROOM", 512)
        yield
