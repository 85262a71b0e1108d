"""Planted faults, and the report of which case notices which."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Final

Fault = Callable[[], AbstractContextManager[object]]
"""Makes a context in which the engine is wrong."""
CASES: Final = 1000
"""Within how many cases each must be noticed."""


def report(
    faults: Iterable[Fault],
    noticed: Callable[[Fault, Iterable[int]], int | None],
    cases: str = str(CASES),
    *names: str,
) -> None:
    """Print for each fault, or those of these names, the first of so many seeds that notices it."""
    for fault in faults:
        if not names or fault.__name__ in names:
            sys.stdout.write(f"{fault.__name__:45} {noticed(fault, range(int(cases)))}\n")
            sys.stdout.flush()
