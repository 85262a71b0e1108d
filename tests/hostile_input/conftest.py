"""One process for all commands of the folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile_input.commands import Commands


@pytest.fixture(scope="session")
def r4() -> Iterator[Commands]:
    with Commands() as commands:
        yield commands
