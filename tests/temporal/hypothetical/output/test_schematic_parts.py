"""Sets of hypotheses with free variables make those needless of which they can be a part."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from rete.arrays.delta import Rows
from rete.storage.row_algebra import join_rows
from temporal.hypothetical.hypothesiser import Hypothesiser
from temporal.hypothetical.output import schematic_hypotheses, schematic_parts
from tests.simulation.hypothetical.seeds import case_of, engine_output

ANY = "Goal(X,T) :- S(X,T), P(Y,T+1)\n"
OWN = "Goal(X,T) :- Q(X,Y,T), P(Y,T+1), R(Y,T+1)\n"


def hypotheses(rules: str, facts: str) -> list[str]:
    """The sets of hypotheses that are told of the answer of ``a`` at 0."""
    told = Hypothesiser(rules, "Goal(X,T)", ["1"]).follow(facts)
    ours = (each for each in told if tuple(each.answer.values()) == ("a", 0))
    return [" ".join(each.hypotheses) for each in ours if each.status == "supported"]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ("@0 Q(a,b,0)\n", ["P(b,1) R(b,1)"]),
        ("@0 S(a,0)\n@0 Q(a,b,0)\n", ["P(?Y,1)"]),
        ("@0 S(a,0)\n@1 Q(a,b,0)\n", ["P(?Y,1)"]),
        ("@0 Q(a,b,0)\n@1 S(a,0)\n", ["P(b,1) R(b,1)", "P(?Y,1)"]),
        ("@0 S(a,0)\n@0 Q(a,b,0)\n@1 R(b,1)\n", ["P(?Y,1)", "P(b,1)"]),
        ("@0 S(c,0)\n@0 Q(a,b,0)\n", ["P(b,1) R(b,1)"]),
    ],
)
def test_any_thing_is_less_than_one_and_more(facts: str, told: list[str]) -> None:
    assert hypotheses(ANY + OWN, facts + "@3\n") == told


def test_a_set_that_is_no_longer_minimal_is_held_no_longer() -> None:
    query = Hypothesiser(ANY + OWN, "Goal(X,T)", ["3"])
    [*query.follow("@0 Q(a,b,0)\n@1 S(a,0)\n@2\n")]
    assert [each.hypotheses for each in query.ranked()] == [["P(?Y,1)"]]


def test_names_of_variables_do_not_tell_sets_apart() -> None:
    """What both wait for is ``P(Y,1)`` in the one rule, and ``P(Z,1)`` in the other."""
    named = "Goal(X,T) :- W(X,T), P(Z,T+1), R(X,T+1)\n"
    assert hypotheses(ANY + named, "@0 S(a,0)\n@0 W(a,0)\n@3\n") == ["P(?Y,1)"]


@pytest.mark.parametrize(("later", "told"), [(1, 1), (2, 2)])
def test_times_of_parts_are_as_far_apart(later: int, told: int) -> None:
    """The times of both are open; one thing is known."""
    some = "Goal(X,0) :- S(X,0), P(Y,U), R(Y,U+1)\n"
    more = f"Goal(X,0) :- Q(X,Y,0), P(Y,V), R(Y,V+{later}), W(Y,V)\n"
    assert len(hypotheses(some + more, "@0 S(a,0)\n@0 Q(a,b,0)\n@3\n")) == told


def test_the_pairs_that_are_compared_grow_as_the_sets() -> None:
    """With another thing each they agree on no term but the answer."""
    rules = "Goal(X,T) :- S(X,Y,T), P(Y,Z,T+1), R(Z,T+1)\n"
    counts = []
    for count in (20, 200):
        pairs = 0

        def join(*args: Any) -> Rows:
            nonlocal pairs
            found = join_rows(*args)
            pairs += len(found)
            return found

        facts = "".join(f"@0 S(a,y{number},0)\n" for number in range(count))
        with patch("temporal.hypothetical.output.schematic_parts.join_rows", join):
            assert len(hypotheses(rules, facts + "@3\n")) == count
        counts.append(pairs / count)
    assert counts[0] == counts[1]


@pytest.mark.slow
def test_rows_that_are_compared_one_by_one_give_the_same() -> None:
    for number in (15, 408, *range(100, 120)):
        wanted = engine_output(case_of(number), number)
        with (
            patch.object(schematic_parts, "MOST_STEPS", 0),
            patch.object(schematic_hypotheses, "MOST_STEPS", 0),
        ):
            assert engine_output(case_of(number), number) == wanted
