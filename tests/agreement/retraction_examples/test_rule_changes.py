"""Rules that are added and dropped."""

from __future__ import annotations

import pytest

from rif.syntax.terms import IRI, PRED
from tests.generators.stories.steps import (
    ElementStep,
    FrontierStep,
    RuleAddition,
    RuleRemoval,
    Step,
    Story,
)
from tests.simulation.retraction.core_player import CorePlayer
from tests.simulation.retraction.programs import compiled
from tests.simulation.retraction.written_stories import (
    EITHER,
    EX,
    both,
    element,
    facts_after,
    rules,
)


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_added_rules_lose_what_was_there_before_them(semantics: str) -> None:
    steps: list[Step] = [element("c", 3, "c q b"), FrontierStep(11), RuleAddition(rules(EITHER[1]))]
    options = {"semantics": semantics}
    assert facts_after(rules(), *steps, keep=True, **options) == {"c t b"}
    assert facts_after(rules(), *steps, element("n", 11, back=["c"]), keep=True, **options) == set()


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_a_rule_that_added_ones_went_on_from_is_dropped(semantics: str) -> None:
    more = rules(
        "Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:p -> ?y])",
        "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:v -> ?y] ?y[ex:t -> ?z]))",
    )
    steps: list[Step] = [element("q", 2, "b q a"), element("p", 5, "a p b"), RuleAddition(more)]
    options = {"semantics": semantics}
    before = {"b t a", "a t a", "a v b"}
    assert facts_after(rules(EITHER[1]), *steps, keep=True, **options) == before
    assert facts_after(rules(EITHER[1]), *steps, RuleRemoval(0), keep=True, **options) == {"a v b"}


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
    steps: list[Step] = [element("c", 1, "c u c"), RuleAddition(more), element("b", 8, "b u c")]
    options = {"semantics": semantics}
    every = {f"{x} {k} c" for x in "bc" for k in "puv"}
    assert facts_after(told, *steps, keep=True, **options) == every
    assert facts_after(told, *steps, element("n", 8, back=["b"]), keep=True, **options) == {
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
    joined: list[Step] = [RuleAddition(rules(*more))] if added else []
    first_said = ElementStep("n", 0, None, ((IRI(EX + "a"), IRI(EX + "same"), IRI(EX + "a")),))
    steps: list[Step] = [first_said, *joined]
    assert facts_after(first, *steps, keep=True) == {"a same a", "a t a"}
    assert facts_after(first, *steps, element("m", 1, back=["n"]), keep=True) == set()


def test_a_dropped_rule_leaves_no_trace_where_only_one_is_left() -> None:
    told = rules(*EITHER, "ex:a[ex:p -> ex:b]")
    story = Story(told, (), ())
    player = CorePlayer(compiled(told, story), story, keep=False)
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
    assert facts_after(told, element("g", 1, "a t c"), RuleRemoval(1), keep=keep) == set()
