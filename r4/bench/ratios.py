"""What a session is about: ratios of times, with the bounds that R4 means to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from r4.bench.contest import Key, milliseconds
from r4.bench.session import Result
from r4.bench.workloads import WORKLOADS

MOST_PEAK: Final = 250_000_000
"""Bytes that R4 means to stay below on any workload."""
OVER_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("q1", "pyoxigraph"): 1.5,
    ("q1", "python"): 1.1,
    ("q1", "store"): 1 / 5,
    ("q2", "store"): 1.0,
    ("q3", "store"): 1.0,
    ("q4", "store"): 1.0,
    ("q1", "clips"): 1 / 20,
}
"""(Workload, peer) → the largest share of the peer's time that R4 means to take."""
OVER_Q1: Final[Mapping[str, float]] = {"q2": 2.5, "q3": 2.5, "q4": 2.5, "q1-shuffled": 1.2}
"""Workload → how many times the time of q1 it is meant to take at most."""
OVER_SHORT: Final = 1.3
"""How many times the time of the shortest window the longest is meant to take at most."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """One figure over another.

    Attributes:
        over, of: what is divided by what.
        net: the median over the rounds of the ratio of times, starting a process left out.
        gross: the same of whole runs.
        work: the same of processor time, starting a process left out: what a busy machine, or
            one with idle cores, does not change.
        most: the bound R4 means to keep, on `net`; None: none.
    """

    over: Key
    of: Key
    net: float
    gross: float
    work: float
    most: float | None

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where there is none."""
        return self.most is None or self.net <= self.most


def ratios(results: Sequence[Result]) -> Iterator[Ratio]:
    """All pairs worth a look: R4 and a peer on one file, two workloads, two windows.

    Runs that are too `short` are left out; streams cut short for a peer serve that peer alone.
    """
    met = {result.key: result for result in results if not result.short}
    full = max((key.graphs for key in met), default=0)
    windows = sorted({key.window for key in met if key.window}, key=milliseconds)
    for key, result in met.items():
        if key.runner != "r4":
            continue
        for other in met.values():
            if other.key.runner != "r4" and _same_file(key, other.key):
                yield _ratio(result, other, OVER_PEERS.get((key.workload, other.key.runner)))
        if key.graphs < full:
            continue
        if key.workload in OVER_Q1 and (base := met.get(key._replace(workload="q1"))):
            yield _ratio(result, base, OVER_Q1[key.workload])
        if key.window == windows[-1] != windows[0]:
            base = met.get(key._replace(window=windows[0]))
            if base:
                yield _ratio(result, base, OVER_SHORT)


def _same_file(ours: Key, theirs: Key) -> bool:
    if not theirs.window:
        return theirs[1:] == (WORKLOADS[ours.workload].stream, "", ours.graphs)
    return theirs[1:] == ours[1:]


def _ratio(over: Result, of: Result, most: float | None) -> Ratio:
    pairs = zip(over.net, of.net, strict=True)
    whole = zip(over.runs, of.runs, strict=True)
    return Ratio(
        over.key,
        of.key,
        median(a / b for a, b in pairs),
        median(a.seconds / b.seconds for a, b in whole),
        median(a / b for a, b in zip(over.work, of.work, strict=True)),
        most,
    )
