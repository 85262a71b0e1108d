"""Conditions of random rules, evaluated in two ways: scope by scope, and by every assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from temporal.metric_rif.events import EventFormula, Every
from tests.generators.events.histories import random_event_case
from tests.generators.vocabulary import EX
from tests.oracles.events.answers import stretches
from tests.oracles.events.assignments import Assignments
from tests.oracles.events.conditions import Conditions
from tests.oracles.events.models import formulas_of
from tests.oracles.rules.datalog import rules_of
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history import read
from tests.oracles.streams.history_answers import in_one_form
from tests.seeds import parts

if TYPE_CHECKING:
    from rif.syntax.ast import Formula
    from tests.oracles.events.models import EventModel

PART = 8
CELLS = 3


@pytest.mark.parametrize("first", parts(PART, check=0, test=0, soak=30, first=2 * PART))
def test_conditions_are_true_of_the_same_assignments_in_both_ways(first: int) -> None:
    compared = sum(agree(seed) for seed in range(first, first + PART))
    assert compared


@pytest.mark.parametrize("seed", [213, 228])
def test_a_range_reaches_as_far_as_the_term_says_that_ends_it(seed: int) -> None:
    """Every assignment was tried with a range of one tick, whatever the variable stood for."""
    assert agree(seed)


def agree(seed: int) -> int:
    """Compare a case at some cells; how many had solutions."""
    history = random_event_case(seed).history
    history = in_one_form(history) if history.by_value else history
    reading = read(history)
    found = 0
    try:
        model = stretches(history, reading, reading.last)[-1].model
    except TooBig:
        return 0
    facts = [one.fact for one in reading.assertions] + list(model.derived)
    data = {term for fact in facts for term in fact[1 if fact[0] == "triple" else 2 :]}
    data -= {fact[2] for fact in facts if fact[0] == "triple"}
    data |= {f"<{one.name}>" for one in reading.assertions if one.name}
    timeline = model.timeline
    cells = [timeline.cell_of(tick) + shift for tick in timeline.points for shift in (0, 1)]
    some = cells[seed % 3 :: max(1, len(cells) // CELLS)]
    for rule in rules_of(history.document):
        assert rule.body is not None
        terms = data | _times(model, formulas_of([rule]))
        for cell in some:
            wanted = Conditions(model).rows(rule.body, cell)
            try:
                got = Assignments(model, terms).solutions(rule.body, cell)
            except TooBig:
                break  # at other cells it is as big
            assert got == wanted, (seed, cell, rule.body, got ^ wanted)
            found += bool(wanted)
    return found


def _times(model: EventModel, formulas: list[Formula]) -> set[str]:
    """Every time that a fact has somewhere, and every mark."""
    found: set[str] = set()
    for cell in range(model.timeline.size) if any(map(_is_event, formulas)) else ():
        for key in (None, f"atom <{EX}flag>"):
            found |= {time for _, time in model.begins(cell, key)}
            found |= {time for _, *times in model.ended(cell, key) for time in times}
        for one in formulas:
            mark = model.mark(one, cell) if isinstance(one, Every) else None
            found |= set() if mark is None or one.terms == () else {mark}
    return found


def _is_event(formula: Formula) -> bool:
    return isinstance(formula, EventFormula | Every)
