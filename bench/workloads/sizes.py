"""How much is measured: the sizes that have a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Size(NamedTuple):
    """How much there is of everything."""

    triples: int  # of streams
    graphs: tuple[int, ...]  # triples of the graphs that are closed
    share: float  # of the graphs that facts are taken back from, and of facts with metric time
    rounds: int  # in which everybody runs


PAPER: Final = "paper"
SIZES: Final[Mapping[str, Size]] = {
    "small": Size(22_000, (2_000,), 0.02, 1),
    PAPER: Size(1_100_000, (10_000, 100_000), 1.0, 3),
    "large": Size(11_000_000, (10_000, 100_000), 1.0, 3),
}
"""By name; `PAPER` has the 1.1 million triples of [Monks]."""
