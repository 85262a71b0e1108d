"""Answers as N-Quads, TriG, JSON-LD lines and RDF Patch: what begins and ceases, as a stream."""

from __future__ import annotations

import json
from pathlib import Path

import pyoxigraph as ox
import pytest

from r4.sinks.output import SinkContext
from r4.sinks.rdf import JsonLdLines
from r4.time.ticks import StampFormat, TimeScale
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call

AT = "<http://www.w3.org/ns/prov#generatedAtTime>"
TO = "<http://www.w3.org/ns/prov#invalidatedAtTime>"
RULES = """Document( Prefix(ex <urn:ex:>) Window(WINDOW)
  Group( Forall ?a ?k (?a[ex:HEAD -> ?k] :- ?a[ex:BODY -> ?k])
         Forall ?a (?a[ex:calm -> "yes"] :- And(?a[ex:is -> ex:airport]
                                               Naf(Exists ?k (?a[ex:gust -> ?k])))) ) )"""


def number(at: int) -> str:
    return f'"{at}"^^<{XSD}integer>'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    first = RULES.replace("HEAD", "seen").replace("BODY", "gust").replace("WINDOW", "3")
    (tmp_path / "a.rif").write_text(first)
    second = RULES.replace("HEAD", "told").replace("BODY", "seen").replace("WINDOW", "1")
    (tmp_path / "b.rif").write_text(second)
    (tmp_path / "s.nq").write_text(
        "".join(
            f"<urn:g{at}> {AT} {number(at)} .\n<urn:ex:a> <urn:ex:gust> {number(k)} <urn:g{at}> .\n"
            for at, k in ((1, 5), (2, 6), (4, 5), (9, 7))
        )
    )
    return tmp_path


def run(*args: str) -> CommandOutput:
    return call(["run", *args])


SEEN = "<urn:ex:a> <urn:ex:seen>"


def test_trig_has_the_same_quads() -> None:
    quads, trig = (run("a.rif", "s.nq", "--as", form).out for form in ("nquads", "trig"))
    parsed = ox.parse(trig.encode(), ox.RdfFormat.TRIG)
    assert sorted(map(str, parsed)) == sorted(
        map(str, ox.parse(quads.encode(), ox.RdfFormat.N_QUADS))
    )


def test_instances_of_an_instant_have_their_ends(folder: Path) -> None:
    (folder / "s.nq").write_text(
        f"<urn:g> {AT} {number(1)} .\n<urn:ex:a> <urn:ex:gust> {number(5)} <urn:g> .\n"
        f"<urn:h> {AT} {number(1)} .\n<urn:h> {TO} {number(2)} .\n"
        f"<urn:ex:b> <urn:ex:gust> {number(6)} <urn:h> .\n"
    )
    rules = (folder / "a.rif").read_text()
    (folder / "a.rif").write_text(rules[: rules.index("         Forall")] + " ) )")
    assert run("a.rif", "s.nq", "--as", "nquads", "--semantics", "instances").lines() == [
        f"<urn:r4:answers:1> {AT} {number(1)} .",
        f"<urn:r4:answers:1> {TO} {number(2)} .",
        f"<urn:ex:b> <urn:ex:seen> {number(6)} <urn:r4:answers:1> .",
        f"<urn:r4:answers> {AT} {number(1)} .",
        f"<urn:r4:answers:1> {AT} {number(1)} .",
        f"<urn:r4:answers:1> {TO} {number(4)} .",
        f"{SEEN} {number(5)} <urn:r4:answers:1> .",
    ]


@pytest.mark.parametrize(
    ("form", "suffix"),
    [("nquads", "nq"), ("trig", "trig"), ("ndjsonld", "ndjsonld"), ("patch", "rdfp")],
)
@pytest.mark.parametrize("delay", [(), ("--delay", "4")])
def test_another_run_reads_them(
    folder: Path, form: str, suffix: str, delay: tuple[str, ...]
) -> None:
    (folder / f"a.{suffix}").write_text(run("a.rif", "s.nq", "--as", form, "--drain").out)
    found = run("b.rif", f"a.{suffix}", "--drain", *delay)
    told = [json.loads(line) for line in found.lines()]
    assert [(line["op"], line["at"], line["o"]) for line in told] == [
        ("+", 1, number(5)),
        ("+", 2, number(6)),
        ("-", 5, number(6)),
        ("-", 7, number(5)),
        ("+", 9, number(7)),
        ("-", 12, number(7)),
    ]
    assert "without effect" not in found.err


