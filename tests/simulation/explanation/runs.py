"""Random runs that are asked why, as a definition and as an engine with its batches."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.rdf.chunks import NO_ROWS
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse
from tests.generators.streams.runs import random_case
from tests.oracles.rules.datalog import Program
from tests.oracles.rules.formulas import Fact, Instance
from tests.oracles.streams.run import Element, named, window_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rif.syntax.ast import Document

STATIC, STREAM = 1, 2
EX = "http://e/"
NONE = NO_ROWS[:, 0]


class CutElement(NamedTuple):
    """An element: when it holds, and where it is cut as it is taken back."""

    start: int
    end: float
    facts: list[Fact]
    taken: float = math.inf


class ExplainedRun(NamedTuple):
    """A run.

    Attributes:
        document: its rules.
        program: the same, by definition.
        assertions: what is asserted when, at the end of all.
        core: the engine, fed with what is static.
        batches: the rest.
        last: the largest stamp.
    """

    document: Document
    program: Program
    assertions: list[Instance]
    core: Core
    batches: list[Batch]
    last: int

    def base(self, at: float) -> set[Fact]:
        """What is asserted at an instant, by the stream, static data and the rules."""
        given = self.program._given
        return {fact for fact, e, n in [*self.assertions, *given] if e <= at < n}

    def changes(self) -> list[int]:
        """The instants at which something changes."""
        times = {t for _, e, n in self.assertions for t in (e, n)}
        return sorted(int(t) for t in times if abs(t) < math.inf)


def any_rules(seed: int, *, negation: bool) -> ExplainedRun:
    """Rules of all kinds."""
    scenario = random_case(seed, negation=negation).scenario
    static = [named(triple, STATIC) for triples in scenario.statics for triple in triples]
    said = []
    for source in scenario.sources:
        for item in source:
            if isinstance(item, Element) and not item.is_bad():
                assert item.start is not None
                start = math.floor(item.start)
                end = start + window_of(scenario) if item.end is None else math.floor(item.end)
                said.append(
                    CutElement(start, end, [named(triple, STREAM) for triple in item.triples])
                )
    return _run(scenario.document, static, sorted(said, key=lambda each: each.start))


_DENSE = (
    "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
    "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z])",
    "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z])",
    "?y[ex:t -> ?x] :- ?x[ex:t -> ?y]",
    "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:t -> ?y])",
    "?x[ex:t -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:u -> ?y])",
    "?x[ex:t -> ?y] :- ?x[ex:q -> ?y]",
    "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:q -> ?z])",
    "?x[ex:u -> ?x] :- ?x[ex:t -> ?x]",
    "?x[ex:u -> ?y] :- And(?x[ex:t -> ?y] Naf(?y[ex:p -> ?x]))",
    "?x[ex:v -> ?y] :- And(?x[ex:t -> ?y] Naf(Exists ?z (And(?y[ex:p -> ?z] ?z[ex:q -> ?x]))))",
)


@cache
def _document(chosen: tuple[int, ...]) -> Document:
    rules = " ".join(f"Forall ?x ?y ?z ({_DENSE[place]})" for place in chosen)
    return parse(f"Document(Prefix(ex <{EX}>) Group({rules}))").document


def dense_rules(seed: int) -> ExplainedRun:
    """Rules that derive the same in many ways, about few things; elements are taken back."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    document = _document(tuple(sorted(draw.sample(range(len(_DENSE)), draw.randint(4, 6)))))
    said, now = [], 0
    for _ in range(draw.randint(4, 8)):
        now += draw.choice((0, 0, 1, 2))
        facts: list[Fact] = [
            (
                "triple",
                f"<{EX}{draw.choice('abc')}>",
                f"<{EX}{draw.choice('ppq')}>",
                f"<{EX}{draw.choice('abc')}>",
            )
            for _ in range(draw.randint(1, 2))
        ]
        taken = now + draw.randint(0, 4) if draw.random() < 0.4 else math.inf
        said.append(CutElement(now, now + draw.randint(2, 8), facts, taken))
    return _run(document, [], said)


def _run(document: Document, static: list[Fact], said: Sequence[CutElement]) -> ExplainedRun:
    core = Core(compile_document(document, TimeScale()), Dictionary(), limit=3000)
    assertions = [Instance(fact, -math.inf, math.inf) for fact in static]
    steps: list[tuple[float, int, Batch]] = []
    for number, (start, end, facts, taken) in enumerate(said):
        cut = min(end, taken)
        if start < cut:
            assertions += [Instance(fact, start, cut) for fact in facts]
        if start < end:
            rows = rows_of(core, facts)
            name = core.terms.encode_many([f"<urn:element:{number}>"])
            core.terms.pin(name)
            starts = np.full(len(rows), start)
            ends = np.full(len(rows), NO_END if end == math.inf else int(end))
            names = np.full(len(rows), name[0])
            steps.append((start, 0, Batch(rows, starts, ends, start, start, (rows,), names)))
            if taken < math.inf:
                at = int(taken)
                back = Batch(NO_ROWS, NONE, NONE, at, at, (), NONE, name)
                steps.append((at, 1, back))
    steps.sort(key=lambda step: step[:2])
    if static:
        core.assert_static(rows_of(core, static))
    last = int(steps[-1][0]) if steps else 0
    batches = [batch for _, _, batch in steps]
    return ExplainedRun(document, Program(document), assertions, core, batches, last)


def rows_of(core: Core, facts: Sequence[Fact]) -> np.ndarray:
    ids = core.terms.encode_many([text for fact in facts for text in fact[1:]])
    core.terms.pin(ids)
    return ids.reshape(-1, 3)
