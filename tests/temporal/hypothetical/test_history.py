"""A question followed from Python: what is told, what became of answers, and the picture of it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from rif.errors.report import RuleErrors
from temporal.hypothetical import History, Hypothesiser, Picture, histories

RULES = """
Temp(X,high,T), Temp(X,high,T+1) -> Hot(X,T)
Fire(X,T) -> Hot(X,T)
"""
FACTS = """\
@0 Temp(a,high,0)
@0 Temp(b,high,0)
@2 Temp(a,high,1)
@3 Fire(c,3)
@4 Temp(a,high,4)
@4 Temp(a,high,2)
"""
SVG = "{http://www.w3.org/2000/svg}"


def followed(facts: str = FACTS) -> list[History]:
    asked = Hypothesiser(RULES, "Hot(X,T)", ["Temp=1"])
    return histories(asked.follow(facts, drain=True))


def kinds(picture: str) -> list[str]:
    """The classes of the marks at the ends of answers; those of the legend come last."""
    root = ET.fromstring(picture)  # noqa: S314 - our own
    known = {"certain", "gone", "still"}
    return [kind for each in root.iter() if (kind := each.get("class", "")) in known]


def test_it_does_not_matter_where_the_text_is_cut() -> None:
    whole, cut = (Hypothesiser(RULES, "Hot(X,T)", ["Temp=1"]) for _ in range(2))
    told = list(whole.follow(FACTS))
    assert told
    assert list(cut.follow(FACTS[at : at + 7] for at in range(0, len(FACTS), 7))) == told
    assert whole.refused.counts == cut.refused.counts == {"HYP214": 1}


def test_what_is_told_is_what_the_line_has() -> None:
    first = next(Hypothesiser(RULES, "Hot(X,T)", ["Temp=1"]).follow(FACTS))
    assert (first.tau, first.status, first.answer) == (0, "supported", {"X": "a", "T": 0})
    assert (first.evidence, first.because) == (["Temp(a,high,0)"], None)
    assert first.hypotheses == ["Temp(a,high,1)"]


def test_faults_of_the_rules_are_raised() -> None:
    with pytest.raises(RuleErrors):
        Hypothesiser("Hot(X,T) :- ", "Hot(X,T)")


def test_histories_say_how_each_answer_ended() -> None:
    found = {(each.answer["X"], each.answer["T"]): each for each in followed()}
    ends = {
        key: (each.begin, len(each.possible), each.is_certain, each.is_open)
        for key, each in found.items()
    }
    assert ends == {
        ("a", 0): (0, 1, True, False),
        ("b", 0): (0, 1, False, False),
        ("a", 1): (2, 1, False, False),
        ("c", 3): (3, 0, True, False),
        ("a", 4): (4, 1, False, True),
    }
    withdrawn = found["b", 0].end
    assert withdrawn is not None
    assert (withdrawn.tau, withdrawn.because) == (2, "Temp(b,high,1)")


def test_an_answer_that_is_possible_again_has_another_history() -> None:
    asked = Hypothesiser("A(X,T), B(X,T+5) -> C(X,0)\nD(X,9) -> C(X,0)", "C(X,T)", ["D=1"])
    found = histories(asked.follow("@0 A(x,0)\n@6 A(x,6)\n@20\n"))
    assert [(each.begin, each.end and each.end.tau) for each in found] == [(0, 5), (6, 11)]


def test_a_picture_has_a_lane_a_name_and_a_mark_an_end() -> None:
    picture = Picture(followed(), "X", names=["d", "c"], title="Hot & dry", every=2).svg()
    names = [each.text for each in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314
    assert names[:2] == ["Hot & dry", "5 answers: 2 confirmed, 2 withdrawn, 1 open at the end"]
    assert [name for name in names if name in {"a", "b", "c", "d"}] == ["d", "c", "a", "b"]
    assert sorted(kinds(picture)[:-3]) == ["certain", "certain", "gone", "gone", "still"]
    assert "X = b, T = 0: possible from 0, withdrawn at 2, as Temp(b,high,1) did" in picture


def test_answers_that_are_open_together_are_in_rows() -> None:
    rules, facts = "A(X,T), B(X,T+2) -> C(X,T)", "@0 A(x,0)\n@1 A(x,1)\n@9\n"
    found = histories(Hypothesiser(rules, "C(X,T)").follow(facts))
    root = ET.fromstring(Picture(found, "X", title="", every=1).svg())  # noqa: S314
    bars = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "likely"]
    own = [(float(bar.get("x", "")), float(bar.get("y", ""))) for bar in bars[:2]]
    assert own[0][0] < own[1][0]
    assert own[0][1] < own[1][1]


def test_a_picture_of_nothing_says_so() -> None:
    picture = Picture([], "X", title="", every=1).svg()
    assert "0 answers: 0 confirmed, 0 withdrawn" in picture
    assert kinds(picture) == ["certain", "gone"]
