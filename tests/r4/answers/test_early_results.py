"""``--order arrival``: what is told at once, and what is undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Namespace

from r4 import Engine
from r4.cli import DONE
from r4.cli.terminal.console import NO, USAGE
from tests.r4.stream.sources import (
    CUTS,
    TextSource,
    batches_of,
    calm_streams,
    facts_of,
    in_normal_form,
    ops_of,
    quad,
    stamp,
    text,
    text_of,
)
from tests.simulation.command import CommandOutput, call

EX = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Prefix(rif <http://www.w3.org/2007/rif#>) Window(3) Group(
  (* ex:both *) Forall ?x ( ?x[ex:is -> ex:c] :- And( ?x[ex:is -> ex:a] ?x[ex:is -> ex:b] ) )
  (* ex:one *) Forall ?x ( ?x[ex:is -> ex:c] :- ?x[ex:is -> ex:d] )
  (* ex:atom *) Forall ?x ( ex:seen(?x) :- ?x[ex:is -> ex:e] )
  (* ex:bad *) Forall ?x ( rif:error() :- ?x[ex:is -> ex:f] )
) )"""
NEGATING = """Document( Prefix(ex <urn:ex:>) Window(3) Group(
  Forall ?x ( ?x[ex:is -> ex:alone] :- And( ?x[ex:is -> ex:a] Naf( ?x[ex:is -> ex:b] ) ) )
) )"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    return tmp_path


def says(name: str, at: int, what: str) -> str:
    return f"{stamp(name, at)}\n<urn:ex:x> <urn:ex:is> <urn:ex:{what}> <urn:{name}> ."


def run(folder: Path, lines: list[str], *more: str, rules: str = RULES) -> CommandOutput:
    (folder / "r.rif").write_text(rules)
    (folder / "s.nq").write_bytes(text(*lines))
    return call(["run", "r.rif", "s.nq", "--order", "arrival", *more])


def told(printed: CommandOutput) -> list[str]:
    assert printed.code == DONE, printed.err
    found = []
    for line in map(json.loads, printed.lines()):
        undone = "undone " if line.get("undone") else ""
        what = (line.get("o") or line["atom"]).split(":")[2].partition(">")[0]
        found.append(f"{undone}{line['op']}{what} {line['from']}@{line['at']}")
    return found


def test_a_line_that_proves_untrue_is_repeated_with_undone_as_its_last_key(folder: Path) -> None:
    lines = [says("g1", 1, "a"), says("g2", 3, "d"), says("g3", 2, "b")]
    printed = run(folder, lines, "--delay", "2")
    c = '"s":"<urn:ex:x>","p":"<urn:ex:is>","o":"<urn:ex:c>"'
    assert printed.lines() == [
        f'{{"op":"+","at":3,{c},"from":3,"until":null,"rule":"urn:ex:one"}}',
        f'{{"op":"+","at":3,{c},"from":3,"until":null,"rule":"urn:ex:one","undone":true}}',
        f'{{"op":"+","at":2,{c},"from":2,"until":null,"rule":"urn:ex:both"}}',
    ]


def test_another_rule_makes_another_line(folder: Path) -> None:
    lines = [says("g1", 2, "a"), says("g2", 3, "d"), says("g3", 3, "b")]
    rules = [
        (line["rule"], "undone" in line)
        for line in map(json.loads, run(folder, lines, "--delay", "1").lines())
    ]
    assert rules == [("urn:ex:one", False), ("urn:ex:one", True), ("urn:ex:both", False)]


def test_instances_that_last_longer_are_other_lines(folder: Path) -> None:
    lines = [
        says("g1", 1, "a"),
        says("g2", 3, "b"),
        says("g3", 3, "a"),
        says("g4", 9, "e"),
    ]
    printed = run(folder, lines, "--delay", "2", "--semantics", "instances", "--only", "urn:ex:is")
    found = [
        (line["op"], line["from"], line["until"], "undone" in line)
        for line in map(json.loads, printed.lines())
    ]
    assert found == [
        ("+", 3, 4, False),
        ("+", 3, 4, True),
        ("+", 3, 6, False),
        ("-", 3, 6, False),
    ]


def test_an_end_is_told_once_time_has_passed_it(folder: Path) -> None:
    there, back = says("g1", 1, "d"), says("g3", 4, "d")
    until_then = [there, stamp("g2", 4)]
    assert told(run(folder, until_then)) == ["+c 1@1", "-c 1@4"]  # the end prints the rest
    assert told(run(folder, [*until_then, back])) == ["+c 1@1"]
    assert told(run(folder, [*until_then, stamp("g3", 5)])) == ["+c 1@1", "-c 1@4"]


def test_in_order_and_without_delay_the_lines_are_those_in_order_of_time(folder: Path) -> None:
    lines = [says(f"g{at}", at, "abde"[at % 4]) for at in range(12)]
    printed = run(folder, lines, "--drain")
    assert printed.lines() == call(["run", "r.rif", "s.nq", "--drain"]).lines()
    assert len(printed.lines()) > 6


def test_a_retraction_undoes_what_is_not_final_and_ends_what_is(folder: Path) -> None:
    takes = "<urn:g3> <urn:r4:retracts> <urn:g1> ."
    open_still = [says("g1", 1, "d"), stamp("g2", 2), stamp("g3", 2), takes]
    assert told(run(folder, open_still, "--delay", "9")) == ["+c 1@1", "undone +c 1@1"]
    assert told(run(folder, open_still)) == ["+c 1@1", "-c 1@2"]


def test_negation_undoes_what_rested_on_what_was_not_there(folder: Path) -> None:
    lines = [says("g1", 1, "a"), says("g2", 2, "b"), says("g3", 1, "b")]
    printed = run(folder, lines, "--delay", "1", "--drain", rules=NEGATING)
    assert told(printed) == ["+alone 1@1", "undone +alone 1@1"]


def test_atoms_and_errors_are_undone_too(folder: Path) -> None:
    takes = "\n".join(f"<urn:g3> <urn:r4:retracts> <urn:g{n}> ." for n in (1, 2))
    lines = [says("g1", 1, "e"), says("g2", 1, "f"), stamp("g3", 1), takes]
    printed = run(folder, lines, "--delay", "1").lines()
    assert printed[2:] == [line[:-1] + ',"undone":true}' for line in printed[:2]]
    assert ['"atom":' in printed[0], '"error":true' in printed[1]] == [True, True]


def test_triples_of_no_element_are_told_with_the_next_element(folder: Path) -> None:
    loose = "<urn:ex:y> <urn:ex:is> <urn:ex:d> ."
    lines = [stamp("g1", 5), "", loose, "", says("g2", 5, "a"), says("g3", 5, "b")]
    printed = run(folder, lines, "--delay", "2")
    assert told(printed) == ["+c 3@3", "+c 5@5"]
    assert json.loads(printed.lines()[0])["s"] == "<urn:ex:y>"


def test_what_proves_untrue_before_it_is_told_is_not_told(folder: Path) -> None:
    loose = "<urn:ex:x> <urn:ex:is> <urn:ex:a> ."
    taken, takes = says("g1", 5, "b"), "<urn:g2> <urn:r4:retracts> <urn:g1> ."
    lines = [taken, "", loose, "", stamp("g2", 6)]
    assert told(run(folder, lines, "--delay", "2")) == ["+c 5@5"]
    assert told(run(folder, [*lines, takes], "--delay", "2")) == []


def test_a_stream_without_elements_holds_back_no_line(folder: Path) -> None:
    (folder / "t.nq").write_bytes(text(says("h", 9, "e")))
    lines = [says("g1", 1, "d"), says("g2", 7, "d")]
    (folder / "s.nq").write_bytes(text(*lines))
    printed = call(["run", "r.rif", "s.nq", "t.nq", "--order", "arrival"])
    assert told(printed)[:3] == ["+c 1@1", "-c 1@4", "+c 7@7"]


@pytest.mark.parametrize("form", ["nquads", "trig", "ndjsonld", "patch"])
def test_forms_that_cannot_undo_a_line_are_refused(folder: Path, form: str) -> None:
    printed = run(folder, [says("g1", 1, "d")], "--as", form)
    assert (printed.code, printed.out) == (USAGE, "")
    assert f"--as {form}" in printed.err


def test_a_run_fails_by_answers_that_stand(folder: Path) -> None:
    takes = "<urn:g2> <urn:r4:retracts> <urn:g1> ."
    for name, what in (("error", "f"), ("urn:ex:is", "d"), ("answer", "e")):
        final = [says("g1", 1, what), stamp("g2", 2), takes]
        assert run(folder, final, "--fail-on", name).code == NO
        assert run(folder, final, "--fail-on", name, "--delay", "1").code == DONE


def test_undone_lines_are_chosen_like_others(folder: Path) -> None:
    takes = "\n".join(f"<urn:g3> <urn:r4:retracts> <urn:g{n}> ." for n in (1, 2))
    lines = [says("g1", 1, "d"), says("g2", 1, "e"), stamp("g3", 1), takes, says("g4", 1, "e")]
    assert told(run(folder, lines, "--only", "urn:ex:seen")) == [
        "+seen 1@1",
        "undone +seen 1@1",
        "+seen 1@1",
    ]


def answers(engine: Engine) -> list[tuple]:
    return [(one.op, one.at, one.until, one.undone) for one in engine.changes()]


def test_the_library_marks_changes_as_undone() -> None:
    engine = Engine.from_text(RULES, order="arrival", delay=5)
    engine.add([(EX.x, EX["is"], EX.d)], at=3, name="urn:g")
    assert answers(engine) == [("+", 3, None, False)]
    engine.add([(EX.x, EX["is"], EX.d)], at=1)
    assert answers(engine) == [("+", 3, None, True), ("+", 1, None, False)]
    engine.retract(name="urn:g", at=5)
    assert answers(engine) == [("-", 4, 4, False)]
    engine.finish()
    assert answers(engine) == []


def test_in_the_library_time_that_moves_tells_what_it_passes() -> None:
    engine = Engine.from_text(RULES, order="arrival", delay=5)
    engine.add([(EX.x, EX["is"], EX.d)], at=1)
    engine.add([], at=4)
    assert answers(engine) == [("+", 1, None, False)]
    engine.advance(4)
    assert answers(engine) == [("-", 4, 4, False)]
    assert not engine.add([(EX.x, EX["is"], EX.d)], at=4)


def test_another_order_is_refused() -> None:
    with pytest.raises(ValueError, match="'any' is none of time, arrival"):
        Engine.from_text(RULES, order="any")  # type: ignore[arg-type]


def test_what_is_final_is_forgotten() -> None:
    engine = Engine.from_text(RULES, order="arrival", delay=4)
    sizes = []
    for at in range(200):
        engine.add([(EX[f"x{at}"], EX["is"], EX.d)], at=at)
        early = engine._run.core.emitter.early
        assert early is not None
        sizes.append((len(early._emitted), len(early._closing), len(early.needed_ids)))
    assert sizes[20] == sizes[-1]


@given(st.lists(calm_streams(), min_size=1, max_size=3), st.integers(0, 3), CUTS)
def test_elements_one_by_one_say_what_they_say_together(streams, delay, cuts) -> None:
    found = []
    for each in (False, True):
        sources = [TextSource(text_of(one), n, cuts) for n, one in enumerate(streams, 1)]
        intake, dictionary, batches = batches_of(sources, delay=delay, each=each)
        ops = in_normal_form(ops_of(batches, dictionary))
        found.append((ops, intake.frontier, intake.last, intake.counters))
    assert found[0] == found[1]


def test_every_element_ends_a_batch_late_and_bad_ones_too() -> None:
    loose = "<urn:l> <urn:p> <urn:o> ."
    given_lines = text(
        *(loose, stamp("g", 5), quad("a", "g"), "", loose, stamp("h", 3), quad("b", "h")),
        *(quad("c", "i"), "", stamp("k", 6), quad("d", "k"), "<urn:k> <urn:r4:retracts> <urn:g> ."),
        *("", loose),
    )
    _, dictionary, batches = batches_of([TextSource(given_lines)], each=True)
    said = [
        ([row[0][0].strip("<>") for row in facts_of([one], dictionary)], one.completes)
        for one in batches
    ]
    assert said == [
        (["urn:l"], False),
        (["urn:a"], True),
        (["urn:l"], True),
        ([], True),
        (["urn:d"], True),
        (["urn:l"], False),
    ]
