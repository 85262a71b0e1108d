"""Rules and data that name files, hosts and programs everywhere: none is opened or started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from r4.cli import COMMANDS
from r4.cli.mtl import COMMANDS as MTL
from tests.hostile_input.commands import Commands, check_bounds
from tests.paths import ROOT

SECRET = "what-nobody-may-read"
HOST = "http://127.0.0.1:9/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OWL = "http://www.w3.org/2002/07/owl#"
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
RULES = "Document(Prefix(ex <urn:ex:>) Group(Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])))"
PLACES = ("file:///{secret}", "../outside/secret", HOST)
MORE = (
    *("{secret}", "link/secret", "%2e%2e/outside/secret", "//127.0.0.1:9/", "https://localhost:9/"),
    *("ftp://127.0.0.1:9/", "data:text/plain,a", "pkg:os", "python:os.system"),
)
in_places = pytest.mark.parametrize(
    "places", [PLACES, pytest.param(MORE, marks=pytest.mark.soak)], ids=["some", "more"]
)


def _xml(subset: str = "", text: str = "1", more: str = "", child: str = "") -> str:
    """RDF/XML with an internal subset, a value, more attributes, one more element."""
    return (
        f'<?xml-stylesheet href="@"?><!DOCTYPE a {subset}>'
        f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:e="urn:ex:" {more}>'
        f'<rdf:Description rdf:about="urn:a"><e:p>{text}</e:p>{child}</rdf:Description></rdf:RDF>'
    )


DATA: Mapping[str, str] = {
    "plain.rdf": _xml(more='xml:base="@"', child='<e:p rdf:resource="secret"/>'),
    "dtd.rdf": _xml('SYSTEM "@"'),
    "public.rdf": _xml('PUBLIC "-//W3C//DTD" "@"'),
    "entity.rdf": _xml('[<!ENTITY x SYSTEM "@">]', "&x;"),
    "parameter.rdf": _xml('[<!ENTITY % x SYSTEM "@"> %x;]'),
    "include.rdf": _xml(
        child='<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="@" parse="text"/>'
    ),
    "schema.rdf": _xml(
        more='xmlns:s="http://www.w3.org/2001/XMLSchema-instance" s:schemaLocation="urn:a @"'
    ),
    "context.jsonld": '{"@context":"@","@id":"urn:a","urn:ex:p":1}',
    "contexts.jsonld": '{"@context":[{"a":"urn:ex:p"},"@"],"@id":"urn:a","a":1}',
    "import.jsonld": '{"@context":{"@version":1.1,"@import":"@"},"@id":"urn:a","urn:ex:p":1}',
    "scoped.jsonld": '{"@context":{"a":{"@id":"urn:ex:p","@context":"@"}},"@id":"urn:a","a":{}}',
    "base.jsonld": '{"@context":{"@base":"@","@vocab":"@"},"@id":"secret","urn:ex:p":1}',
    "base.ttl": "@base <@> . @prefix p: <@> . <secret> <urn:ex:p> p:secret, <@> .",
    "imports.ttl": f"<@> a <{OWL}Ontology> ; <{OWL}imports> <@> .",
    "shapes.trig": "BASE <@> <secret> { <secret> <urn:ex:p> <@> . }",
    "names.nt": f"<@> <{OWL}imports> <@> .",
    "stamps.nq": f'<urn:g> {STAMP} "1"^^<@> .\n<@> <urn:ex:p> <@> <urn:g> .',
    "patch.rdfp": "H id <@> .\nTX .\nPA p: <@> .\nA <@> <urn:ex:p> <@> .\nTC .",
    "lines.ndjsonld": '{"@context":"@","@id":"urn:a","urn:ex:p":1}',
}
DOCUMENTS: Mapping[str, str] = {
    "import.rif": "Document(Import(<@>) Group(<urn:p>(1)))",
    "graph.rif": "Document(Import(<@> <http://www.w3.org/ns/entailment/RDF>) Group(<urn:p>(1)))",
    "profile.rif": "Document(Import(<main.rif> <@>) Group(<urn:p>(1)))",
    "base.rif": "Document(Base(<@>) Prefix(p <@>) Import(<secret>) Group(p:secret(<@>)))",
    "builtin.rif": "Document(Group(<urn:p>(?x) :- ?x = External(<@>(1))))",
    "iri.rif": "Document(Group(Forall ?x (?x[<urn:q> -> <@>] :- ?x[<urn:p> -> <@>])))",
    "entity.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "@">]><Document xmlns="http://www.w3.org/2007/'
    'rif#">&x;</Document>',
    "include.xml": '<Document xmlns="http://www.w3.org/2007/rif#"><i:include href="@" '
    'xmlns:i="http://www.w3.org/2001/XInclude"/></Document>',
    "import.xml": '<Document xmlns="http://www.w3.org/2007/rif#"><directive><Import><location>@'
    "</location></Import></directive></Document>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with rules, beside one with a secret, to which a link leads."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    for name in ("secret", "secret.rif", "secret.nt"):
        (outside / name).write_text(f'<urn:{SECRET}> <urn:ex:p> "{SECRET}" .\n')
    (inside / "link").symlink_to(outside)
    (inside / "r.rif").write_text(RULES)
    return inside


def _place(folder: Path, place: str) -> str:
    return place.replace("{secret}", str(folder.parent / "outside/secret"))


@in_places
@pytest.mark.parametrize("name", DATA)
def test_data_open_nothing(r4: Commands, folder: Path, name: str, places: tuple[str, ...]) -> None:
    rules, data = folder / "r.rif", folder / name
    for place in places:
        data.write_text(_filled(DATA[name], _place(folder, place)))
        for args in ([str(data), "--time-predicate", "urn:ex:p"], ["--static", str(data)]):
            found = r4("run", rules, *args)
            check_bounds(found, [rules, data])
            assert SECRET not in found.out + found.err


def _filled(text: str, place: str) -> str:
    """A text with a place for each ``@`` that begins no word of a language."""
    return re.sub(r"@(?![a-z]+\b)", lambda _: place, text)


@in_places
@pytest.mark.parametrize("name", DOCUMENTS)
def test_rules_open_nothing(r4: Commands, folder: Path, name: str, places: tuple[str, ...]) -> None:
    rules, other = folder / name, folder / "r.rif"
    for place in places:
        rules.write_text(_filled(DOCUMENTS[name], _place(folder, place)))
        for args in (
            ["run", str(rules)],
            ["convert", str(rules), "-"],
            ["entails", str(other), str(rules)],
        ):
            found = r4(*args)
            check_bounds(found, [rules, other])
            assert SECRET not in found.out + found.err


GIVEN: Mapping[str, str] = {
    "r.rif": RULES,
    "d.nt": "<urn:a> <urn:ex:p> <urn:b> .\n",
    "c.rif": "<urn:a>[<urn:ex:q> -> <urn:b>]",
    "p.txt": "A(X) :- Diamondminus[0,1]Z(X)\n",
    "t.csv": "id,time,v\na,2026-03-17T10:00:00Z,1\n",
    "cases/rules.rif": RULES,
    "cases/static.nt": "<urn:a> <urn:ex:p> <urn:b> .\n",
    "cases/expected.jsonl": "",
    "z.txt": "Z(a)@0\n",
    "h.txt": "Goal(X,T) :- Temp(X,high,T)\n",
    "t.txt": "@0 Temp(a,high,0)\n",
}
CALLS = (
    *("run r.rif --static d.nt", "check r.rif", "convert r.rif -", "entails r.rif c.rif"),
    *("plan r.rif --as svg", "explain r.rif --static d.nt --fact <urn:a>␣ex:q␣<urn:b>"),
    *("replay kept", "state show kept", "status kept", "completion bash", "demo --help"),
    *("test cases", "map t.csv", "fmt --check r.rif", "lsp"),
    "hypothesise h.txt --query Goal(X,T) t.txt",
    *("mtl check p.txt", "mtl materialise p.txt z.txt", "mtl update p.txt z.txt"),
    *("mtl entails p.txt z.txt A(a)@0", "mtl explain p.txt z.txt A(a)@0"),
    "mtl stream p.txt z.txt --query A",
)
APART = {"load", "spark", "bench", "doctor"}
"""What starts programs, as SECURITY.md says."""
OWN_PAIR = re.compile(r"socket\.__new__ \(.*, 1, 1, 0\)")
"""A pair of local sockets, by which an event loop of asyncio wakes itself."""


def test_no_command_opens_a_connection_starts_a_program_or_opens_what_was_not_named(
    r4: Commands, folder: Path
) -> None:
    for name, text in GIVEN.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    first = r4("run", folder / "r.rif", "--static", folder / "d.nt", "--state", folder / "kept")
    assert first.code == 0, first.err
    called = set()
    for line in CALLS:
        words = [word.replace("␣", " ") for word in line.split()]
        called.add(" ".join(words[: 1 + (words[0] == "mtl")]))
        args = [str(folder / each) if (folder / each).exists() else each for each in words]
        found = r4(*args)
        assert found.code in {0, 1}, (line, found.err)  # 1: no
        assert "Traceback" not in found.err
        for what in found.touched:
            if words[0] == "lsp" and OWN_PAIR.fullmatch(what):
                continue
            path = what.rpartition(" ")[2]  # a case is run in its folder
            opened = os.path.normpath(folder / "cases" / path) if words[0] == "test" else path
            assert opened.startswith(str(folder)), (line, what)
    assert called == {*COMMANDS, *(f"mtl {name}" for name in MTL)} - {*APART, "mtl"}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_nor_do_the_parsers_that_are_no_python(folder: Path) -> None:
    """The watch of the other tests is a hook of Python; this one asks the system."""
    script = "import sys; from r4.cli import main\nfor line in sys.argv[1:]: main(line.split())"
    lines = []
    for name, text in {**DATA, **DOCUMENTS}.items():
        for number, place in enumerate((HOST, f"file://{folder.parent}/outside/secret")):
            path = folder / f"{number}{name}"
            path.write_text(_filled(text, place))
            rules = name in DOCUMENTS
            lines.append(f"check {path}" if rules else f"run {folder / 'r.rif'} --static {path}")
    log = folder / "log"
    watched = ["strace", "-f", "-qq", "-e", "trace=%network,execve,openat,open", "-o", str(log)]
    subprocess.run(
        [*watched, sys.executable, "-c", script, *lines], cwd=ROOT, capture_output=True, check=True
    )
    seen = log.read_text("utf-8", "replace")
    assert str(folder / "0base.ttl") in seen
    assert len(re.findall(r"execve\(", seen)) == 1
    assert not re.findall(r"(socket|connect|sendto)\(.*AF_INET.*", seen)
    assert 'outside/secret"' not in seen
