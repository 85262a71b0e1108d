"""R4 derives all that follows from rules with metric time and facts.

It says in JSON how many seconds of processor time it took to read them and to derive the model, and
on standard error now and then how far it is. usage: materialise.py PROGRAM FACTS
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

from r4.bench.measure import peak
from r4.bench.published import is_table, tables
from rete.dictionary import Dictionary
from temporal.ast import Program
from temporal.limits import Progress, Watch
from temporal.loading import Data, Loader
from temporal.loading_pieces import PIECE
from temporal.materialise import materialise
from temporal.model import Model
from temporal.program import profile
from temporal.text.programs import parse_program
from temporal.wellformed import arities

_EVERY: Final = 10.0
"""Seconds between one word on how far it is and the next."""


def read(program: str, facts: str, scale: int = 1) -> tuple[Program, Data, Dictionary]:
    """Rules and facts, in ticks that make all their numbers whole, and those of ``scale``.

    Raises:
        ValueError: a line is no fact.
    """
    rules, terms = parse_program(Path(program).read_text(encoding="utf-8")), Dictionary()
    loader = Loader(terms, arities(rules))
    for path in tables(Path(facts)):
        if is_table(path):
            loader.table(_pieces(path), path.stem)
        else:
            loader.text(_pieces(path))
    if loader.bad:
        raise ValueError(loader.faults[0].report(facts))
    return rules, loader.data(lcm(profile(rules).scale, scale)), terms


def main(program: str, facts: str) -> None:
    """Derive the model; say how long it took, and how large it is."""
    idle, begun = peak(), process_time()
    rules, data, terms = read(program, facts)
    done = process_time()
    model = materialise(rules, data, terms, watch=_watch())
    told = {
        "load": done - begun,
        "derive": process_time() - done,
        "facts": size(model),
        "idle": idle,
        "within": "",
        "stopped": False,
    }
    print(json.dumps(told))


def size(model: Model) -> int:
    """How many intervals of facts a model has, up to where it repeats."""
    return sum(map(len, model.endless.facts.values()))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, PIECE), b"")


def _watch() -> Watch:
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
