"""``r4 explain``: a run that is asked why."""

from __future__ import annotations

import json
import re
from io import BytesIO, TextIOWrapper
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.cli import DONE
from r4.cli.terminal.console import NO, RULES_REFUSED, USAGE
from tests.paths import ROOT
from tests.simulation.command import CommandOutput, call

README = ROOT / "README.md"
GALE = "ex:LGA ex:alarm ex:Gale"

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rules, _, gusts, *_ = re.findall(r"```\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (tmp_path / "rules.rif").write_text(rules, "utf-8")
    (tmp_path / "gusts.trig").write_text(gusts, "utf-8")
    return tmp_path


def explain(*args: str) -> CommandOutput:
    return call(["explain", "rules.rif", "gusts.trig", *args])


def at(time: str, *args: str) -> CommandOutput:
    return explain("--fact", GALE, "--at", f"2013-01-31T{time}:00Z", *args)


def test_an_answer_is_explained_at_an_instant_and_at_its_end() -> None:
    found = at("08:30")
    assert (found.code, found.err) == (DONE, "")
    assert found.out == (
        "ex:LGA[ex:alarm -> ex:Gale] holds at 2013-01-31T08:30:00Z\n"
        "derived from 2013-01-31T07:00:00Z to 2013-01-31T10:00:00Z\n"
        "it ends as ex:r3 leaves the window: ex:LGA[ex:gust -> 48]\n"
        "\n"
        "because of 2 facts, from 08:00:00Z to 09:00:00Z\n"
        "ex:LGA[ex:alarm -> ex:Gale]  by rule 3 ex:gust\n"
        "├─ ex:LGA[ex:gust -> 54]  asserted by ex:r2 from 08:00:00Z to 09:00:00Z  ← ends first\n"
        "├─ ex:Gale[ex:from -> 34]  stated as rule 1\n"
        "└─ 54 ≥ 34\n"
        "\n"
        "at its end because of 2 facts, from 09:00:00Z to 10:00:00Z\n"
        "ex:LGA[ex:alarm -> ex:Gale]  by rule 3 ex:gust\n"
        "├─ ex:LGA[ex:gust -> 48]  asserted by ex:r3 from 09:00:00Z to 10:00:00Z  ← ends first\n"
        "├─ ex:Gale[ex:from -> 34]  stated as rule 1\n"
        "└─ 48 ≥ 34\n"
    )


def test_what_does_not_hold_ends_with_no_and_says_what_is_missing() -> None:
    found = at("10:00")
    assert (found.code, found.err) == (NO, "")
    assert "it held from 2013-01-31T07:00:00Z to 2013-01-31T10:00:00Z\n" in found.out
    assert "rule 3 ex:gust: not so: 19 ≥ 34" in found.out
    assert at("06:00").code == NO
    assert explain("--fact", GALE).code == NO, "at the last stamp the gale is over"


def test_it_is_said_when_it_will_hold() -> None:
    assert "\nit holds next from 2013-01-31T07:00:00Z to 2013-01-31T10:00:00Z\n" in at("06:00").out
    gust = explain("--fact", "ex:LGA ex:gust 48", "--at", "2013-01-31T08:30:00Z")
    assert gust.code == NO
    assert "\nit holds next from 2013-01-31T09:00:00Z to 2013-01-31T10:00:00Z\n" in gust.out
    assert "\nwhat holds then: ex:LGA[ex:gust -> 54]\n" in gust.out
    gust = explain("--fact", "ex:LGA ex:gust 37", "--at", "2013-01-31T08:30:00Z")
    assert "\nit held from 2013-01-31T07:00:00Z to 2013-01-31T08:00:00Z\n" in gust.out


def test_a_stream_on_standard_input_is_not_read_on_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prov = "http://www.w3.org/ns/prov#generatedAtTime"
    gusts = "".join(
        f'<urn:e:{hour}> <{prov}> "2013-01-31T{hour}:00:00Z"^^'
        f"<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
        f'<urn:ex:LGA> <urn:ex:gust> "{knots}"^^<http://www.w3.org/2001/XMLSchema#integer> '
        f"<urn:e:{hour}> .\n"
        for hour, knots in (("07", 20), ("08", 25), ("10", 50))
    )
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(gusts.encode())))
    found = call(["explain", "rules.rif", "-", "--fact", GALE, "--at", "2013-01-31T07:30"])
    assert (found.code, found.err) == (NO, "")
    assert "not so: 20 ≥ 34" in found.out
    assert "it holds next" not in found.out


