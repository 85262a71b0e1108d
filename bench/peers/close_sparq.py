"""Peer: sparq, a store of triples that closes a graph under RDFS or rules of OWL 2 RL, in Rust.

usage: close_sparq.py GRAPH PART [OUTPUT]
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import sparq

_EVERYTHING = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"


def main(source: str, part: str, output: str = "") -> None:
    """Close the graph; say how long it took, and write the closure if it is asked for."""
    begun = perf_counter()
    graph = sparq.Graph.load(source)
    read = perf_counter()
    graph.reason("rdfs" if part == "rdfs" else "owl")
    closed = perf_counter()
    count = len(graph)
    if output:
        with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123
            triples = graph.construct(_EVERYTHING)
            file.writelines(f"{' '.join(map(_text, triple))} .\n" for triple in triples)
    told = {
        "load": read - begun,
        "close": closed - read,
        "hand": 0.0,
        "aside": perf_counter() - closed,
        "triples": count,
        "stopped": False,
    }
    print(json.dumps(told))


def _text(term: sparq.Term) -> str:
    if term.kind == "uri":
        return f"<{term.value}>"
    if term.kind != "literal":
        return f"_:{term.value}"
    text = term.value.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    if term.language:
        return f'"{text}"@{term.language}'
    return f'"{text}"^^<{term.datatype}>'


if __name__ == "__main__":
    main(*sys.argv[1:])
