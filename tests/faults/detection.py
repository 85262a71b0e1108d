"""Planted faults: an area of them, and the first seed whose case detects one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

Fault: TypeAlias = Callable[[], AbstractContextManager[object]]
"""Makes a context in which the engine is wrong."""
Detector: TypeAlias = Callable[[int, Fault], bool]
"""Whether the case of a seed differs from its definition while the fault is planted."""
CASES: Final = 1000
"""Within how many cases each fault must be detected."""


@dataclass(frozen=True, slots=True)
class FaultArea:
    """Faults in one part of the engine, and the comparison that must detect each of them.

    Attributes:
        detects: the comparison; it plants the fault only where the engine runs.
        cases: a fault must be detected by a seed below this.
        first: seeds that detect what few others do: a search begins with them.
    """

    faults: tuple[Fault, ...]
    detects: Detector
    cases: int = CASES
    first: tuple[int, ...] = ()


def first_detection(
    area: FaultArea, fault: Fault, seeds: Iterable[int] | None = None
) -> int | None:
    """The first of the seeds whose case detects a fault; None: none does. A crash does not count.

    Raises:
        AttributeError: what the fault replaces does not exist.
    """
    with fault():
        pass
    for seed in (*area.first, *range(area.cases)) if seeds is None else seeds:
        with suppress(Exception):
            if area.detects(seed, fault):
                return seed
    return None