def test_what_no_rule_and_no_data_have_is_said_to_be_unknown() -> None:
    found = explain("--fact", "ex:LAG ex:alarm ex:Gale", "--at", "2013-01-31T08:30:00Z")
    assert "ex:LAG is not known from rules or data" in found.out
    found = explain("--fact", "ex:LGA ex:alarm ex:Gail", "--at", "2013-01-31T08:30:00Z")
    assert "ex:Gail is not known from rules or data; is it ex:Gale?" in found.out
    assert "not known" not in at("10:00").out, "though the element comes long after the rules"


@pytest.mark.parametrize(
    "written",
    ["2013-01-31 07:00", "2013-01-31T07:00", "2013-01-31T07:00:00", "2013-01-31T09:00:00+02:00"],
)
def test_an_instant_is_read_as_people_write_it(written: str) -> None:
    found = explain("--fact", GALE, "--at", written)
    assert found.code == DONE
    assert "holds at 2013-01-31T07:00:00Z" in found.out


def test_a_day_is_its_first_instant() -> None:
    assert (
        "does not hold at 2013-01-31T00:00:00Z" in explain("--fact", GALE, "--at", "2013-01-31").out
    )


def test_without_an_instant_it_is_the_last_stamp() -> None:
    found = explain("--fact", "ex:LGA ex:gust 19")
    assert found.code == DONE
    assert "holds at 2013-01-31T10:00:00Z\nasserted from 2013-01-31T10:00:00Z" in found.out


def test_what_was_taken_back_is_named(folder: Path) -> None:
    with (folder / "gusts.trig").open("a") as file:
        file.write(
            'ex:r5 prov:generatedAtTime "2013-01-31T10:20:00Z"^^xsd:dateTime .\n'
            "ex:r5 <urn:r4:retracts> ex:r4 .\n"
        )
    found = explain("--fact", "ex:LGA ex:gust 19", "--at", "2013-01-31T10:10:00Z")
    assert "it ends as ex:r4 is taken back: ex:LGA[ex:gust -> 19]" in found.out
    assert "to 2013-01-31T10:20:00Z" in found.out


def test_what_was_taken_back_is_named_whatever_comes_at_that_time(folder: Path) -> None:
    stamp = 'prov:generatedAtTime "2013-01-31T10:20:00Z"^^xsd:dateTime .'
    with (folder / "gusts.trig").open("a") as file:
        file.write(f"ex:r5 {stamp} ex:r5 <urn:r4:retracts> ex:r4 .\n")
        file.write(f"ex:r6 {stamp} ex:r6 {{ ex:LGA ex:gust 3 }}\n")
    found = explain("--fact", "ex:LGA ex:gust 19", "--at", "2013-01-31T10:10:00Z")
    assert "it ends as ex:r4 is taken back: ex:LGA[ex:gust -> 19]" in found.out


def test_json_and_svg_are_whole() -> None:
    value = json.loads(at("08:30", "--as", "json").out)
    assert value["until"] == "2013-01-31T10:00:00Z"
    assert value["justifications"][0]["facts"][1]["asserted"] == "rules"
    assert value["last"]["size"] == 2
    picture = ET.fromstring(at("08:30", "--as", "svg").out)  # noqa: S314 - our own
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--fact", "ex:LGA"], "is no triple S P O"),
        (["--fact", GALE, "--at", "noon"], "write an integer, or a dateTime"),
        (["--fact", GALE, "--at", "5"], "--at is an integer, but the stamps"),
        (["--fact", "ex:p(ex:q(1))"], "RIF"),
        (["--fact", "ex:p(?x)"], "a fact has no variables"),
        (["--fact", "exx:LGA ex:alarm ex:Gale"], "the rules declare no prefix exx:; is it ex:?"),
        ([], "--fact"),
    ],
)
def test_wrong_usage_is_said(args: list[str], said: str) -> None:
    found = explain(*args)
    assert (found.code, found.out) == (USAGE, "")
    assert said in " ".join(found.err.split())


