"""``r4 mtl`` of programs with constraints: inconsistency is reported, and nothing is a fact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, NO, USAGE
from tests.simulation.command import CommandOutput, call

RULES = """\
Warm(X) :- Diamondminus[0,1]Hot(X)
BOTTOM :- Warm(X), Cold(X)
Boxplus[5,5]Blink(X) :- Blink(X)
Boxplus[1,2]BOTTOM :- Blink(X), On
"""
FACTS = """\
Hot(a)@[0,10)
Cold(a)@[3,4]
Cold(a)@[10,20]
Cold(b)@[0,inf)
Blink(b)@0
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("facts.txt").write_text(FACTS)


def mtl(*args: str) -> CommandOutput:
    return call(["mtl", *args])


def test_the_model_is_printed_and_standard_error_says_what_violates_it() -> None:
    found = mtl("materialise", "rules.txt", "facts.txt", "--only", "Warm", "--to", "30")
    assert (found.code, found.out) == (0, "Warm(a)@[0,11)\n")
    assert found.err == (
        "warning: the rules ask for On, which no fact and no rule gives\n"
        "inconsistent at [3,4], [10,11)\n"
        "  rules.txt:2:1: BOTTOM :- Warm(a), Cold(a)\n"
        "    at [3,4], [10,11)\n"
    )


@pytest.mark.parametrize("head", ["BOTTOM", "⊥", "Boxplus[0,0]⊥"])
def test_fail_on_error_exits_with_1(head: str) -> None:
    Path("rules.txt").write_text(f"{head} :- Hot(X), Cold(X)\n")
    assert mtl("materialise", "rules.txt", "facts.txt").code == 0
    assert mtl("materialise", "rules.txt", "facts.txt", "--fail-on", "error").code == NO
    Path("rules.txt").write_text(f"{head} :- Hot(X), Hot(b)\n")
    found = mtl("materialise", "rules.txt", "facts.txt", "--fail-on", "error")
    unasked = [f"warning: the data have {name}, the rules do not\n" for name in ("Blink", "Cold")]
    assert (found.code, found.err) == (0, "".join(unasked))


def test_what_is_inconsistent_again_and_again_is_said_to_be() -> None:
    with Path("facts.txt").open("a") as file:
        file.write("On@[0,inf)\n")
    found = mtl("materialise", "rules.txt", "facts.txt", "--only", "On", "--to", "0")
    assert "rules.txt:4:1: Boxplus[1,2]BOTTOM :- Blink(b), On\n    at [1,2], [6,7], [" in found.err
    assert found.err.endswith("every 5\n")


def test_an_inconsistent_program_entails_everything() -> None:
    found = mtl("entails", "rules.txt", "facts.txt", "Nothing(z)@[0,inf)")
    assert (found.code, found.out) == (0, "yes\n")
    assert found.err.startswith("inconsistent at [3,4], [10,11), so everything follows\n")


def test_no_is_not_said_where_a_limit_may_hide_inconsistency() -> None:
    rules = "Boxplus[3,3]P :- P\nBoxplus[7/2,7/2]P :- P\n"
    Path("facts.txt").write_text("P@0\nR@[0,1]\n")
    Path("rules.txt").write_text(rules)
    question = ("entails", "rules.txt", "facts.txt", "P@[15,16]", "--limit", "30")
    assert mtl(*question).code == NO
    Path("rules.txt").write_text(f"{rules}BOTTOM :- P, R, Q\n")
    assert mtl(*question).code == LIMIT


def test_check_counts_constraints_and_writes_them() -> None:
    found = mtl("check", "rules.txt")
    assert found.out.splitlines()[1] == (
        "  2 of them are constraints: where the body of one holds, the program is inconsistent"
    )
    assert json.loads(mtl("check", "rules.txt", "--as", "json").out)["constraints"] == 2
    assert "BOTTOM :- Warm(X), Cold(X)\n" in mtl("check", "rules.txt", "--normal-form").out


def test_inconsistency_is_neither_data_nor_asked_for() -> None:
    Path("more.txt").write_text("BOTTOM@1\n⊥@2\n")
    found = mtl("materialise", "rules.txt", "more.txt")
    assert found.code == INPUT_REFUSED
    assert found.err.count("MTL101") == 2
    assert mtl("entails", "rules.txt", "facts.txt", "BOTTOM@1").code == USAGE
    found = mtl("materialise", "rules.txt", "facts.txt", "--only", "BOTTOM")
    assert found.code == USAGE
    assert "⊥" not in found.err
    drawn = mtl("materialise", "rules.txt", "facts.txt", "--as", "svg")
    assert "⊥" not in drawn.out


def test_many_instances_are_counted() -> None:
    lines = [f"Hot(h{n})@[{n},{n + 30}]\nCold(h{n})@{n}\n" for n in range(13)]
    Path("facts.txt").write_text("".join(lines))
    err = mtl("materialise", "rules.txt", "facts.txt").err
    assert err.count("BOTTOM :- ") == 10
    assert "\n  and 3 more instances\n" in err
    assert "and 8 more intervals" in err


def test_a_stream_warns_of_constraints_that_it_does_not_check() -> None:
    found = mtl("stream", "rules.txt", "--query", "Warm", "facts.txt")
    assert found.code == 0
    assert found.err.startswith(
        "rules.txt:2:1: MTL406 warning: 2 constraints are not checked along a stream\n"
        "  hint: --query BOTTOM tells when the program is inconsistent\n"
    )


@pytest.mark.parametrize("query", ["BOTTOM", "⊥"])
def test_the_query_bottom_tells_when_a_stream_is_inconsistent(query: str) -> None:
    Path("facts.txt").write_text("Hot(a)@0\nCold(a)@1\nCold(b)@2\nHot(b)@2\nHot(a)@3\n")
    found = mtl("stream", "rules.txt", "--query", query, "facts.txt")
    assert (found.code, found.out, found.err) == (0, "BOTTOM@1\nBOTTOM@2\n", "")


def test_bottom_is_asked_for_only_where_there_are_constraints() -> None:
    Path("rules.txt").write_text("Warm(X) :- Hot(X)\n")
    found = mtl("stream", "rules.txt", "--query", "BOTTOM", "facts.txt")
    assert found.code == USAGE
    assert "the rules have Hot, Warm" in found.err


def test_check_says_when_inconsistency_along_a_stream_is_certain() -> None:
    value = json.loads(mtl("check", "rules.txt", "--as", "json").out)
    assert set(value["stream"]["certain_after"]) == {"BOTTOM", "Blink", "Warm"}


def test_instances_at_one_time_are_in_the_order_of_their_constants() -> None:
    Path("rules.txt").write_text("BOTTOM :- Hot(X)\n")
    Path("facts.txt").write_text("Hot(b)@0\nHot(c)@0\nHot(a)@0\n")
    found = mtl("materialise", "rules.txt", "facts.txt")
    assert [line.partition("Hot")[2] for line in found.err.splitlines() if "Hot" in line] == [
        *("(a)", "(b)", "(c)"),
    ]
