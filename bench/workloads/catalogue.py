"""The workloads: which rules run on which stream, and the files that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.workloads import gales, observations, offer_retractions, offers

RULES: Final = Path(__file__).with_name("rules")
"""Where the rules of workloads lie."""
TRIPLES: Final = 11
"""Triples in an element of every stream; its stamp is not counted."""
assert offers.TRIPLES == observations.TRIPLES == gales.TRIPLES == TRIPLES

STREAMS: Final[Mapping[str, Callable[[int], Iterator[str]]]] = {
    "offers": offers.stream,
    "offers-shuffled": lambda count: offers.stream(count, shuffled=True),
    "offers-retracted": offer_retractions.stream,
    "observations": observations.stream,
    "gales": gales.stream,
}
"""Stream → its first so many elements, as N-Quads."""
STATIC: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "offers": offers.static,
    "observations": observations.static,
}
"""Static file → its triples, as N-Triples."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A rule file and a stream."""

    name: str  # what it is called on the command line
    query: str  # the rule file, without its ending
    stream: str  # a key of `STREAMS`
    static: str  # a key of `STATIC`, or empty
    description: str  # one line on what it is about

    @property
    def rules(self) -> Path:
        """The rule file."""
        return RULES / f"{self.query}.rif"


WORKLOADS: Final[Mapping[str, Workload]] = {
    workload.name: workload
    for workload in (
        Workload("q1", "q1", "offers", "", "price of a product on offer: star join of 10 patterns"),
        Workload(
            "q2", "q2", "offers", "offers", "q1 for products below a given type (recursive rule)"
        ),
        Workload("q3", "q3", "offers", "", "offers of one product, one cheaper than the other"),
        Workload(
            "q4",
            "q4",
            "observations",
            "observations",
            "observed winds stronger than that of a hurricane, through its class hierarchy",
        ),
        Workload(
            "q1-shuffled", "q1", "offers-shuffled", "", "q1, the triples of each graph in any order"
        ),
    )
}


class Files:
    """The files of the workloads in one folder, each written when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._met: set[Path] = set()

    def stream(self, name: str, count: int) -> Path:
        """The first ``count`` elements of a stream."""
        return self.file(f"{name}-{count}.nq", lambda: STREAMS[name](count))

    def static(self, name: str) -> Path:
        """A static file; without a name an empty one."""
        return self.file(f"{name or 'nothing'}.nt", STATIC[name] if name else lambda: iter(()))

    def file(self, name: str, lines: Callable[[], Iterator[str]]) -> Path:
        """A file of some lines."""
        path = self.folder / name
        if path.exists():
            if path not in self._met:
                _read_through(path)
        else:
            part = path.with_name(f"{name}.part")
            with part.open("w", encoding="utf-8") as file:
                file.writelines(lines())
            part.rename(path)
        self._met.add(path)
        return path


def _read_through(path: Path) -> None:
    """So that the first who runs does not wait for the disk alone."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