def test_same_terms_are_said_by_the_facts_that_make_them_the_same(folder: Path) -> None:
    (folder / "same.ttl").write_text(
        "<urn:ex:LGA> <http://www.w3.org/2002/07/owl#sameAs> <urn:ex:LaGuardia> .\n"
    )
    fact = ("--fact", "ex:LaGuardia ex:alarm ex:Gale", "--at", "2013-01-31T07:30:00Z")
    found = explain(*fact, "--static", "same.ttl", "--entailment", "owl-rl")
    assert found.code == DONE
    assert "ex:LGA[owl:sameAs -> ex:LaGuardia]  static" in found.out
    assert "by owl-rl#eq-rep-s" in found.out


def test_rules_that_cannot_be_read_are_refused(folder: Path) -> None:
    (folder / "rules.rif").write_text("Document(")
    assert at("08:30").code == RULES_REFUSED


WITHOUT = """
Document( Prefix(ex <http://example.org/>) Window(4 h)
  Group( Forall ?x (?x[ex:is -> ex:open] :- And(?x[ex:is -> ex:door] Naf(?x[ex:is -> ex:shut]))) ) )
"""


def elements(*said: tuple[int, str]) -> str:
    """Elements at hours of a day."""
    prefix = "@prefix ex: <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    return prefix + "".join(
        f'ex:e{number} prov:generatedAtTime "2013-01-31T{hour:02}:00:00Z"'
        f"^^<http://www.w3.org/2001/XMLSchema#dateTime> . ex:e{number} {triples}\n"
        for number, (hour, triples) in enumerate(said)
    )


def asked(folder: Path, fact: str, hour: int, *said: tuple[int, str]) -> str:
    (folder / "doors.rif").write_text(WITHOUT)
    (folder / "doors.trig").write_text(elements(*said))
    time = f"2013-01-31T{hour:02}:00:00Z"
    args = ["explain", "doors.rif", "doors.trig", "--lenient", "--fact", fact, "--at", time]
    return call(args).out


def test_when_it_holds_next_is_known_when_all_is_read_that_may_change_it(folder: Path) -> None:
    door, shut, other = "{ ex:x ex:is ex:door }", "{ ex:x ex:is ex:shut }", "{ ex:y ex:is ex:door }"
    back, is_open = "<urn:r4:retracts> ex:e0 .", "ex:x ex:is ex:open"
    assert "next" not in asked(folder, is_open, 2, (1, other), (3, door), (3, back), (3, shut))
    found = asked(folder, is_open, 2, (1, other), (3, back), (3, door))
    assert "it holds next from 2013-01-31T03:00:00Z to 2013-01-31T07:00:00Z" in found


def test_what_elements_say_one_after_the_other_holds_throughout(folder: Path) -> None:
    door = "ex:x ex:is ex:door"
    said = f"{{ {door} }}"
    found = asked(folder, door, 2, (1, said), (3, said), (9, "{ ex:y ex:is ex:door }"))
    assert "asserted from 2013-01-31T01:00:00Z to 2013-01-31T07:00:00Z" in found
    assert "it ends as ex:e1 leaves the window" in found
    again = [(5, said), (5, "{ ex:y ex:is ex:door }"), (7, "{ ex:y ex:is ex:door }")]
    found = asked(folder, door, 8, (1, said), *again, (9, "{ ex:y ex:is ex:door }"))
    assert "asserted from 2013-01-31T01:00:00Z to 2013-01-31T09:00:00Z" in found


