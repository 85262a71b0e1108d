"""``r4 run``: what is said of an input that is in another format than the one that is read."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from r4.cli import DONE
from r4.cli.terminal.console import USAGE
from tests.simulation.command import call

NEXT = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x (?x[ex:a -> 1] :- ?x[ex:seen -> ex:yes]) ) )
"""

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("suffix", ["json", "ndjson"])
def test_answers_are_known_under_each_suffix_that_they_are_written_with(
    folder: Path, suffix: str
) -> None:
    (folder / "n.rif").write_text(NEXT)
    path = f"a.{suffix}"
    assert call(["run", "r.rif", "s.nq", "--output", path]).code == DONE
    found = call(["run", "n.rif", path])
    assert found.code != DONE
    assert f"this looks like answers of R4: give -i jsonl={path}" in found.err
    obeyed = call(["run", "n.rif", path, "-i", f"jsonl={path}"])
    assert obeyed.code == DONE
    assert "urn:ex:a" in obeyed.out


def test_a_format_without_effect_is_told() -> None:
    found = call(["run", "r.rif", "s.nq", "-i", "trig"])
    assert found.code == DONE
    assert (
        "warning: -i trig has no effect, as the suffix of each input says another format: "
        "-i trig=s.nq names the format of one" in found.err
    )
    assert "urn:ex:seen" in found.out


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (["f"], "no input is a file; a folder has a format of its own\n"),
        (["--static", "f"], "no input is a file; a folder has a format of its own\n"),
        (
            ["s.nq", "--static", "f"],
            "the suffix of each file says another format: -i turtle=s.nq names the format of one\n",
        ),
    ],
)
def test_a_folder_has_no_suffix_that_says_a_format(
    folder: Path, inputs: list[str], said: str
) -> None:
    (folder / "f").mkdir()
    found = call(["run", "r.rif", *inputs, "-i", "turtle"])
    assert f"warning: -i turtle has no effect, as {said}" in found.err


@pytest.mark.parametrize("options", [["-i", "nquads"], ["-i", "trig=s.nq"]])
def test_a_format_that_inputs_have_is_not_told(options: list[str]) -> None:
    assert "no effect" not in call(["run", "r.rif", "s.nq", *options]).err


def test_a_format_of_the_configuration_is_not_told(folder: Path) -> None:
    (folder / "c.toml").write_text('[run]\ninput-format = ["trig"]\n')
    assert "no effect" not in call(["run", "r.rif", "s.nq", "--config", "c.toml"]).err


def test_a_format_without_inputs_is_told() -> None:
    found = call(["run", "r.rif", "-i", "trig"])
    assert "-i trig has no effect, as no input is named; - is standard input" in found.err
    assert call(["run", "r.rif", "-i", "nosuch"]).code == USAGE


TURTLE = """@prefix ex: <urn:ex:> . # {
ex:a ex:p ex:q ; ex:at "2026-01-31T07:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ;
  ex:note "{", '''{''', "\\"{" .
"""


def test_turtle_without_a_named_format_is_not_said_to_be_trig(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TURTLE.encode())))
    found = call(["run", "r.rif", "-", "--time-predicate", "urn:ex:at"])
    assert found.code == USAGE
    assert (
        "<stdin>: this looks like Turtle: give -i turtle, and a file or <(COMMAND) in place of -; "
        "if it is TriG, give -i trig" in found.err
    )
    (folder / "t").write_text(TURTLE)
    assert (
        "t: this looks like Turtle: give -i turtle, with --time-predicate IRI; "
        "if it is TriG, give -i trig" in call(["run", "r.rif", "t"]).err
    )
    obeyed = call(["run", "r.rif", "t", "-i", "turtle", "--time-predicate", "urn:ex:at"])
    assert "urn:ex:seen" in obeyed.out
    static = call(["run", "r.rif", "--static", "t"])
    assert static.err.endswith("t: this looks like Turtle: give -i turtle\n")


def test_turtle_under_a_suffix_of_quads_is_not_said_to_be_trig(folder: Path) -> None:
    (folder / "t.nq").write_text(TURTLE)
    found = call(["run", "r.rif", "t.nq"]).err
    assert "this looks like Turtle, but is read as N-Quads: -i turtle=FILE reads it" in found


def test_a_run_without_streams_tells_how_to_read_standard_input() -> None:
    found = call(["run", "r.rif"]).err
    assert "no answers: no data were read, as no stream is named; - is standard input" in found
