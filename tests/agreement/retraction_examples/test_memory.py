"""Nothing is left of what was taken back, nor of what was made on the way."""

from __future__ import annotations

import math

import numpy as np

from rete.arrays.delta import POS_INF
from rif.syntax.terms import FUNC, PRED
from tests.generators.stories.steps import Story
from tests.oracles.streams.retraction import Assertion
from tests.simulation.retraction.core_player import CorePlayer
from tests.simulation.retraction.memory import pinned, used
from tests.simulation.retraction.programs import compiled, joining
from tests.simulation.retraction.seeds import disagreement_of
from tests.simulation.retraction.written_stories import CLOSED, EX, element, rules


def test_nothing_is_left_of_what_was_said_and_taken_back_again_and_again() -> None:
    told = rules(*CLOSED)
    story = Story(told, (), (), window=None)
    player = CorePlayer(compiled(told, story), story, keep=False)
    player.begin([])
    before = len(player.core.terms)
    for turn in range(20):
        facts = [
            ("triple", f"<{EX}{turn}n{n}>", f"<{EX}p>", f"<{EX}{turn}n{n + 1}>") for n in range(5)
        ]
        said = [Assertion(fact, f"g{turn}", turn, math.inf) for fact in facts]
        player.step(said, turn, turn)
        player.step([], turn, turn, [f"g{turn}"])
    player.close(50)
    player.core.forget()
    assert len(player.core.terms) == before
    assert sum(len(rows) for rows in player.core.layers.remembered()) == 0


def test_what_static_data_say_too_leaves_no_name_behind() -> None:
    told = rules()
    story = Story(told, (), ())
    player = CorePlayer(compiled(told, story), story, keep=False)
    fact = ("triple", f"<{EX}a>", f"<{EX}p>", f"<{EX}b>")
    player.begin([fact])
    before = len(player.core.terms)
    player.step([Assertion(fact, "n", 5, math.inf)], 5, 5)
    player.step([], 5, 5, ["n"])
    player.close(7)
    player.core.forget()
    assert len(player.core.terms) == before
    assert np.all(next(iter(player.core.layers.remembered()))[:, -1] == POS_INF)


SMALL = f"External(<{PRED}numeric-less-than>(External(<{FUNC}numeric-add>(?y 1)) 9))"


def test_what_was_computed_on_the_way_from_facts_that_hold_for_ever_is_forgotten() -> None:
    told = rules(f"Forall ?x ?y (?x[ex:t -> ?x] :- And(?x[ex:p -> ?y] {SMALL}))")
    story = Story(told, (), (), window=None)
    player = CorePlayer(compiled(told, story), story, keep=False)
    player.begin([])
    player.core.forget()
    three = '"3"^^<http://www.w3.org/2001/XMLSchema#integer>'
    player.step([Assertion(("triple", f"<{EX}a>", f"<{EX}p>", three), "n", 5, math.inf)], 5, 5)
    player.close(7)
    core = player.core
    core.forget()
    assert len(core.terms) == len(pinned(core) | used(core))


def test_what_was_computed_on_the_way_from_static_data_is_forgotten() -> None:
    told = rules("ex:a[ex:p -> 3]", f"Forall ?x ?y (?x[ex:t -> ?x] :- And(?x[ex:p -> ?y] {SMALL}))")
    assert disagreement_of(Story(told, (), (element("g", 7),)))[1] is None


def test_what_rules_that_join_in_compute_from_facts_that_hold_for_ever_is_not_forgotten() -> None:
    told = rules()
    story = Story(told, (), ())
    player = CorePlayer(compiled(told, story), story, keep=True)
    player.begin([])
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    player.step([Assertion(("triple", f"<{EX}a>", f"<{EX}p>", one), "n", 5, math.inf)], 5, 5)
    core = player.core
    more = rules(
        f"Forall ?x ?y (?x[ex:t -> External(<{FUNC}numeric-add>(?y 1))] :- ?x[ex:p -> ?y])"
    )
    core.add(joining(more, story, core.program))
    core.forget()
    two = '"2"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert [*core.derived_at(5)] == [(f"<{EX}a>", f"<{EX}t>", two)]