def test_what_is_repeated_leaves_the_window_though_something_else_never_ends(folder: Path) -> None:
    door, other = "{ ex:x ex:is ex:door }", "{ ex:y ex:is ex:door }\nex:z ex:is ex:here ."
    said = elements((1, door), (2, other), (3, door)).replace("ex:e2", "ex:e0")
    (folder / "doors.rif").write_text(WITHOUT)
    (folder / "doors.trig").write_text(said)
    fact = ["--fact", "ex:x ex:is ex:door", "--at", "2013-01-31T03:00:00Z"]
    found = call(["explain", "doors.rif", "doors.trig", "--lenient", *fact])
    assert "it ends as ex:e0 leaves the window" in found.out


def test_the_answer_ends_with_what_is_taken_back_under_a_regime_and_an_operator(
    folder: Path,
) -> None:
    (folder / "warm.rif").write_text(
        "Document( Prefix(ex <http://example.org/>) Group("
        " Forall ?x (?x[ex:is -> ex:hot] :- DiamondMinus [0, 9] (?x[ex:is -> ex:warm])) ) )"
    )
    stamp = "prov:generatedAtTime"
    (folder / "warm.trig").write_text(
        "@prefix ex: <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
        f"ex:g {stamp} 1 . ex:g {{ ex:x ex:is ex:warm }}\n"
        f"ex:h {stamp} 4 . ex:h <urn:r4:retracts> ex:g .\n"
        f"ex:i {stamp} 20 .\n"
    )
    asked = ["--fact", "ex:x ex:is ex:hot", "--at", "2", "--entailment", "rdfs"]
    found = call(["explain", "warm.rif", "warm.trig", *asked])
    assert "derived from 1 to 4\n" in found.out


def test_what_is_taken_back_of_a_fact_that_goes_on_does_not_end_it_earlier(folder: Path) -> None:
    (folder / "warm.rif").write_text(
        "Document( Prefix(ex <http://example.org/>) Group("
        " Forall ?x (?x[ex:is -> ex:hot] :- DiamondPlus [0, 6] (?x[ex:is -> ex:warm])) ) )"
    )
    stamp, warm = "prov:generatedAtTime", "{ ex:x ex:is ex:warm }"
    (folder / "warm.trig").write_text(
        "@prefix ex: <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
        f"ex:g {stamp} 7 . ex:g {warm}\n"
        f"ex:h {stamp} 9 . ex:h <urn:r4:retracts> ex:g .\n"
        f"ex:i {stamp} 11 . ex:i {warm}\n"
        f"ex:j {stamp} 30 .\n"
    )
    lines = [json.loads(line) for line in call(["run", "warm.rif", "warm.trig"]).lines()]
    assert [(line["op"], line["at"]) for line in lines] == [("+", 1), ("-", 12)]
    for at in (2, 6, 9):
        asked = ["--fact", "ex:x ex:is ex:hot", "--at", str(at)]
        found = call(["explain", "warm.rif", "warm.trig", *asked])
        assert "derived from 1 through 11\n" in found.out, at


def test_the_time_of_an_event_is_of_the_kind_of_the_stamps(folder: Path) -> None:
    rules = """Document( Prefix(ex <urn:ex:>) Group(
      Forall ?x ?t ?y ( ?x[ex:since -> ?t] :- At ?t ( ?x[ex:is -> ?y] ) ) ) )"""
    (folder / "events.rif").write_text(rules, "utf-8")
    time = '"2013-01-31T01:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    stamp = f"<urn:e> <http://www.w3.org/ns/prov#generatedAtTime> {time} ."
    (folder / "events.nq").write_text(f"{stamp}\n<urn:ex:x> <urn:ex:is> <urn:ex:on> <urn:e> .\n")
    asked = ["explain", "events.rif", "events.nq", "--at", "2013-01-31T01:00:00Z"]
    found = call([*asked, "--fact", f"<urn:ex:x>[<urn:ex:since> -> {time}]"])
    assert found.code == DONE, found.out
