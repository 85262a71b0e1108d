"""``r4 mtl update``: what it prints, reports and refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from r4.cli.terminal.console import INPUT_REFUSED, LIMIT, NO, USAGE
from r4.path_lock import lock
from tests.simulation.command import CommandOutput, call

RULES = """\
Alarm(X) :- Boxminus[0,2]Hot(X), Diamondminus[0,1]Loud(X)
Boxplus[24,24]Shift(X) :- Shift(X)
Seen(X,Y) :- Alarm(X), Shift(Y)
"""
FACTS = """\
Hot(t1)@[0,10)
Loud(t1)@[3,4]
Loud(t1)@[8,9.5]
Shift(ann)@[0,8)
"""
GONE = "Shift(ann)@[4,8)\nLoud(t1)@[3,3]\nLoud(t2)@5\n"
COME = "Loud(t1)@[5,6]\n"
UPDATED = """\
Hot(t1)@[0,10)
Loud(t1)@(3,4]
Loud(t1)@[5,6]
Loud(t1)@[8,9.5]
Shift(ann)@[0,4)
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, with rules and facts."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("rules.txt", RULES),
        ("facts.txt", FACTS),
        ("gone.txt", GONE),
        ("come.txt", COME),
        ("updated.txt", UPDATED),
    ):
        Path(name).write_text(text)


def mtl(*args: str) -> CommandOutput:
    return call(["mtl", *args])


def update(*args: str) -> CommandOutput:
    return mtl("update", "rules.txt", "facts.txt", *args)


BOTH = ("--delete", "gone.txt", "--insert", "come.txt")


@pytest.mark.parametrize("method", ["auto", "dred", "recompute"])
@pytest.mark.parametrize("options", [(), ("--periods",), ("--from", "-1", "--to", "300.5")])
def test_it_prints_what_materialise_prints_of_the_new_data(method, options) -> None:
    found = update(*BOTH, "--method", method, *options)
    expected = mtl("materialise", "rules.txt", "updated.txt", *options)
    assert (found.code, found.out) == (0, expected.out)
    assert found.err == "1 fact to delete without effect: not explicit\n" + expected.err


def test_it_shows_only_what_is_asked_for() -> None:
    found = update(*BOTH, "--only", "Loud(t1)")
    assert found.out == "Loud(t1)@(3,4]\nLoud(t1)@[5,6]\nLoud(t1)@[8,19/2]\n"
    assert found.out == mtl("materialise", "rules.txt", "updated.txt", "--only", "Loud").out
    assert "no such predicate" in update(*BOTH, "--only", "Loudd").err


def test_predicates_that_only_the_data_have_are_told_with_the_nearest_of_the_rules() -> None:
    more = "".join(f"P{number}@1\n" for number in range(5))
    Path("updated.txt").write_text(f"{UPDATED}Hott(t1)@1\n{more}")
    lines = mtl("materialise", "rules.txt", "updated.txt", "--to", "50").err.splitlines()
    assert lines[:2] == [
        "warning: the data have Hott, the rules do not; they have Hot",
        "warning: the data have P0, the rules do not",
    ]
    assert lines[5] == "warning: the data have 1 more, the rules do not"


def test_predicates_that_only_bodies_have_are_told_with_the_nearest_that_there_is() -> None:
    Path("rules.txt").write_text("Cold(X) :- Hott(X)\nLate(X) :- Cold(X), Unheard(X)\n")
    Path("updated.txt").write_text("Hot(t1)@1\n")
    assert mtl("materialise", "rules.txt", "updated.txt").err.splitlines() == [
        "warning: the data have Hot, the rules do not; they have Hott",
        "warning: the rules ask for Hott, which no fact and no rule gives; there is Hot",
        "warning: the rules ask for Unheard, which no fact and no rule gives",
    ]


