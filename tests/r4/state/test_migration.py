"""`r4 state migrate`: other rules take over the state of a run that has stopped."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from r4.state.folder import StateFolder
from tests.r4.state.state_run import RULES, contents, plain_output, run, run_halfway
from tests.seeds import parts
from tests.simulation.command import CommandOutput, call
from tests.simulation.state.killed_run import compare

PART = 50
OTHER = RULES.replace("?x[ex:r -> ?y]", "?x[ex:t -> ?y]").replace("ex:q -> ?y", "ex:q -> ex:o1")
FEWER = RULES.replace("Forall ?x ?y ( ?x[ex:r", "Forall ?x ?y ( ?x[ex:other")


def migrate(*more: str) -> CommandOutput:
    return call(["state", "migrate", "state", *more])


def frontier() -> int:
    """That of the last checkpoint."""
    folder = StateFolder(Path("state"))
    given = folder.read_checkpoint(folder.checkpoints[-1])
    assert given is not None
    return given.part("core").integer("frontier")


def intervals(text: str, since: float = -math.inf) -> set[tuple[str, float, float]]:
    """The answers among lines, each from when to when, as far as they hold from ``since`` on."""
    begun: dict[str, float] = {}
    found: set[tuple[str, float, float]] = set()
    for line in map(json.loads, text.splitlines()):
        what = " ".join((line["s"], line["p"], line["o"]))
        if line["op"] == "+":
            begun[what] = line["at"]
        else:
            found.add((what, max(begun.pop(what), since), line["at"]))
    found |= {(what, max(at, since), math.inf) for what, at in begun.items()}
    return {each for each in found if each[2] > since}


@pytest.mark.parametrize("rules", [OTHER, FEWER])
def test_what_other_rules_say_of_what_is_kept_counts_from_the_frontier_on(
    at: Path, rules: str
) -> None:
    (at / "other.rif").write_text(rules)
    whole = call(["run", "r.rif", "s.nq"]).out
    wanted = intervals(call(["run", "other.rif", "s.nq"]).out)
    run_halfway()
    (at / "r.rif").write_text(rules)
    refused = run("--output", "out")
    assert refused.code == 3
    assert "hint: `r4 state migrate state` lets these take it over" in refused.err
    migrated = migrate()
    assert migrated.code == 0
    assert "r.rif was read again: 1 rule(s) join, 1 leave" in migrated.err
    since = frontier()
    assert run("--output", "out").code == 0
    told = (at / "out").read_text()
    before = [line for line in told.splitlines() if json.loads(line)["at"] < since]
    assert whole.splitlines()[: len(before)] == before
    assert intervals(told, since) == {
        (what, max(begin, since), end) for what, begin, end in wanted if end > since
    }
    assert any(
        line["op"] == "-" and line["at"] == since for line in map(json.loads, told.splitlines())
    )


def test_with_the_same_rules_the_bytes_are_those_of_a_run_that_went_on(at: Path) -> None:
    wanted = plain_output()
    run_halfway()
    (at / "r.rif").write_text(RULES.replace("?y", "?other"))
    migrated = migrate()
    assert migrated.code == 0
    assert "the rules are those that the run read last" in migrated.err
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        (RULES.replace("Window(30)", "Window(40)"), "R4116"),
        (RULES.replace("Forall", "Forall Forall"), "RIF1"),
        (
            RULES.replace("And(?x[", "And(DiamondMinus [0, 9] (?x[", 1).replace(
                "?y] ?x", "?y]) ?x"
            ),
            "R4114",
        ),
    ],
)
def test_rules_that_cannot_take_over_change_nothing(at: Path, rules: str, code: str) -> None:
    wanted = plain_output()
    run_halfway()
    (at / "other.rif").write_text(rules)
    refused = migrate("--rules", "other.rif")
    assert (refused.code, refused.out) == (3, "")
    assert code in refused.err
    assert "R4414 these rules cannot take the state over, which stays as it was" in refused.err
    assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


def test_rules_of_another_file_take_over_and_the_run_happens_again_with_them(at: Path) -> None:
    run_halfway("--keep-journal")
    (at / "other.rif").write_text(OTHER)
    assert migrate("--rules", "other.rif").code == 0
    (at / "other.rif").rename("r.rif")
    assert run("--output", "out", "--keep-journal").code == 0
    assert '"p":"<http://ex.org/t>"' in (at / "out").read_text()
    assert call(["replay", "state"]).out.encode() == (at / "out").read_bytes()


def test_what_has_no_run_that_goes_on_is_not_migrated(at: Path) -> None:
    nothing = migrate()
    assert (nothing.code, (at / "state").exists()) == (3, False)
    assert "R4412 state has nothing recorded" in nothing.err
    assert run("--output", "out").code == 0
    before = contents()
    (at / "r.rif").write_text(OTHER)
    ended = migrate()
    assert ended.code == 3
    assert "R4414 the run has ended, so no rules can take its state over" in ended.err
    (at / "r.rif").write_text(RULES)
    assert contents() == before


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=6))
def test_migrated_runs_tell_what_one_tells_that_reads_its_rules_again(first: int) -> None:
    found, faults = compare(PART, first, migrates=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["migrated"] > PART // 5
    assert found["killed"] > PART // 2
