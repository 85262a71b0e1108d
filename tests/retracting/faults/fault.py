"""What a planted fault is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

Fault = Callable[[], AbstractContextManager[object]]
"""Makes a context in which the engine is wrong."""
