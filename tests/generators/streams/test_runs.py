"""The random cases are valid, worth their time, and can be made smaller."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.generators.rules.parsers import parse
from tests.generators.streams.profile import profile
from tests.generators.streams.runs import RunCase, random_case
from tests.generators.streams.shrinking import minimal
from tests.oracles.streams.run import Element

SOME = 300

FEATURES = [
    "second round", "third round", "expiry", "late elements", "bad elements",
    "answers from static data alone", "or", "exists", "member", "equality", "built-in predicate",
    "built-in function", "nullary atom", "n-ary atom", "nested group", "fact in the rules",
    "annotation", "several heads", "recursion in one rule", "mutual recursion",
    "constant in a pattern", "variable repeated in a pattern", "variable predicate",
    "several join variables", "pair without a shared variable", "object-object join",
    "subject-object join", "window 0", "window 1", "window of several", "no window", "facts",
    "instances", "static data", "default-graph triples", "several sources", "own end",
    "empty element", "tie of stamps", "disorder", "delay", "triple said again", "blank node",
    "drain", "look-alike literals", "language tag in the data", "dateTime stamps",
]  # fmt: skip


def test_random_rules_are_read_as_they_were_made() -> None:
    for seed in range(SOME):
        case = random_case(seed)
        assert parse(case.rules).document == case.scenario.document, case.rules


@pytest.fixture(scope="module")
def found() -> Counter[str]:
    return profile(SOME)


def test_at_least_half_have_answers_and_a_third_recursion_or_expiry(found: Counter[str]) -> None:
    assert found["answers at some time"] >= SOME / 2
    assert found["second round or expiry"] >= SOME / 3


def test_every_feature_is_met_often_enough_to_matter(found: Counter[str]) -> None:
    rare = {name: found[name] for name in FEATURES if found[name] < SOME / 100}
    assert not rare


def test_a_failing_case_is_made_as_small_as_it_can_be() -> None:
    def fails(case: RunCase) -> bool:
        """Some element has a triple, and there are two rules at least."""
        group = case.scenario.document.group
        items = [item for source in case.scenario.sources for item in source]
        some = any(isinstance(item, Element) and item.triples for item in items)
        return some and group is not None and len(group.items) > 1

    least = minimal(next(case for case in map(random_case, range(SOME)) if fails(case)), fails)
    (source,) = least.scenario.sources
    assert not least.scenario.statics
    assert [len(item.triples) for item in source if isinstance(item, Element)] == [1]
    assert least.scenario.document.group
    assert len(least.scenario.document.group.items) == 2
