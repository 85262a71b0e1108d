"""``r4 mtl explain``: why a fact holds in an interval, or where it does not."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, NO, RULES_REFUSED, USAGE
from tests.simulation.command import CommandOutput, call

RULES = """\
Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)
Boxplus[24,24]Shift(X) :- Shift(X)

Seen(X,Y) :- Alarm(X), Shift(Y)
Calm(X) :- Quiet(X) Since[0,3] Seen(X,Y)
Boxplus[0,3]BOTTOM :- Alarm(X), Shift(bob)
"""
FACTS = """\
Hot(t1)@[0,10)
Loud(t1)@[3,4]
Loud(t1)@[8,9.5]
Shift(ann)@[0,8)
Quiet(t1)@[4,9]
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("facts.txt").write_text(FACTS)


def explain(*args: str) -> CommandOutput:
    return call(["mtl", "explain", "rules.txt", "facts.txt", *args])


def test_a_fact_is_explained_down_to_the_data_with_times() -> None:
    found = explain("Seen(t1,ann)@[3,4]")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        "Seen(t1,ann) holds in [3,4]",
        "",
        "because of 3 facts",
        "Seen(t1,ann)@[3,4]  by rules.txt:4",
        "├─ Alarm(t1)@[3,4]  by rules.txt:1",
        "│  ├─ Diamondminus[0,1]  in [3,4]",
        "│  │  └─ Loud(t1)@[3,3]  data [3,4]",
        "│  └─ Boxminus[0,2]  in [3,4]",
        "│     └─ Hot(t1)@[1,4]  data [0,10)",
        "└─ Shift(ann)@[3,4]  data [0,8)",
    ]


def test_a_fact_far_away_is_explained_where_it_is_the_same() -> None:
    found = explain("Shift(ann)@[24000,24008)")
    assert found.code == 0
    assert "shown where it is the same 23928 earlier, in [72,80)\n" in found.out
    assert "   └─ Shift(ann)@[0,8)  data\n" in found.out
    assert "Boxplus[24,24]  in [72,80)" in found.out


def test_an_interval_without_end_is_explained_as_far_as_it_repeats() -> None:
    Path("rules.txt").write_text("Boxplus[0,1]On :- On\n")
    Path("facts.txt").write_text("On@0\n")
    found = explain("On@[0,inf)")
    assert found.code == 0
    assert "beyond, it goes on like that" in found.out
    assert "On@[0,0]  data\n" in found.out


def test_both_sides_of_since_are_shown() -> None:
    lines = explain("Calm(t1)@[6,7]").out.splitlines()
    since = lines.index("└─ Since[0,3]  in [6,7]")
    assert lines[since + 1].startswith("   ├─ Seen(t1,ann)@")
    assert lines[-1].startswith("   └─ Quiet(t1)@")


def test_what_makes_it_inconsistent_is_explained() -> None:
    with Path("facts.txt").open("a") as file:
        file.write("Shift(bob)@[3,4]\n")
    found = explain("BOTTOM@[5,6]")
    assert (found.code, found.err) == (0, "")
    assert "BOTTOM@[5,6]  by rules.txt:6\n└─ Boxplus[0,3]  in [5,6]\n" in found.out
    assert explain("⊥@[5,6]").out == found.out
    assert "so everything follows" in explain("Hot(t1)@1").err
    assert explain("BOTTOM@100").code == NO


def test_all_justifications_are_shown_if_there_are_few() -> None:
    Path("rules.txt").write_text("A(X) :- B(X)\nA(X) :- Diamondminus[1,1]C(X)\n")
    Path("facts.txt").write_text("B(a)@[0,4]\nC(a)@[0,4]\n")
    both = explain("A(a)@[2,3]").out
    assert "\n1. because of 1 fact\n" in both
    assert "\n2. because of 1 fact\n" in both
    assert "may be more" not in both
    one = explain("A(a)@[2,3]", "--most", "1").out
    assert one.endswith("\n\nthere may be more justifications\n")
    parts = explain("A(a)@[0,5]").out
    assert "A(a)@[0,5]  in parts\n" in parts


