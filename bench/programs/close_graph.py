"""R4 materialises the closure of a graph.

It prints in JSON how many seconds it took to read the graph, to close it (to compile the rules
counts as that) and to hand the triples over. usage: close_graph.py GRAPH PART [OUTPUT]
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

from bench.suites.closure_parts import PARTS
from r4.entailment.graph_closure import close_graphs


def main(source: str, name: str, output: str = "") -> None:
    """Materialise the closure under the part of that name."""
    part = PARTS[name]
    found = close_graphs([source], part.regime, part.rules)
    begun = perf_counter()
    triples = list(found.triples())
    handed = perf_counter()
    if output:
        with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.writelines(f"{s} {p} {o} .\n" for s, p, o in triples)
    report = {
        "load": found.parse_seconds,
        "close": found.compile_seconds + found.close_seconds,
        "hand": handed - begun,
        "aside": perf_counter() - handed,
        "triples": len(triples),
        "stopped": False,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
