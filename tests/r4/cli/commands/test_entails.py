"""``r4 entails`` of pipes, long texts and imports; `tests/cases` has the rest."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from r4.cli.terminal.console import NO, RULES_REFUSED
from tests.simulation.command import CommandOutput, call

YES = 0
RULES = """Document( Prefix(ex <urn:ex:>)
  Group(
    ex:parent(ex:a ex:b)
    Forall ?x ?y ( ex:anc(?x ?y) :- ex:parent(?x ?y) )
  ) )
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.rif").write_text(RULES)
    (tmp_path / "g.ttl").write_text("<urn:a> <urn:p> <urn:b> .")
    return tmp_path


def asked(premise: str, conclusion: str, *more: str) -> CommandOutput:
    """What is said of the conclusion with this text."""
    Path("c.rif").write_text(conclusion)
    return call(["entails", premise, "c.rif", *more])


def through_pipes(premise: str, conclusion: str) -> CommandOutput:
    """What is said of two texts that can be read only once."""
    pipes = []
    for text in (premise, conclusion):
        reader, writer = os.pipe()

        def feed(writer: int = writer, text: str = text) -> None:
            with os.fdopen(writer, "w") as file:
                file.write(text)

        threading.Thread(target=feed).start()
        pipes.append(reader)
    try:
        return call(["entails", *(f"/dev/fd/{pipe}" for pipe in pipes)])
    finally:
        for pipe in pipes:
            os.close(pipe)


pytestmark = pytest.mark.usefixtures("folder")
needs_fds = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no files for descriptors")


@needs_fds
@pytest.mark.parametrize(
    ("premise", "conclusion", "code"),
    [
        (RULES, "<urn:ex:anc>(<urn:ex:c> <urn:ex:a>)", NO),
        (RULES, "<urn:ex:anc>(<urn:ex:a> <urn:ex:b>)", YES),
        (RULES, "Exists ?x (ex:anc(?x ex:b))", YES),
        ("<urn:a> <urn:p> <urn:b> .", "<urn:a>[<urn:p> -> <urn:c>]", NO),
        ("<urn:a> <urn:p> <urn:b> .", "[] <urn:p> <urn:b> .", YES),
        ("PREFIX : <urn:> :a :p :b .", "@prefix e: <urn:> . e:a e:p e:c .", NO),
    ],
)
def test_what_comes_through_a_pipe_is_read_once(premise: str, conclusion: str, code: int) -> None:
    found = through_pipes(premise, conclusion)
    assert (found.code, found.out) == (code, "no\n" if code else "yes\n")


@needs_fds
def test_a_pipe_with_nothing_in_it_is_no_conclusion() -> None:
    found = through_pipes(RULES, "")
    assert (found.code, found.out) == (RULES_REFUSED, "")


def test_a_conclusion_that_is_too_large_is_named(folder: Path) -> None:
    lines = "".join(f"_:b <urn:p{number}> _:b .\n" for number in range(151))
    (folder / "large.nt").write_text(lines)
    found = call(["entails", "p.rif", "large.nt"])
    assert (found.code, found.err.partition(" ")[0]) == (RULES_REFUSED, "large.nt:")
    assert "R4103" in found.err


def test_faults_of_a_premise_that_show_late_are_its_own(folder: Path) -> None:
    body = " ".join(f"<urn:q{number}>(?x)" for number in range(151))
    (folder / "long.rif").write_text(
        f"Document( Group(\nForall ?x ( <urn:p>(?x) :- And({body}) ) ) )"
    )
    found = asked("long.rif", "<urn:p>(1)")
    assert found.code == RULES_REFUSED
    assert found.err.startswith("long.rif:2:1: R4103 ")


@pytest.mark.parametrize("name", ["g.ttl", "g.nt", "g.rdf", "g"])
def test_a_graph_imported_as_rules_is_told_in_one_line(folder: Path, name: str) -> None:
    text = "<urn:a> <urn:p> <urn:b> .\n" * 12
    if name == "g.rdf":
        text = (
            '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf='
            '"http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>'
        )
    elif name == "g.ttl":
        text = "@prefix ex: <urn:ex:> .\nex:a ex:b ex:c ; ex:d ex:e ."
    (folder / name).write_text(text)
    (folder / "m.rif").write_text(f"Document(\n Import(<{name}>) )")
    found = call(["check", "m.rif"])
    assert found.code == RULES_REFUSED
    assert [line.split()[1] for line in found.err.splitlines() if "m.rif" in line] == ["R4315"]
    assert "entailment/Simple" in found.err


@pytest.mark.parametrize("name", ["q.rif", "q.xml", "q"])
def test_rules_imported_as_a_graph_are_told_in_one_line(folder: Path, name: str) -> None:
    text = RULES
    if name == "q.xml":
        text = '<?xml version="1.0"?>\n<Document xmlns="http://www.w3.org/2007/rif#"></Document>'
    (folder / name).write_text(text)
    (folder / "m.rif").write_text(
        f"Document(\n Import(<{name}> <http://www.w3.org/ns/entailment/Simple>) )"
    )
    found = call(["check", "m.rif"])
    assert found.code == RULES_REFUSED
    assert [line.split()[1] for line in found.err.splitlines() if "m.rif" in line] == ["R4316"]
    assert "without a profile" in found.err
