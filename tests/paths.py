"""Where the project lies, and the third-party data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
"""The folder with README.md."""
DATA: Final = os.environ.get("R4_TEST_DATA")
"""The folder of third-party test data, which are not shipped; None: they are not there."""

needs_data = pytest.mark.skipif(
    DATA is None, reason="R4_TEST_DATA is not set: third-party data are not shipped"
)

measures_malloc = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="AddressSanitizer has an allocator of its own",
)
"""Marks tests of what malloc keeps, or may have."""
