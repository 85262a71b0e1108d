"""The random cases are valid, and worth their time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from r4.language import LANGUAGE
from rif.checks.aggregates import check_aggregates
from rif.syntax.ast import Formula
from rif.syntax.traversal import rules
from tests.generators.events.histories import random_event_case
from tests.generators.events.profile import profile
from tests.generators.meetings.text import rules_text
from tests.generators.rules.parsers import parse
from tests.oracles.events.answers import event_lines
from tests.oracles.events.models import formulas_of
from tests.oracles.rules.datalog import rules_of

SOME = 100

FEATURES = [
    *("count", "sum", "avg", "min", "max", "median", "quantile", "stddev", "list", "first", "last"),
    *("group", "no group", "first or last members", "two sides", "At", "Ended", "From", "Every"),
    *("At in an aggregate", "At in an operator", "aggregate in an operator", "zone"),
    *("aggregate in a negation", "aggregate in an aggregate", "negation through time"),
    *("way library", "way command", "way shards", "clock dateTime", "clock integer"),
    "answers from static data alone",
]


@pytest.fixture(scope="module")
def found() -> Counter[str]:
    return profile(SOME)


@pytest.mark.slow
def test_half_of_the_cases_have_answers_of_a_rule_with_an_aggregate(found: Counter[str]) -> None:
    assert found["answers of a rule with an aggregate"] >= SOME / 2
    assert found["too big"] <= SOME / 20


@pytest.mark.slow
def test_every_feature_is_met(found: Counter[str]) -> None:
    assert not [name for name in FEATURES if not found[name]]


def test_random_aggregates_are_well_formed() -> None:
    for seed in range(SOME):
        for rule in rules(random_event_case(seed).history.document):
            assert not list(check_aggregates(rule)), seed


def _is_known(kind: type[Formula]) -> bool:
    """Is it read by the parser, be it without a row of the language?"""
    return kind.__module__ == "rif.syntax.ast" or LANGUAGE.has(kind)


def test_rules_that_can_be_read_mean_what_was_made() -> None:
    read = 0
    for seed in range(SOME):
        case = random_event_case(seed)
        given = case.history
        kinds = {type(one) for one in formulas_of(rules_of(given.document))}
        words = rules_text(given.document, case.style)
        if "Since" in words or not all(map(_is_known, kinds)):
            continue
        document = parse(words).document
        again = replace(given, document=document)
        assert event_lines(again) == event_lines(given), words
        read += 1
        if read == SOME // 10:
            break
    assert read
