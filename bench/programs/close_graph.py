"""R4 materialises the closure of a graph.

It prints in JSON how many seconds it took to read the graph, to close it (to compile the rules
counts as that) and to hand the triples over. usage: close_graph.py GRAPH PART [OUTPUT]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from time import perf_counter

import numpy as np

from bench.suites.closure_parts import PARTS
from r4.engine.core import Core
from r4.errors import Counters
from r4.program.compiler import compile_document
from r4.program.regimes import regime, select
from r4.rdf.documents import RdfDocument, read_static
from r4.run.driver import Driver
from r4.time.ticks import TimeScale
from rete.memory_limit import return_freed_memory
from rete.terms.dictionary import Dictionary
from rif.syntax import ast


def main(source: str, name: str, output: str = "") -> None:
    """Materialise the closure under the part of that name."""
    return_freed_memory()
    part = PARTS[name]
    start = perf_counter()
    # The rules of the regimes expect that literals of one value are one term.
    terms = Dictionary(by_value=True)
    background = regime(part.regime)
    if part.rules is not None:
        background = select(background, part.rules)
    program = compile_document(ast.Document(), TimeScale(), background=background)
    core = Core(program, terms, retracts=False)
    compiled = perf_counter()
    asserting = 0.0
    for rows in read_static(RdfDocument.of(source, 1), terms, Counters()):
        begun = perf_counter()
        core.assert_static(rows)
        asserting += perf_counter() - begun
    read = perf_counter()
    Driver(core).close_background()
    closed = perf_counter()
    count = sum(1 for _ in _triples(core))
    handed = perf_counter()
    if output:
        with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.writelines(f"{s} {p} {o} .\n" for s, p, o in _triples(core))
    report = {
        "load": read - compiled - asserting,
        "close": compiled - start + asserting + closed - read,
        "hand": handed - closed,
        "aside": perf_counter() - handed,
        "triples": count,
        "stopped": False,
    }
    print(json.dumps(report))


def _triples(core: Core) -> Iterator[tuple[str, str, str]]:
    """All triples as canonical texts, each once, in no order."""
    assert core.layers.statics is not None
    for facts in core.layers.statics.facts():  # of representatives
        rows = core.layers.classes.expand(facts)
        texts = core.terms.decode_many(np.ascontiguousarray(rows[:, :3]).ravel())
        yield from zip(*[iter(texts)] * 3, strict=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
