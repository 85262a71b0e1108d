"""``r4 run``: what is wrong usage, and what is said about how input is read."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import cast

import pytest

from r4.cli import DONE
from r4.cli.terminal.console import NO, USAGE
from r4.rdf.files import ByteSource
from r4.rdf.gates.input_limits import LONGEST
from tests.simulation.command import CommandOutput, call

AT = "<http://www.w3.org/ns/prov#generatedAtTime>"

pytestmark = pytest.mark.usefixtures("folder")


def run(*args: str) -> CommandOutput:
    return call(["run", "r.rif", "s.nq", *args])


@pytest.mark.parametrize("option", ["--only", "--fail-on"])
@pytest.mark.parametrize("name", ["Alarm", "seen", "<seen>", "urn:a b", ""])
def test_the_name_of_an_answer_is_an_absolute_iri(option: str, name: str) -> None:
    found = run(option, name)
    assert (found.code, found.out) == (USAGE, "")
    said = " ".join(found.err.split())
    assert f"{option} {name}: no absolute IRI; write it in full" in said
    assert ("or answer, or error" in said) == (option == "--fail-on")


@pytest.mark.parametrize(
    ("name", "written"), [("seen", "ex:seen"), ("<seen>", "ex:seen"), ("Seen", "")]
)
def test_a_name_in_the_rules_is_told_with_its_prefix(name: str, written: str) -> None:
    said = " ".join(run("--only", name).err.split())
    assert said.endswith(f"or with a prefix: {written}" if written else "such as urn:ex:alarm")


@pytest.mark.parametrize("name", ["urn:ex:seen", "<urn:ex:seen>", "answer", "any"])
def test_answers_by_name_fail_a_run(name: str) -> None:
    assert run("--fail-on", name).code == NO
    assert run("--fail-on", "error").code == DONE
    assert run("--fail-on", "urn:ex:other").code == DONE


@pytest.mark.parametrize("option", ["--only", "--fail-on"])
def test_options_know_the_prefixes_of_the_rules(option: str) -> None:
    assert run(option, "ex:seen") == run(option, "urn:ex:seen") == run(option, "<urn:ex:seen>")
    assert run("--only", "ex:seen").out
    assert run("--only", "<ex:seen>").out == ""


@pytest.mark.parametrize(
    "text",
    [
        "@prefix ex: <urn:ex:> .\nex:a { ex:a ex:p ex:q }\n",
        'PREFIX ex: <urn:ex:>\n{ <urn:a> <urn:b> "}" }\n',
        "<urn:g> {\n <urn:a> <urn:b> <urn:c> }\n",
        "\nGRAPH <urn:g> { }\n",
    ],
)
def test_standard_input_that_looks_like_trig_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = call(["run", "r.rif", "-"])
    assert (found.code, found.out) == (2, "")
    assert "<stdin>: this looks like TriG: give -i trig" in found.err


def test_answers_as_trig_are_refused_where_they_are_read_as_quads(folder: Path) -> None:
    written = call(["run", "r.rif", "s.nq", "--as", "trig"]).out
    (folder / "answers").write_text(written)
    found = call(["run", "r.rif", "answers"])
    assert found.code == 2
    assert "answers: this looks like TriG: give -i trig" in found.err
    assert call(["run", "r.rif", "answers", "-i", "trig"]).code == 0


@pytest.mark.parametrize(
    "text", ["hello world\n", "a b, c d .\n", '<urn:a> <urn:b> "x, y .\n', "_:a <urn:b> {\n"]
)
def test_a_line_that_looks_like_no_format_is_bad_data_alone(folder: Path, text: str) -> None:
    (folder / "s").write_text(text)
    found = call(["run", "r.rif", "s"])
    assert found.code == 0
    assert "s:1: DAT101" in found.err
    assert "looks like" not in found.err


def test_a_bad_line_of_quads_is_not_said_to_look_like_trig(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = '<urn:a> <urn:b> oops .\n<urn:a> <urn:b> "{" .'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = call(["run", "r.rif", "-"])
    assert "DAT101" in found.err
    assert "TriG" not in found.err


def test_a_map_that_no_import_uses_is_warned_of() -> None:
    found = run("--import-map", "urn:x=s.nq")
    assert found.code == DONE
    assert "warning: --import-map urn:x=s.nq: nothing imports it" in found.err


@pytest.mark.parametrize("name", ["sosa:resultTime", "ex:at", "<urn:ex:at>"])
def test_the_time_predicate_may_have_a_prefix(name: str, folder: Path) -> None:
    at = "<http://www.w3.org/ns/sosa/resultTime>" if name.startswith("sosa") else "<urn:ex:at>"
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    (folder / "s.nt").write_text(
        f"<urn:ex:a> <urn:ex:p> <urn:ex:q> ; {at} {one} .\n".replace(" ; ", " .\n<urn:ex:a> ")
    )
    found = call(["run", "r.rif", "s.nt", "--time-predicate", name])
    assert found.code == DONE
    assert '"at":1' in found.out


def test_a_time_predicate_that_no_subject_has_is_wrong_usage(folder: Path) -> None:
    (folder / "s.nt").write_text("<urn:ex:a> <urn:ex:p> <urn:ex:q> .\n")
    found = call(["run", "r.rif", "s.nt", "--time-predicate", "sosa:resultTim"])
    assert (found.code, found.out) == (USAGE, "")
    assert "no subject has the time predicate <http://www.w3.org/ns/sosa/resultTim>" in " ".join(
        found.err.split()
    )


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("a.nq", f"<urn:r4:answers:1> {AT}"),
        ("a.TRIG", f"<urn:r4:answers:1> {AT}"),
        ("a.patch", "TX ."),
        ("a.ndjsonld", '[{"@id":"urn:r4:answers:1"'),
        ("a.jsonl", '{"op"'),
        ("a.txt", '{"op"'),
        ("a", '{"op"'),
    ],
)
def test_the_suffix_of_the_output_says_the_form(folder: Path, file: str, begins: str) -> None:
    found = run("--output", file, "--quiet")
    assert found.err == ""
    assert (folder / file).read_text().startswith(begins)
    assert run("--output", file, "--as", "jsonl").code == DONE
    assert (folder / file).read_text().startswith('{"op"')


@pytest.mark.parametrize("suffix", [".tsv", ".n3", ".gz"])
def test_a_suffix_that_no_form_has_is_told(folder: Path, suffix: str) -> None:
    found = run("--output", f"a{suffix}", "--quiet")
    assert f"warning: a{suffix} gets JSON lines, as no form of answers has" in found.err
    assert "--as chooses one: jsonl, nquads, trig" in found.err
    assert (folder / f"a{suffix}").read_text().startswith('{"op"')
    assert run("--output", f"a{suffix}", "--quiet", "--as", "trig").err == ""


@pytest.mark.parametrize(("longest", "bad"), [(LONGEST, b"x .\n"), (3, b"xxxx")])
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("run", []),
        ("run", ["--static"]),
        ("run", ["--hypotheses", "--static"]),
        ("explain", ["--fact", "<urn:a> <urn:b> 1", "--static"]),
    ],
    ids=["stream", "static", "hypotheses", "explain"],
)
def test_bad_data_are_reported_before_more_is_read(
    monkeypatch: pytest.MonkeyPatch, command: str, options: list[str], longest: int, bad: bytes
) -> None:
    pieces = [bad, b"y", b""]
    reported: list[bool] = []
    right = ByteSource.read

    def read(source: ByteSource) -> bytes:
        if source.name != "s.nq":
            return right(source)
        sys.stderr.flush()
        reported.append(b"s.nq:1: DAT101 " in cast("io.BytesIO", sys.stderr.buffer).getvalue())
        return pieces.pop(0)

    monkeypatch.setattr(ByteSource, "read", read)
    monkeypatch.setattr("r4.rdf.nquads.LONGEST", longest)
    assert " DAT101 " in call([command, "r.rif", *options, "s.nq"]).err
    assert reported == [False, True, True]
