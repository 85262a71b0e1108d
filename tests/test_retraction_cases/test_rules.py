"""Rules that are added and dropped."""

from __future__ import annotations

import pytest

from rif.terms import IRI, PRED
from tests.cases.story import Drop, Join, Move, Say, Step, Story
from tests.retracting.by_hand import EITHER, EX, both, holds, rules, say
from tests.retracting.player import Player
from tests.retracting.programs import compiled


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_added_rules_lose_what_was_there_before_them(semantics: str) -> None:
    steps: list[Step] = [say("c", 3, "c q b"), Move(11), Join(rules(EITHER[1]))]
    options = {"semantics": semantics}
    assert holds(rules(), *steps, keep=True, **options) == {"c t b"}
    assert holds(rules(), *steps, say("n", 11, back=["c"]), keep=True, **options) == set()


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_a_rule_that_added_ones_went_on_from_is_dropped(semantics: str) -> None:
    more = rules(
        "Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:p -> ?y])",
        "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:v -> ?y] ?y[ex:t -> ?z]))",
    )
    steps: list[Step] = [say("q", 2, "b q a"), say("p", 5, "a p b"), Join(more)]
    options = {"semantics": semantics}
    before = {"b t a", "a t a", "a v b"}
    assert holds(rules(EITHER[1]), *steps, keep=True, **options) == before
    assert holds(rules(EITHER[1]), *steps, Drop(0), keep=True, **options) == {"a v b"}


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_a_circle_through_added_rules_holds_nothing_up(semantics: str) -> None:
    told = rules(
        "Forall ?x ?y (?x[ex:p -> ?y] :- ?x[ex:v -> ?y])",
        "Forall ?w ?x ?y ?z (?x[ex:u -> ?y] :- And(?z[ex:p -> ?x] ?w[ex:p -> ?y]))",
    )
    more = rules(
        "Forall ?x ?y (?x[ex:u -> ?y] :- ?x[ex:v -> ?y])",
        "Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:u -> ?y])",
    )
    steps: list[Step] = [say("c", 1, "c u c"), Join(more), say("b", 8, "b u c")]
    options = {"semantics": semantics}
    every = {f"{x} {k} c" for x in "bc" for k in "puv"}
    assert holds(told, *steps, keep=True, **options) == every
    assert holds(told, *steps, say("n", 8, back=["b"]), keep=True, **options) == {
        "c p c",
        "c u c",
        "c v c",
    }


@pytest.mark.parametrize("added", [True, False])
def test_a_fact_that_waits_to_be_judged_holds_up_no_other(added: bool) -> None:
    copies = "Forall ?x ?y ?z ?k (?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y]))"
    body = "?x[ex:v -> ?x ex:same -> 1] ?x[ex:same -> ?y] ?y[ex:p -> 1 ex:t -> ?z]"
    more = (
        f"Forall ?x ?y ?z (?y[ex:u -> ?z] :- And({body}))",
        "Forall ?x ?z (?x[ex:t -> ?z] :- Or(?x[ex:same -> ?z] ?z[ex:v -> ?x]))",
    )
    first = rules(copies) if added else rules(copies, *more)
    joined: list[Step] = [Join(rules(*more))] if added else []
    first_said = Say("n", 0, None, ((IRI(EX + "a"), IRI(EX + "same"), IRI(EX + "a")),))
    steps: list[Step] = [first_said, *joined]
    assert holds(first, *steps, keep=True) == {"a same a", "a t a"}
    assert holds(first, *steps, say("m", 1, back=["n"]), keep=True) == set()


def test_a_dropped_rule_leaves_no_trace_where_only_one_is_left() -> None:
    told = rules(*EITHER, "ex:a[ex:p -> ex:b]")
    story = Story(told, (), ())
    player = Player(compiled(told, story), story, keep=False)
    player.begin([])
    player.close(10)
    player.core.drop({2})
    player.core.drop({3})
    (table,) = player.core.layers.tables
    assert not any(len(stem.content()[stem.content()[:, -1] > 20]) for stem in table.stems)


@both
def test_what_a_dropped_rule_gave_is_asked_what_the_last_one_tests(keep: bool) -> None:
    small = f"External(<{PRED}numeric-less-than>(?x 2))"
    told = rules(
        f"Forall ?x (?x[ex:t -> ex:c] :- And(?x[ex:t -> ex:c] {small}))",
        "Forall ?x (ex:a[ex:t -> ex:c] :- ?x[ex:t -> ex:c])",
    )
    assert holds(told, say("g", 1, "a t c"), Drop(1), keep=keep) == set()
