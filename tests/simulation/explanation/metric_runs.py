"""Random runs with metric operators that are asked why: an engine with its batches, by seed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.stream.batch import Batch
from r4.time.ticks import NO_END, TimeScale
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse
from tests.generators.streams.metric_runs import random_metric_case
from tests.oracles.rules.formulas import Instance
from tests.oracles.streams.run import Element, named, window_of
from tests.simulation.explanation.runs import STATIC, STREAM, rows_of

if TYPE_CHECKING:
    from rif.syntax.ast import Document


class MetricRun(NamedTuple):
    """A run.

    Attributes:
        rules: what the engine reads; ``document`` is the same with ranges in ticks.
        assertions: what is asserted when.
        core: the engine, fed with what is static.
        batches: the rest.
        last: the largest stamp.
    """

    rules: Document
    document: Document
    assertions: list[Instance]
    core: Core
    batches: list[Batch]
    last: int


def metric_run(seed: int, *, negation: bool) -> MetricRun:
    """The run of a seed: its elements in order of time, none of them taken back."""
    case = random_metric_case(seed, negation=negation)
    scenario = case.scenario
    rules = parse(case.rules, lenient=True).document
    core = Core(compile_document(rules, TimeScale()), Dictionary(), limit=3000)
    static = [named(triple, STATIC) for triples in scenario.statics for triple in triples]
    assertions = [Instance(fact, -math.inf, math.inf) for fact in static]
    if static:
        core.assert_static(rows_of(core, static))
    elements = [
        item
        for source in scenario.sources
        for item in source
        if isinstance(item, Element) and not item.is_bad()
    ]
    batches = []
    for number, item in enumerate(sorted(elements, key=lambda each: each.start or 0)):
        assert item.start is not None
        start = math.floor(item.start)
        end = start + window_of(scenario) if item.end is None else math.floor(item.end)
        if start >= end:
            continue
        facts = [named(triple, STREAM) for triple in item.triples]
        assertions += [Instance(fact, start, end) for fact in facts]
        rows = rows_of(core, facts)
        name = core.terms.encode_many([f"<urn:element:{number}>"])
        core.terms.pin(name)
        starts = np.full(len(rows), start)
        whole = end < math.inf and end == int(end)
        ends = np.full(len(rows), int(end) if whole else NO_END)
        names = np.full(len(rows), name[0])
        batches.append(Batch(rows, starts, ends, start, start, (rows,), names))
    last = batches[-1].last if batches else 0
    return MetricRun(rules, scenario.document, assertions, core, batches, int(last))
