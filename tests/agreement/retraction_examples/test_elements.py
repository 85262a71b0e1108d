"""Elements that are taken back, whole or in part, and when."""

from __future__ import annotations

import pytest

from tests.generators.stories.steps import ElementStep, FrontierStep, Step, Story
from tests.oracles.streams.retraction import Assertion
from tests.simulation.retraction.core_player import CorePlayer
from tests.simulation.retraction.programs import compiled
from tests.simulation.retraction.seeds import disagreement_of
from tests.simulation.retraction.written_stories import (
    EITHER,
    EX,
    REACHES,
    both,
    element,
    facts_after,
    rules,
    triple,
)


def test_atoms_of_one_name_and_other_arities_are_apart() -> None:
    told = rules("ex:pair(ex:a ex:b)", "ex:pair(ex:c)")
    one = Story(
        told, (triple("b p b"),), (element("g", 7), element("h", 7, "b p a")), ends="rules too"
    )
    assert disagreement_of(one)[1] is None


@both
@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_what_began_with_what_is_taken_back_goes_where_it_held_before(
    semantics: str, keep: bool
) -> None:
    told = rules(
        "Forall ?x ?y ?z ?w (?x[ex:u -> ?y] :- And(?z[ex:u -> ?w] ?z[ex:p -> ?x] ?w[ex:p -> ?y]))",
        "Forall ?x ?y ?z (?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:p -> ?z]))",
    )
    said = (element("a", 12, "a p d"),)  # in the end it is taken back
    one = Story(told, (triple("d p c"),), said, semantics=semantics, keep=keep)
    assert disagreement_of(one)[1] is None


def test_what_is_not_there_is_not_taken_back() -> None:
    told = rules(*REACHES)
    before = [element("m", 0, back=["p"]), element("p", 0, "a p b")]
    assert facts_after(told, *before) == {"a t b"}
    late = [element("p", 5, "a p b"), element("m", 3, back=["p"])]
    assert facts_after(told, *late) == {"a t b"}
    twice = [element("p", 0, "a p b"), element("m", 1, back=["p"]), element("p", 1, "a p b")]
    assert facts_after(told, *twice) == {"a t b"}
    assert (
        facts_after(told, *twice, element("k", 2, back=["p"]), element("k", 2, back=["p"])) == set()
    )


def test_one_triple_of_an_element_goes_and_the_rest_stays() -> None:
    one = ElementStep("n", 1, None, (), (), ((triple("a p b"), "p"),))
    assert facts_after(rules(*REACHES), element("p", 0, "a p b", "b p c"), one) == {"b t c"}
    assert facts_after(
        rules(*REACHES), element("p", 0, "a p b"), element("q", 0, "a p b"), one
    ) == {"a t b"}


def test_a_printed_instance_keeps_its_line_and_ends_at_the_frontier() -> None:
    told = rules(*EITHER)
    story = Story(told, (), (), semantics="instances", window=9)
    player = CorePlayer(compiled(told, story), story, keep=False)
    player.begin([])
    fact = ("triple", f"<{EX}a>", f"<{EX}p>", f"<{EX}b>")
    other = ("triple", f"<{EX}a>", f"<{EX}q>", f"<{EX}b>")
    player.step([Assertion(fact, "n", 0, 9), Assertion(other, "m", 0, 4)], 0, 0)
    player.step([], 2, 2, ["n"])
    player.close(20)
    assert [(line.op, line.at, line.e, line.n, line.rule) for line in player.lines] == [
        ("+", 0, 0, 9, 1),
        ("-", 4, 0, 4, 1),
    ]


def test_time_that_is_moved_cuts_there() -> None:
    told = rules(*REACHES)
    steps: list[Step] = [
        element("p", 0, "a p b"),
        FrontierStep(7),
        element("q", 9, "b p c"),
        element("n", 9, back=["p"]),
    ]
    assert facts_after(told, *steps) == {"b t c"}


@both
def test_what_is_asserted_as_a_negation_closes_supports_what_follows_in_a_circle(
    keep: bool,
) -> None:
    document = rules(
        "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:p -> ?y] Naf(Exists ?z (?x[ex:q -> ?z]))))",
        "Forall ?x ?y (?y[ex:t -> ?x] :- ?x[ex:t -> ?y])",
        "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z]))",
    )
    steps = (
        element("e1", 1, "b p a"),
        element("e2", 5, "b q a"),
        element("e3", 6, back=["e2"]),
        element("e4", 11, "b t a", "b q a"),
    )
    assert facts_after(document, *steps, keep=keep) == {"b t a", "a t b", "a t a"}
