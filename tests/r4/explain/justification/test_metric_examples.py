"""Answers of rules with metric operators are explained by facts at other times."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rdflib import Literal, Namespace

from r4 import Engine
from r4.explain.justification import temporal_justifications
from r4.time.ticks import TickUnit
from tests.simulation.command import call

ex = Namespace("urn:ex:")
RULES = """
(* ex:hot *) Forall ?x ?y (?x[ex:hot -> ?y] :-
  And(DiamondMinus [0, 5] (?x[ex:t -> ?y]) BoxMinus [0, 1] (?x[ex:on -> ex:yes])))
(* ex:alarm *) Forall ?x ?y (?x[ex:alarm -> ?y] :-
  Since [1, 9] (?x[ex:on -> ex:yes] ?x[ex:t -> ?y]))
(* ex:lasts *) Forall ?x ?y (BoxPlus [0, 3] (?x[ex:lasts -> ?y]) :- ?x[ex:t -> ?y])
(* ex:again *) Forall ?x ?y (?x[ex:again -> ?y] :- DiamondMinus [1, 1] (?x[ex:again -> ?y]))
(* ex:first *) Forall ?x ?y (?x[ex:again -> ?y] :- ?x[ex:first -> ?y])
(* ex:either *) Forall ?x ?y (?x[ex:either -> ?y] :-
  BoxMinus [0, 20] (DiamondMinus [0, 1] (Or(?x[ex:t -> ?y] ?x[ex:u -> ?y]))))