def test_where_it_does_not_hold_is_said_and_what_rules_lack_there() -> None:
    found = explain("Alarm(t1)@[3,9]")
    lacks = "as that does not hold in (4,11/2), last held in [3,4], next holds in [8,19/2]"
    assert (found.code, found.err) == (NO, "")
    assert found.out.splitlines() == [
        "Alarm(t1) does not hold in all of [3,9]",
        "it holds in [3,5], [8,9]",
        "what rules lack at 21/4 that could derive it:",
        f"  rules.txt:1: not so: Diamondminus[0,1]Loud(t1), {lacks}",
    ]
    found = explain("Seen(t1,bob)@4")
    assert found.out.splitlines()[-1] == "  rules.txt:4: there is no Shift(bob)"
    assert explain("Hot(t2)@1").err == "hint: neither the rules nor the data have t2\n"
    found = explain("Hut(t1)@1")
    assert found.err == "hint: neither the rules nor the data have Hut\n"
    assert found.out.splitlines()[-1] == "at 1 it is not in the data, and no rule derives it"
    assert "Quiet(t1) Since[0,3] Seen(t1,Y)" in explain("Calm(t1)@20").out


def test_json_has_all_of_it() -> None:
    found = json.loads(explain("Seen(t1,ann)@[3,4]", "--as", "json").out)
    assert (found["fact"], found["in"], found["holds"]) == ("Seen(t1,ann)", "[3,4]", True)
    (proof,) = found["justifications"]
    assert (proof["size"], proof["shift"], found["complete"]) == (3, "0", True)
    assert proof["facts"][0] == {"fact": "Hot(t1)", "data": "[0,10)", "used": ["[1,4]"]}
    assert proof["proof"]["rule"] == "rules.txt:4"
    assert proof["proof"]["because"][1] == {
        "fact": "Shift(ann)",
        "in": "[3,4]",
        "data": "[0,8)",
    }
    missing = json.loads(explain("Alarm(t1)@[3,9]", "--as", "json").out)
    assert missing["held"] == ["[3,5]", "[8,9]"]
    assert (missing["holds"], missing["missing_at"]) == (False, "21/4")


def test_a_deep_proof_is_json_that_can_be_read() -> None:
    Path("rules.txt").write_text("Boxplus[1,1]On :- On\n")
    Path("facts.txt").write_text("On@0\nOff@200\n")
    found = json.loads(explain("On@150", "--as", "json").out)
    assert found["justifications"][0]["continued"]


@pytest.mark.parametrize("fact", ["Seen(t1,ann)@[3,4]", "Alarm(t1)@[3,9]", "Shift(ann)@2400"])
def test_a_picture_is_xml(fact: str) -> None:
    found = explain(fact, "--as", "svg")
    root = ET.fromstring(found.out)  # noqa: S314 - R4 wrote it
    assert root.tag.endswith("svg")
    assert fact.partition("(")[0] in found.out


def test_dates_are_written_as_dates() -> None:
    Path("rules.txt").write_text("Boxplus[7 d,7 d]Shift(X) :- Shift(X)\n")
    Path("facts.txt").write_text("Shift(ann)@[2024-01-01,2024-01-02)\n")
    found = explain("Shift(ann)@[2030-01-07,2030-01-08)")
    assert found.code == 0
    assert "7 d" in found.out
    assert "Shift(ann)@[2024-01-01,2024-01-02)  data" in found.out


def test_exit_codes() -> None:
    assert explain("Hot(t1)").code == USAGE
    assert explain("Hot(a,b)@1").code == USAGE
    assert explain("BOTTOM(a)@1").code == USAGE
    Path("bad.txt").write_text("Hot(t1)@[3,1]\n")
    assert call(["mtl", "explain", "rules.txt", "bad.txt", "Hot(t1)@1"]).code == INPUT_REFUSED
    Path("bad.txt").write_text("A :- BOTTOM\n")
    assert call(["mtl", "explain", "bad.txt", "facts.txt", "Hot(t1)@1"]).code == RULES_REFUSED
    found = explain("Shift(ann)@24", "--limit", "1")
    assert (found.code, found.out) == (LIMIT, "")


def test_an_update_is_explained_by_what_it_deleted_and_inserted() -> None:
    Path("gone.txt").write_text("Loud(t1)@[3,3.5)\n")
    Path("come.txt").write_text("Loud(t1)@[5,6]\n")
    found = explain("Alarm(t1)@3", "--delete", "gone.txt")
    assert found.code == NO
    before, after = found.out.split("\n\nafter the update: ")
    assert before.startswith("before the update: Alarm(t1) holds in [3,3]\n")
    assert "Loud(t1)@[3,3]  data [3,4], deleted\n" in before
    assert "Hot(t1)@[1,3]  data [0,10)\n" in f"{before}\n"
    assert after.startswith("Alarm(t1) does not hold in [3,3]\n")
    assert "not so: Diamondminus[0,1]Loud(t1)" in after
    found = explain("Alarm(t1)@7", "--delete", "gone.txt", "--insert", "come.txt")
    assert found.code == 0
    assert "Loud(t1)@[6,6]  data [5,6], inserted\n" in found.out
    sides = json.loads(explain("Alarm(t1)@7", "--insert", "come.txt", "--as", "json").out)
    assert (sides["before"]["holds"], sides["after"]["holds"]) == (False, True)
    assert explain("Alarm(t1)@7", "--insert", "come.txt", "--as", "svg").code == USAGE


