"""What `r4 bench` can be asked for by name: workloads, and peers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from r4.bench.closing import CLOSERS
from r4.bench.contest import PEERS
from r4.bench.growth import TIMES
from r4.bench.materialising import REASONERS
from r4.bench.published import PUBLISHED
from r4.bench.retractable import RETRACTABLES
from r4.bench.table import Table
from r4.bench.workloads import WORKLOADS

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


def listing() -> Iterator[Table]:
    """What the names stand for, and who the peers are."""
    rows = [(name, workload.says) for name, workload in WORKLOADS.items()]
    rows.append((ENGINE, "the engine alone, at several batch sizes, on each kernel back end"))
    rows.append((MEMORY, f"peak memory of q1, and on a stream {TIMES} times as long"))
    rows.append((CLOSURE, "what follows from a university, under RDFS and OWL 2 RL, all at once"))
    rows.append(
        (RETRACTION, "facts are taken back from graphs, against computing what is left anew")
    )
    rows += ((f"  {name}", graph.says) for name, graph in RETRACTABLES.items())
    rows.append((MTL, "all that follows from published rules with metric time; see --data"))
    rows += ((f"  {name}", published.says) for name, published in PUBLISHED.items())
    rows.append((HYPOTHESES, "what late readings make possible, against the plain network"))
    rows.append((LOAD, "bulk loading on Spark, and a rule on what is loaded"))
    rows.append((SPARK, "a stream over shards on Spark, against one network"))
    yield Table("Workloads:", ("", ""), tuple(rows), texts=2)
    peers = [(name, peer.says) for name, peer in PEERS.items()]
    peers += [(name, closer.says) for name, closer in {**CLOSERS, **REASONERS}.items()]
    yield Table("Peers:", ("", ""), tuple(peers), texts=2)
