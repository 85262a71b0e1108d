"""Many ways to the same fact, circles, chains that are cut."""

from __future__ import annotations

import pytest

from tests.faults.retraction.proof_programs import what_was_absent_never_comes
from tests.faults.retraction.recursion import lost_twice_with_one_fact
from tests.generators.stories.steps import Step, SweepStep
from tests.simulation.retraction.disagreement import Disagreement
from tests.simulation.retraction.written_stories import (
    CLOSED,
    EITHER,
    REACHES,
    both,
    element,
    facts_after,
    rules,
)

CIRCLE = (REACHES[0], "Forall ?x ?y (?y[ex:t -> ?x] :- ?x[ex:t -> ?y])")


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_two_ways_hold_each_other_up(written: tuple[str, ...], keep: bool) -> None:
    ways = [element("b", 0, "a p b", "b p d"), element("c", 0, "a p c", "c p d")]
    one = [*ways, element("n", 1, back=["b"])]
    assert facts_after(rules(*written), *one, keep=keep) == {"a t c", "c t d", "a t d"}
    assert facts_after(rules(*written), *one, element("m", 2, back=["c"]), keep=keep) == set()


@both
def test_a_fact_of_two_rules_stays_until_both_are_gone(keep: bool) -> None:
    steps = [element("p", 0, "a p b"), element("q", 0, "a q b"), element("n", 1, back=["p"])]
    assert facts_after(rules(*EITHER), *steps, keep=keep) == {"a t b"}
    assert facts_after(rules(*EITHER), *steps, element("m", 2, back=["q"]), keep=keep) == set()


@both
def test_what_holds_itself_up_goes(keep: bool) -> None:
    steps = [element("p", 0, "a p b", "b p a"), element("q", 0, "a p b")]
    assert facts_after(rules(*CIRCLE), *steps, element("n", 1, back=["p"]), keep=keep) == {
        "a t b",
        "b t a",
    }
    assert facts_after(rules(*CIRCLE), *steps, element("n", 1, back=["p", "q"]), keep=keep) == set()


@both
def test_a_loop_that_others_close_too_stays(keep: bool) -> None:
    steps = [
        element("loop", 0, "a p a"),
        element("p", 0, "a p b", "b p a"),
        element("n", 1, back=["loop"]),
    ]
    assert facts_after(rules(*CLOSED), *steps, keep=keep) == {"a t a", "a t b", "b t a", "b t b"}
    with lost_twice_with_one_fact(), pytest.raises(Disagreement):
        facts_after(rules(*CLOSED), *steps, keep=True)


@both
def test_a_way_counts_that_asks_for_a_term_which_came_after_others_were_taken_back(
    keep: bool,
) -> None:
    opened = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:is -> ex:open]))"
    steps = [
        element("c", 0, "a p b", "c p d"),
        element("n", 1, back=["c"]),
        element("p", 2, "a p b", "b p c"),
    ]
    steps += [element("o", 3, "b is open", "a q b"), element("m", 4, back=["p"])]
    assert facts_after(rules(*CLOSED, opened), *steps, keep=keep) == {"a t b"}
    with what_was_absent_never_comes(), pytest.raises(Disagreement):
        facts_after(rules(*CLOSED, opened), *steps, keep=True)


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_clique_loses_only_what_nothing_else_reaches(
    written: tuple[str, ...], keep: bool
) -> None:
    nodes = "abcd"
    steps: list[Step] = [
        element(f"{x}{y}", 0, f"{x} p {y}") for x in nodes for y in nodes if x != y
    ]
    every = {f"{x} t {y}" for x in nodes for y in nodes}
    few: Step = element("n", 1, back=["ab", "bc", "cd"])
    assert facts_after(rules(*written), *steps, few, keep=keep) == every
    none = element("m", 2, back=[f"{x}a" for x in nodes[1:]])
    left = facts_after(rules(*written), *steps, few, none, keep=keep)
    assert left == {each for each in every if not each.endswith("a")}
    gone = element("k", 3, back=[f"{x}{y}" for x in nodes for y in nodes])
    assert facts_after(rules(*written), *steps, few, none, gone, SweepStep(), keep=keep) == set()


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_chain_that_is_cut_falls_into_two(written: tuple[str, ...], keep: bool) -> None:
    length, cut = 12, 5
    steps: list[Step] = [element(f"e{n}", 0, f"n{n} p n{n + 1}") for n in range(length)]
    left = facts_after(rules(*written), *steps, element("n", 1, back=[f"e{cut}"]), keep=keep)
    assert left == {
        f"n{x} t n{y}"
        for x in range(length + 1)
        for y in range(x + 1, length + 1)
        if not x <= cut < y
    }
