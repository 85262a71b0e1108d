"""Peer: reasonable, which closes a graph under the rules of OWL 2 RL that it has, in Rust.

Its ``reason`` closes the graph and then makes rdflib terms of every triple; called again it has
nothing left but that, so the difference is what closing takes, and the second call is set aside.
usage: close_reasonable.py GRAPH PART [OUTPUT]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import reasonable


def main(source: str, _part: str, output: str = "") -> None:
    """Close the graph; say how long it took, and write the closure if it is asked for."""
    with TemporaryDirectory() as folder:
        named = Path(folder) / "graph.n3"  # what it takes for N-Triples; it refuses .nt
        named.symlink_to(Path(source).resolve())
        begun = perf_counter()
        reasoner = reasonable.PyReasoner()
        reasoner.load_file(str(named))
        read = perf_counter()
    count = len(reasoner.reason())  # and they are gone again: two lists would double the peak
    closed = perf_counter()
    triples = reasoner.reason()
    hand = perf_counter() - closed
    if output:
        with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.writelines(f"{s.n3()} {p.n3()} {o.n3()} .\n" for s, p, o in triples)
    told = {
        "load": read - begun,
        "close": max(closed - read - hand, 0.0),
        "hand": hand,
        "aside": perf_counter() - closed,
        "triples": count,
        "stopped": False,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
