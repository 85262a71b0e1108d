"""Retraction in recursion where levels tell less than they might: what rests on itself goes."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

import rete.doubts
from rif.ast import Document
from tests.cases.story import Join, Say, Step
from tests.retracting.by_hand import holds, rules, triple


@pytest.fixture(params=["at once", "level by level"], autouse=True)
def _asked(request: pytest.FixtureRequest) -> Iterator[None]:
    """Facts in doubt are asked as usual where they are few, or as where they are many."""
    if request.param == "at once":
        yield
        return
    with (
        patch.object(rete.doubts, "_FEW", 0),
        patch.object(rete.doubts.Doubts, "_is_right", lambda *_: False),
    ):
        yield


def two(*texts: str) -> Document:
    return rules(*(f"Forall ?x ?y ({text})" for text in texts))


def say(name: str, at: int, end: int | None, *facts: str) -> Say:
    return Say(name, at, end, tuple(map(triple, facts)))


def back(at: int, *names: str) -> Say:
    return Say(f"back {at}", at, None, (), names)


ROUND = (
    "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
    "?x[ex:u -> ?y] :- ?x[ex:t -> ?y]",
    "?x[ex:t -> ?y] :- ?x[ex:u -> ?y]",
)


@pytest.mark.parametrize("end", [8, 10, 30])
def test_a_fact_that_lasts_longer_by_now_is_not_held_up_by_what_rests_on_it(end: int) -> None:
    told = two(ROUND[0], "?x[ex:u -> ?y] :- And(?x[ex:t -> ?y] ?x[ex:q -> ?y])", ROUND[2])
    steps = [say("q", 0, end, "a q b"), say("p", 0, 10, "a p b"), say("r", 1, 20, "a p b")]
    assert holds(told, *steps, keep=True) == {"a t b", "a u b"}
    assert holds(told, *steps, back(3, "p", "r"), keep=True) == set()


def test_facts_whose_tables_became_one_do_not_hold_each_other_up() -> None:
    copies = "Forall ?x ?y ?z ?k (?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y]))"
    steps: list[Step] = [say("p", 0, None, "a p b"), Join(rules(copies))]
    assert holds(two(*ROUND), *steps, keep=True) == {"a t b", "a u b"}
    assert holds(two(*ROUND), *steps, back(1, "p"), keep=True) == set()


def test_facts_that_feed_each_other_by_an_added_rule_do_not_hold_each_other_up() -> None:
    told = two(
        "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
        "?y[ex:t -> ?x] :- ?x[ex:t -> ?y]",
        "?x[ex:u -> ?y] :- ?x[ex:q -> ?y]",
        "?x[ex:u -> ?y] :- ?x[ex:t -> ?y]",
        "?x[ex:u -> ?y] :- ?x[ex:w -> ?y]",
        "?x[ex:w -> ?y] :- ?x[ex:u -> ?y]",
    )
    steps: list[Step] = [
        say("q", 0, None, "a q a"),
        say("p", 0, None, "a p a"),
        back(1, "q"),  # so what came first rests on what came later
        Join(two("?x[ex:t -> ?y] :- ?x[ex:u -> ?y]")),
    ]
    assert holds(told, *steps, keep=True) == {"a t a", "a u a", "a w a"}
    assert holds(told, *steps, back(2, "p"), keep=True) == set()
