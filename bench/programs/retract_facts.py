"""R4 takes facts back from a graph, and asserts them again; what it holds then is checked.

Facts come one element each; time goes on by a tick after each step. It says in JSON what it took
until the answers were told, in seconds of processor time, for some draws of facts, one after the
other. usage: retract_facts.py NAME SIZE [FOLDER]
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.suites.retraction import (
    RetractionDraw,
    RetractionReport,
    RetractionStep,
    survivors,
)
from bench.workloads.graphs.retraction_graphs import RETRACTION_GRAPHS, SEED, RetractionGraph
from r4.engine.core import Core
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.run.driver import Driver
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from rif.text.parser import parse

NAME: Final = "<urn:r4:bench>"
"""The name of all elements: facts are taken back one by one."""
MANY: Final = 100
_PART: Final = 10
_DRAWS: Final = {"1": 1, "100": 11, "10 %": 3}
"""How often a step is done, with other facts each time: the shorter it is, the oftener."""
_ANEW: Final = 3
"""How often the model of what is left is computed."""


Places: TypeAlias = npt.NDArray[np.int64]


class RunningGraph:
    """A graph in an engine; what is done with it is done when its answers are reported."""

    def __init__(
        self, program: Program, terms: Dictionary, static: Rows, *, keep: bool, pause: int = 1
    ) -> None:
        self.core = Core(program, terms, keep=keep, retracts=keep)
        self._driver = Driver(self.core)
        self._asserted = [] if keep else [static]
        self._name = int(terms.encode(NAME))
        self._pause = pause
        terms.pin(np.array([self._name]))
        self.now = 0
        self.core.assert_static(static)
        self._driver.begin()
        self._tell()

    def assert_facts(self, facts: Rows) -> None:
        """Assert ``facts``, (n, 3), without an end, a pause later than what was before."""
        if self.core.layers.base_table is None:
            self._asserted.append(facts)
        count = len(facts)
        names = np.full(count, self._name)
        now, end = np.full(count, self.now), np.full(count, NO_END)
        self._driver.step(Batch(facts, now, end, self.now, self.now, names=names))
        self._tell()

    def take_back(self, facts: Rows) -> None:
        """Take ``facts`` back a pause later."""
        self.core.assertions.retract_rows(np.insert(facts, 3, self._name, axis=1))
        self._tell()

    def _tell(self) -> None:
        """Tell the answers of this pause; the next one begins."""
        self.now += self._pause
        self._driver.close(self.now)

    def model(self) -> Rows:
        """All triples that hold now, asserted or derived, (n, 3), each once, ordered."""
        parts = [rows for relation, rows in self.core.layers.facts() if relation == TRIPLES]
        if self.core.layers.base_table is not None:
            parts += (rows for of, rows in self.core.layers.base_table.content() if of == TRIPLES)
        rows = np.concatenate(parts)
        cell = 2 * self.now - 2
        held = rows[(rows[:, 3] <= cell) & (cell < rows[:, 4]), :3]
        return sort_rows(np.concatenate([held, *self._asserted]))


def sort_rows(rows: Rows) -> Rows:
    """Each row once, in order."""
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    first: npt.NDArray[np.bool_] = np.ones(len(rows), np.bool_)
    first[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.ascontiguousarray(rows[first])


class RetractionTrial:
    """One graph: what is done with it, measured against computing the same from the start."""

    def __init__(self, graph: RetractionGraph, size: int, folder: Path | None) -> None:
        self._lines = list(graph.facts(size))
        self._graph = graph
        self._folder = folder
        self._terms = Dictionary(by_value=True)
        self._program = _program(graph)
        self._static = _encoded(graph.schema(), self._terms)
        self._facts = _encoded(self._lines, self._terms)
        self._draw = random.Random(SEED)  # noqa: S311 - a workload, not a secret
        begun = process_time()
        self._running = RunningGraph(
            self._program, self._terms, self._static, keep=True, pause=graph.pause
        )
        self._running.assert_facts(self._facts)
        self._build = process_time() - begun
        self._whole, _ = self._afresh(self._facts)

    def run(self) -> RetractionReport:
        """A fact first, then a hundred, then a part of all: taken back and asserted again."""
        counts = {"1": 1, "100": MANY, "10 %": max(1, len(self._facts) // _PART)}
        steps = tuple(self._step(name, min(n, len(self._facts))) for name, n in counts.items())
        return RetractionReport(len(self._facts), len(self._whole), self._build, steps)

    def _step(self, name: str, count: int) -> RetractionStep:
        """Some draws one after the other; then again, to see what holds without those facts."""
        draws = [self._some(count) for _ in range(_DRAWS[name])]
        spent = [self._take_back_and_assert(picked) for picked in draws]
        gone = [self._gone_without(picked) for picked in draws[:-1]]
        last = draws[-1]
        left = np.delete(np.arange(len(self._facts)), last)
        right, afresh = self._afresh(self._facts[left], _ANEW)
        self._running.take_back(self._facts[last])
        wrong = _differ("after it was taken back", self._running.model(), right)
        self._running.assert_facts(self._facts[last])
        wrong = wrong or _differ("asserted again", self._running.model(), self._whole)
        if self._folder is not None and name != "1":
            self._write(self._folder / survivors(count), left)
        gone.append(len(self._whole) - len(right))
        return RetractionStep(
            name=name,
            facts=count,
            draws=tuple(
                RetractionDraw(*each, changed) for each, changed in zip(spent, gone, strict=True)
            ),
            afresh=afresh,
            whole=len(self._whole),
            wrong=wrong,
        )

    def _some(self, count: int) -> Places:
        return np.array(sorted(self._draw.sample(range(len(self._facts)), count)))

    @collector_paused()  # a collection that falls into one of few draws is not what is measured
    def _take_back_and_assert(self, picked: Places) -> tuple[float, float, int]:
        """Seconds to take facts back, and to assert them again; how many rows were overdeleted."""
        facts, running = self._facts[picked], self._running
        over, begun = running.core.overdeleted, process_time()
        running.take_back(facts)
        taken = process_time() - begun
        over = running.core.overdeleted - over
        begun = process_time()
        running.assert_facts(facts)
        return taken, process_time() - begun, over

    def _gone_without(self, picked: Places) -> int:
        """How many rows of the model go with some facts."""
        self._running.take_back(self._facts[picked])
        left = len(self._running.model())
        self._running.assert_facts(self._facts[picked])
        return len(self._whole) - left

    def _afresh(self, facts: Rows, often: int = 1) -> tuple[Rows, float]:
        """The model of ``facts``, and the seconds that it takes, the median."""
        spent = [self._compute(facts)[1] for _ in range(often - 1)]  # one engine at a time
        running, last = self._compute(facts)
        return running.model(), median([*spent, last])

    def _compute(self, facts: Rows) -> tuple[RunningGraph, float]:
        begun = process_time()
        running = RunningGraph(
            self._program, self._terms, self._static, keep=False, pause=self._graph.pause
        )
        running.assert_facts(facts)
        return running, process_time() - begun

    def _write(self, path: Path, left: Places) -> None:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(self._graph.for_peers)
            file.writelines(self._lines[place] for place in left)


def _differ(when: str, found: Rows, right: Rows) -> str:
    """In what two models differ; empty if in nothing."""
    if np.array_equal(found, right):
        return ""
    return f"{when}: {len(found):,} triples instead of {len(right):,}, or other ones"


def _program(graph: RetractionGraph) -> Program:
    if graph.regime:
        return compile_document(ast.Document(), TimeScale(), background=regime(graph.regime))
    return compile_document(
        parse(graph.rules.read_text(encoding="utf-8"), language=LANGUAGE).document, TimeScale()
    )


def _encoded(lines: Sequence[str], terms: Dictionary) -> Rows:
    """Triples as ids that are never forgotten."""
    texts = [text for line in lines for text in line.removesuffix(" .\n").split(" ", 2)]
    rows = terms.encode_many(texts).reshape(-1, 3)
    terms.pin(rows.ravel())
    return rows


def main(name: str, size: str, folder: str = "") -> None:
    """Try the graph of that name."""
    attempt = RetractionTrial(RETRACTION_GRAPHS[name], int(size), Path(folder) if folder else None)
    json.dump(asdict(attempt.run()), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
