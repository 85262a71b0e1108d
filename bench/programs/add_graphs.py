"""R4 takes a stream graph by graph, as a Python program does that adds each when it comes.

It prints how many answers began and ended, and marks where a graph begins.
usage: add_graphs.py RULES WINDOW STREAM STATIC
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path

from bench.harness.graph_marks import GraphMarks
from bench.workloads.stream_terms import EPOCH, GENERATED_AT
from r4.api import Engine


def main(rules: str, window: str, stream: str, static: str) -> None:
    """Add the graphs, and take out what changes after each."""
    engine, marks, found = Engine.from_file(rules, window=window), GraphMarks(), Counter[str]()
    engine.add_static(Path(static).read_text(encoding="utf-8"))
    graph: list[str] = []
    at = EPOCH

    def add() -> None:
        if graph:
            engine.add("".join(graph), at=at)
            found.update(change.op for change in engine.changes())
            graph.clear()

    with Path(stream).open(encoding="utf-8") as quads:
        for quad in quads:
            triple, _ = quad.rsplit(" <", 1)
            if f" {GENERATED_AT} " in quad:
                marks.mark()
                add()
                at = datetime.fromisoformat(quad.split('"', 2)[1])
            else:
                graph.append(f"{triple} .\n")
    add()
    engine.finish()
    found.update(change.op for change in engine.changes())
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
