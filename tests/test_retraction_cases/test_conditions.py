"""Conditions that are negated, or tests."""

from __future__ import annotations

import pytest

from rif.parser import parse
from rif.terms import IRI, PRED, XSD, Literal
from tests.cases.story import Say, Story
from tests.retracting.by_hand import EX, both, holds, rules, say
from tests.retracting.faults.lost import what_waits_rests_on_what_is_lost
from tests.retracting.faults.proofs import conditions_are_met
from tests.retracting.faults.recursion import nothing_waits
from tests.retracting.seeds import fault_of
from tests.retracting.showing import Disagreement


def test_what_lets_a_row_pass_and_takes_its_partner_derives_nothing() -> None:
    told = rules(
        "Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y])))",
        "Forall ?x ?y (?x[ex:w -> ?y] :- ?x[ex:k -> ?y])",
        "Forall ?x ?y (?x[ex:v -> ?y] :- And(?x[ex:u -> ?y] ?x[ex:w -> ?y]))",
    )
    steps = (say("p", 0, "a p b"), say("q", 1, "a q b", "a k b"), say("n", 2, back=["q"]))
    assert holds(told, *steps, keep=True) == {"a u b"}
    with what_waits_rests_on_what_is_lost():
        assert fault_of(Story(told, (), steps, keep=True))[1] is not None


def test_a_negation_inside_of_a_negation_is_derived_again() -> None:
    told = rules("Forall ?x ?y ?z (?y[ex:r -> ex:c] :- And(Naf(Naf(?z[ex:q -> ?x])) ?x[?y -> ?z]))")
    steps = [say("n", 0, "a q a"), say("m", 0, "b q b")]
    assert holds(told, *steps, keep=True) == {"q r c"}
    assert holds(told, *steps, say("k", 1, back=["n"]), keep=True) == {"q r c"}
    assert holds(told, *steps, say("k", 1, back=["n", "m"]), keep=True) == set()


@both
def test_what_comes_to_be_given_with_a_loss_is_of_the_rule_that_gives_it(keep: bool) -> None:
    told = rules(
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- "
        "And(?x[ex:r -> ?y] ?y[ex:p -> ?z] Naf(?x[ex:q -> ?z])))",
        "Forall ?x ?y (?x[ex:r -> ?y] :- ?x[ex:k -> ?y])",
    )
    steps = (say("p", 0, "a k b", "b p c"), say("q", 1, "a k c", "a q c"), say("n", 2, back=["q"]))
    assert holds(told, *steps, keep=keep) == {"a r b", "a r c"}
    with nothing_waits(), pytest.raises(Disagreement):
        holds(told, *steps, keep=keep)


LIKE = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:t -> ?y]))"


@both
def test_what_passes_no_test_holds_nothing_up(keep: bool) -> None:
    told = (
        "Forall ?x ?y (?x[ex:t -> ?x] :- "
        "And(?x[ex:p -> ?y] External(pred:numeric-greater-than(?y 5))))"
    )
    seven, three = (
        Say(text, 0, None, ((IRI(EX + "a"), IRI(EX + "p"), Literal(text, XSD + "integer")),), ())
        for text in ("7", "3")
    )
    steps = [seven, three, say("n", 1, back=["7"])]
    written = parse(f"Document(Prefix(ex <{EX}>) Prefix(pred <{PRED}>) Group({LIKE} {told}))")
    assert holds(written.document, *steps[:2], keep=keep) == {"a t a"}
    assert holds(written.document, *steps, keep=keep) == set()
    with conditions_are_met(), pytest.raises(Disagreement):
        holds(written.document, *steps, keep=keep)
