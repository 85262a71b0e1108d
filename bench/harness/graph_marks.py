"""Marks at which a program begins another graph of its stream, and how long graphs take by them.

A program marks if the environment names a file for that; the runs whose time counts have none, as
a mark takes time of its own. The file has a line for each mark: seconds of processor time.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Final

VARIABLE: Final = "R4_BENCH_MARKS"
"""Names the file, in the environment of a program."""
WARM: Final = 20
"""So many graphs at the beginning are left out, where there are many."""


class NoMarks(Exception):
    """A program made no marks, or one only."""


@dataclass(frozen=True, slots=True)
class GraphLatency:
    """How long a graph takes, from its first triple to that of the next."""

    graphs: int  # how many are counted
    median: float  # microseconds of processor time
    high: float  # microseconds that 99 of 100 stay below


class GraphMarks:
    """Takes the marks of a program, and writes them when it ends, if the environment wants them."""

    def __init__(self) -> None:
        self._marks: list[float] = []
        path = os.environ.get(VARIABLE, "")
        self.mark: Callable[[], None] = self._mark if path else _nothing
        if path:
            atexit.register(self._write, Path(path))

    def _mark(self) -> None:
        self._marks.append(process_time())

    def _write(self, path: Path) -> None:
        path.write_text("".join(f"{mark!r}\n" for mark in self._marks), encoding="ascii")


def _nothing() -> None:
    pass


def read_latency(path: Path) -> GraphLatency:
    """The latency by the marks in a file.

    Raises:
        NoMarks: there is no file, or it has fewer than two.
    """
    if not path.exists():
        raise NoMarks
    marks = [float(line) for line in path.read_text(encoding="ascii").split()]
    counted = marks[WARM:] if len(marks) > 2 * WARM else marks
    spent = sorted(later - sooner for sooner, later in pairwise(counted))
    if not spent:
        raise NoMarks
    median, high = spent[len(spent) // 2], spent[min(len(spent) - 1, len(spent) * 99 // 100)]
    return GraphLatency(len(spent), median * 1e6, high * 1e6)
