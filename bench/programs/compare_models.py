"""Compares the model that a peer wrote with that of R4.

It prints in JSON on how many intervals of facts they were compared, and in what they differ.
THEIRS has the peer's facts, one a line; they are all that holds in the interval WITHIN.
usage: compare_models.py PROGRAM FACTS THEIRS WITHIN
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.programs.materialise_model import read_program
from rete.arrays.delta import Rows
from rete.kernels import clip
from rete.storage.row_algebra import coalesce, subtract
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import write_rows
from temporal.facts.fact_parser import parse_fact
from temporal.intervals.interval import common_scale
from temporal.model.materialisation import materialise
from temporal.mtl.ast import PredicateKey
from temporal.periods.periodic_model import InfiniteUnfolding


def main(program: str, facts: str, theirs: str, within: str) -> None:
    """Compare the models."""
    interval = parse_fact(f"model@{within}").interval
    rules, data, terms = read_program(program, facts, common_scale([interval]))
    model = materialise(rules, data, terms)
    window = interval.cells(data.scale)
    loader = BulkLoader(terms)
    with Path(theirs).open("rb") as file:
        loader.text(file)
    read_back = loader.data(data.scale)
    if read_back.scale != data.scale:
        wrong = f"has numbers that are no multiples of 1/{data.scale}"
        print(json.dumps({"compared": 0, "wrong": wrong}))
        return
    written = {key: clip(coalesce(rows), *window) for key, rows in read_back.rows.items()}
    try:
        right = dict(model.within(*window))
        wrong = "; ".join(differences(right, written, terms, data.scale))
    except InfiniteUnfolding as error:
        right, wrong = {}, str(error)
    print(json.dumps({"compared": sum(map(len, right.values())), "wrong": wrong}))


def differences(
    right: Mapping[PredicateKey, Rows],
    written: Mapping[PredicateKey, Rows],
    terms: Dictionary,
    scale: int,
) -> Iterator[str]:
    """Facts that are missing in a written model, and those too many, with an example each."""
    for what, some, others in (("missing", right, written), ("too many", written, right)):
        found = {
            key[0]: subtract(rows, others[key]) if key in others else rows
            for key, rows in some.items()
        }
        count = sum(map(len, found.values()))
        if count:
            name = min(name for name, rows in found.items() if len(rows))
            text = b"".join(write_rows([(name, found[name])], terms, scale))
            yield f"{count:,} {what}, such as {text.splitlines()[0].decode()}"


if __name__ == "__main__":
    main(*sys.argv[1:])
