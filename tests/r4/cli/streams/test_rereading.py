"""SIGHUP and ``--watch``: static data and rules are read again while a run goes on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from r4.cli.terminal.signals import RunSignals
from r4.rdf.files import ByteSource
from r4.run.reference_reader import FileWatch, ReferenceUpdates
from tests.r4.cli.streams.test_real_time import element
from tests.r4.store.test_static_folders import load
from tests.simulation.command import CommandOutput, call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

Step = str | Callable[[], object]

RULES = """
Document( Prefix(ex <urn:ex:>) Window(9) Group(
  (* ex:one *) Forall ?x ?y ( ?x[ex:feels -> ?y] :-
    And(?x[ex:is -> ex:warm] ex:warm[ex:means -> ?y]) )
) )
"""
HOT, COLD = (f"<urn:ex:warm> <urn:ex:means> <urn:ex:{one}> .\n" for one in ("hot", "cold"))


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "m.nt").write_text(HOT)
    (tmp_path / "a.nq").write_text("")
    return tmp_path


def _run(steps: Sequence[Step], *more: str) -> CommandOutput:
    """A run over elements that arrive one by one; in between something is done."""
    rest, right = list(steps), ByteSource.read

    def read(source: ByteSource) -> bytes:
        if not source.name.endswith("a.nq"):
            return right(source)
        while rest and not isinstance(rest[0], str):
            rest.pop(0)()  # type: ignore[operator]
            if not rest or isinstance(rest[0], str):
                return b"\n"
        return str(rest.pop(0)).encode() + b"\n" if rest else b""

    with patch.object(ByteSource, "read", read):
        return call(["run", "r.rif", "a.nq", "--static", "m.nt", *more])


def _answers(found: CommandOutput) -> list[str]:
    """Sign, time, subject and object of each line."""
    lines = [json.loads(line) for line in found.lines()]
    return [f"{one['op']}{one['at']} {one['s'][5:-1]} {one['o'][8:-1]}" for one in lines]


def _says(path: str, text: str) -> Callable[[], object]:
    """A file says something else, of which the run is told by a signal."""

    def change() -> None:
        Path(path).write_text(text)
        signal.raise_signal(signal.SIGHUP)

    return change


@pytest.mark.usefixtures("at")
def test_what_joins_and_leaves_counts_from_the_frontier_on() -> None:
    found = _run([element(1, 1), element(2, 2), _says("m.nt", COLD), element(3, 3)])
    assert found.code == 0
    assert _answers(found) == [
        *("+1 x1 hot", "-2 x1 hot", "+2 x1 cold", "+2 x2 cold", "+3 x3 cold")
    ]
    assert "m.nt was read again: 1 triple(s) join, 1 leave" in found.err


@pytest.mark.usefixtures("at")
def test_rules_join_and_leave_and_see_what_holds() -> None:
    other = RULES.replace("ex:one *", "ex:two *").replace("ex:feels", "ex:felt")
    both = RULES.replace("\n) )", other[other.index("(* ex:two") : other.rindex(") )")] + ") )")
    found = _run([element(1, 1), _says("r.rif", both), element(2, 2), _says("r.rif", other)])
    assert found.code == 0
    assert (
        '"p":"<urn:ex:felt>","o":"<urn:ex:hot>","from":1,"until":null,"rule":"urn:ex:two"'
        in found.out
    )
    assert [line[:15] for line in found.lines() if '"op":"-"' in line] == ['{"op":"-","at":2'[:15]]
    assert "r.rif was read again: 1 rule(s) join, 0 leave" in found.err
    assert "r.rif was read again: 0 rule(s) join, 1 leave" in found.err


WAS = RULES.replace("9", "5").replace(
    "\n) )",
    """
  (* ex:was *) Forall ?x ( ?x[ex:feels -> ex:late] :- DiamondMinus [3, 3] (?x[ex:is -> ex:warm]) )
  (* ex:long *) Forall ?x ( ?x[ex:feels -> ex:long] :- BoxMinus [0, 2] (?x[ex:is -> ex:warm]) )
) )""",
)
"""An element is warm for five ticks; rules that join at 4 look back on 1."""


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize("resumes", [False, True])
def test_rules_that_join_look_back(*, resumes: bool) -> None:
    Path("r.rif").write_text(RULES.replace("9", "5"))
    before: list[Step] = [element(1, 1), element(2, 4), _says("r.rif", WAS), element(3, 5)]
    after, options = [element(4, 20)], ["--lookback", "3", "--output", "out"]
    if resumes:
        options += ["--state", "state"]
        assert _run([*before, lambda: signal.raise_signal(signal.SIGTERM)], *options).code == 143
        found = _run(after, *options)
    else:
        found = _run([*before, *after], *options)
    assert found.code == 0, found.err
    lines = CommandOutput(0, Path("out").read_text(), "")
    assert [each for each in _answers(lines) if each.endswith(("late", "long"))] == [
        *("+4 x1 late", "+4 x1 long", "-6 x1 long", "+6 x2 long", "+7 x2 late", "+7 x3 long"),
        *("+8 x3 late", "-9 x1 late", "-9 x2 long", "-10 x3 long", "-12 x2 late", "-13 x3 late"),
    ]


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize("options", [(), ("--lookback", "2")])
def test_rules_that_look_back_too_far_do_not_join(options: Sequence[str]) -> None:
    Path("r.rif").write_text(RULES.replace("9", "5"))
    wanted = _run([element(1, 1), element(2, 4), element(3, 5)], *options)
    Path("r.rif").write_text(RULES.replace("9", "5"))
    found = _run([element(1, 1), element(2, 4), _says("r.rif", WAS), element(3, 5)], *options)
    assert (found.code, found.out) == (0, wanted.out)
    assert "R4114 with these the rules look back 3 ticks; facts are kept for" in found.err
    assert "begin it with these rules, or with a longer --lookback" in found.err
    assert "R4603 r.rif: it is refused; what was read before stays" in found.err


@pytest.mark.usefixtures("at")
def test_rules_do_not_leave_where_others_look_back_on_what_is_forgotten() -> None:
    within = ("--retract-within", "2")
    Path("r.rif").write_text(WAS)
    wanted = _run([element(1, 1), element(2, 4)], *within)
    fewer = _says("r.rif", RULES.replace("9", "5"))
    found = _run([element(1, 1), fewer, element(2, 4)], *within)
    assert (found.code, found.out) == (0, wanted.out)
    assert "R4116 rules look back, and with --retract-within" in found.err
    both = _run([element(1, 1)], *within, "--lookback", "3")
    assert both.code == 2
    assert "--lookback keeps for rules that join" in both.err


@pytest.mark.usefixtures("at")
def test_the_summary_says_nothing_about_patterns_of_rules_that_left() -> None:
    other = RULES.replace("ex:one *", "ex:two *").replace("ex:means", "ex:meant")
    Path("r.rif").write_text(other)
    assert "no fact matches ex:warm[ex:meant -> ?y]" in _run([element(1, 1)]).err
    found = _run([element(1, 1), _says("r.rif", RULES), element(2, 2)])
    assert _answers(found)
    assert "no fact matches" not in found.err


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("m.nt", HOT + "no statement\n", "R4603 m.nt:2: DAT101"),
        ("r.rif", RULES.replace(":-", ":"), "RIF101"),
        ("r.rif", RULES.replace("Window(9)", "Window(8)"), "r.rif:2:32: R4116 the window cannot"),
        ("r.rif", RULES.replace("Window", "Import(<b.rif>) Window"), "R4116 imports cannot change"),
    ],
)
def test_what_cannot_be_used_is_reported_and_changes_nothing(
    at: Path, path: str, text: str, message: str
) -> None:
    wanted = _run([element(1, 1), element(2, 2)])
    kept = (at / path).read_text()
    found = _run([element(1, 1), _says(path, text), element(2, 2)])
    assert (found.code, found.out) == (0, wanted.out)
    assert message in found.err
    assert "R4603" in found.err
    assert kept != text


def test_a_file_that_is_gone_is_reported(at: Path) -> None:
    def remove() -> None:
        (at / "m.nt").unlink()
        signal.raise_signal(signal.SIGHUP)

    found = _run([element(1, 1), remove, element(2, 2)])
    assert [line[1:] for line in _answers(found)] == ["1 x1 hot", "2 x2 hot"]
    assert "R4603 m.nt: No such file or directory; what was read before stays" in found.err


@pytest.mark.usefixtures("at")
def test_what_a_document_has_that_is_not_read_again_stays() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        pipe.write(HOT)
    static = ("--static", f"/dev/fd/{reading}")
    found = _run([element(1, 1), _says("m.nt", ""), element(2, 2)], *static)
    os.close(reading)
    assert found.code == 0, found.err
    assert _answers(found) == ["+1 x1 hot", "+2 x2 hot"]
    assert "m.nt was read again: 0 triple(s) join, 1 leave" in found.err


def test_beside_a_loaded_folder_rules_are_not_read_again(at: Path) -> None:
    load([at / "m.nt"], at / "loaded")  # of it the triples are read that the rules ask for
    found = _run(
        [element(1, 1), _says("r.rif", RULES.replace("ex:means", "ex:meant")), element(2, 2)],
        *("--static", "loaded"),
    )
    assert _answers(found) == ["+1 x1 hot", "+2 x2 hot"]
    assert "was read again" not in found.err


@pytest.mark.usefixtures("at")
def test_before_the_first_element_static_data_change_without_time() -> None:
    found = _run([_says("m.nt", COLD), element(1, 1)])
    assert _answers(found) == ["+1 x1 cold"]


@pytest.mark.usefixtures("at")
def test_possible_answers_are_not_changed() -> None:
    found = _run([element(1, 1), _says("m.nt", COLD), element(2, 2)], "--hypotheses")
    assert "SIGHUP: with --hypotheses nothing is read again" in found.err


def test_a_run_that_went_on_has_what_it_read_again(at: Path) -> None:
    steps: list[Step] = [element(1, 1), _says("m.nt", COLD), element(2, 2)]
    wanted = _run([*steps, element(3, 3), element(4, 4)])
    (at / "m.nt").write_text(HOT)
    state = ("--state", "state", "--output", "out", "--keep-journal")
    stopped = _run([*steps, lambda: signal.raise_signal(signal.SIGTERM)], *state)
    assert stopped.code == 143
    (at / "m.nt").write_text("")  # of this nobody told the run
    (at / "a.nq").write_text("\n".join([element(1, 1), "", element(2, 2), "\n"]))
    again = _run([element(3, 3), element(4, 4)], *state)
    assert again.code == 0, again.err
    assert (at / "out").read_text() == wanted.out


def test_rules_that_are_not_those_read_last_are_refused(at: Path) -> None:
    other = RULES.replace("ex:one *", "ex:two *")
    state = ("--state", "state", "--output", "out")
    steps: list[Step] = [element(1, 1), _says("r.rif", other), element(2, 2)]
    stopped = _run([*steps, lambda: signal.raise_signal(signal.SIGTERM)], *state)
    assert stopped.code == 143
    (at / "r.rif").write_text(RULES)
    refused = _run([element(3, 3)], *state)
    assert refused.code == 3
    assert "R4414 the state is of other rules than the file has now" in refused.err
    (at / "r.rif").write_text(other)
    assert _run([element(3, 3)], *state).code == 0
    assert (at / "out").read_text().count("urn:ex:two") > 0


def test_files_are_watched_by_time_and_size(tmp_path: Path) -> None:
    path, now = tmp_path / "a", [0.0]
    path.write_text("1")

    def watch(*unread: str) -> FileWatch:
        return FileWatch([str(path)], unread=unread, now=lambda: now[0])

    def look(one: FileWatch) -> set[str]:
        now[0] += 1
        return one.changed()

    one = watch(str(path))
    assert look(one) == set()
    path.write_text("12")
    assert one.changed() == set(), "a second has not passed"
    assert look(one) == set(), "it may still be written"
    assert look(one) == {str(path)}
    assert look(one) == set()
    path.unlink()
    assert [look(one), look(one)] == [set(), {str(path)}]
    other = watch()
    assert [look(other), look(other), look(other)] == [set(), {str(path)}, set()]


def test_with_watch_no_signal_is_needed(at: Path) -> None:
    def change() -> None:
        (at / "m.nt").write_text(COLD)

    steps: list[Step] = [element(1, 1), change, *(element(n, n) for n in (2, 3, 4))]
    with patch("r4.run.reference_reader._PERIOD", -1.0):
        found = _run(steps, "--watch")
        unwatched = _run([element(1, 1), lambda: (at / "m.nt").write_text(HOT), element(2, 2)])
    assert "+4 x4 cold" in _answers(found)
    assert "+4 x4 hot" not in _answers(found)
    assert "m.nt was read again: 1 triple(s) join, 1 leave" in found.err
    assert "was read again" not in unwatched.err


@pytest.mark.usefixtures("at")
def test_rules_that_change_while_they_are_compiled_are_noticed() -> None:
    right = ReferenceUpdates.__init__

    def begin(*args: Any, **options: Any) -> None:
        Path("r.rif").write_text(RULES.replace("ex:feels", "ex:felt"))
        right(*args, **options)

    steps = [element(n, n) for n in range(1, 5)]
    with (
        patch("r4.run.reference_reader._PERIOD", -1.0),
        patch.object(ReferenceUpdates, "__init__", begin),
    ):
        found = _run(steps, "--watch")
    assert "r.rif was read again: 1 rule(s) join, 1 leave" in found.err
    assert "was read again" not in _run(steps, "--watch").err


def test_each_time_that_is_asked_counts_once() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with RunSignals() as signals:
        assert not signals.take_reading()
        signal.raise_signal(signal.SIGHUP)
        assert not signals.is_set
        assert (signals.take_reading(), signals.take_reading()) == (True, False)
        assert signals.descriptor is not None
        with pytest.raises(BlockingIOError):
            os.read(signals.descriptor, 1)
    assert signal.getsignal(signal.SIGHUP) is before
