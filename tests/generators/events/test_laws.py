"""Laws of the oracle on random cases: its models are models, and the past does not change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest

from temporal.mtl.ast import BoxPlus, DiamondPlus, Until
from tests.generators.events.histories import random_event_case
from tests.oracles.events.answers import event_lines, stretches
from tests.oracles.events.models import EventModel, walk
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history import History, HistoryElement, read
from tests.oracles.streams.history_answers import in_one_form
from tests.seeds import parts

PART = 10


@pytest.mark.parametrize("first", parts(PART, check=1, test=6, soak=100))
def test_what_rules_derive_from_a_model_is_the_model(first: int) -> None:
    compared = 0
    for seed in range(first, first + PART):
        given = random_event_case(seed).history
        given = in_one_form(given) if given.by_value else given
        reading = read(given)
        try:
            models = stretches(given, reading, reading.last)
        except TooBig:
            continue
        for each in models:
            rules = [one.rule for one in reading.rules if one.since <= each.low < one.until]
            again: dict[tuple[object, int], set[int]] = {}
            for rule in rules:
                for cell in range(each.model.timeline.size):
                    for fact, number, at in each.model.heads(rule, cell):
                        again.setdefault((fact, number), set()).add(at)
            known = _derived(each.model)
            begun = each.model.timeline.cell_of(reading.begun)
            assert _from(again, begun) == _from(known, begun), seed
            compared += bool(known)
    assert compared


def _derived(model: EventModel) -> dict[tuple[object, int], set[int]]:
    return {
        (fact, number): cells
        for fact, by_rule in model.derived.items()
        for number, cells in by_rule.items()
        if cells
    }


def _from(found: dict[tuple[object, int], set[int]], begun: int) -> dict[object, set[int]]:
    """From the first stamp on, as those that read their own answers begin there."""
    late = {key: {cell for cell in cells if cell >= begun} for key, cells in found.items()}
    return {key: cells for key, cells in late.items() if cells}


@pytest.mark.parametrize("first", parts(PART, check=1, test=6, soak=100))
def test_what_comes_later_changes_nothing_before(first: int) -> None:
    compared = 0
    for seed in range(first, first + PART):
        given = replace(random_event_case(seed).history, drain=0)
        if len(given.sources) > 1 or given.delay or _looks_ahead(given):
            continue
        (items,) = given.sources
        stamps = [place for place, one in enumerate(items) if isinstance(one, HistoryElement)]
        if len(stamps) < 3:
            continue
        earlier = replace(given, sources=(items[: stamps[-1]],))
        last = read(earlier).last
        if items[stamps[-1]].start <= last:  # type: ignore[union-attr]
            continue
        try:
            lines = event_lines(given)
            assert event_lines(earlier) == [one for one in lines if _at(one) <= last], seed
        except TooBig:
            continue
        compared += 1
    assert compared


def _looks_ahead(given: History) -> bool:
    bodies = [rule.body for rule in rules_of(given.document) if rule.body is not None]
    return any(
        isinstance(one, DiamondPlus | BoxPlus | Until) for body in bodies for one in walk(body)
    )


def _at(line: str) -> float:
    """When a line is due."""
    at = json.loads(line)["at"]
    if isinstance(at, str):
        return datetime.fromisoformat(at).timestamp() * 1000
    return float("-inf") if at is None else at
