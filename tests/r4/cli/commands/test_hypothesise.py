"""``r4 hypothesise``: lines out, what is said beside them, and exit codes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, RULES_REFUSED, USAGE
from tests.simulation.command import CommandOutput, call

RULES = """\
Temp(X,high,T) -> Flag(X,T)
Cool(X,T+1) :- Flag(X,T), Flag(X,T+1).
"""
FACTS = """\
@0 Temp(wt2,high,0)
@1 Temp(wt2,high,1)
@2
"""
ENDLESS = "A(T) :- A(T+1)\nA(T) :- B(T)\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("facts.txt").write_text(FACTS)
    Path("endless.txt").write_text(ENDLESS)
    return tmp_path


def hypothesise(*args: str) -> CommandOutput:
    return call(["hypothesise", *args])


def told(printed: CommandOutput) -> list[tuple[int, str, int]]:
    """Of each line the moment, the status, the time of the answer."""
    lines = map(json.loads, printed.lines())
    return [(line["tau"], line["status"], line["answer"]["T"]) for line in lines]


def test_lines_have_their_keys_in_order_and_no_blanks() -> None:
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt")
    assert found.code == 0
    assert found.out == (
        '{"tau":0,"status":"supported","answer":{"X":"wt2","T":1},'
        '"evidence":["Temp(wt2,high,0)"],"hypotheses":["Temp(wt2,high,1)"],"because":null}\n'
        '{"tau":1,"status":"supported","answer":{"X":"wt2","T":2},'
        '"evidence":["Temp(wt2,high,1)"],"hypotheses":["Temp(wt2,high,2)"],"because":null}\n'
        '{"tau":1,"status":"answer","answer":{"X":"wt2","T":1},'
        '"evidence":["Temp(wt2,high,0)","Temp(wt2,high,1)"],"hypotheses":[],"because":null}\n'
        '{"tau":2,"status":"withdrawn","answer":{"X":"wt2","T":2},'
        '"evidence":[],"hypotheses":[],"because":"Temp(wt2,high,2)"}\n'
    )


def test_standard_error_says_how_long_answers_may_be_open() -> None:
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "--delay", "Temp=2", "facts.txt")
    assert found.err == (
        "an answer about T is decided by T+2; what is open rests on facts of the last 3\n"
    )
    assert hypothesise("rules.txt", "--query", "Cool(X,4)", "facts.txt").err.startswith(
        "an answer about 4 is decided by 4;"
    )
    Path("open.txt").write_text("A(0) :- B(T)\n")
    assert not hypothesise("open.txt", "--query", "A(T)", "facts.txt").err.startswith("an answer")


def test_a_question_that_nothing_can_answer_is_pointed_out() -> None:
    Path("rules.txt").write_text("Cool(wt2,T) :- Temp(wt2,high,T)\n")
    found = hypothesise("rules.txt", "--query", "Cool(wt4,T)", "facts.txt")
    assert (found.code, found.out) == (0, "")
    assert found.err == "warning: by these rules there is no answer, whatever comes in\n"


def test_delays_say_how_long_is_waited() -> None:
    text = "@0 Temp(wt2,high,0)\n@0 Temp(wt4,high,0)\n@9\n"
    Path("facts.txt").write_text(text)
    given = "--delay=Temp=3", "--delay", "Temp(wt2,_)=5"
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt", *given)
    ends = [json.loads(line) for line in found.lines() if "withdrawn" in line]
    assert {line["answer"]["X"]: line["tau"] for line in ends} == {"wt4": 4, "wt2": 6}


def test_a_delay_of_a_predicate_that_no_rule_has_is_pointed_out() -> None:
    asked = "rules.txt", "--query", "Cool(X,T)", "facts.txt"
    found = hypothesise(*asked, "--delay", "Tmp(_)=1")
    assert (found.code, found.out) == (0, hypothesise(*asked).out)
    assert found.err.startswith("warning: --delay Tmp: the rules have no such predicate\n")


def test_with_chances_each_line_tells_a_confidence_last() -> None:
    asked = "rules.txt", "--query", "Cool(X,T)", "facts.txt"
    found = hypothesise(*asked, "--chance", "Temp=0.75")
    lines = found.lines()
    assert [json.loads(line)["confidence"] for line in lines] == [0.75, 0.75, 1, 0]
    plain = hypothesise(*asked)
    assert [line.partition(',"confidence":')[0] + "}" for line in lines] == plain.lines()
    assert found.err == plain.err


def test_a_chance_of_a_predicate_that_no_rule_has_is_pointed_out() -> None:
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt", "--chance", "Tmp=1")
    assert found.code == 0
    assert found.err.startswith("warning: --chance Tmp: the rules have no such predicate\n")


def test_what_is_dropped_is_told_and_counted_at_the_end() -> None:
    Path("facts.txt").write_text("@0 Temp(b,high,0)\n@1 Temp(a,high,1)\n@1 Temp(c,high,1)\n")
    asked = "rules.txt", "--query", "Cool(X,T)", "facts.txt", "--delay", "1"
    found = hypothesise(*asked, "--most", "1", "--drain")
    assert found.code == 0
    lines = [json.loads(line) for line in found.lines()]
    assert [(line["tau"], line["status"], line["answer"]["X"]) for line in lines] == [
        (0, "supported", "b"),
        (1, "withdrawn", "b"),
        (1, "supported", "a"),
        (1, "withdrawn", "a"),
    ]
    assert (lines[1]["because"], lines[3]["because"]) == ("dropped: more than 1", "end of input")
    assert found.err.endswith("dropped: 2 possible answers, as more than 1 were open\n")
    assert "dropped" not in hypothesise(*asked, "--most", "9").err


def test_what_is_open_ends_with_the_input_only_if_it_is_drained() -> None:
    Path("facts.txt").write_text("@0 Temp(wt2,high,0)\n")
    asked = "rules.txt", "--query", "Cool(X,T)", "facts.txt"
    assert told(hypothesise(*asked)) == [(0, "supported", 1)]
    found = hypothesise(*asked, "--drain")
    assert told(found) == [(0, "supported", 1), (0, "withdrawn", 1)]
    assert json.loads(found.lines()[-1])["because"] == "end of input"


def test_facts_come_from_standard_input_and_compressed_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = "rules.txt", "--query", "Cool(X,T)"
    expected = hypothesise(*asked, "facts.txt").out
    Path("facts.txt.gz").write_bytes(gzip.compress(FACTS.encode()))
    assert hypothesise(*asked, "facts.txt.gz").out == expected
    for given in ((), ("-",)):
        with Path("facts.txt").open(encoding="utf-8") as file:
            monkeypatch.setattr("sys.stdin", file)
            assert hypothesise(*asked, *given).out == expected


def test_output_goes_to_a_file() -> None:
    asked = "rules.txt", "--query", "Cool(X,T)", "facts.txt"
    found = hypothesise(*asked, "--output", "out.jsonl")
    assert (found.code, found.out) == (0, "")
    assert Path("out.jsonl").read_text() == hypothesise(*asked).out


REFUSED = """\
@5 Temp(a,high,5)
@5 Temp(b,high,6)
@5 Temp(c,high,7)
@4 Temp(a,high,4)
@6 Temp(a,high,5)
@6 Flag(a,6)
@6 Temp(a,6)
@6 Temp(a b,high,6)
@6 Rain(6)
@6 Temp(a,high,6)
"""


def test_what_is_refused_is_told_once_a_kind_and_counted() -> None:
    Path("bad.txt").write_text(REFUSED)
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "bad.txt")
    assert found.code == 0
    assert (6, "answer", 6) in told(found)
    places = [line.partition(" ")[0] for line in found.err.splitlines() if "bad.txt" in line]
    assert places == [f"bad.txt:{place}:" for place in ("2:1", "4:1", "5:1", "6:1", "7:1", "8:11")]
    assert "bad.txt:2:1: HYP213 Temp(b,high,6) has a time after its arrival at 5\n" in found.err
    assert (
        "refused: 1 × HYP101, 1 × HYP201, 1 × HYP211, 1 × HYP212, 2 × HYP213, 1 × HYP214\n"
        "ignored: 1 fact(s) of predicates that no rule has\n"
    ) in found.err


def test_strict_tells_the_same_and_ends_with_input_refused() -> None:
    Path("bad.txt").write_text(REFUSED)
    asked = "rules.txt", "--query", "Cool(X,T)", "bad.txt"
    found = hypothesise(*asked, "--strict")
    assert (found.code, found.out) == (INPUT_REFUSED, hypothesise(*asked).out)
    assert hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt", "--strict").code == 0


def test_rules_with_faults_are_refused_with_all_of_them() -> None:
    Path("bad.txt").write_text("A(X) :- B(Y,T)\n\nC(T) :-\n")
    found = hypothesise("bad.txt", "--query", "A(T)", "facts.txt")
    assert (found.code, found.out) == (RULES_REFUSED, "")
    for place in ("bad.txt:1:1: HYP301", "bad.txt:3:6: HYP107"):
        assert place in found.err


def test_a_resolution_without_end_is_refused_or_cut_and_partial() -> None:
    Path("facts.txt").write_text("@1 B(1)\n")
    asked = "endless.txt", "--query", "A(T)", "facts.txt"
    found = hypothesise(*asked)
    assert (found.code, found.out) == (RULES_REFUSED, "")
    assert "--query:1:1: HYP403" in found.err
    found = hypothesise(*asked, "--depth", "2")
    assert found.code == LIMIT
    assert (1, "answer", 1) in told(found)
    assert found.err == "resolution was cut at depth 2: what is told is partial\n"
    assert hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt", "--depth", "9").code == 0


@pytest.mark.parametrize(
    "given",
    [
        ("rules.txt", "facts.txt"),
        ("no.txt", "--query", "Cool(X,T)", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "no.txt"),
        ("rules.txt", "--query", "Cool(X,", "facts.txt"),
        ("rules.txt", "--query", "Cool(X)", "facts.txt"),
        ("rules.txt", "--query", "Cold(X,T)", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--delay", "Temp", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--delay", "Cool=1", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--delay", "Temp=-1", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--chance", "Temp=2", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--chance", "Temp=0.5,0.6", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--most", "0", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "--depth", "0", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "facts.txt", "--output", "facts.txt"),
        ("rules.txt", "--query", "Cool(X,T)", "facts.txt", "--output", "no/out.jsonl"),
        ("-", "--query", "Cool(X,T)"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(given: tuple[str, ...]) -> None:
    found = hypothesise(*given)
    assert (found.code, found.out) == (USAGE, "")
    assert "Error: " in found.err
    assert Path("facts.txt").read_text() == FACTS


def test_a_damaged_file_is_refused() -> None:
    Path("facts.txt.gz").write_bytes(gzip.compress(FACTS.encode())[:-9])
    found = hypothesise("rules.txt", "--query", "Cool(X,T)", "facts.txt.gz")
    assert found.code == INPUT_REFUSED
    assert "facts.txt.gz: " in found.err


def test_a_set_that_may_be_told_although_less_is_enough_is_warned_of_at_first() -> None:
    later = "Q(X,T+3) :- e(X,T+2)\nQ(X,T+1) :- f(X,U), w(T-1), e(X,T)\n"
    Path("rules.txt").write_text(later)
    Path("facts.txt").write_text("@0 f(a,0)\n@1\n")
    printed = hypothesise("rules.txt", "--query", "Q(X,T)", "facts.txt")
    assert printed.code == 0
    assert [status for _, status, _ in told(printed)] == ["supported"]
    assert printed.err.startswith("--query:1:1: HYP501 warning: a set of hypotheses of Q(X,T)")


def test_a_constant_that_is_like_a_variable_is_told_if_there_are_no_lines() -> None:
    told = "no lines: x in --query is a constant; variables begin with a capital\n"
    assert told in hypothesise("rules.txt", "facts.txt", "--query", "Flag(x,T)").err
    assert "no lines" not in hypothesise("rules.txt", "facts.txt", "--query", "Flag(wt3,T)").err
    assert "no lines" not in hypothesise("rules.txt", "facts.txt", "--query", "Flag(X,T)").err


@pytest.mark.parametrize("query", ['Flag("x",T)', "Flag( 'x' ,T).", 'Flag("x", T+1)'])
def test_a_constant_in_quotes_is_meant_as_one(query: str) -> None:
    found = hypothesise("rules.txt", "facts.txt", "--query", query)
    assert (found.code, found.out) == (0, "")
    assert "no lines" not in found.err
