"""R4 derives all that follows from rules with metric time and facts.

It prints in JSON how many seconds of processor time it took to read them and to derive the model,
and on standard error now and then how far it is. usage: materialise_model.py PROGRAM FACTS
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from math import lcm
from pathlib import Path
from time import monotonic, process_time
from typing import Final

from bench.harness.process_usage import peak_memory
from bench.workloads.temporal.metric_programs import is_table, tables
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_chunks import CHUNK_BYTES
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.model.least_model import Model
from temporal.model.limits import Progress, ProgressCallback
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program

_EVERY: Final = 10.0
"""Seconds between two lines of progress."""


def read_program(
    program: str, facts: str, scale: int = 1
) -> tuple[MetricProgram, Dataset, Dictionary]:
    """Rules and facts, in ticks that make all their numbers whole, and those of ``scale``.

    Raises:
        ValueError: a line is no fact.
    """
    rules, terms = parse_program(Path(program).read_text(encoding="utf-8")), Dictionary()
    loader = BulkLoader(terms, arities(rules))
    for path in tables(Path(facts)):
        if is_table(path):
            loader.table(_pieces(path), path.stem)
        else:
            loader.text(_pieces(path))
    if loader.bad:
        raise ValueError(loader.faults[0].report(facts))
    return rules, loader.data(lcm(analyse(rules).scale, scale)), terms


def main(program: str, facts: str) -> None:
    """Derive the model; print how long that took, and how large it is."""
    idle, begun = peak_memory(), process_time()
    rules, data, terms = read_program(program, facts)
    done = process_time()
    model = materialise(rules, data, terms, watch=_watch())
    report = {
        "load": done - begun,
        "derive": process_time() - done,
        "facts": count_intervals(model),
        "idle": idle,
        "within": "",
        "stopped": False,
    }
    print(json.dumps(report))


def count_intervals(model: Model) -> int:
    """How many intervals of facts a model has, up to where it repeats."""
    return sum(map(len, model.periodic.facts.values()))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, CHUNK_BYTES), b"")


def _watch() -> ProgressCallback:
    last = monotonic()

    def tell(done: Progress) -> None:
        nonlocal last
        if monotonic() - last > _EVERY:
            last = monotonic()
            text = f"{done.facts:,} facts derived in {done.rounds:,} rounds"
            print(text, file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    main(*sys.argv[1:])
