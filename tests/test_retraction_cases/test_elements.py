"""Elements that are taken back, whole or in part, and when."""

from __future__ import annotations

import pytest

from tests.cases.story import Move, Say, Step, Story
from tests.oracles.taking_back import Assertion
from tests.retracting.by_hand import EITHER, EX, REACHES, both, holds, rules, say, triple
from tests.retracting.player import Player
from tests.retracting.programs import compiled
from tests.retracting.seeds import fault_of


def test_atoms_of_one_name_and_other_arities_are_apart() -> None:
    told = rules("ex:pair(ex:a ex:b)", "ex:pair(ex:c)")
    one = Story(told, (triple("b p b"),), (say("g", 7), say("h", 7, "b p a")), ends="rules too")
    assert fault_of(one)[1] is None


@both
@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_what_began_with_what_is_taken_back_goes_where_it_held_before(
    semantics: str, keep: bool
) -> None:
    told = rules(
        "Forall ?x ?y ?z ?w (?x[ex:u -> ?y] :- And(?z[ex:u -> ?w] ?z[ex:p -> ?x] ?w[ex:p -> ?y]))",
        "Forall ?x ?y ?z (?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:p -> ?z]))",
    )
    said = (say("a", 12, "a p d"),)  # in the end it is taken back
    one = Story(told, (triple("d p c"),), said, semantics=semantics, keep=keep)
    assert fault_of(one)[1] is None


def test_what_is_not_there_is_not_taken_back() -> None:
    told = rules(*REACHES)
    before = [say("m", 0, back=["p"]), say("p", 0, "a p b")]
    assert holds(told, *before) == {"a t b"}
    late = [say("p", 5, "a p b"), say("m", 3, back=["p"])]
    assert holds(told, *late) == {"a t b"}
    twice = [say("p", 0, "a p b"), say("m", 1, back=["p"]), say("p", 1, "a p b")]
    assert holds(told, *twice) == {"a t b"}
    assert holds(told, *twice, say("k", 2, back=["p"]), say("k", 2, back=["p"])) == set()


def test_one_triple_of_an_element_goes_and_the_rest_stays() -> None:
    one = Say("n", 1, None, (), (), ((triple("a p b"), "p"),))
    assert holds(rules(*REACHES), say("p", 0, "a p b", "b p c"), one) == {"b t c"}
    assert holds(rules(*REACHES), say("p", 0, "a p b"), say("q", 0, "a p b"), one) == {"a t b"}


def test_a_printed_instance_keeps_its_line_and_ends_at_the_frontier() -> None:
    told = rules(*EITHER)
    story = Story(told, (), (), semantics="instances", window=9)
    player = Player(compiled(told, story), story, keep=False)
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
        say("p", 0, "a p b"),
        Move(7),
        say("q", 9, "b p c"),
        say("n", 9, back=["p"]),
    ]
    assert holds(told, *steps) == {"b t c"}