def write(rules: str, facts: str, gone: str, come: str = "") -> None:
    for name, text in (("rules", rules), ("facts", facts), ("gone", gone), ("come", come)):
        Path(f"{name}.txt").write_text(text)


def ways(count: int) -> tuple[str, str]:
    """Rules that derive the same of one fact each, and these facts."""
    rules = "".join(f"Alarm(X) :- P{number}(X)\n" for number in range(1, count + 1))
    return rules, "".join(f"P{number}(a)@[1,9]\n" for number in range(1, count + 1))


@pytest.mark.parametrize("count", [6, 40])
def test_of_many_justifications_those_that_an_update_changed_come_first(count: int) -> None:
    rules, facts = ways(count)
    last = f"P{count}(a)@[1,9]\n"
    write(rules, facts, last)
    found = explain("Alarm(a)@3", "--delete", "gone.txt", "--most", "2")
    before, after = found.out.split("\n\nafter the update: ")
    assert before.splitlines()[2:7] == [
        "1. because of 1 fact",
        f"Alarm(a)@[3,3]  by rules.txt:{count}",
        f"└─ P{count}(a)@[3,3]  data [1,9], deleted",
        "",
        "2. because of 1 fact",
    ]
    assert (found.code, "deleted" in after, "inserted" in after) == (0, False, False)
    write(rules, facts.replace(last, ""), "", last)
    after = explain("Alarm(a)@3", "--insert", "come.txt", "--most", "2").out.split("after the")[1]
    assert after.splitlines()[4] == f"└─ P{count}(a)@[3,3]  data [1,9], inserted"


def test_what_an_update_took_away_is_told_before_what_rules_lack() -> None:
    rules, facts = ways(9)
    held = "".join(facts.splitlines(keepends=True)[7:])
    write(rules, held, held)
    found = explain("Alarm(a)@[3,4]", "--delete", "gone.txt")
    assert found.code == NO
    assert found.out.split("after the update: ")[1].splitlines()[:6] == [
        "Alarm(a) does not hold in [3,4]",
        "at 3 the update took away:",
        "  rules.txt:8: P8(a)@[3,3]",
        "  rules.txt:9: P9(a)@[3,3]",
        "what rules lack at 3 that could derive it:",
        "  rules.txt:8: there is no P8(a)",
    ]


def test_the_instance_that_an_update_took_away_is_told_of_a_rule_with_several() -> None:
    write(
        "Alarm(X) :- Near(X,Y), Loud(Y)\n",
        "Near(a,b)@[0,9]\nNear(a,c)@[0,9]\nLoud(b)@[0,9]\n",
        "Near(a,b)@[4,5]\n",
    )
    found = explain("Alarm(a)@[0,9]", "--delete", "gone.txt")
    assert found.out.split("after the update: ")[1].splitlines()[2:4] == [
        "at 4 the update took away:",
        "  rules.txt:1: Near(a,b)@[4,4]",
    ]
    sides = json.loads(explain("Alarm(a)@4", "--delete", "gone.txt", "--as", "json").out)
    assert sides["after"]["taken"] == [{"rule": "rules.txt:1", "facts": ["Near(a,b)@[4,4]"]}]
    assert "taken" not in sides["before"]


def test_nothing_is_told_to_be_taken_away_that_was_not_there() -> None:
    rules, facts = ways(3)
    write(rules, facts, facts)
    assert "took away" not in explain("Alarm(a)@20", "--delete", "gone.txt").out
    write("Alarm(X) :- P(X)\n", "Alarm(a)@[1,9]\n", "Alarm(a)@[1,9]\n")
    after = explain("Alarm(a)@3", "--delete", "gone.txt").out.split("after the update: ")[1]
    assert after.splitlines()[1:3] == ["at 3 the update took away:", "  the data: Alarm(a)@[3,3]"]