@pytest.mark.parametrize(
    ("form", "suffix"),
    [("nquads", "nq"), ("trig", "trig"), ("ndjsonld", "ndjsonld"), ("patch", "rdfp")],
)
@pytest.mark.parametrize("others", [(3, 6), (6, 3), (3, 6, 4)])
def test_answers_of_several_runs_end_on_their_own(
    folder: Path, form: str, suffix: str, others: tuple[int, ...]
) -> None:
    rules = (
        "Document( Prefix(ex <urn:ex:>) Group( Forall ?x ?y ( ?x[%s -> ?y] :- ?x[%s -> ?y] ) ) )"
    )
    (folder / "one.rif").write_text(rules % ("ex:seen", "ex:is"))
    (folder / "two.rif").write_text(rules % ("ex:told", "ex:seen"))
    files = []
    for count, end in enumerate(others):
        (folder / "one.nq").write_text(
            f"<urn:g> {AT} {number(1)} .\n<urn:g> {TO} {number(end)} .\n"
            f"<urn:x> <urn:ex:is> <urn:y> <urn:g> .\n"
        )
        files.append(f"answers{count}.{suffix}")
        (folder / files[-1]).write_text(run("one.rif", "one.nq", "--as", form, "--drain").out)
    found = [json.loads(line) for line in run("two.rif", *files, "--drain").lines()]
    assert [(line["op"], line["at"]) for line in found] == [("+", 1), ("-", max(others))]


def test_lines_of_json_ld_are_the_elements_of_the_quads() -> None:
    quads, lines = (run("a.rif", "s.nq", "--as", form).out for form in ("nquads", "ndjsonld"))
    found = [
        str(quad)
        for line in lines.splitlines()
        for quad in ox.parse(line.encode(), ox.RdfFormat.JSON_LD)
    ]
    assert found == [str(quad) for quad in ox.parse(quads.encode(), ox.RdfFormat.N_QUADS)]


def test_what_always_holds_is_a_graph_of_json_ld(folder: Path) -> None:
    (folder / "static.nt").write_text("<urn:ex:a> <urn:ex:gust> 5 .\n".replace("5", number(5)))
    (folder / "a.ndjsonld").write_text(
        run("a.rif", "s.nq", "--static", "static.nt", "--as", "ndjsonld").out
    )
    assert '"@id":"urn:r4:always"' in (folder / "a.ndjsonld").read_text()
    told = [json.loads(line) for line in run("b.rif", "a.ndjsonld").lines()]
    assert (told[0]["op"], told[0]["at"], told[0]["o"]) == ("+", None, number(5))


def test_blank_nodes_of_json_ld_are_left_out_and_counted(folder: Path) -> None:
    stream = (folder / "s.nq").read_text()
    (folder / "s.nq").write_text(stream.replace("<urn:ex:a>", "_:a", 1))
    found = run("a.rif", "s.nq", "--as", "ndjsonld", "--drain")
    assert "_:" not in found.out
    assert "no RDF: 2 answer(s)" in found.err


def test_iris_that_json_ld_does_not_read_are_left_out_and_counted() -> None:
    sink = JsonLdLines(SinkContext(Dictionary(), (), StampFormat(TimeScale()), instances=False))
    begin = f"<urn:g> {AT} {number(1)}"
    odd, plain = "<urn:s> <urn:p> <urn:a b>", '<urn:s> <urn:p> "x"'
    line = sink._document([begin], "<urn:g>", [odd, plain])
    assert [str(quad) for quad in ox.parse(line, ox.RdfFormat.JSON_LD)] == [
        begin,
        f"{plain} <urn:g>",
    ]
    assert sink._document([begin], "<urn:g>", [odd]) == b""
    assert sink.left_out == 2


@pytest.mark.parametrize("form", ["nquads", "trig", "ndjsonld", "patch"])
def test_the_end_of_what_always_held_is_left_out_and_counted(folder: Path, form: str) -> None:
    (folder / "static.nt").write_text("<urn:ex:a> <urn:ex:is> <urn:ex:airport> .\n")
    found = run("a.rif", "s.nq", "--static", "static.nt", "--as", form, "--only", "urn:ex:calm")
    calm = '<urn:ex:a> <urn:ex:calm> "yes" .'
    if form == "ndjsonld":
        calm = '"@graph":[{"@id":"urn:ex:a","urn:ex:calm":[{"@value":"yes"}]}]}]'
    assert found.lines()[form == "patch"].endswith(calm)
    assert "no RDF: 1 answer(s)" in found.err


def test_a_late_end_is_written_as_one(folder: Path) -> None:
    (folder / "a.nq").write_text(run("a.rif", "s.nq", "--as", "nquads").out)
    late = (folder / "a.nq").read_text().splitlines()
    moved = [*late[:6], f"<urn:t> {AT} {number(6)} .", *late[6:9]]
    (folder / "m.nq").write_text("".join(f"{line}\n" for line in moved))
    found = run("b.rif", "m.nq", "--late", "late.nq")
    assert " 1 late, 0 bad" in found.err
    assert (folder / "late.nq").read_text().splitlines() == [*late[6:9], ""]
