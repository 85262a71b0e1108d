"""Retraction in recursion where levels tell less than they might: what depends on itself goes."""

from __future__ import annotations

import pytest

from rif.syntax.ast import Document
from tests.generators.stories.steps import ElementStep, RuleAddition, Step
from tests.simulation.retraction.written_stories import facts_after, rules, triple


def two(*texts: str) -> Document:
    return rules(*(f"Forall ?x ?y ({text})" for text in texts))


def say(name: str, at: int, end: int | None, *facts: str) -> ElementStep:
    return ElementStep(name, at, end, tuple(map(triple, facts)))


def back(at: int, *names: str) -> ElementStep:
    return ElementStep(f"back {at}", at, None, (), names)


ROUND = (
    "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
    "?x[ex:u -> ?y] :- ?x[ex:t -> ?y]",
    "?x[ex:t -> ?y] :- ?x[ex:u -> ?y]",
)


@pytest.mark.parametrize("end", [8, 10, 30])
def test_a_fact_that_lasts_longer_by_now_is_not_held_up_by_what_rests_on_it(end: int) -> None:
    told = two(ROUND[0], "?x[ex:u -> ?y] :- And(?x[ex:t -> ?y] ?x[ex:q -> ?y])", ROUND[2])
    steps = [say("q", 0, end, "a q b"), say("p", 0, 10, "a p b"), say("r", 1, 20, "a p b")]
    assert facts_after(told, *steps, keep=True) == {"a t b", "a u b"}
    assert facts_after(told, *steps, back(3, "p", "r"), keep=True) == set()


def test_facts_whose_tables_became_one_do_not_hold_each_other_up() -> None:
    copies = "Forall ?x ?y ?z ?k (?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y]))"
    steps: list[Step] = [say("p", 0, None, "a p b"), RuleAddition(rules(copies))]
    assert facts_after(two(*ROUND), *steps, keep=True) == {"a t b", "a u b"}
    assert facts_after(two(*ROUND), *steps, back(1, "p"), keep=True) == set()


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
        back(1, "q"),  # so what came first depends on what came later
        RuleAddition(two("?x[ex:t -> ?y] :- ?x[ex:u -> ?y]")),
    ]
    assert facts_after(told, *steps, keep=True) == {"a t a", "a u a", "a w a"}
    assert facts_after(told, *steps, back(2, "p"), keep=True) == set()
