"""The benchmarks of `r4 bench`, in the order in which they run and stand in a list and a report.

A new one is a file in `suites`, and a member of `BENCHMARKS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bench.harness.benchmark import Benchmark
from bench.harness.peer import Peer
from bench.harness.tables import TextTable
from bench.suites import (
    aggregates,
    closure,
    engine,
    events,
    formats,
    hypotheses,
    load,
    memory,
    mtl,
    mtl_stream,
    mtl_update,
    retraction,
    sensors,
    sources,
    spark,
    streams,
)

BENCHMARKS: Final[Sequence[Benchmark]] = (
    streams.BENCHMARK,
    engine.BENCHMARK,
    events.BENCHMARK,
    formats.BENCHMARK,
    sources.BENCHMARK,
    memory.BENCHMARK,
    aggregates.BENCHMARK,
    closure.BENCHMARK,
    retraction.BENCHMARK,
    mtl.BENCHMARK,
    mtl_stream.BENCHMARK,
    mtl_update.BENCHMARK,
    sensors.BENCHMARK,
    hypotheses.BENCHMARK,
    load.BENCHMARK,
    spark.BENCHMARK,
)
NAMES: Final[Mapping[str, Benchmark]] = {name: each for each in BENCHMARKS for name in each.names}
GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "streams": ("q1", "q2", "q3", "q4"),
    "sensors": sensors.NAMES,
}
"""Names for several of `NAMES`."""
ALL_PEERS: Final[Mapping[str, Peer]] = {
    name: peer for each in BENCHMARKS for name, peer in each.peers.items()
}


def spread(names: Sequence[str]) -> Iterator[str]:
    """The names with those of groups in their place."""
    for name in names:
        yield from GROUPS.get(name, (name,))


def listing() -> Iterator[TextTable]:
    """Tables of names with what they stand for, and of peers."""
    rows = [(name, " ".join(members)) for name, members in GROUPS.items()]
    for each in BENCHMARKS:
        rows += each.names.items()
        rows += ((f"  {name}", description) for name, description in each.members.items())
    yield TextTable("Workloads:", ("", ""), tuple(rows), texts=2)
    peers = ((name, peer.description) for name, peer in ALL_PEERS.items())
    yield TextTable("Peers:", ("", ""), tuple(peers), texts=2)