def test_an_underscore_in_a_rule_is_told_to_be_a_constant() -> None:
    Path("rules.txt").write_text("Loud(X) :- Hot(X,_)\n")
    Path("updated.txt").write_text("Hot(t1,b)@1\nHot(t2,_)@1\n")
    found = mtl("materialise", "rules.txt", "updated.txt", "--derived-only")
    assert found.out == "Loud(t2)@[1,1]\n"
    assert found.err == (
        "warning: _ in a rule is a constant; a variable that occurs once has a name, too\n"
    )
    Path("rules.txt").write_text('Loud(X) :- Hot(X,"_")\n')
    quoted = mtl("materialise", "rules.txt", "updated.txt", "--derived-only")
    assert (quoted.out, quoted.err) == (found.out, "")


def test_a_constant_that_is_like_a_variable_is_told() -> None:
    told = "warning: x in rule 1 is a constant{}; variables begin with a capital\n"
    Path("rules.txt").write_text("Loud(x) :- Boxminus[0,2]Hot(x)\nLoud(a) :- Hot(a), Odd(a)\n")
    Path("updated.txt").write_text("Hot(a)@[4,9]\nOdd(a)@5\n")
    found = mtl("materialise", "rules.txt", "updated.txt", "--derived-only")
    assert (found.out, found.err) == ("Loud(a)@[5,5]\n", told.format(", which no fact has"))
    assert mtl("check", "rules.txt").err == told.format("")
    Path("updated.txt").write_text("Hot(x)@[4,9]\nHot(a)@1\nOdd(a)@5\n")
    assert mtl("materialise", "rules.txt", "updated.txt").err == ""


@pytest.mark.parametrize(
    "rule", ['Loud("x") :- Hot("x")', "Loud(x) :- Hot('x')", 'Loud("x") :- Hot(x)']
)
def test_a_constant_in_quotes_is_meant_as_one(rule: str) -> None:
    Path("rules.txt").write_text(f"{rule}\n")
    Path("updated.txt").write_text("Hot(a)@1\n")
    assert mtl("check", "rules.txt").err == ""
    assert mtl("materialise", "rules.txt", "updated.txt").err == ""


def test_stats_go_to_standard_error_phase_by_phase() -> None:
    found = update(*BOTH, "--method", "dred", "--stats")
    lines = [line.rpartition(", ")[0] for line in found.err.splitlines()[1:6]]
    assert lines == [
        "2 explicit intervals deleted",
        "overdeleted 7 facts",
        "rederived 0 facts",
        "inserted 1 fact",
        "periods",
    ]
    assert "recomputed, " in update(*BOTH, "--method", "recompute", "--stats").err


def test_it_deletes_first() -> None:
    Path("come.txt").write_text("Shift(ann)@[5,6]\n")
    assert "Shift(ann)@[5,6]\n" in update(*BOTH).out


def test_facts_that_are_deleted_or_inserted_may_have_finer_numbers() -> None:
    Path("gone.txt").write_text("Shift(ann)@[1/3,8)\n")
    Path("come.txt").write_text("Shift(ann)@2/7\n")
    Path("updated.txt").write_text(f"{FACTS[: FACTS.index('Shift')]}Shift(ann)@[0,1/3)\n")
    expected = mtl("materialise", "rules.txt", "updated.txt", "--to", "100").out
    assert update(*BOTH, "--to", "100").out == expected


def test_without_changes_it_prints_the_model() -> None:
    assert update().out == mtl("materialise", "rules.txt", "facts.txt").out


@pytest.mark.parametrize("option", ["--delete", "--insert"])
def test_a_line_that_is_no_fact_is_refused_wherever_it_stands(option: str) -> None:
    Path("bad.txt").write_text("Loud(t1)@5\nLoud(t1)\n")
    found = update(option, "bad.txt")
    assert (found.code, found.out) == (INPUT_REFUSED, "")
    assert "bad.txt:2:" in found.err
    assert update(option, "bad.txt", "--skip-bad").code == 0


