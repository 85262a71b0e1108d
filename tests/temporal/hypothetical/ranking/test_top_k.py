"""At most so many possible answers: what is dropped, and what is told of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from temporal.hypothetical import Hypothesiser, histories
from temporal.hypothetical.ranking.top_k import dropped_reason
from tests.generators.hypothetical.queries import QueryCase
from tests.simulation.hypothetical.engine import QueryRun
from tests.simulation.hypothetical.seeds import case_of, engine_output

SOLE = "Temp(X,high,T), Temp(X,high,T+1) -> Hot(X,T)"
RIVALS = f"{SOLE}\nFire(X,T), Smoke(X,T) -> Hot(X,T)"
BOTH = pytest.mark.parametrize("rules", [SOLE, RIVALS], ids=["one way", "two ways"])
"""Answers with one entry at a time, and others."""
LATE = ("3",)


def said(rules: str, text: str, chances: Sequence[str] = (), most: int = 1) -> list[str]:
    run = Hypothesiser(rules, "Hot(X,T)", LATE, chances, most=most)
    return [
        f"{each.tau} {each.status} {each.answer['X']}{each.answer['T']}"
        for each in run.follow(text, drain=True)
    ]


@BOTH
def test_of_equal_ones_those_that_come_first_by_text_are_held(rules: str) -> None:
    text = "@0 Temp(b,high,0)\n@1 Temp(c,high,0)\n@2 Temp(a,high,0)\n"
    assert said(rules, text) == [
        "0 supported b0",
        "2 withdrawn b0",
        "2 supported a0",
        "2 withdrawn a0",
    ]


@BOTH
def test_the_least_probable_are_dropped(rules: str) -> None:
    text = "@0 Temp(b,high,0)\n@1 Temp(c,high,0)\n@2 Temp(a,high,0)\n"
    chances = "Temp(a,_)=0.1", "Temp(b,_)=0.2", "Temp(c,_)=0,0.3,0.9"
    assert said(rules, text, chances) == [
        "0 supported b0",
        "1 withdrawn b0",
        "1 supported c0",
        "2 withdrawn c0",
    ]


@BOTH
def test_what_counts_is_the_confidence_of_now(rules: str) -> None:
    chances = ("Temp(a,_)=0.9", "Temp(b,_)=0.5")
    assert said(rules, "@0 Temp(a,high,0)\n@0 Temp(b,high,0)\n", chances)[:1] == ["0 supported a0"]
    # The second reading of a did not come at its time, so it never will; that of b may.
    assert said(rules, "@0 Temp(a,high,0)\n@1 Temp(b,high,1)\n", chances)[:3] == [
        "0 supported a0",
        "1 withdrawn a0",
        "1 supported b1",
    ]


@BOTH
def test_what_was_dropped_may_still_be_an_answer(rules: str) -> None:
    text = "@0 Temp(b,high,0)\n@0 Temp(a,high,0)\n@1 Temp(b,high,1)\n@4\n"
    assert said(rules, text) == [
        "0 supported a0",
        "1 answer b0",
        "4 withdrawn a0",
    ]


def test_what_was_dropped_comes_back_with_more_evidence() -> None:
    rules = "Temp(X,high,T), Temp(X,high,T+1), Temp(X,high,T+2) -> Hot(X,T)"
    text = "@0 Temp(b,high,0)\n@0 Temp(a,high,0)\n@1 Temp(b,high,1)\n"
    run = Hypothesiser(rules, "Hot(X,T)", LATE, ["0.5"], most=1)
    first, dropped, again = run.follow(text)
    assert (first.answer["X"], dropped.answer["X"], again.answer["X"]) == ("a", "a", "b")
    assert (dropped.status, dropped.because) == ("withdrawn", "dropped: more than 1")
    assert again.evidence == ["Temp(b,high,0)", "Temp(b,high,1)"]
    assert run.dropped == 3  # b at 0 at once, then a at 0 and b at 1


def test_what_was_dropped_makes_others_needless_still() -> None:
    rules = "A(X,T), B(X,T) -> Hot(X,T)\nC(X,T), B(X,T), D(X,T) -> Hot(X,T)"
    text = "@0 A(a,0)\n@0 A(b,0)\n@1 B(a,0)\n@2 C(b,0)\n@3 B(b,0)\n"
    assert said(rules, text) == ["0 supported a0", "1 answer a0", "3 answer b0"]


def test_an_answer_without_variables_may_be_held() -> None:
    run = Hypothesiser(SOLE, "Hot(a,0)", LATE, ["0,0,0,0.5"], most=1)
    lines = run.follow("@0 Temp(a,high,0)\n@1 Temp(a,high,1)\n")
    assert [each.status for each in lines] == ["supported", "answer"]


def test_an_answer_is_open_as_long_as_one_of_its_ways_is_held() -> None:
    rules = f"{SOLE}\nTemp(X,high,T), Fire(X,T) -> Hot(X,T)"
    chances = "Temp=0,0,0,0.5", "Fire(a)=0,0,0,0.4", "Fire(b)=0,0,0,0.7", "Fire=0,0,0,0.9"
    text = "@0 Temp(a,high,0)\n@1 Temp(b,high,0)\n@2 Temp(c,high,2)\n"
    run = Hypothesiser(rules, "Hot(X,T)", LATE, chances, most=2)
    told = [f"{each.tau} {each.status} {each.answer['X']}" for each in run.follow(text)]
    assert told == [
        "0 supported a",
        "0 supported a",
        "1 supported b",
        "2 withdrawn a",
        "2 supported c",
    ]
    assert [each.hypotheses for each in run.ranked()] == [["Fire(c,2)"], ["Fire(b,0)"]]
    assert run.dropped == 5


def test_a_history_that_was_dropped_is_open() -> None:
    run = Hypothesiser(SOLE, "Hot(X,T)", LATE, most=1)
    found = histories(run.follow("@0 Temp(b,high,0)\n@1 Temp(a,high,0)\n@9\n"))
    assert [(each.answer["X"], each.is_open) for each in found] == [("b", True), ("a", False)]


@BOTH
@pytest.mark.parametrize("most", [1, 4])
def test_no_more_are_held_than_may_be_at_any_moment(rules: str, most: int) -> None:
    text = "".join(
        f"@{tau} Temp(d{number},high,{tau - number % 3})\n"
        for tau in range(2, 40)
        for number in range(9)
        if (tau * number) % 4 != 1
    )
    player = QueryRun(rules, "Hot(X,T)", LATE, ["Temp=0.5,0.6,0.7"], most)
    free = QueryRun(rules, "Hot(X,T)", LATE, ["Temp=0.5,0.6,0.7"])
    lines, every = list(player.lines(text, 20)), list(free.lines(text, 20))
    assert player.most_held == most
    assert free.most_held > 10
    open_ = 0
    for line in map(json.loads, lines):
        open_ += {"supported": 1, "withdrawn": -1, "answer": 0}[line["status"]]
    assert certain(lines) == certain(every)
    assert certain(lines)


def certain(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if '"status":"answer"' in line]


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_certain_answers_are_the_same_with_a_cap(seed: int) -> None:
    case = case_of(seed)
    assert certain(engine_output(replace(case, most=1)).lines) == certain(
        engine_output(replace(case, most=None)).lines
    )


@pytest.mark.parametrize("seed", range(1, 60, 3))
def test_a_cap_that_is_never_reached_changes_nothing(seed: int) -> None:
    case = case_of(seed)
    assert engine_output(replace(case, most=10**6)) == engine_output(replace(case, most=None))


@pytest.mark.parametrize("seed", range(2, 60, 3))
def test_chances_alone_change_nothing_but_the_last_key(seed: int) -> None:
    case: QueryCase = replace(case_of(seed), most=None)
    lines = [
        line.partition(',"confidence":')[0].removesuffix("}") + "}"
        for line in engine_output(case).lines
    ]
    assert lines == engine_output(replace(case, channel=None)).lines


def test_the_reason_says_how_many_are_held() -> None:
    assert dropped_reason(7) == "dropped: more than 7"
