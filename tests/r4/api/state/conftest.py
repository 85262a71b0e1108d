"""A folder for a state, and checkpoints that are due at each call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import PropertyMock, patch

import pytest

from r4.state.checkpoint_writer import CheckpointWriter


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def due() -> Iterator[None]:
    """Each call that may write a checkpoint does."""
    with patch.object(CheckpointWriter, "is_due", PropertyMock(return_value=True)):
        yield
