"""The engine on q1 with and without the base table.

The same batches go to three engines in turn: one that cannot retract, one that notes what is
asserted and by whom, and one that is arranged for retraction from the first. It prints JSON,
processor time only. usage: base_table.py TRIPLES
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from time import process_time
from typing import Final

import numpy as np

from bench.programs.bare_engine import WINDOW, encode_offers
from bench.suites.graphs.base_table import MOST, BaseTableCost
from bench.workloads.catalogue import TRIPLES, WORKLOADS
from bench.workloads.expected_answers import count_q1
from bench.workloads.stream_terms import STEP
from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.text.parser import parse

BATCH: Final = 100
"""Graphs in a batch."""
_NAMES: Final = 1000
_WARM: Final = 5


class _BareRun:
    """One engine on the way through the stream."""

    def __init__(self, rows: Rows, terms: Dictionary, *, retracts: bool, keep: bool) -> None:
        rules = parse(WORKLOADS["q1"].rules.read_text(encoding="utf-8")).document
        program = replace(compile_document(rules, TimeScale()), window=WINDOW)
        self.driver = Driver(Core(program, terms, retracts=retracts, keep=keep))
        self._rows = rows
        graphs = len(rows) // TRIPLES
        self._start = np.repeat(np.arange(graphs) * STEP, TRIPLES)
        names = terms.encode_many([f"<urn:name:{number}>" for number in range(_NAMES)])
        terms.pin(names)
        self._names = np.repeat(names[np.arange(graphs) % _NAMES], TRIPLES) if retracts else None
        self.answers = 0
        self.spent: list[float] = []

    def step(self, begin: int, end: int) -> None:
        cut = slice(begin, end)
        newest = int(self._start[end - 1])
        batch = Batch(
            self._rows[cut], self._start[cut], np.full(end - begin, NO_END), newest, newest
        )
        if self._names is not None:
            batch = replace(batch, names=self._names[cut])
        begun = process_time()
        changes = self.driver.step(batch)
        self.spent.append(process_time() - begun)
        self.answers += sum(map(len, changes))

    def finish(self, graphs: int) -> float:
        self.answers += len(self.driver.close((graphs - 1) * STEP + 1))
        right = sum(count_q1(graphs, WINDOW))
        if self.answers != right:
            message = f"{self.answers} instead of {right} answers"
            raise ValueError(message)
        return sum(self.spent[_WARM:] or self.spent)


def main(triples: int) -> list[BaseTableCost]:
    """Measure all three, batch by batch in turn, so that what troubles one troubles all."""
    terms = Dictionary()
    rows = encode_offers(triples // TRIPLES, terms)
    running = {
        "bare": _BareRun(rows, terms, retracts=False, keep=False),
        "noted": _BareRun(rows, terms, retracts=True, keep=False),
        "kept": _BareRun(rows, terms, retracts=True, keep=True),
    }
    for begin in range(0, len(rows), BATCH * TRIPLES):
        for each in running.values():
            each.step(begin, min(begin + BATCH * TRIPLES, len(rows)))
    spent = {how: each.finish(len(rows) // TRIPLES) for how, each in running.items()}
    return [BaseTableCost(how, spent[how], spent["bare"]) for how in MOST]


if __name__ == "__main__":
    json.dump([asdict(each) for each in main(int(sys.argv[1]))], sys.stdout)
