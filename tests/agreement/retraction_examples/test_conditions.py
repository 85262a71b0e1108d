"""Conditions that are negated, or tests."""

from __future__ import annotations

import pytest

from rif.syntax.terms import IRI, PRED, XSD, Literal
from tests.faults.retraction.proof_programs import conditions_are_met
from tests.faults.retraction.recursion import nothing_waits
from tests.faults.retraction.view_maintenance import what_waits_rests_on_what_is_lost
from tests.generators.rules.parsers import parse
from tests.generators.stories.steps import ElementStep, Story
from tests.simulation.retraction.disagreement import Disagreement
from tests.simulation.retraction.seeds import disagreement_of
from tests.simulation.retraction.written_stories import EX, both, element, facts_after, rules


def test_what_lets_a_row_pass_and_takes_its_partner_derives_nothing() -> None:
    told = rules(
        "Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y])))",
        "Forall ?x ?y (?x[ex:w -> ?y] :- ?x[ex:k -> ?y])",
        "Forall ?x ?y (?x[ex:v -> ?y] :- And(?x[ex:u -> ?y] ?x[ex:w -> ?y]))",
    )
    steps = (
        element("p", 0, "a p b"),
        element("q", 1, "a q b", "a k b"),
        element("n", 2, back=["q"]),
    )
    assert facts_after(told, *steps, keep=True) == {"a u b"}
    with what_waits_rests_on_what_is_lost():
        assert disagreement_of(Story(told, (), steps, keep=True))[1] is not None


def test_a_negation_inside_of_a_negation_is_derived_again() -> None:
    told = rules("Forall ?x ?y ?z (?y[ex:r -> ex:c] :- And(Naf(Naf(?z[ex:q -> ?x])) ?x[?y -> ?z]))")
    steps = [element("n", 0, "a q a"), element("m", 0, "b q b")]
    assert facts_after(told, *steps, keep=True) == {"q r c"}
    assert facts_after(told, *steps, element("k", 1, back=["n"]), keep=True) == {"q r c"}
    assert facts_after(told, *steps, element("k", 1, back=["n", "m"]), keep=True) == set()


@both
def test_what_comes_to_be_given_with_a_loss_is_of_the_rule_that_gives_it(keep: bool) -> None:
    told = rules(
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- "
        "And(?x[ex:r -> ?y] ?y[ex:p -> ?z] Naf(?x[ex:q -> ?z])))",
        "Forall ?x ?y (?x[ex:r -> ?y] :- ?x[ex:k -> ?y])",
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- And(?x[ex:r -> ?y] ?y[ex:o -> ?z] ?x[ex:s -> ?z]))",
    )
    steps = (
        element("p", 0, "a k b", "b p c"),
        element("q", 0, "b o c", "a s c", "a q c"),
    )
    assert facts_after(told, *steps, keep=keep) == {"a r b", "a r c"}
    with nothing_waits(), pytest.raises(Disagreement):
        facts_after(told, *steps, keep=keep)


LIKE = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:t -> ?y]))"


@both
def test_what_passes_no_test_holds_nothing_up(keep: bool) -> None:
    told = (
        "Forall ?x ?y (?x[ex:t -> ?x] :- "
        "And(?x[ex:p -> ?y] External(pred:numeric-greater-than(?y 5))))"
    )
    seven, three = (
        ElementStep(
            text, 0, None, ((IRI(EX + "a"), IRI(EX + "p"), Literal(text, XSD + "integer")),), ()
        )
        for text in ("7", "3")
    )
    early = [element("e", 0, "e q e"), element("f", 0, back=["e"])]  # levels are kept from here on
    steps = [*early, seven, three, element("n", 1, back=["7"])]
    written = parse(f"Document(Prefix(ex <{EX}>) Prefix(pred <{PRED}>) Group({LIKE} {told}))")
    assert facts_after(written.document, *steps[:-1], keep=keep) == {"a t a"}
    assert facts_after(written.document, *steps, keep=keep) == set()
    with conditions_are_met(), pytest.raises(Disagreement):
        facts_after(written.document, *steps, keep=keep)
