"""What `r4 bench` can be asked for by name: workloads, and peers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.bench.harness.tables import TextTable
from r4.bench.suites.closure import CLOSERS
from r4.bench.suites.contestants import PEERS
from r4.bench.suites.memory_growth import TIMES
from r4.bench.suites.mtl_models import REASONERS
from r4.bench.workloads.catalogue import WORKLOADS
from r4.bench.workloads.published_programs import PUBLISHED
from r4.bench.workloads.retraction_graphs import RETRACTION_GRAPHS

ENGINE: Final = "engine"
MEMORY: Final = "memory"
CLOSURE: Final = "closure"
RETRACTION: Final = "retraction"
MTL: Final = "mtl"
HYPOTHESES: Final = "hypotheses"
LOAD: Final = "load"
SPARK: Final = "spark"
NAMES: Final = (
    *WORKLOADS,
    *(ENGINE, MEMORY, CLOSURE, RETRACTION, MTL, HYPOTHESES, LOAD, SPARK),
)
NEEDS: Final = {
    **{name: peer.needs for name, peer in PEERS.items()},
    **{name: closer.needs for name, closer in {**CLOSERS, **REASONERS}.items()},
}
"""Peer → the package that it stands on, or nothing."""


def listing() -> Iterator[TextTable]:
    """What the names stand for, and who the peers are."""
    rows = [(name, workload.says) for name, workload in WORKLOADS.items()]
    rows.append((ENGINE, "the engine alone, at several batch sizes, on each kernel back end"))
    rows.append((MEMORY, f"peak memory of q1, and on a stream {TIMES} times as long"))
    rows.append((CLOSURE, "what follows from a university, under RDFS and OWL 2 RL, all at once"))
    rows.append(
        (RETRACTION, "facts are taken back from graphs, against computing what is left anew")
    )
    rows += ((f"  {name}", graph.says) for name, graph in RETRACTION_GRAPHS.items())
    rows.append((MTL, "all that follows from published rules with metric time; see --data"))
    rows += ((f"  {name}", published.says) for name, published in PUBLISHED.items())
    rows.append((HYPOTHESES, "what late readings make possible, against the plain network"))
    rows.append((LOAD, "bulk loading on Spark, and a rule on what is loaded"))
    rows.append((SPARK, "a stream over shards on Spark, against one network"))
    yield TextTable("Workloads:", ("", ""), tuple(rows), texts=2)
    peers = [(name, peer.says) for name, peer in PEERS.items()]
    peers += [(name, closer.says) for name, closer in {**CLOSERS, **REASONERS}.items()]
    yield TextTable("Peers:", ("", ""), tuple(peers), texts=2)
