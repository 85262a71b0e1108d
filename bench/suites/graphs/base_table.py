"""What retraction costs where nothing is retracted: q1 with and without the base table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.harness.process_usage import measure_process

MOST: Final[Mapping[str, float]] = {"noted": 1.05, "kept": 1.3}
"""How → the time of q1 over that without the base table that R4 means to keep."""


@dataclass(frozen=True, slots=True)
class BaseTableCost:
    """The engine alone on q1.

    Attributes:
        how: ``noted``: what is asserted is noted; ``kept``: and all is arranged for retraction.
        seconds: processor time of all batches.
        bare: the same without base table.
    """

    how: str
    seconds: float
    bare: float

    @property
    def ratio(self) -> float:
        """With over without."""
        return self.seconds / max(self.bare, 1e-9)

    @property
    def kept(self) -> bool:
        """Whether the bound is kept."""
        return self.ratio <= MOST[self.how]


def measure_base_table(
    triples: int, folder: Path, say: Callable[[str], None]
) -> list[BaseTableCost]:
    """Both ways over none, in a process.

    Raises:
        RunFailed: some answers were wrong, say.
    """
    say("engine: q1 with and without the base table")
    output = folder / "output"
    measure_process((sys.executable, "-m", "bench.programs.base_table", str(triples)), output)
    found = [BaseTableCost(**values) for values in json.loads(output.read_text(encoding="utf-8"))]
    output.unlink(missing_ok=True)
    return found
