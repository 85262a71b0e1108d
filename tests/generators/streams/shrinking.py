"""The smallest part of a case that still fails: for failures found by seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.generators.draw import Draw
from tests.generators.rules.text import DocumentWriter
from tests.generators.shrinking import fewer_sentences, put, shrink, without_one
from tests.generators.streams.runs import RunCase
from tests.generators.streams.text import source_text, triples_text
from tests.oracles.streams.run import Element, Scenario, ScenarioItem

PLAIN = Draw(lambda low, _: low)
"""Always the simplest choice."""


def written(scenario: Scenario) -> RunCase:
    """The case of a scenario, in its simplest texts."""
    return RunCase(
        scenario,
        DocumentWriter(PLAIN, scenario.document.prefixes).document(scenario.document),
        tuple(triples_text(PLAIN, triples) for triples in scenario.statics),
        tuple(source_text(PLAIN, items, scenario.clock) for items in scenario.sources),
    )


def minimal(case: RunCase, fails: Callable[[RunCase], bool]) -> RunCase:
    """A case from which nothing can be left out without passing; ``case`` if texts matter."""
    best = written(case.scenario)
    if not fails(best):
        return case
    return shrink(best, lambda one: map(written, _smaller(one.scenario)), fails)


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Every scenario with one thing less, the largest things first."""
    for statics in without_one(scenario.statics):
        yield replace(scenario, statics=statics)
    for sources in without_one(scenario.sources):
        yield replace(scenario, sources=sources)
    if (group := scenario.document.group) is not None:
        for sentences in fewer_sentences(group.items):
            document = replace(scenario.document, group=replace(group, items=sentences))
            yield replace(scenario, document=document)
    yield from _less_data(scenario)
    for plainer in (
        replace(scenario, window=None),
        replace(scenario, delay=0),
        replace(scenario, drain=None),
        replace(scenario, semantics="facts"),
        replace(scenario, streams_first=False),
    ):
        if plainer != scenario:
            yield plainer


def _less_data(scenario: Scenario) -> Iterator[Scenario]:
    for number, items in enumerate(scenario.sources):
        for fewer in (*without_one(items), *_smaller_items(items)):
            yield replace(scenario, sources=put(scenario.sources, number, fewer))
    for number, triples in enumerate(scenario.statics):
        for less in without_one(triples):
            yield replace(scenario, statics=put(scenario.statics, number, less))


def _smaller_items(items: tuple[ScenarioItem, ...]) -> Iterator[tuple[ScenarioItem, ...]]:
    for place, item in enumerate(items):
        if isinstance(item, Element):
            for triples in without_one(item.triples):
                yield put(items, place, replace(item, triples=triples))
            if item.end is not None:
                yield put(items, place, replace(item, end=None))
