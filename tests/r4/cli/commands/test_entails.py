"""``r4 entails``: what is read as what, what is refused, and where its faults are."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from r4.cli.terminal.console import LIMIT, NO, RULES_REFUSED, USAGE
from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call

YES = 0
RULES = """Document( Prefix(ex <urn:ex:>)
  Group(
    ex:parent(ex:a ex:b)
    Forall ?x ?y ( ex:anc(?x ?y) :- ex:parent(?x ?y) )
  ) )
"""
LIST = "@prefix ex: <urn:ex:> . ex:a ex:p (1 2) ; ex:q () ."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.rif").write_text(RULES)
    (tmp_path / "lists.ttl").write_text(LIST)
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


def test_a_file_without_suffix_is_known_by_how_it_begins(folder: Path) -> None:
    (folder / "claim").write_text("<urn:a>[<urn:p> -> <urn:c>]")
    assert call(["entails", "g.ttl", "claim"]).code == NO
    (folder / "claim").write_text("<urn:a> <urn:p> <urn:b> .")
    assert call(["entails", "g.ttl", "claim"]).code == YES


@pytest.mark.parametrize(
    ("conclusion", "code"),
    [
        ("<urn:ex:a>[<urn:ex:p> -> List(1 2)]", YES),
        ("<urn:ex:a>[<urn:ex:p> -> List(2 1)]", NO),
        ("<urn:ex:a>[<urn:ex:q> -> List()]", YES),
        ("List(1 2)[rdf:first -> 1]", YES),
        ("Exists ?l (And(<urn:ex:a>[<urn:ex:p> -> ?l] ?l[rdf:rest -> List(2)]))", YES),
    ],
)
def test_the_lists_of_a_graph_are_lists(conclusion: str, code: int) -> None:
    assert asked("lists.ttl", conclusion).code == code


def test_a_graph_with_lists_follows_from_itself(folder: Path) -> None:
    assert call(["entails", "lists.ttl", "lists.ttl"]).code == YES
    (folder / "other.ttl").write_text("@prefix ex: <urn:ex:> . ex:a ex:p (1 3) .")
    assert call(["entails", "lists.ttl", "other.ttl"]).code == NO


@pytest.mark.parametrize(
    "args",
    [
        ("gone.rif", "g.ttl"),
        ("g.ttl", "gone.rif"),
        ("gone.ttl", "g.ttl"),
        ("g.ttl", "gone.ttl"),
        ("gone", "g.ttl"),
        (".", "g.ttl"),
    ],
)
def test_a_file_that_is_not_there_is_wrong_usage(args: tuple[str, str]) -> None:
    found = call(["entails", *args])
    assert (found.code, found.out) == (USAGE, "")
    wrong = next(arg for arg in args if arg != "g.ttl")
    assert f"Error: {wrong}: " in found.err


def test_a_condition_is_no_premise(folder: Path) -> None:
    (folder / "q.rif").write_text("<urn:p>(1)")
    found = call(["entails", "q.rif", "g.ttl"])
    assert found.code == RULES_REFUSED
    assert found.err.startswith("q.rif:1:1: R4113 a condition is no premise\n  <urn:p>(1)\n")


def test_rules_may_derive_only_so_much_for_ever(folder: Path) -> None:
    assert "100,000" in call(["entails", "--help"]).out
    (folder / "endless.rif").write_text(
        "Document( Group( <urn:n>(0) Forall ?x ( <urn:n>(External(func:numeric-add(?x 1))) :-"
        " <urn:n>(?x) ) ) )"
    )
    found = asked("endless.rif", "<urn:n>(-1)", "--limit", "2000")
    assert found.code == LIMIT
    assert "more than 2,000 facts" in found.err


@pytest.mark.parametrize(
    ("iri", "hint"),
    [
        ("xs:integer", "did you mean http://www.w3.org/2001/XMLSchema#integer?"),
        ("http://www.w3.org/2001/XMLSchema#intger", "XMLSchema#integer?"),
        ("urn:mine", "no such datatype is known"),
    ],
)
def test_a_datatype_that_is_not_known_is_wrong_usage(iri: str, hint: str) -> None:
    found = asked("g.ttl", "<urn:p>(1)", "--recognise", iri)
    assert found.code == USAGE
    assert hint in " ".join(found.err.split())


@pytest.mark.parametrize(
    ("premise", "name", "options"),
    [
        ("g.ttl", "xsd:int", ()),
        ("g.ttl", f"<{XSD}int>", ()),
        ("g.ttl", "x:int", ("--prefix", f"x={XSD}")),
        ("x.rif", "x:int", ()),
    ],
)
def test_a_datatype_may_have_a_prefix(
    premise: str, name: str, options: tuple[str, ...], folder: Path
) -> None:
    (folder / "x.rif").write_text(f"Document( Prefix(x <{XSD}>) )")
    conclusion = f"<{XSD}int> # rdfs:Datatype"
    regime = ("--prefix", "rdfs=http://www.w3.org/2000/01/rdf-schema#", "--entailment", "rdfs")
    assert asked(premise, conclusion, *regime, *options, "--recognise", name).code == YES
    assert asked(premise, conclusion, *regime, *options, "--recognise", "none").code == NO


def test_a_conclusion_may_use_prefixes_of_the_command_line() -> None:
    assert asked("g.ttl", "u:a[u:p -> u:b]").code == RULES_REFUSED
    assert asked("g.ttl", "u:a[u:p -> u:b]", "--prefix", "u=urn:").code == YES
    assert asked("g.ttl", "u:a[u:p -> u:b]", "--prefix", "u").code == USAGE


@pytest.mark.parametrize(
    ("conclusion", "place", "quoted"),
    [
        (
            "Document( Group(\n Forall ?x (<urn:p>(?x) :- <urn:q>(?x)) ) )",
            "c.rif:2:2: R4111",
            " Forall ?x (<urn:p>(?x) :- <urn:q>(?x)) ) )",
        ),
        (
            "Document( Import(<d.rif>) Group( <urn:p>(1) ) )",
            "c.rif:1:11: R4115",
            "Document( Import(<d.rif>) Group( <urn:p>(1) ) )",
        ),
        (
            "Exists ?x (\n External(pred:numeric-less-than(?x 1)))",
            "c.rif:2:34: RIF302",
            " External(pred:numeric-less-than(?x 1)))",
        ),
    ],
)
def test_faults_of_a_conclusion_quote_it(conclusion: str, place: str, quoted: str) -> None:
    for premise in ("p.rif", "g.ttl"):
        found = asked(premise, conclusion)
        assert found.code == RULES_REFUSED
        assert found.err.startswith(place)
        assert found.err.splitlines()[1] == f"  {quoted}"


def test_faults_of_graphs_show_no_empty_excerpt(folder: Path) -> None:
    (folder / "bad.ttl").write_text("<urn:a> <urn:p> <urn:b> .\n<urn:a> nonsense .\n")
    (folder / "q.rif").write_text("<urn:p>(1)")
    for args in (("bad.ttl", "g.ttl"), ("bad.ttl", "q.rif"), ("g.ttl", "bad.ttl")):
        found = call(["entails", *args])
        assert found.code == RULES_REFUSED
        assert found.err.startswith("bad.ttl:2:1: R4322 ")
        assert found.err.splitlines()[1].startswith("  hint: ")


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


def test_a_map_that_no_import_uses_is_warned_of_once() -> None:
    for premise in ("p.rif", "g.ttl"):
        found = asked(premise, "<urn:ex:anc>(1)", "--import-map", "urn:x=g.ttl")
        assert found.code == NO
        assert found.err.count("warning: --import-map urn:x=g.ttl: nothing imports it") == 1


def test_brackets_around_the_iri_of_a_map_are_let_pass(folder: Path) -> None:
    (folder / "m.rif").write_text(
        "Document( Import(<http://e/g> <http://www.w3.org/ns/entailment/Simple>) )"
    )
    found = asked("m.rif", "<urn:a>[<urn:p> -> <urn:b>]", "--import-map", "<http://e/g>=g.ttl")
    assert (found.code, found.err) == (YES, "")


def test_a_stream_that_a_premise_imports_is_not_read_with_a_warning(folder: Path) -> None:
    (folder / "s.nq").write_text("<urn:a> <urn:p> <urn:b> <urn:g> .\n")
    (folder / "m.rif").write_text("Document( Import(<s.nq> <urn:r4:profile#stream>) )")
    found = asked("m.rif", "<urn:a>[<urn:p> -> <urn:b>]")
    assert found.code == NO
    assert "m.rif: R4317 warning:" in found.err


def test_the_iri_of_a_map_may_have_a_prefix_of_the_premise(folder: Path) -> None:
    (folder / "m.rif").write_text(
        "Document( Prefix(e <http://e/>)"
        " Import(<http://e/g> <http://www.w3.org/ns/entailment/Simple>) )"
    )
    found = asked("m.rif", "<urn:a>[<urn:p> -> <urn:b>]", "--import-map", "e:g=g.ttl")
    assert (found.code, found.err) == (YES, "")


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


def test_the_import_root_only_permits(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/part.rif").write_text(RULES)
    (folder / "m.rif").write_text("Document( Import(<part.rif>) )")
    found = call(["check", "m.rif", "--import-root", "sub"])
    assert found.code == RULES_REFUSED
    assert "R4301" in found.err
    assert "--import-root permits" in found.err
    assert "permits" in call(["check", "--help"]).out
