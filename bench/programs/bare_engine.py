"""The engine without input and output: q1 on triples that are ids, in batches of several sizes.

It measures the kernel back end that is active and prints JSON. usage: bare_engine.py TRIPLES
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from time import perf_counter, process_time
from typing import Final

import numpy as np

from bench.suites.engine import EngineRate
from bench.workloads import offers
from bench.workloads.catalogue import TRIPLES, WORKLOADS
from bench.workloads.expected_answers import count_q1
from bench.workloads.stream_terms import STEP
from r4.engine.core import Core
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.arrays.delta import Rows
from rete.kernels import BACKEND
from rete.terms.dictionary import Dictionary
from rif.text.parser import parse

GRAPHS: Final = (1, 10, 100, 1000)
"""Graphs in a batch."""
MOST_BATCHES: Final = 5000
"""Batches measured at most: enough for a hundredth part, and small ones take long."""
_WARM: Final = 20
WINDOW: Final = 1000


def main(triples: int) -> list[EngineRate]:
    """Measure the back end that is active."""
    terms = Dictionary()
    rows = encode_offers(triples // TRIPLES, terms)
    rules = parse(WORKLOADS["q1"].rules.read_text(encoding="utf-8"), language=LANGUAGE).document
    program = replace(compile_document(rules, TimeScale()), window=WINDOW)
    paces = []
    for graphs in GRAPHS:
        size = graphs * TRIPLES
        if size > len(rows):
            break
        spent, waited = _steps(Driver(Core(program, terms)), rows, size)
        median, high = np.percentile(waited, (50, 99)) * 1e6
        paces.append(
            EngineRate(BACKEND, size, size / float(np.mean(spent)), float(median), float(high))
        )
    return paces


def encode_offers(graphs: int, terms: Dictionary) -> Rows:
    """The triples of the first ``graphs`` offers, as ids that are never forgotten."""
    parts = []
    for element in offers.stream(graphs):
        quads = element.splitlines()[1:]
        texts = [text for quad in quads for text in quad.rsplit(" ", 2)[0].split(" ", 2)]
        parts.append(terms.encode_many(texts).reshape(-1, 3))
    rows = np.concatenate(parts)
    terms.pin(rows.ravel())
    return rows


def _steps(driver: Driver, rows: Rows, size: int) -> tuple[list[float], list[float]]:
    """Seconds of each step, of processor time and on the wall; the first ones are left out."""
    start = np.repeat(np.arange(len(rows) // TRIPLES) * STEP, TRIPLES)
    end = np.full(len(rows), NO_END)
    spent, waited = [], []
    answers = newest = 0
    for begin in range(0, min(len(rows) - size + 1, size * MOST_BATCHES), size):
        cut = slice(begin, begin + size)
        newest = int(start[begin + size - 1])
        batch = Batch(rows[cut], start[cut], end[cut], frontier=newest, last=newest)
        begun, working = perf_counter(), process_time()
        changes = driver.step(batch)
        spent.append(process_time() - working)
        waited.append(perf_counter() - begun)
        answers += sum(map(len, changes))
    answers += len(driver.close(newest + 1))
    right = sum(count_q1(len(spent) * size // TRIPLES, WINDOW))
    if answers != right:
        message = f"{answers} instead of {right} answers"
        raise ValueError(message)
    warm = _WARM if len(spent) > 2 * _WARM else 0
    return spent[warm:], waited[warm:]


if __name__ == "__main__":
    json.dump([asdict(pace) for pace in main(int(sys.argv[1]))], sys.stdout)
