"""JSON-LD as a stream: named graphs or subjects of a document, or a document a line."""

from __future__ import annotations

import io
import json
import sys
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyoxigraph as ox
import pytest

from r4.rdf.json_contexts import TooLong, with_contexts
from r4.rdf.whole import line as line_reading
from rif.syntax.terms import XSD
from tests.simulation.command import CommandOutput, call, small_batches

RULES = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k])
         Forall ?a ?n ?k (?a[ex:inner -> ?k] :- And(?a[ex:note -> ?n] ?n[ex:gust -> ?k])) ) )"""
PROV = "http://www.w3.org/ns/prov#"
CONTEXT = {
    "ex": "urn:ex:",
    "at": {"@id": PROV + "generatedAtTime", "@type": XSD + "integer"},
    "until": {"@id": PROV + "invalidatedAtTime", "@type": XSD + "integer"},
    "time": {"@id": "urn:ex:time", "@type": XSD + "integer"},
    "note": {"@id": "urn:ex:note", "@type": "@id"},
}
TIMED = ("--time-predicate", "urn:ex:time")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    return tmp_path


def run(*args: str, standard_input: str = "") -> CommandOutput:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(standard_input.encode())))
        return call(["run", "r.rif", *args, "--drain"])


def told(found: CommandOutput) -> list[tuple[Any, ...]]:
    lines = [json.loads(line) for line in found.out.splitlines()]
    return [(line["op"], line["at"], line["s"], line["o"].split('"')[1]) for line in lines]


def graph(name: str, at: int, gust: int, **more: object) -> dict[str, object]:
    inside = [{"@id": "ex:a", "ex:gust": gust}]
    return {"@context": CONTEXT, "@id": name, "at": at, **more, "@graph": inside}


def subject(name: str, time: int, gust: int, **more: object) -> dict[str, object]:
    return {"@context": CONTEXT, "@id": name, "time": time, "ex:gust": gust, **more}


GRAPHS = [graph("urn:g1", 1, 5), graph("urn:g2", 3, 6, until=4)]
OF_GRAPHS = [
    ("+", 1, "<urn:ex:a>", "5"),
    ("+", 3, "<urn:ex:a>", "6"),
    ("-", 4, "<urn:ex:a>", "6"),
    ("-", 6, "<urn:ex:a>", "5"),
]


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_named_graphs_of_an_array_are_elements(folder: Path, size: int) -> None:
    (folder / "s.jsonld").write_text(json.dumps(GRAPHS))
    with small_batches(size):
        found = run("s.jsonld")
    assert told(found) == OF_GRAPHS
    assert "2 elements" in found.err


def test_subjects_with_a_time_are_elements_in_its_order(folder: Path) -> None:
    some = [
        subject("ex:b", 3, 6, note={"ex:gust": 7}),
        subject("ex:a", 1, 5),
        {"@context": CONTEXT, "@id": "ex:c", "ex:gust": 1},
    ]
    for document in (some, {"@context": CONTEXT, "@graph": some}):
        (folder / "s.json").write_text(json.dumps(document))
        found = told(run("s.json", *TIMED))
        assert [line for line in found if line[0] == "+"] == [
            ("+", None, "<urn:ex:c>", "1"),
            ("+", 1, "<urn:ex:a>", "5"),
            ("+", 3, "<urn:ex:b>", "7"),
            ("+", 3, "<urn:ex:b>", "6"),
            ("+", 3, "_:d1_g1", "7"),
        ]


def test_a_time_predicate_counts_inside_of_named_graphs(folder: Path) -> None:
    inside = {"@context": CONTEXT, "@id": "urn:g", "@graph": [subject("ex:a", 2, 5)]}
    (folder / "s.jsonld").write_text(json.dumps([inside]))
    assert told(run("s.jsonld", *TIMED)) == [
        ("+", 2, "<urn:ex:a>", "5"),
        ("-", 7, "<urn:ex:a>", "5"),
    ]


def test_answers_as_trig_that_became_json_ld_end_as_in_trig(folder: Path) -> None:
    (folder / "a.trig").write_text(
        "<urn:r4:answers:1> <" + PROV + "generatedAtTime> 1 .\n"
        "<urn:r4:answers:1> <" + PROV + "invalidatedAtTime> <urn:r4:never> .\n"
        "<urn:r4:answers:1> { <urn:ex:a> <urn:ex:gust> 5 }\n"
        "<urn:r4:ends:1:3> <" + PROV + "generatedAtTime> 3 .\n"
        "<urn:r4:ends:1:3> <urn:r4:ends> <urn:r4:answers:1> .\n"
        "<urn:r4:ends:1:3> { <urn:ex:a> <urn:ex:gust> 5 }\n"
    )
    quads = ox.parse(path=folder / "a.trig")
    ox.serialize(quads, folder / "a.jsonld", ox.RdfFormat.JSON_LD)
    found, wanted = (run(f"a.{form}") for form in ("jsonld", "trig"))
    assert [json.loads(line)["at"] for line in found.lines()] == [1, 3], found.err
    assert found.out == wanted.out


def test_a_document_without_times_is_refused_with_the_likely_one(folder: Path) -> None:
    (folder / "s.jsonld").write_text(json.dumps(subject("ex:a", 1, 5)))
    found = run("s.jsonld", "--time-predicate", "urn:ex:tim")
    assert found.code == 2
    assert "<urn:ex:time> has times" in " ".join(found.err.split())


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_a_line_is_an_element(folder: Path, size: int) -> None:
    lines = [subject("ex:a", 1, 5, note={"ex:gust": 7}), subject("ex:a", 3, 6, until=4)]
    (folder / "s.ndjsonld").write_text("".join(f"{json.dumps(line)}\n\n" for line in lines))
    with small_batches(size):
        found = run("s.ndjsonld", *TIMED)
    assert told(found) == [
        ("+", 1, "<urn:ex:a>", "7"),
        ("+", 1, "<urn:ex:a>", "5"),
        ("+", 1, "_:d1_l1n1", "7"),
        ("+", 3, "<urn:ex:a>", "6"),
        ("-", 4, "<urn:ex:a>", "6"),
        ("-", 6, "<urn:ex:a>", "7"),
        ("-", 6, "<urn:ex:a>", "5"),
        ("-", 6, "_:d1_l1n1", "7"),
    ]


def test_a_line_ends_what_another_element_asserted(folder: Path) -> None:
    ends = {**subject("ex:a", 4, 5), "urn:r4:ends": {"@id": "urn:g1"}}
    lines = [graph("urn:g1", 1, 5, time=1), ends]
    (folder / "s.ndjsonld").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    found = run("s.ndjsonld", *TIMED)
    assert told(found) == [("+", 1, "<urn:ex:a>", "5"), ("-", 4, "<urn:ex:a>", "5")]


def test_named_graphs_of_a_line_are_elements() -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in GRAPHS)
    found = run("-", "-i", "ndjsonld", standard_input=text)
    assert told(found) == OF_GRAPHS


def test_lines_that_are_no_json_ld_are_left_out_alone() -> None:
    deep = '{"a":' + "[" * 100_000
    remote = json.dumps({"@context": "http://example.org/context", "ex:gust": 1})
    texts = [json.dumps(GRAPHS[0]), "{", deep, remote, json.dumps(GRAPHS[1])]
    found = run("-", "-i", "ndjsonld", standard_input="\n".join(texts))
    assert told(found) == OF_GRAPHS
    assert [line.split(" ")[0] for line in found.err.splitlines() if "DAT101 " in line] == [
        f"<stdin>:{number}:" for number in (2, 3, 4)
    ]


def test_a_malformed_line_that_repeats_one_is_not_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[bytes] = []

    def parse(text: bytes, form: ox.RdfFormat) -> object:
        parsed.append(text)
        return ox.parse(text, form)

    monkeypatch.setattr(line_reading, "ox", SimpleNamespace(**vars(ox) | {"parse": parse}))
    texts = ["{", json.dumps(GRAPHS[0]), "{", "{", json.dumps(GRAPHS[1]), "{"]
    found = run("-", "-i", "ndjsonld", standard_input="\n".join(texts))
    assert told(found) == OF_GRAPHS
    assert parsed.count(b"{") == 1
    wrong = [line.partition(" DAT101 ") for line in found.err.splitlines() if "DAT101 " in line]
    assert [place for place, *_ in wrong] == [f"<stdin>:{number}:" for number in (1, 3, 4, 6)]
    assert len({message for *_, message in wrong}) == 1


def test_a_context_that_is_named_by_its_iri_is_asked_for(folder: Path) -> None:
    iri = "http://example.org/context"
    for context in (iri, [{"x": "urn:x"}, iri]):
        text = json.dumps({"@context": context, "ex:gust": 1})
        (folder / "s.jsonld").write_text(text)
        lines = run("-", "-i", "ndjsonld", standard_input=text)
        for found in (lines, run("s.jsonld"), run("--static", "s.jsonld")):
            assert f"the context {iri} is not loaded: r4 run --context {iri}=FILE" in found.err
            assert "Callback" not in found.err


def test_a_document_cannot_be_read_whole_from_standard_input() -> None:
    found = run("-", "-i", "jsonld")
    assert found.code == 2
    assert "-i ndjsonld reads a document a line" in " ".join(found.err.split())


def test_lines_are_no_static_data(folder: Path) -> None:
    (folder / "s.ndjsonld").write_text("")
    found = run("--static", "s.ndjsonld")
    assert (found.code, "is a stream, and only that" in found.err) == (2, True)


REMOTE = "http://example.org/context?v=1"
OTHER = "http://example.org/other"


@pytest.mark.parametrize("context", [REMOTE, [REMOTE], [{"x": "urn:x"}, REMOTE], [OTHER]])
def test_contexts_are_read_from_files_that_are_named(folder: Path, context: object) -> None:
    (folder / "c.jsonld").write_text(json.dumps({"@context": CONTEXT}))
    (folder / "o.jsonld").write_text(json.dumps({"@context": [REMOTE, {"ex": "urn:ex:"}]}))
    named = ("--context", f"{REMOTE}=c.jsonld", "--context", f"{OTHER}=o.jsonld")
    lines = [{**line, "@context": context} for line in GRAPHS]
    (folder / "s.jsonld").write_text(json.dumps(lines))
    (folder / "s.ndjsonld").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for name in ("s.jsonld", "s.ndjsonld"):
        assert told(run(name, *named)) == OF_GRAPHS
        assert " 2 bad" in (found := run(name)).err or found.code == 6
    (folder / "static.jsonld").write_text(
        json.dumps({"@context": context, "@id": "ex:a", "ex:gust": 3})
    )
    assert told(run("--static", "static.jsonld", *named)) == [("+", None, "<urn:ex:a>", "3")]


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_contexts_that_name_each_other_may_come_in_any_order(
    folder: Path, order: tuple[str, ...]
) -> None:
    contexts = {"a": ["urn:b", {}], "b": ["urn:c"], "c": CONTEXT}
    for name, context in contexts.items():
        (folder / f"{name}.jsonld").write_text(json.dumps({"@context": context}))
    named = [f"--context=urn:{name}={name}.jsonld" for name in order]
    (folder / "s.jsonld").write_text(json.dumps([{**each, "@context": "urn:a"} for each in GRAPHS]))
    assert told(run("s.jsonld", *named)) == OF_GRAPHS
    (folder / "c.jsonld").write_text(json.dumps({"@context": [CONTEXT, "urn:b"]}))
    found = run("s.jsonld", *named)
    assert found.code == 2
    assert "contexts name each other: urn:" in " ".join(found.err.split())


def test_contexts_that_repeat_each_other_are_bounded(folder: Path) -> None:
    (folder / "0.jsonld").write_text(json.dumps({"@context": CONTEXT}))
    for number in range(1, 9):
        context = [f"urn:{number - 1}"] * 100
        (folder / f"{number}.jsonld").write_text(json.dumps({"@context": context}))
    named = [f"--context=urn:{number}={number}.jsonld" for number in range(9)]
    (folder / "s.jsonld").write_text(json.dumps(GRAPHS[0]))
    found = run("s.jsonld", *named)
    assert found.code == 2
    assert "3.jsonld: more than 16777216 bytes with the contexts" in " ".join(found.err.split())


def test_a_text_is_bounded_with_its_contexts() -> None:
    text = json.dumps([{"@context": "urn:c"}] * 3).encode()
    longest = len(with_contexts(text, {"urn:c": b"{}"}))
    assert len(with_contexts(text, {"urn:c": b"{}"}, longest)) == longest
    with pytest.raises(TooLong):
        with_contexts(text, {"urn:c": b"{}"}, longest - 1)


def test_only_contexts_are_replaced_and_nothing_else_of_a_text() -> None:
    known = {"urn:c": b'{"a":"urn:a"}', "urn:d": b"[]"}
    text = rb"""{"@context" : ["urn:c", {"urn:c":"urn:c"}, "urn:e","\u0075rn:d"], "urn:c": 1.50,
        "@id":"urn:c", "x":["urn:c"], "y":{"@context":"urn:c"}, "z":"@context",
        "v":["@context", "urn:c"], "@context":{"@vocab":"urn:c"}, "@context":"urn:d",
        "w":"a \" @context\":\"urn:c\""}"""
    wanted = rb"""{"@context" : [{"a":"urn:a"}, {"urn:c":"urn:c"}, "urn:e",{}], "urn:c": 1.50,
        "@id":"urn:c", "x":["urn:c"], "y":{"@context":{"a":"urn:a"}}, "z":"@context",
        "v":["@context", "urn:c"], "@context":{"@vocab":"urn:c"}, "@context":[],
        "w":"a \" @context\":\"urn:c\""}"""
    assert with_contexts(text, known) == wanted
    for cut in range(len(text)):
        with_contexts(text[:cut], known)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("urn:c", "write IRI=FILE"),
        ("urn:c=none.jsonld", "none.jsonld: No such file"),
        ("urn:c=r.rif", "r.rif: no JSON-LD context"),
    ],
)
def test_a_context_that_cannot_be_read_is_wrong_usage(folder: Path, value: str, why: str) -> None:
    for name in ("s.jsonld", "s.ndjsonld"):
        (folder / name).write_text(json.dumps(GRAPHS[0]))
        found = run(name, "--context", value)
        assert (found.code, why in " ".join(found.err.split())) == (2, True)
