"""Folders with little room behind their terms, so that maps are small, and soon full."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from r4.spark.loading import loader
from r4.store import term_columns


@pytest.fixture(scope="module", autouse=True)
def little_room() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_columns, "ROOM", 64)
        patch.setattr(loader, "ROOM", 64)
        patch.setattr(term_columns, "TEXT_ROOM", 512)
        yield
