"""What holds at the end, as CSV and as Turtle: what the JSON lines of the same run leave."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import rdflib
from rdflib.compare import isomorphic

from tests.generators.draw import from_seed
from tests.generators.meetings.dimensions import NEVER
from tests.generators.meetings.histories import meeting_of
from tests.simulation.command import CommandOutput, call
from tests.simulation.meetings.command_run import command_files, command_options

DIMENSIONS = ("window", "own ends", "delay", "negation", "recursion", "static data", "instances")
STREAM = """
<urn:g1> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^<XSD#integer> .
<urn:x> <urn:ex:is> "=1, \\"one\\""@en <urn:g1> .
<urn:g2> <http://www.w3.org/ns/prov#generatedAtTime> "3"^^<XSD#integer> .
<urn:x> <urn:ex:is> <urn:ex:late> <urn:g2> .
""".replace("XSD", "http://www.w3.org/2001/XMLSchema")
RULES = """
Document( Prefix(ex <urn:ex:>) Window(9) Group(
  (* ex:name *) Forall ?x ?y ( ?x[ex:was -> ?y] :- ?x[ex:is -> ?y] )
  Forall ?x ?y ( ex:atom(?y ?x) :- ?x[ex:is -> ?y] )
  Forall ?x ?y ( ?y[ex:of -> ?x] :- ?x[ex:is -> ?y] )
  Forall ?x ( rif:error() :- ?x[ex:is -> ex:late] )
) )
"""
Line: TypeAlias = dict[str, Any]


def _standing(lines: list[str], *, instances: bool) -> list[Line]:
    """The lines ``+`` without a line ``-`` behind them."""
    found: dict[object, Line] = {}
    names = ("s", "p", "o", "atom", "error", *(["from"] if instances else []))
    for line in map(json.loads, lines):
        what = tuple(line.get(name) for name in names)
        if line["op"] == "-":
            del found[what]
        else:
            found[what] = line
    return list(found.values())


def _plain(text: str) -> str:
    """A term without brackets, datatype and language."""
    if text.startswith("<"):
        return text[1:-1]
    quoted = re.match(r'"(?:[^"\\]|\\.)*"', text)
    return json.loads(quoted[0]) if quoted else text


def _row(line: Line) -> list[str]:
    triple = [_plain(line[key]) if key in line else "" for key in "spo"]
    error = "true" if line.get("error") else ""
    times = ["" if line[key] is None else str(line[key]) for key in ("from", "until")]
    return [*triple, line.get("atom", ""), error, *times, str(line["rule"] or "")]


def _is_rdf(line: Line) -> bool:
    return line.get("s", '"')[0] in "<_" and not line["o"].startswith("List(")


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_it_is_what_the_lines_leave(first: int, tmp_path: Path) -> None:
    compared = 0
    for seed in range(first, first + 20):
        draw = from_seed(seed)
        wanted: set[str] = set()
        for one in DIMENSIONS:
            apart = any(frozenset((one, other)) in NEVER for other in wanted)
            if draw.chance(40) and not apart:
                wanted.add(one)
        case = meeting_of(draw, frozenset(wanted))
        if case.arrival:
            continue
        command = ["run", *command_files(case, tmp_path), *command_options(case), "--quiet"]
        lines = call(command).lines()
        standing = _standing(lines, instances=case.history.semantics == "instances")
        rows = list(csv.reader(StringIO(call([*command, "--as", "csv"]).out)))
        assert rows[0] == ["s", "p", "o", "atom", "error", "from", "until", "rule"]
        assert sorted(rows[1:]) == sorted(map(_row, standing)), f"seed {seed}"
        found, triples = rdflib.Graph(), rdflib.Graph()
        found.parse(data=call([*command, "--as", "turtle"]).out, format="turtle")
        rdf = filter(_is_rdf, standing)
        triples.parse(data="".join(f"{e['s']} {e['p']} {e['o']} .\n" for e in rdf), format="nt")
        assert isomorphic(found, triples), f"seed {seed}"
        compared += bool(standing)
    assert compared > 10


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text(RULES)
    Path("a.nq").write_text(STREAM)
    return tmp_path


def _run(*more: str) -> CommandOutput:
    return call(["run", "r.rif", "a.nq", "--quiet", *more])


@pytest.mark.usefixtures("at")
def test_csv_has_all_answers_with_their_rules_and_times() -> None:
    assert list(csv.reader(StringIO(_run("--as", "csv").out)))[1:] == [
        ["", "", "", "", "true", "3", "", "4"],
        ['=1, "one"', "urn:ex:of", "urn:x", "", "", "1", "", "3"],
        ["", "", "", '<urn:ex:atom>("=1, \\"one\\""@en <urn:x>)', "", "1", "", "2"],
        ["", "", "", "<urn:ex:atom>(<urn:ex:late> <urn:x>)", "", "3", "", "2"],
        ["urn:ex:late", "urn:ex:of", "urn:x", "", "", "3", "", "3"],
        ["urn:x", "urn:ex:was", '=1, "one"', "", "", "1", "", "urn:ex:name"],
        ["urn:x", "urn:ex:was", "urn:ex:late", "", "", "3", "", "urn:ex:name"],
    ]


def test_turtle_has_the_prefixes_of_the_rules_and_counts_what_is_no_rdf(at: Path) -> None:
    found = _run("--output", "now.ttl")
    text = (at / "now.ttl").read_text()
    assert text.startswith("@prefix ex: <urn:ex:> .\n")
    assert "sosa" not in text
    assert 'ex:was "=1, \\"one\\""@en , ex:late' in text
    assert "no RDF: 4 answer(s), which --as jsonl, parquet or csv can say" in found.err


@pytest.mark.usefixtures("at")
def test_a_line_break_of_any_kind_stays_in_its_cell() -> None:
    Path("a.nq").write_text(STREAM.replace("=1, ", r"a\rb\nc\r\nd"))
    rows = list(csv.reader(StringIO(_run("--as", "csv").out, newline="")))
    assert [row[2] for row in rows if row[1] == "urn:ex:was"] == [
        'a\rb\nc\r\nd"one"',
        "urn:ex:late",
    ]


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize(
    ("prefix", "predicate"),
    [("_e <urn:ex:>", "_e:was"), ("_ <urn:ex:>", "<urn:ex:was>"), ("e <urn:ex:%>", "e:41")],
)
def test_prefixes_that_turtle_does_not_have_are_not_used(prefix: str, predicate: str) -> None:
    rule = f"Forall ?x ?y ( ?x[{predicate} -> ?y] :- ?x[<urn:ex:is> -> ?y] )"
    Path("r.rif").write_text(f"Document( Prefix({prefix}) Group( {rule} ) )")
    found = _run("--as", "turtle")
    assert found.code == 0, found.err
    assert "@prefix" not in found.out
    assert len(rdflib.Graph().parse(data=found.out, format="turtle")) == 2


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--order", "arrival"), "--order arrival undoes lines, which --as csv cannot say"),
        (("--state", "s"), "--as csv is written as a whole, so it goes without --state"),
        (("--hypotheses", "subjects"), "--hypotheses tells what is possible, which --as csv"),
    ],
)
def test_what_it_cannot_say_is_refused(options: tuple[str, ...], message: str) -> None:
    found = _run("--as", "csv", *options)
    assert found.code == 2
    assert message in found.err


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize("form", ["csv", "turtle"])
def test_that_all_answers_have_ended_is_told(form: str) -> None:
    told = "1 answer began, and none holds at the end; --as jsonl has all that began and ended"
    rule = "Forall ?x ?y (?x[<urn:was> -> ?y] :- ?x[<urn:is> -> ?y])"
    Path("e.rif").write_text(f"Document( Window(1) Group( {rule} ) )")
    begin, _, _ = STREAM.partition("<urn:x>")
    element = f"{begin.strip()}\n<urn:a> <urn:is> <urn:b> <urn:g1> .\n"
    later = element.replace("g1", "g2").replace('"1"', '"9"').replace("urn:is", "urn:has")
    Path("e.nq").write_text(element + later)
    command = ["run", "e.rif", "e.nq", "--as"]
    assert told in call([*command, form]).err.splitlines()
    assert told not in call([*command, "jsonl"]).err
    assert "0 of" not in call([*command, form, "--quiet"]).err
    Path("e.nq").write_text(element)
    assert "0 of" not in call([*command, form]).err
