"""Peer: owlrl, which closes an rdflib graph, in Python.

RDFS begins with the axiomatic triples, as the regime of R4 does; OWL 2 RL has none. It stops after
ten minutes, and says so. usage: close_owlrl.py GRAPH PART [OUTPUT]
"""

from __future__ import annotations

import json
import signal
import sys
from time import perf_counter

import owlrl
import rdflib

MOST_SECONDS = 600


def main(source: str, part: str, output: str = "") -> None:
    """Close the graph; say how long it took, and write the closure if it is asked for."""
    signal.signal(signal.SIGALRM, _stop)
    begun = perf_counter()
    graph = rdflib.Graph().parse(source, format="nt")
    read = perf_counter()
    rdfs = part == "rdfs"
    semantics = owlrl.RDFS_Semantics if rdfs else owlrl.OWLRL_Semantics
    signal.alarm(MOST_SECONDS)
    try:
        owlrl.DeductiveClosure(semantics, axiomatic_triples=rdfs).expand(graph)
        stopped = False
    except TimeoutError:
        stopped = True
    signal.alarm(0)
    closed = perf_counter()
    if output:
        with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.writelines(f"{s.n3()} {p.n3()} {o.n3()} .\n" for s, p, o in graph)
    told = {
        "load": read - begun,
        "close": closed - read,
        "hand": 0.0,
        "aside": perf_counter() - closed,
        "triples": len(graph),
        "stopped": stopped,
    }
    print(json.dumps(told))


def _stop(_signal: int, _frame: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(*sys.argv[1:])
