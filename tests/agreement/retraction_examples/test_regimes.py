"""What a regime says: things that are the same, and what is wrong."""

from __future__ import annotations

import pytest

from rif.syntax.terms import IRI, OWL, XSD, Literal
from tests.generators.stories.steps import (
    ElementStep,
    RuleAddition,
    RuleRemoval,
    Step,
    Story,
    TripleStep,
)
from tests.simulation.retraction.seeds import disagreement_of
from tests.simulation.retraction.written_stories import (
    EX,
    SAME,
    TYPE,
    both,
    element,
    facts_after,
    facts_of_story,
    rules,
    triple,
)


@pytest.mark.parametrize("keep", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_class_of_same_things_falls_apart(keep: bool) -> None:
    told = rules("Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])")
    steps: list[Step] = [
        element("0", 0, "x p y"),
        element("1", 0, "x same a", "a same b"),
        element("2", 0, "b same c", "c same x"),
        element("3", 0, "c same d"),
    ]
    everyone = {f"{x} t y" for x in "xabcd"}
    options = {"regime": "owl-rl"}
    assert facts_after(told, *steps, keep=keep, **options) == everyone
    without = [*steps, element("n", 1, back=["3"])]
    assert facts_after(told, *without, keep=keep, **options) == everyone - {"d t y"}
    assert facts_after(told, *without, element("m", 2, back=["1"]), keep=keep, **options) == {
        "x t y",
        "b t y",
        "c t y",
    }


SAME_IF_G = (
    f"ex:a[<{OWL}sameAs> -> ex:b] :- ex:g()",
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
)
"""Above a regime: what the rule says follows from what the background derives of that."""


@pytest.mark.parametrize("semantics", ["facts", "instances"])
@pytest.mark.parametrize("place", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_a_circle_through_the_background_holds_nothing_up(place: int, semantics: str) -> None:
    options = {"regime": "owl-rl", "semantics": semantics}
    steps: list[Step] = [element("p", 0, "a p c"), RuleAddition(rules("ex:g()"))]
    every = {"a sameAs b", "a t c", "b t c"}
    assert facts_after(rules(*SAME_IF_G), *steps, keep=True, **options) == every
    assert facts_after(rules(*SAME_IF_G), *steps, RuleRemoval(place), keep=True, **options) == {
        "a t c"
    }


@both
@pytest.mark.parametrize("place", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_what_was_the_same_always_is_no_longer_without_the_rule(place: int, keep: bool) -> None:
    told, said = rules(*SAME_IF_G, "ex:g()"), element("p", 0, "a p c")
    options = {"regime": "owl-rl"}
    assert facts_after(told, said, keep=keep, **options) == {"a sameAs b", "a t c", "b t c"}
    assert facts_after(told, said, RuleRemoval(place), keep=keep, **options) == {"a t c"}


@both
def test_neither_is_what_was_the_same_by_a_rule_that_needs_no_fact(keep: bool) -> None:
    told = rules(f"ex:a[<{OWL}sameAs> -> ex:b] :- External(pred:is-list(List()))", SAME_IF_G[1])
    said, options = element("p", 0, "a p c"), {"regime": "owl-rl"}
    assert facts_after(told, said, keep=keep, **options) == {"a sameAs b", "a t c", "b t c"}
    assert facts_after(told, said, RuleRemoval(0), keep=keep, **options) == {"a t c"}


@both
@pytest.mark.parametrize("semantics", [pytest.param("facts", marks=pytest.mark.soak), "instances"])
@pytest.mark.parametrize(
    ("said", "back", "stays"),
    [
        ("a p c, b p c", "a p c", {"a t c", "b t c"}),
        ("a p c, b p c", "b p c", {"a t c", "b t c"}),
        ("a p c, b p c", "a p c, b p c", set()),
        ("a p c, d p c", "b p c", {"a t c", "b t c", "d t c"}),
        ("a p c, d p c", "a p c", {"d t c"}),
    ],
)
def test_of_an_element_that_says_it_with_two_names_one_may_be_taken_back(
    said: str, back: str, stays: set[str], semantics: str, keep: bool
) -> None:
    told = rules("Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])")
    taken = tuple((triple(each), "1") for each in back.split(", "))
    steps = (element("1", 0, *said.split(", ")), ElementStep("2", 1, None, (), (), taken))
    always = (triple("b same a"),)
    assert (
        facts_of_story(Story(told, always, steps, semantics, keep=keep, regime="owl-rl")) == stays
    )


def test_nothing_is_kept_of_a_name_that_another_stands_for() -> None:
    told = rules(
        "Forall ?w ?y ?z (And(ex:a[?w -> ?w] ?y[ex:p -> ex:d])"
        f" :- And(?w[<{TYPE.value}> -> ?y] ?y[ex:r -> ?z]))",
    )
    always = tuple(map(triple, ("a r d", "d same c", "a same c")))
    of_type = ElementStep("t", 0, None, ((IRI(EX + "a"), TYPE, IRI(EX + "D")),))
    steps = (of_type, element("s", 1, "b same a"), element("n", 1, back=["t"]))
    one = Story(told, always, steps, regime="owl-rl", keep=True)
    assert disagreement_of(one)[1] is None


def test_a_fact_of_the_rules_goes_under_all_names() -> None:
    told = rules("ex:c[ex:p -> ex:d]", "Forall ?x (ex:atom(?x) :- ?x[ex:p -> ?x])")
    always = (triple("d same c"),)
    one = Story(told, always, (element("g", 2),), regime="owl-rl", keep=True, ends="rules too")
    assert disagreement_of(one)[1] is None


def test_what_a_regime_finds_wrong_stays_wrong_without_the_rules() -> None:
    told = rules("Forall ?y (rif:error() :- ex:b[?y -> ?y])")
    always = ((IRI(EX + "b"), TYPE, IRI(OWL + "Nothing")),)
    one = Story(told, always, (element("g", 8),), regime="owl-rl", keep=True, ends="rules too")
    assert disagreement_of(one)[1] is None


def test_the_end_of_what_a_regime_finds_wrong_names_the_rule_it_began_with() -> None:
    told = rules("rif:error() :- And()")
    wrong = IRI(EX + "c"), IRI(EX + "q"), Literal("1.5", XSD + "decimal")
    of_truth = (
        IRI(EX + "q"),
        IRI("http://www.w3.org/2000/01/rdf-schema#range"),
        IRI(XSD + "boolean"),
    )
    steps = (element("g", 7), TripleStep((of_truth,)))
    one = Story(told, (wrong,), steps, regime="d", keep=True, ends="rules too")
    assert disagreement_of(one)[1] is None


def test_the_end_of_an_instance_is_told_once_though_it_is_derived_again() -> None:
    told = rules(
        f"Forall ?x ?y ?z (?x[<{TYPE.value}> -> ex:C]"
        f" :- And(?x[<{SAME.value}> -> ?y] ?y[<{SAME.value}> -> ?z]))",
        "ex:c[ex:p -> ex:c]",
    )
    always = tuple(map(triple, ("c same a", "c same d", "d same b")))
    apart = IRI(EX + "d"), IRI(OWL + "differentFrom"), IRI(EX + "a")
    steps = (
        element("h", 2, "d q b"),
        element("i", 7, back=["h"]),
        ElementStep("j", 10, 13, (triple("a p x"),)),
        ElementStep("k", 11, None, (apart,)),
        RuleRemoval(5),
    )
    one = Story(
        *(told, always, steps, "instances"),
        window=8,
        delay=2,
        batch=1,
        keep=True,
        regime="owl-rl",
    )
    assert disagreement_of(one, every=1)[1] is None
