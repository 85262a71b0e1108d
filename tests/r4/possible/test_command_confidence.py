"""``r4 run --hypotheses --chance --most``: how probable answers are, and which are held."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from rdflib import Namespace

from r4 import Engine
from rif.errors.report import RuleErrors
from tests.simulation.command import call
from tests.simulation.possible.small_runs import APART, BOTH, TRIPLES, SmallRun, element

EX = Namespace("urn:ex:")
TEXT = (
    "Document( Prefix(ex <urn:ex:>) Window(3) Group( "
    "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) ) ) )"
)


def chance(*texts: str) -> tuple[str, ...]:
    return tuple(part for text in texts for part in ("--chance", text))


def confidences(tried: SmallRun) -> list[tuple[str, int, object]]:
    return [
        (each["status"], each["at"], each["confidence"]) for each in tried.lines if "status" in each
    ]


def supported(tried: SmallRun) -> object:
    return tried.line("supported")["confidence"]


def test_confidence_is_the_last_key_and_there_only_if_a_chance_is_given(tmp_path: Path) -> None:
    given = element("g", 1, "s a t")
    plain = SmallRun(tmp_path, APART, given).printed.out
    told = SmallRun(tmp_path, APART, given, options=chance("0.9")).printed.out
    assert told == plain.replace(',"rule":1}', ',"rule":1,"confidence":0.9}')


def test_what_has_not_come_is_less_probable_than_before(tmp_path: Path) -> None:
    rule = APART.replace("?y[ex:b -> ex:m]", "DiamondMinus [0, 0] ( ?y[ex:b -> ex:m] )")
    for late, due in ((0, 0.75), (1, 0.5), (2, 0)):
        given = element("h", 2 + late), element("g", 2, "s a t")
        options = ("--delay", "2", *chance("urn:ex:b=0:1/2,1:3/4,2:7/8"))
        tried = SmallRun(tmp_path, rule, *given, options=options, window="")
        assert supported(tried) == due, late


def test_confirmed_is_1_and_withdrawn_is_0(tmp_path: Path) -> None:
    given = element("g", 1, "s a t", "u a v"), element("h", 2, "t b m"), element("i", 9)
    assert confidences(SmallRun(tmp_path, APART, *given, options=chance("1/3"))) == [
        ("supported", 1, 0.333333),
        ("supported", 1, 0.333333),
        ("confirmed", 2, 1),
        ("supported", 2, 0.333333),
        ("withdrawn", 9, 0),
        ("withdrawn", 9, 0),
    ]


def test_what_comes_together_is_as_probable_as_the_least_probable_of_it(tmp_path: Path) -> None:
    rule = "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ?y # ex:C ))"
    options = chance("urn:ex:b=0.9", "urn:ex:C=0.8", "0.1")
    given = element("g", 1, "s a t")
    assert supported(SmallRun(tmp_path, rule, given, options=options)) == 0.8
    apart = SmallRun(tmp_path, rule, given, options=(*options, *TRIPLES))
    assert supported(apart) == 0.72


def test_a_class_has_its_own_chance_else_that_of_types_else_that_of_all(tmp_path: Path) -> None:
    rule = "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y # ex:C ) )"
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type=0.5"
    given = element("g", 1, "s a t")
    for texts, due in (
        (("urn:ex:C=0.8", kind, "0.1"), 0.8),
        ((kind, "0.1"), 0.5),
        (("0.1",), 0.1),
        (("urn:ex:a=0.1",), 1),
    ):
        assert supported(SmallRun(tmp_path, rule, given, options=chance(*texts))) == due


def test_a_variable_predicate_has_the_greatest_chance_of_all(tmp_path: Path) -> None:
    rule = "Forall ?x ?y ?p ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[?p -> ex:m] ) )"
    given = element("g", 1, "s a t")
    for texts, due in ((("urn:ex:z=0.8", "0.1"), 0.8), (("urn:ex:z=0.8",), 1)):
        assert supported(SmallRun(tmp_path, rule, given, options=chance(*texts))) == due


def test_what_may_come_at_any_time_has_its_last_number(tmp_path: Path) -> None:
    given = element("g", 1, "s a t"), element("h", 900, "u a v")
    options = ("--delay", "2", *chance("0:0.5,1:0.75"))
    tried = SmallRun(tmp_path, APART, *given, options=options, window="")
    assert [each for *_, each in confidences(tried)] == [0.75, 0.75]


def test_the_most_probable_are_held(tmp_path: Path) -> None:
    given = element("g", 1, "s b m", "t a m"), element("h", 2)
    options = (*TRIPLES, *chance("urn:ex:a=0.5", "urn:ex:b=0.6"), "--most", "1")
    tried = SmallRun(tmp_path, BOTH, *given, options=options)
    assert tried.told == [("supported", 1, "t")]
    assert "dropped: 1 possible answers, as more than 1 were open" in tried.printed.err


def test_of_equal_ones_the_first_by_text_are_held(tmp_path: Path) -> None:
    given = element("g", 1, "u a m"), element("h", 2, "t a m", "v a m"), element("i", 3, "u b m")
    tried = SmallRun(tmp_path, BOTH, *given, options=(*TRIPLES, "--most", "1"))
    assert tried.told == [("supported", 1, "u"), ("withdrawn", 2, "u"), ("supported", 2, "t")]
    assert tried.line("withdrawn")["because"] == "dropped: more than 1"
    assert "dropped: 2 possible answers" in tried.printed.err
    # What was dropped is certain as ever.
    assert [(each["op"], each["s"]) for each in tried.lines if "op" in each] == [
        ("+", "<urn:ex:u>")
    ]


def test_what_was_dropped_does_not_come_back_by_itself(tmp_path: Path) -> None:
    given = element("g", 1, "t a m"), element("h", 2, "u a m"), element("i", 5), element("j", 9)
    tried = SmallRun(
        tmp_path, BOTH, *given, options=(*TRIPLES, "--most", "1", "--delay", "urn:ex:b=1")
    )
    assert tried.told == [("supported", 1, "t"), ("withdrawn", 5, "t")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0:0.9,1:0.8", "no number is less than before"),
        ("1:0.8,1:0.9", "delays ascend"),
        ("0:0.8,3:0.9", "no element may be so late"),
        ("1.1", "more than 1"),
        ("-1", "no number"),
        ("0.9,", "no number"),
        ("x:0.9", "no duration"),
        ("1us:0.9", "no whole number of ms"),
        ("b=0.9", "no absolute IRI"),
        ("urn:ex:b=", "no number"),
    ],
)
def test_what_is_no_chance_is_wrong_usage_and_why(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text(TEXT)
    command = ["run", "--hypotheses", str(tmp_path / "r.rif"), "--delay", "2", "--chance", text]
    printed = call(command)
    assert printed.code == 2
    assert "R4507" in printed.err
    assert says in printed.err
    with pytest.raises(RuleErrors, match=says):
        engine(delay=2, chances=[text])


def test_two_chances_of_one_thing_are_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text(TEXT)
    command = ["run", "--hypotheses", str(tmp_path / "r.rif")]
    printed = call([*command, *chance("0.9", "urn:ex:a=1", "<urn:ex:a>=1", "0.8")])
    assert printed.code == 2
    assert [line for line in printed.err.splitlines() if "R4507" in line] == [
        "Error: --chance:3:1: R4507 two chances of <urn:ex:a>",
        "--chance:4:1: R4507 two chances of all others",
    ]


@pytest.mark.parametrize("option", [("--chance", "0.9"), ("--most", "3")])
def test_they_are_of_hypotheses(option: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text(TEXT)
    printed = call(["run", str(tmp_path / "r.rif"), *option])
    assert printed.code == 2
    assert f"{option[0]} says" in printed.err


def test_a_chance_of_what_no_rule_waits_for_is_told(tmp_path: Path) -> None:
    given = element("g", 1, "s a t")
    options = chance("urn:ex:b=0.9", "urn:ex:z=0.9")
    err = SmallRun(tmp_path, APART, given, options=options).printed.err
    assert "warning: --chance <urn:ex:z>: no rule waits for it" in err
    assert "<urn:ex:b>" not in err


# From Python.


def engine(**options: Any) -> Engine:
    return Engine.from_text(TEXT, **{"hypotheses": True, **options})


def test_what_is_possible_has_an_exact_confidence() -> None:
    of = engine(chances=["urn:ex:b=1/3"])
    of.add([(EX.s, EX.a, EX.t)], at=1)
    (known,) = of.possible()
    assert known.confidence == Fraction(1, 3)
    of.add([(EX.t, EX.b, EX.m)], at=2)
    of.finish()
    assert [(each.status, each.possible.confidence) for each in of.prospects()] == [
        ("supported", Fraction(1, 3)),
        ("confirmed", 1),
        ("supported", 1),
    ]


def test_so_many_are_possible_as_would_be_held_if_no_more_came_now() -> None:
    of = engine(most=2)
    for name in "zxy":
        of.add([(EX[name], EX.a, EX.t)], at=1)
    assert [each.triple and each.triple[0] for each in of.possible()] == [EX.x, EX.y]
    assert of.dropped == 0
    of.add([(EX.w, EX.a, EX.t)], at=2)
    assert of.dropped == 1
    assert [each.triple and each.triple[0] for each in of.possible()] == [EX.w, EX.x]
    of.finish()
    assert [(each.status, each.because) for each in of.prospects()] == [
        ("supported", None),
        ("supported", None),
        ("withdrawn", "dropped: more than 2"),
        ("supported", None),
    ]
    assert of.dropped == 2


def test_an_engine_without_hypotheses_has_no_use_for_them() -> None:
    for options in ({"chances": ["0.9"]}, {"most": 1}):
        with pytest.raises(ValueError, match="are of hypotheses"):
            engine(hypotheses=False, **options)
    with pytest.raises(ValueError, match="a number from 1 on"):
        engine(most=0)
