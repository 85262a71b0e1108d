"""Many ways to the same fact, circles, chains that are cut."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from rete.doubts import Doubts
from tests.cases.story import Forget, Step
from tests.retracting.by_hand import CLOSED, EITHER, REACHES, both, holds, rules, say
from tests.retracting.faults.proofs import what_was_absent_never_comes
from tests.retracting.faults.recursion import lost_twice_with_one_fact
from tests.retracting.showing import Disagreement

CIRCLE = (REACHES[0], "Forall ?x ?y (?y[ex:t -> ?x] :- ?x[ex:t -> ?y])")


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_two_ways_hold_each_other_up(written: tuple[str, ...], keep: bool) -> None:
    ways = [say("b", 0, "a p b", "b p d"), say("c", 0, "a p c", "c p d")]
    one = [*ways, say("n", 1, back=["b"])]
    assert holds(rules(*written), *one, keep=keep) == {"a t c", "c t d", "a t d"}
    assert holds(rules(*written), *one, say("m", 2, back=["c"]), keep=keep) == set()


@both
def test_a_fact_of_two_rules_stays_until_both_are_gone(keep: bool) -> None:
    steps = [say("p", 0, "a p b"), say("q", 0, "a q b"), say("n", 1, back=["p"])]
    assert holds(rules(*EITHER), *steps, keep=keep) == {"a t b"}
    assert holds(rules(*EITHER), *steps, say("m", 2, back=["q"]), keep=keep) == set()


@both
def test_what_holds_itself_up_goes(keep: bool) -> None:
    steps = [say("p", 0, "a p b", "b p a"), say("q", 0, "a p b")]
    assert holds(rules(*CIRCLE), *steps, say("n", 1, back=["p"]), keep=keep) == {"a t b", "b t a"}
    assert holds(rules(*CIRCLE), *steps, say("n", 1, back=["p", "q"]), keep=keep) == set()


@both
def test_a_loop_that_others_close_too_stays(keep: bool) -> None:
    steps = [say("loop", 0, "a p a"), say("p", 0, "a p b", "b p a"), say("n", 1, back=["loop"])]
    with patch.object(Doubts, "_rush", return_value=False):
        assert holds(rules(*CLOSED), *steps, keep=keep) == {"a t a", "a t b", "b t a", "b t b"}
    with (
        patch.object(Doubts, "_rush", return_value=False),
        lost_twice_with_one_fact(),
        pytest.raises(Disagreement),
    ):
        holds(rules(*CLOSED), *steps, keep=True)


@both
def test_a_way_counts_that_asks_for_a_term_which_came_after_others_were_taken_back(
    keep: bool,
) -> None:
    opened = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:is -> ex:open]))"
    steps = [say("c", 0, "a p b", "c p d"), say("n", 1, back=["c"]), say("p", 2, "a p b", "b p c")]
    steps += [say("o", 3, "b is open", "a q b"), say("m", 4, back=["p"])]
    assert holds(rules(*CLOSED, opened), *steps, keep=keep) == {"a t b"}
    with what_was_absent_never_comes(), pytest.raises(Disagreement):
        holds(rules(*CLOSED, opened), *steps, keep=True)


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_clique_loses_only_what_nothing_else_reaches(
    written: tuple[str, ...], keep: bool
) -> None:
    nodes = "abcd"
    steps: list[Step] = [say(f"{x}{y}", 0, f"{x} p {y}") for x in nodes for y in nodes if x != y]
    every = {f"{x} t {y}" for x in nodes for y in nodes}
    few: Step = say("n", 1, back=["ab", "bc", "cd"])
    assert holds(rules(*written), *steps, few, keep=keep) == every
    none = say("m", 2, back=[f"{x}a" for x in nodes[1:]])
    left = holds(rules(*written), *steps, few, none, keep=keep)
    assert left == {each for each in every if not each.endswith("a")}
    gone = say("k", 3, back=[f"{x}{y}" for x in nodes for y in nodes])
    assert holds(rules(*written), *steps, few, none, gone, Forget(), keep=keep) == set()


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_chain_that_is_cut_falls_into_two(written: tuple[str, ...], keep: bool) -> None:
    length, cut = 12, 5
    steps: list[Step] = [say(f"e{n}", 0, f"n{n} p n{n + 1}") for n in range(length)]
    left = holds(rules(*written), *steps, say("n", 1, back=[f"e{cut}"]), keep=keep)
    assert left == {
        f"n{x} t n{y}"
        for x in range(length + 1)
        for y in range(x + 1, length + 1)
        if not x <= cut < y
    }