def test_a_predicate_has_as_many_arguments_everywhere() -> None:
    Path("bad.txt").write_text("Loud(t1,t2)@5\n")
    assert update("--delete", "bad.txt").code == INPUT_REFUSED


def test_standard_input_is_read_once() -> None:
    assert update("--delete", "-", "--insert", "-").code == USAGE


def test_what_is_within_a_limit_is_of_the_new_data() -> None:
    Path("rules.txt").write_text("Boxplus[3,3]P :- P\nBoxplus[7/2,7/2]P :- P\n")
    Path("facts.txt").write_text("P@0\nR@[0,1]\n")
    Path("gone.txt").write_text("R@1\n")
    found = update("--delete", "gone.txt", "--limit", "4")
    assert found.code == LIMIT
    assert "R@[0,1)\n" in found.out


def test_an_update_may_make_a_program_consistent() -> None:
    Path("rules.txt").write_text("BOTTOM :- Hot(X), Loud(X)\n")
    assert update("--fail-on", "error").code == NO
    Path("gone.txt").write_text("Hot(t1)@[2,inf)\n")
    found = update("--delete", "gone.txt", "--fail-on", "error")
    assert (found.code, found.err) == (0, "")


def test_ranges_to_infinity_in_recursion_are_recomputed() -> None:
    Path("rules.txt").write_text(
        "Boxplus[2,2]A :- A\nB :- Diamondminus[0,inf)A\nBoxplus[0,1]A :- B\n"
    )
    Path("facts.txt").write_text("A@0\nA@[5,6]\n")
    Path("gone.txt").write_text("A@0\n")
    found = update("--delete", "gone.txt", "--stats")
    assert "recomputed: ranges to infinity in recursion" in found.err
    Path("facts.txt").write_text("A@[5,6]\n")
    assert found.out == mtl("materialise", "rules.txt", "facts.txt").out


@pytest.mark.parametrize("method", ["auto", "dred", "recompute"])
def test_a_state_has_the_data_from_then_on(method: str) -> None:
    """Step by step what is printed is what all data at once give."""
    first = update("--state", "model.r4", "--to", "60")
    assert first == mtl("materialise", "rules.txt", "facts.txt", "--to", "60")
    step = ("--state", "model.r4", "--method", method, "--to", "60.5")
    gone = mtl("update", "rules.txt", "--delete", "gone.txt", *step)
    assert (gone.code, gone.out) == (0, update("--delete", "gone.txt", "--to", "60.5").out)
    come = mtl("update", "rules.txt", "--insert", "come.txt", *step, "--periods")
    expected = mtl("materialise", "rules.txt", "updated.txt", "--to", "60.5", "--periods")
    assert come == expected
    same = mtl("update", "rules.txt", *step, "--periods")
    assert same == expected


def test_a_state_of_dates_and_of_new_constants() -> None:
    Path("rules.txt").write_text("Q(X) :- Diamondminus[P0D,P1D]P(X)\n")
    Path("facts.txt").write_text("P(a)@2024-01-31\n")
    Path("come.txt").write_text("P('b c')@2024-02-03\n")
    update("--state", "model.r4")
    found = mtl("update", "rules.txt", "--insert", "come.txt", "--state", "model.r4")
    assert (found.code, found.out) == (0, update("--insert", "come.txt").out)
    Path("come.txt").write_text("P(a)@5\n")
    found = mtl("update", "rules.txt", "--insert", "come.txt", "--state", "model.r4")
    assert found.code == INPUT_REFUSED
    assert "MTL209" in found.err