"""
PROV = "http://www.w3.org/ns/prov#generatedAtTime"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


@pytest.fixture
def running() -> Engine:
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({RULES}))", lenient=True)
    made.add([(ex.a, ex.on, ex.yes)], at=1, until=9)
    made.add([(ex.a, ex.t, Literal("high"))], at=3)
    made.add([], at=5)
    return made


def test_below_an_operator_stands_what_makes_it_true_with_its_times(running: Engine) -> None:
    assert str(running.explain('ex:a ex:hot "high"', at=5)) == (
        'ex:a[ex:hot -> "high"] holds at 5\n'
        "derived from 3 through 8, as far as is known\n"
        'it ends as this is too long ago: ex:a[ex:t -> "high"]\n'
        "\n"
        "because of 2 facts, from 3 through 8\n"
        'ex:a[ex:hot -> "high"]  by rule 1 ex:hot\n'
        "├─ DiamondMinus [0, 5]  at 3\n"
        '│  └─ ex:a[ex:t -> "high"]  asserted at 3  ← the first to be too long ago\n'
        "└─ BoxMinus [0, 1]  throughout 4 to 5\n"
        "   └─ ex:a[ex:on -> ex:yes]  asserted from 1 to 9"
    )


def test_the_last_time_without_something_may_be_too_long_ago() -> None:
    rule = """Forall ?x (?x[ex:calm -> ex:b] :-
        DiamondMinus [0, 5] (And(?x[ex:q -> ex:b] Naf(?x[ex:r -> ex:b]))))"""
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({rule}))", lenient=True)
    made.add([(ex.a, ex.q, ex.b)], at=0, until=100)
    made.add([(ex.a, ex.r, ex.b)], at=3, until=100)
    said = str(made.explain("ex:a ex:calm ex:b", at=4)).splitlines()
    assert said[2] == "it ends as the time without ex:a[ex:r -> ex:b] is too long ago"
    assert said[-1] == "   └─ no ex:a[ex:r -> ex:b]  ← the first to be too long ago"


def test_of_since_both_sides_are_shown(running: Engine) -> None:
    said = str(running.explain('ex:a ex:alarm "high"', at=5))
    assert said.endswith(
        "└─ Since [1, 9]\n"
        "   ├─ at 3\n"
        '   │  └─ ex:a[ex:t -> "high"]  asserted at 3\n'
        "   └─ throughout 3 to 5\n"
        "      └─ ex:a[ex:on -> ex:yes]  asserted from 1 to 9  ← ends first"
    )
    assert "because of 2 facts, from 4 through 9" in said


def test_a_head_under_a_box_is_explained_by_when_it_was_concluded(running: Engine) -> None:
    said = str(running.explain('ex:a ex:lasts "high"', at=5))
    assert "because of 1 fact, from 3 through 6\n" in said
    assert (
        '└─ BoxPlus [0, 3] (ex:a[ex:lasts -> "high"])  concluded at 3\n'
        '   └─ ex:a[ex:t -> "high"]  asserted at 3  ← the first to be too long ago'
    ) in said


def test_what_an_operator_lacks_is_said(running: Engine) -> None:
    said = str(running.explain('ex:a ex:hot "low"', at=5))
    assert 'not so: DiamondMinus [0, 5] (ex:a[ex:t -> "low"])' in said


def test_ranges_are_written_as_in_the_rules() -> None:
    rule = "Forall ?x (?x[ex:p -> ex:b] :- DiamondMinus [0 m, 600 s] (?x[ex:q -> ex:b]))"
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({rule}))", lenient=True)
    at = datetime(2030, 1, 1, 8, tzinfo=UTC)
    made.add([(ex.a, ex.q, ex.b)], at=at)
    said = str(made.explain("ex:a ex:p ex:b", at=at + timedelta(minutes=9)))
    assert "because of 1 fact, from 08:00:00Z through 08:10:00Z" in said
    assert "└─ DiamondMinus [0 m, 600 s]  at 08:00:00Z" in said


def ticking(upto: int) -> Engine:
    made = Engine.from_text(
        f"Document(Prefix(ex <urn:ex:>) Group({RULES}))", journal=1000, lenient=True
    )
    made.add([(ex.a, ex.first, ex.b)], at=0)
    for at in range(upto + 1):
        made.add([(ex.a, ex.t if at % 3 else ex.u, ex.b)], at=at)
    return made


def test_of_a_long_chain_the_first_and_the_last_are_shown_and_all_in_json() -> None:
    found = ticking(40).explain("ex:a ex:either ex:b", at=40)
    said = str(found)
    assert "BoxMinus [0, 20]  throughout 20 to 40" in said
    assert said.count("ex:a[ex:t -> ex:b]  asserted at") + said.count("ex:a[ex:u -> ex:b]") < 8
    assert "├─ … " in said
    (first, *_) = json.loads(found.json())["justifications"]
    assert len(first["facts"]) == first["size"] > 15
    box = first["proof"]["because"][0]
    assert box["operator"] == "BoxMinus [0, 20]"
    assert box["when"] == {"from": 20, "until": 40}
    assert len(box["because"][0]["because"]) == box["because"][0]["chain"] > 15
    ET.fromstring(found.svg())  # noqa: S314 - it is our own


def test_recursion_through_time_is_cut_after_some_levels() -> None:
    found = ticking(30).explain("ex:a ex:again ex:b", at=30)
    said = str(found)
    assert "because of 1 fact, at 30" in said
    assert "DiamondMinus [1, 1]  at 24" in said
    assert "DiamondMinus [1, 1]  at 20" not in said
    assert said.rstrip().splitlines()[-1].endswith("… and so on, from 1 more fact")
    assert json.loads(found.json())["justifications"][0]["facts"][0]["from"] == 0
    assert found.svg().count("and so on") > 0


def test_a_reason_that_leads_too_far_back_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporal_justifications, "MAX_STEPS", 20)
    monkeypatch.setattr(temporal_justifications, "_STEPS", 10)
    found = ticking(40).explain("ex:a ex:again ex:b", at=40)
    one, *_ = json.loads(found.json())["justifications"]
    assert one["facts"][0]["asserted"] == "cut"
    assert "there may be more justifications than the" in str(found)


@pytest.mark.parametrize(
    ("rules", "fact", "said"),
    [
        (
            """Forall ?x (
                BoxPlus [0, 90] (?x[ex:r -> ex:b]) :- DiamondMinus [0, 2] (?x[ex:q -> ex:b])
            )""",
            "ex:a ex:r ex:b",
            "ex:a[ex:q -> ex:b]  asserted at 0",
        ),
        (
            """Forall ?x (BoxPlus [0, 90] (?x[ex:r -> ex:b]) :- ?x[ex:q -> ex:b])
            Forall ?x (
                BoxPlus [0, 90] (?x[ex:s -> ex:b]) :- DiamondMinus [0, 1] (?x[ex:r -> ex:b])
            )""",
            "ex:a ex:s ex:b",
            "ex:a[ex:q -> ex:b]  asserted at 0",
        ),
    ],
)
def test_what_operators_reach_one_behind_the_other_is_kept(
    rules: str, fact: str, said: str
) -> None:
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({rules}))", lenient=True)
    made.add([(ex.a, ex.q, ex.b)], at=0)
    end = 85 if fact == "ex:a ex:r ex:b" else 142
    for at in range(1, end + 1):
        made.add([(ex[f"n{at}"], ex.q, ex[f"o{at}"])], at=at)
    made._run.core.forget()
    found = str(made.explain(fact))
    assert said in found
    assert "because of 0 facts" not in found


def test_a_stream_that_is_read_again_has_its_past(tmp_path: Path) -> None:
    rules = tmp_path / "r.rif"
    rules.write_text(
        "Document(Prefix(ex <urn:ex:>) Group(Forall ?x (BoxPlus [0, 3000] (?x[ex:r -> ex:b]) :- "
        "DiamondMinus [0, 2] (?x[ex:q -> ex:b]))))"
    )
    stream = tmp_path / "s.nq"
    lines = []
    for at in [0, *range(1000, 2400)]:
        lines.append(f'<urn:ex:e{at}> <{PROV}> "{at}"^^<{INTEGER}> .')
        lines.append(
            f"<urn:ex:{'a' if at == 0 else f'n{at}'}> <urn:ex:q> <urn:ex:b> <urn:ex:e{at}> ."
        )
    stream.write_text("\n".join(lines) + "\n")
    question = ["--fact", "ex:a ex:r ex:b", "--at", "2300"]
    said = call(["explain", str(rules), str(stream), "--lenient", *question]).out
    assert "because of 1 fact, from 0 through 3002\n" in said
    assert "asserted by ex:e0 at 0  ← the first to be too long ago" in said
    assert "it ends as ex:e0 is too long ago: ex:a[ex:q -> ex:b]" in said


def test_what_the_latest_witnesses_do_not_need_together_is_left_out() -> None:
    rules = """Forall ?x (?x[ex:p -> ex:b] :- And(
            DiamondMinus [0, 5] (?x[ex:q -> ex:b]) DiamondMinus [0, 5] (?x[ex:r -> ex:b])))
        Forall ?x (?x[ex:q -> ex:b] :- ?x[ex:one -> ex:b])
        Forall ?x (?x[ex:q -> ex:b] :- ?x[ex:two -> ex:b])
        Forall ?x (?x[ex:r -> ex:b] :- ?x[ex:two -> ex:b])"""
    made = Engine.from_text(f"Document(Prefix(ex <urn:ex:>) Group({rules}))", lenient=True)
    made.add([(ex.a, ex.two, ex.b)], at=4)
    made.add([(ex.a, ex.one, ex.b)], at=5)
    said = str(made.explain("ex:a ex:p ex:b", at=6))
    assert "\nbecause of 1 fact, from 4 through 9\n" in said
    assert "ex:one" not in said


@pytest.mark.parametrize("tick", ["ms", "us"])
def test_operators_stand_as_in_the_body_whatever_a_tick_is(tick: TickUnit) -> None:
    first, then = (f"DiamondMinus [0 s, 1 s] (?x[ex:{name} -> ?y])" for name in "ut")
    rule = f"Forall ?x ?y (?x[ex:both -> ?y] :- And({first} {then}))"
    text = f"Document(Prefix(ex <urn:ex:>) Group({rule}))"
    made = Engine.from_text(text, lenient=True, tick=tick)
    made.add([(ex.a, ex.t, ex.b), (ex.a, ex.u, ex.b)], at=datetime(2030, 1, 1, tzinfo=UTC))
    said = str(made.explain("ex:a ex:both ex:b"))
    assert 0 < said.index("─ ex:a[ex:u") < said.index("─ ex:a[ex:t")
