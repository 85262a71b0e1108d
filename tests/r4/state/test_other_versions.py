"""`r4 state migrate`: another version of R4, which plans otherwise, takes over a state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from r4.checkpoint import archive
from r4.language import LANGUAGE
from r4.program.regimes.background import background_of
from r4.program.regimes.catalogue import regime
from rif.syntax import ast
from tests.r4.state.state_run import (
    RULES,
    contents,
    plain_output,
    run,
    run_halfway,
    run_on_full_disk,
    stream,
)
from tests.r4.state.test_migration import frontier, intervals
from tests.seeds import parts
from tests.simulation.command import call
from tests.simulation.other_version import other_plans, other_version
from tests.simulation.state.killed_run import compare

PART = 50
BEGINS = """
Document( Prefix(ex <http://ex.org/>)
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>) Window(30)
  Group( Forall ?x ?y ( ?x[ex:r -> ?y] :-
    And(?x[ex:p -> ?y] External(pred:starts-with(?y "o1"))) ) ) )
"""
PREDICATE = "http://www.w3.org/2007/rif-builtin-predicate#"


@pytest.mark.parametrize("kind", [other_plans, other_version])
def test_the_bytes_are_those_of_a_run_that_went_on(at: Path, kind: Any) -> None:
    wanted = plain_output()
    run_halfway()
    before = contents()
    with kind():
        refused = run("--output", "out")
        assert refused.code == 3
        assert "R4414 the state is of an R4 that compiles its rules otherwise" in refused.err
        assert "`r4 state migrate DIR` lets this R4 take over" in refused.err
        assert contents() == before
        migrated = call(["state", "migrate", "state"])
        assert migrated.code == 0
        assert "what follows from what it keeps is derived anew" in migrated.err
        assert "R4421" not in migrated.err
        assert call(["state", "verify", "state"]).code == 0
        assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


TIMED = """
Document( Prefix(ex <http://ex.org/>) Window(5)
  Group( Forall ?x ?y ?m ( ?x[ex:r -> ?m] :- And( {} ) ) ) )
"""


@pytest.mark.parametrize(
    "conditions",
    [
        "DiamondMinus [0, 40] ( ?x[ex:p -> ?y] ) ?m = count{ ?v | ?z[ex:p -> ?v] }",
        "DiamondMinus [0, 40] ( ?x[ex:p -> ?y] ) ?m = count{ ?v [?x] | ?x[ex:p -> ?v] }",
        "Every 7 at ?m DiamondMinus [0, 20] ( ?x[ex:p -> ?y] )",
        "DiamondMinus [0, 30] ( Every 7 at ?m ) ?x[ex:p -> ?y]",
        "?x[ex:p -> ?y] DiamondMinus [0, 60] ( Ended ?m ?n ( ?x[ex:p -> ?y] ) )",
        "DiamondMinus [0, 40] ( At ?n ( ?x[ex:p -> ?y] ) ) ?m = ?n + 2 ms",
    ],
)
@pytest.mark.parametrize("stamps", ["integer", "dateTime"])
def test_of_what_time_brings_all_is_known_that_was_known(
    at: Path, conditions: str, stamps: str
) -> None:
    """Groups kept their first values and marks were asserted again: no time had passed in it."""
    if stamps == "dateTime":
        times = re.sub(
            r'"(\d+)"(\^\^<.*#)integer>',
            lambda found: f'"2024-01-01T00:00:00.{int(found[1]):03}Z"{found[2]}dateTime>',
            stream(),
        )
        (at / "s.nq").write_text(times)
    names = " ?n" if "?n" in conditions else ""
    (at / "r.rif").write_text(TIMED.replace("?m (", f"?m{names} (").format(conditions))
    wanted = plain_output()
    assert len(wanted.splitlines()) > 20
    run_halfway()
    with other_version():
        migrated = call(["state", "migrate", "state"])
        assert migrated.code == 0
        assert "R4421" not in migrated.err
        assert run("--output", "out").code == 0
    assert (at / "out").read_bytes() == wanted


def test_what_rests_on_more_than_is_kept_is_not_taken_over(at: Path) -> None:
    chain = """Forall ?x ?y ( ?x[ex:r -> ?y] :- DiamondMinus [0, 40] ( ?x[ex:p -> ?y] ) )
    Forall ?x ?y ( ?x[ex:t -> ?y] :- DiamondMinus [0, 40] ( ?x[ex:r -> ?y] ) )"""
    (at / "r.rif").write_text(f"Document( Prefix(ex <http://ex.org/>) Window(1) Group( {chain} ) )")
    wanted = plain_output()
    within = ("--retract-within", "0ms")
    run_halfway(*within)
    with other_version():
        refused = call(["state", "migrate", "state"])
        assert refused.code == 3
        assert "R4414" in refused.err
        assert "with --retract-within what they derived is forgotten" in refused.err
    assert run("--output", "out", *within).code == 0
    assert (at / "out").read_bytes() == wanted


def test_it_goes_back_in_the_same_way_and_other_rules_join(at: Path) -> None:
    wanted = plain_output()
    run_halfway()
    with other_version():
        assert call(["state", "migrate", "state"]).code == 0
    assert run("--output", "out").code == 3
    assert call(["state", "migrate", "state"]).code == 0
    (at / "r.rif").write_text(RULES.replace("?x[ex:r -> ?y]", "And(?x[ex:r -> ?y] ?y[ex:t -> ?x])"))
    with other_version():
        migrated = call(["state", "migrate", "state"])
        assert migrated.code == 0
        assert "1 rule(s) join, 1 leave" in migrated.err
        since = frontier()
        assert run("--output", "out").code == 0
    told = (at / "out").read_text()
    assert '"p":"<http://ex.org/t>"' in told
    before = [line for line in told.splitlines() if json.loads(line)["at"] < since]
    assert wanted.decode().splitlines()[: len(before)] == before
    assert len(before) > 20


def test_a_state_whose_portable_part_is_another_is_refused(at: Path) -> None:
    del at
    run_halfway()
    with other_version(), patch.object(archive, "PORTABLE", archive.PORTABLE + 1):
        for refused in (run("--output", "out"), call(["state", "migrate", "state"])):
            assert refused.code == 3
            assert "R4413" in refused.err
    assert run("--output", "out").code == 0


def test_other_imports_are_not_taken_over(at: Path) -> None:
    more = """Document( Prefix(ex <http://ex.org/>)
      Group( Forall ?x ?y ( ?x[ex:is -> ?y] :- ?x[ex:r -> ?y] ) ) )"""
    (at / "r.rif").write_text(RULES.replace("Window(30)", "Import(<urn:more>) Window(30)"))
    (at / "more.rif").write_text(more)
    option = ("--import-map", "urn:more=more.rif")
    run_halfway(*option)
    (at / "more.rif").write_text(more.replace("ex:is", "ex:are"))
    for refused in (run("--output", "out", *option), call(["state", "migrate", "state"])):
        assert refused.code == 3
        assert "R4414" in refused.err
        assert "put changed imports back" in refused.err
    (at / "more.rif").write_text(more)
    with other_plans():
        assert call(["state", "migrate", "state"]).code == 0


@contextmanager
def _fewer_background_rules() -> Iterator[None]:
    def fewer(*given: Any) -> ast.Document:
        found = regime(*given)
        assert found.group is not None
        return replace(found, group=replace(found.group, items=found.group.items[1:]))

    background_of.cache_clear()
    with patch("r4.program.regimes.background.regime", fewer):
        yield
    background_of.cache_clear()


def test_a_version_that_numbers_rules_otherwise_does_not_take_over(at: Path) -> None:
    del at
    run_halfway("--entailment", "rdfs")
    with other_version(), _fewer_background_rules():
        refused = call(["state", "migrate", "state"])
    assert refused.code == 3
    assert "R4414 the state is of an R4 that compiles its rules otherwise" in refused.err
    with other_version():
        assert call(["state", "migrate", "state"]).code == 0


@contextmanager
def _contains() -> Iterator[None]:
    """A version to which a text starts with all that it contains."""
    starts, contains = (LANGUAGE.builtins[PREDICATE + name] for name in ("starts-with", "contains"))
    was = starts.evaluate
    object.__setattr__(starts, "evaluate", contains.evaluate)
    try:
        yield
    finally:
        object.__setattr__(starts, "evaluate", was)


@pytest.mark.parametrize("first", [nullcontext, _contains])
def test_answers_that_do_not_follow_any_more_end_and_new_ones_begin(at: Path, first: Any) -> None:
    (at / "r.rif").write_text(BEGINS)
    text = re.sub(r"<http://ex.org/(o.)>", r'"\1"', stream()).replace('"o0"', '"to1"')
    (at / "s.nq").write_text(text)
    with first():
        assert run_on_full_disk(130).code == 6
    since = frontier()
    then = _contains if first is nullcontext else nullcontext
    with other_version(), then():
        migrated = call(["state", "migrate", "state"])
        assert migrated.code == 0
        said = re.search(r"R4421 triples: (\d+) fact\(s\) begin or end where", migrated.err)
        assert said is not None, migrated.err
        assert run("--output", "out").code == 0
        wanted = intervals(call(["run", "r.rif", "s.nq"]).out)
    assert intervals((at / "out").read_text(), since) == {
        (what, max(begin, since), end) for what, begin, end in wanted if end > since
    }
    changed = "-" if first is not nullcontext else "+"
    lines = [json.loads(line) for line in (at / "out").read_text().splitlines()]
    assert sum(line["at"] == since and line["op"] == changed for line in lines) >= int(said[1]) > 2


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=20))
def test_runs_of_two_versions_tell_what_one_tells(first: int) -> None:
    found, faults = compare(PART, first, versions=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert found["taken over"] > PART // 20
    assert found["killed"] > PART // 2
