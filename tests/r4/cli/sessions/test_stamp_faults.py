"""What a run says of elements whose stamps are not where they are looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulation.command import call

XSD = "http://www.w3.org/2001/XMLSchema#"
PRED = "http://www.w3.org/2007/rif-builtin-predicate#"
RULES = """Document( Prefix(ex <urn:ex:>) Window(900000)
  Group( Forall ?x (?x[ex:seen -> ex:yes] :- ?x[ex:p -> ex:q]) ) )
"""
AT = "http://www.w3.org/ns/prov#generatedAtTime"
MINUTES = (3, 1, 2)


def time(minute: int) -> str:
    return f'"2026-01-31T07:0{minute}:00Z"^^<{XSD}dateTime>'


def graph(minute: int, name: str) -> str:
    return (
        f"<urn:ex:s{minute}> <urn:ex:p> <urn:ex:q> {name} .\n"
        f"<urn:ex:s{minute}> <urn:ex:seenAt> {time(minute)} {name} .\n"
    )


def stamp(minute: int) -> str:
    return f"<urn:g{minute}> <{AT}> {time(minute)} .\n"


GRAPHS = "".join(graph(minute, f"<urn:g{minute}>") for minute in MINUTES)
STAMPS = "".join(stamp(minute) for minute in MINUTES)
WITHIN = (
    "; or, if ex:seenAt within a graph is its time, give --time-predicate ex:seenAt, and --delay "
    "if graphs are out of order"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    return tmp_path


def said(folder: Path, data: str, *options: str, name: str = "s.nq") -> str:
    (folder / name).write_text(data)
    return call(["run", "r.rif", name, *options]).err


@pytest.mark.parametrize("data", [GRAPHS + STAMPS, STAMPS + GRAPHS])
def test_stamps_apart_from_their_triples_are_told(folder: Path, data: str) -> None:
    found = said(folder, data)
    assert (
        "the stamps of <urn:g3> and 2 others stand apart from their triples, so each is two "
        "elements, one without a stamp" in found
    )
    assert f"write each stamp next to the triples of its graph{WITHIN}\n" in found
    assert "they have no triples, so no delay helps" in found
    assert "with a longer --delay they count" not in found
    obeyed = said(folder, data, "--time-predicate", "ex:seenAt", "--delay", "1h")
    assert "3 elements" in obeyed
    assert "apart" not in obeyed


def test_one_stamp_apart_among_good_elements_is_told_of_its_graph_alone(folder: Path) -> None:
    good = "".join(stamp(minute) + graph(minute, f"<urn:g{minute}>") for minute in (2, 4, 5, 6))
    found = said(folder, stamp(1) + good + graph(1, "<urn:g1>"))
    assert "5 elements" in found
    told = next(line for line in found.splitlines() if "apart" in line)
    assert told == (
        "the stamp of <urn:g1> stands apart from its triples, so it is two elements, one without a "
        "stamp and one without triples: write it next to the triples"
    )


def test_stamps_apart_that_are_too_many_to_be_remembered_are_told_to_be_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r4.stream.elements.stamp_places._MOST", 2)
    found = said(folder, STAMPS + GRAPHS)
    assert "the stamps of <urn:g3> and at least 1 other stand apart from their triples" in found


def test_heartbeats_are_no_stamps_apart(folder: Path) -> None:
    found = said(folder, stamp(1) + stamp(2) + graph(4, "<urn:g4>"))
    assert "apart" not in found


def test_an_iri_without_a_prefix_is_written_as_an_option_has_it(folder: Path) -> None:
    found = said(folder, GRAPHS.replace("urn:ex:seenAt", "http://e/made"))
    assert "; <http://e/made> has times: --time-predicate http://e/made\n" in found
    apart = said(folder, (GRAPHS + STAMPS).replace("urn:ex:seenAt", "http://e/made"))
    assert "; or, if <http://e/made> within a graph" in apart
    assert "give --time-predicate http://e/made, and --delay" in apart


@pytest.mark.parametrize("options", [(), ("--time-predicate", AT)])
def test_stamps_in_the_graph_of_others_are_told(folder: Path, options: tuple[str, ...]) -> None:
    document: list[dict[str, object]] = [
        {
            "@id": "urn:default",
            "@graph": [
                {"@id": f"urn:g{m}", AT: {"@value": time(m)[1:21], "@type": f"{XSD}dateTime"}}
                for m in MINUTES
            ],
        }
    ]
    document += [
        {"@id": f"urn:g{m}", "@graph": [{"@id": f"urn:ex:s{m}", "urn:ex:p": {"@id": "urn:ex:q"}}]}
        for m in MINUTES
    ]
    found = said(folder, json.dumps(document), *options, name="s.jsonld")
    assert "the stamps of graphs stand in another named graph, <urn:default>, so they are" in found
    assert "prov:generatedAtTime has times" not in found


@pytest.mark.parametrize("options", [(), ("--time-predicate", "ex:seenAt")])
def test_many_times_in_one_graph_are_told(folder: Path, options: tuple[str, ...]) -> None:
    data = "".join(graph(minute, "<urn:all>") for minute in MINUTES)
    found = said(folder, data, *options)
    assert (
        "ex:seenAt has several times in one graph, which is one element: write a graph for each "
        "subject, or Turtle or N-Triples, where each subject with ex:seenAt is an element" in found
    )
    assert "has times" not in found


def test_the_default_within_graphs_is_named_as_what_reads_it_there(folder: Path) -> None:
    data = GRAPHS.replace("urn:ex:seenAt", AT)
    assert (
        "no element has the time predicate prov:generatedAtTime in the default graph; graphs have "
        "it within: --time-predicate prov:generatedAtTime reads it there" in said(folder, data)
    )
    obeyed = said(folder, data, "--time-predicate", AT, "--delay", "1h")
    assert "3 elements" in obeyed


def test_the_graph_of_an_element_without_a_stamp_is_named(folder: Path) -> None:
    found = said(folder, stamp(1) + graph(1, "<urn:g1>") + graph(2, "<urn:g2>"))
    assert "s.nq:4: DAT201 an element without a time stamp: graph <urn:g2>\n" in found


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        (f'"2026-07-01T11:00Z"^^<{XSD}dateTime>', "; seconds are missing"),
        (f'"2026-07-01 11:00:00Z"^^<{XSD}dateTime>', "; a T stands between day and time"),
        (
            f'"2026-07-01 11:00"^^<{XSD}dateTime>',
            "; a T stands between day and time, and seconds are missing",
        ),
        ('"2026-07-01T11:00:00Z"', "; it is a string: the datatype xsd:dateTime is missing"),
        (f'"2026-07-41T11:00:00Z"^^<{XSD}dateTime>', ""),
        ('"yesterday"', ""),
    ],
)
def test_what_a_stamp_lacks_is_told(folder: Path, literal: str, said: str) -> None:
    data = f"<urn:g1> <{AT}> {literal} .\n" + graph(1, "<urn:g1>")
    (folder / "s.nq").write_text(data)
    found = call(["run", "r.rif", "s.nq"]).err
    assert f"no xsd:integer: {literal}{said}\n" in found


@pytest.mark.parametrize(
    ("iri", "shown"),
    [
        (f"{PRED}numeric-greater-than", "pred:numeric-greater-than"),
        ("urn:r4:builtin#greater-than", "<urn:r4:builtin#greater-than>"),
    ],
)
def test_a_string_that_looks_like_a_number_is_told_where_numbers_are_asked_for(
    folder: Path, iri: str, shown: str
) -> None:
    (folder / "r.rif").write_text(
        "Document( Prefix(ex <urn:ex:>) Window(5) Group( Forall ?x ?v "
        f"(?x[ex:hot -> ?v] :- And(?x[ex:t -> ?v] External(<{iri}>(?v 5)))) ) )"
    )
    hint = (
        '; a string is no number: datatype = "xsd:decimal" in the mapping of a table, or '
        "^^xsd:decimal in RDF, makes it one"
    )
    for value, said in (("20.7", hint), ("n.a.", "")):
        data = stamp(1) + f'<urn:ex:s> <urn:ex:t> "{value}" <urn:g1> .\n'
        (folder / "s.nq").write_text(data)
        call_shown = f'{shown}("{value}" 5){said}\n'
        assert call_shown in call(["run", "r.rif", "s.nq"]).err