def test_a_state_that_does_not_fit_is_refused_and_stays() -> None:
    assert mtl("update", "rules.txt", "--state", "model.r4").code == USAGE
    update("--state", "model.r4")
    before = Path("model.r4").read_bytes()
    found = update("--state", "model.r4")
    assert (found.code, "has the data already" in found.err) == (USAGE, True)
    limited = mtl(
        "update", "rules.txt", "--insert", "come.txt", "--state", "model.r4", "--seconds", "0"
    )
    assert limited.code == LIMIT
    Path("other.txt").write_text(RULES.replace("[0,2]", "[0,3]"))
    found = mtl("update", "other.txt", "--state", "model.r4")
    assert (found.code, "R4405 model.r4 is of another program" in found.err) == (USAGE, True)
    assert Path("model.r4").read_bytes() == before
    Path("model.r4").write_bytes(before[:-100])
    found = mtl("update", "rules.txt", "--state", "model.r4")
    assert (found.code, "R4403" in found.err) == (USAGE, True)
    Path("model.r4").write_text("no zip")
    assert "R4401" in mtl("update", "rules.txt", "--state", "model.r4").err


@pytest.mark.parametrize("method", ["auto", "dred", "recompute"])
def test_changes_are_what_the_models_differ_in(method: str) -> None:
    found = update(*BOTH, "--changes", "--method", method, "--from", "0", "--to", "60")
    assert found.out.splitlines() == [
        *("- Alarm(t1)@[3,3]", "- Loud(t1)@[3,3]", "- Seen(t1,ann)@[3,3]", "- Seen(t1,ann)@[4,5]"),
        *("- Shift(ann)@[4,8)", "- Shift(ann)@[28,32)", "- Shift(ann)@[52,56)"),
        *("+ Alarm(t1)@(5,7]", "+ Loud(t1)@[5,6]"),
    ]
    only = update(*BOTH, "--changes", "--method", method, "--only", "Loud").out
    assert only == "- Loud(t1)@[3,3]\n+ Loud(t1)@[5,6]\n"
    assert update("--changes", "--method", method).out == ""


@pytest.mark.parametrize(("gone", "come"), [("e.txt", "n.txt"), ("n.txt", "e.txt")])
def test_changes_that_are_cut_short_are_told(gone: str, come: str) -> None:
    Path("ever.txt").write_text("A(X) :- Diamondminus[1,1] A(X)\n")
    Path("e.txt").write_text("A(a)@[0,0]\n")
    Path("n.txt").write_text("B(a)@[0,0]\n")
    given = ("mtl", "update", "ever.txt", gone, "--delete", gone, "--insert", come)
    found = call([*given, "--changes", "--from", "0", "--to", "100000", "--limit", "50"])
    assert found.code == LIMIT
    assert "all that is printed is true, but it is not all" in found.err


def test_derived_facts_alone_are_those_of_the_new_data() -> None:
    shown = ("--derived-only", "--from", "0", "--to", "60")
    wanted = mtl("materialise", "rules.txt", "updated.txt", *shown)
    assert update(*BOTH, *shown).out == wanted.out
    assert "Hot" not in wanted.out


def test_changes_are_not_derived_alone() -> None:
    found = update(*BOTH, "--changes", "--derived-only")
    assert found.code == USAGE
    assert "--changes shows what holds, derived or not" in found.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_a_state_that_another_update_has_is_refused_by_name_and_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the change of one of them would be lost."""
    update("--state", "model.r4")
    before = Path("model.r4").read_bytes()
    step = ("update", "rules.txt", "--insert", "come.txt", "--state", "model.r4")
    with Path("model.r4").open("rb") as other:
        lock(other.fileno())
        refused = mtl(*step)
    assert refused.code == USAGE
    assert "model.r4: another process writes it" in refused.err
    assert Path("model.r4").read_bytes() == before
    with monkeypatch.context() as patched:
        patched.setattr("r4.cli.mtl.commands.update.is_named", lambda *_: False)
        late = mtl(*step)
    assert late.code == USAGE
    assert "model.r4: another process has written it just now" in late.err
    assert mtl(*step).code == 0
    assert Path("model.r4").read_bytes() != before
