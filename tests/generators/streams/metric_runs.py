"""Random cases with metric operators."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.generators.draw import Draw, from_hypothesis, from_seed
from tests.generators.rules.metric import MetricWriter, ends, metric_document
from tests.generators.streams.elements import scenario
from tests.generators.streams.runs import RunCase
from tests.generators.streams.text import source_text, triples_text
from tests.generators.vocabulary import vocabulary
from tests.oracles.metric.dependencies import is_metric

if TYPE_CHECKING:
    from tests.oracles.streams.run import Scenario


def metric_case(draw: Draw, *, negation: bool = False) -> RunCase:
    """A case; at the smallest choices one rule of one operator and two elements."""
    words = vocabulary(draw)
    words = replace(words, nodes=words.nodes[:3], literals=words.literals[:2])
    rules = metric_document(draw, words, negation=negation)
    run = scenario(draw, words, rules, most=8)
    metric = is_metric(rules)
    run = replace(run, semantics="facts", metric=metric, drain=_drain(draw, run))
    return RunCase(
        run,
        MetricWriter(draw, rules.prefixes).document(rules),
        tuple(triples_text(draw, triples) for triples in run.statics),
        tuple(source_text(draw, items, run.clock) for items in run.sources),
    )


def _drain(draw: Draw, run: Scenario) -> float | None:
    """Rules that derive for ever are not drained to the end."""
    if run.drain == math.inf and not ends(run.document):
        return draw.integer(0, 6)
    return run.drain


def random_metric_case(seed: int, *, negation: bool = False) -> RunCase:
    """The case of a seed."""
    return metric_case(from_seed(seed), negation=negation)


@st.composite
def metric_cases(draw: st.DrawFn, *, negation: bool = False) -> RunCase:
    """Cases that shrink."""
    return metric_case(from_hypothesis(draw), negation=negation)
