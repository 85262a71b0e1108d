"""A graph as a stream: one element per subject with a time."""

from __future__ import annotations

import io
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.errors import InputError
from r4.rdf.chunks import Chunk
from r4.rdf.documents import RdfDocument
from r4.rdf.nquads import LineReader
from r4.sources.formats import RdfSource
from r4.sources.subject_elements import STAMPS, elements_by_subject
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, NO_END
from rete.terms.dictionary import Dictionary

Triple = tuple[str, str, str]
Fact = tuple[Triple, int | None, int]
XSD = "http://www.w3.org/2001/XMLSchema#"
TIME = "urn:time"
TURTLE = """
@prefix : <urn:> . @prefix prov: <http://www.w3.org/ns/prov#> .
:a :time 5 ; :p :b , [ :q [ :r 1 ] ] , _:shared .
:b :p :c .
:sensor :knows _:shared .
:c :time 3 ; :p _:shared .
_:shared :name "both" ; :back _:shared .
:d prov:invalidatedAtTime 9 .
[] :time 5 ; prov:invalidatedAtTime 6 ; :p :e .
"""


def facts(intake: Intake, dictionary: Dictionary) -> list[Fact]:
    found: list[Fact] = []
    for batch in intake:
        texts = iter(dictionary.decode_many(batch.rows.ravel()))
        for start, end in zip(batch.start.tolist(), batch.end.tolist(), strict=True):
            triple = (next(texts), next(texts), next(texts))
            found.append((triple, None if start == NEG_INF else start, end))
    return found


def read(folder: Path, name: str, text: str, delay: int = 0) -> tuple[list[Fact], Intake]:
    path = folder / name
    path.write_text(text)
    dictionary = Dictionary()
    source = RdfSource(RdfDocument.of(str(path), 1), time_predicate=TIME)
    intake = Intake([source], dictionary, StreamOptions(time_predicate=TIME, delay=delay))
    found = facts(intake, dictionary)
    intake.close()
    return found, intake


def number(value: int) -> str:
    return f'"{value}"^^<{XSD}integer>'


def test_each_subject_with_the_time_is_an_element(tmp_path: Path) -> None:
    found, intake = read(tmp_path, "a.ttl", TURTLE, delay=10)
    at: dict[tuple[int | None, int], set[Triple]] = {}
    for (s, p, o), start, end in found:
        at.setdefault((start, end), set()).add((s, p, o))
    shared = {
        ("_:d1_shared", "<urn:name>", '"both"'),
        ("_:d1_shared", "<urn:back>", "_:d1_shared"),
    }
    assert at[5, NO_END] == shared | {
        ("<urn:a>", "<urn:time>", number(5)),
        ("<urn:a>", "<urn:p>", "<urn:b>"),
        ("<urn:a>", "<urn:p>", "_:d1_g1"),
        ("<urn:a>", "<urn:p>", "_:d1_shared"),
        ("_:d1_g1", "<urn:q>", "_:d1_g2"),
        ("_:d1_g2", "<urn:r>", number(1)),
    }
    assert at[3, NO_END] == shared | {
        ("<urn:c>", "<urn:time>", number(3)),
        ("<urn:c>", "<urn:p>", "_:d1_shared"),
    }
    assert {triple[1] for triple in at[5, 6]} == {
        "<urn:time>",
        "<urn:p>",
        "<http://www.w3.org/ns/prov#invalidatedAtTime>",
    }
    static = {triple for triple, start, _ in found if start is None}
    assert static == {
        ("<urn:b>", "<urn:p>", "<urn:c>"),
        ("<urn:sensor>", "<urn:knows>", "_:d1_shared"),
        ("<urn:d>", "<http://www.w3.org/ns/prov#invalidatedAtTime>", number(9)),
    }
    assert intake.counters.elements == 3


def test_elements_come_in_the_order_of_their_stamps(tmp_path: Path) -> None:
    found, intake = read(tmp_path, "a.ttl", TURTLE)
    assert (intake.counters.elements, intake.counters.late) == (3, 0)
    assert [start for _, start, _ in found if start is not None] == [3] * 4 + [5] * 11


@given(
    values=st.lists(st.decimals("0", "1", places=6), min_size=1, max_size=6, unique=True),
    data=st.data(),
)
def test_stamps_that_differ_below_a_tick_order_elements(values, data) -> None:
    stamps = {f"<urn:{at}>": at for at in data.draw(st.permutations(values))}
    dictionary, options = Dictionary(), StreamOptions(time_predicate=TIME)
    text = "".join(
        f'{s} <{TIME}> "2020-01-01T00:00:0{at:f}Z"^^<{XSD}dateTime> .\n' for s, at in stamps.items()
    )

    class Source(io.BytesIO):
        whole = True

    chunks = LineReader(dictionary, 1, triples=True).chunks(Source(text.encode()))  # type: ignore[arg-type]
    (chunk,) = elements_by_subject(chunks, dictionary, options.vocabulary(dictionary), "a.nt")
    assert [name for name, _ in elements(chunk, dictionary)] == sorted(
        stamps, key=stamps.__getitem__
    )


def test_a_time_predicate_that_no_subject_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"a\.nt: no subject has the time predicate <urn:time>; <urn:tim> has times",
    ):
        read(tmp_path, "a.nt", f"<urn:a> <urn:tim> {number(1)} .\n")


def test_bad_elements_of_a_graph_are_counted(tmp_path: Path) -> None:
    text = "".join(
        f"<urn:{s}> <urn:{p}> {o} .\n"
        for s, p, o in [
            ("a", "time", '"x"'),
            ("b", "time", number(1)),
            ("b", "time", number(2)),
            ("c", "r4:retracts", "<urn:a>"),
            ("d", "time", number(1)),
            ("d", "r4:retracts", "<urn:a>"),
            ("e", "time", number(3)),
        ]
    )
    found, intake = read(tmp_path, "a.nt", text)
    assert intake.counters.bad == {"DAT202": 1, "DAT203": 1, "DAT207": 1}
    assert [sample.place[-2:] for sample in intake.counters.samples["DAT207"]] == [":4"]
    assert [fact[0][0] for fact in found] == ["<urn:d>", "<urn:d>", "<urn:e>"]
    assert intake.counters.retractions == 1


def test_a_malformed_statement_of_a_graph_is_counted(tmp_path: Path) -> None:
    found, intake = read(tmp_path, "a.nt", f"x\n<urn:a> <urn:time> {number(1)} .\ny\n")
    assert intake.counters.bad == {"DAT101": 2}
    assert len(found) == 1


def test_an_empty_graph_is_a_stream(tmp_path: Path) -> None:
    assert read(tmp_path, "a.nt", "")[0] == []


NODES = st.sampled_from(["<urn:a>", "<urn:b>", "_:x", "_:y", "_:z"])


@given(
    triples=st.lists(
        st.tuples(NODES, st.sampled_from(["<urn:p>", "<urn:p>", "<urn:time>"]), NODES), max_size=12
    ),
    cut=st.integers(0, 300),
)
def test_elements_are_what_can_be_reached_over_blank_nodes(triples, cut) -> None:
    triples = list(dict.fromkeys(triples))
    text = "".join(f"{' '.join(triple)} .\n" for triple in triples).encode()
    parts = [text[:cut], text[cut:]]

    class Source:
        whole = True

        def read(self) -> bytes:
            while parts and not parts[0]:
                parts.pop(0)
            return parts.pop(0) if parts else b""

    dictionary = Dictionary()
    options = StreamOptions(time_predicate=TIME)
    chunks = LineReader(dictionary, 1, triples=True).chunks(Source())  # type: ignore[arg-type]
    found = elements_by_subject(chunks, dictionary, options.vocabulary(dictionary), "a.nt")
    subjects = list(dict.fromkeys(s for s, p, _ in triples if p == "<urn:time>"))
    if triples and not subjects:
        with pytest.raises(InputError):
            next(found)
        return
    (chunk,) = found

    def reach(subject: str) -> set[tuple[str, str, str]]:
        nodes, size = {subject}, 0
        while len(nodes) > size:
            size = len(nodes)
            blank = {o for s, _, o in triples if s in nodes and o.startswith("_:")}
            nodes |= blank.difference(subjects)
        return {triple for triple in triples if triple[0] in nodes}

    expected = [(subject, reach(subject)) for subject in subjects]
    taken = set().union(*(found for _, found in expected))
    assert plain(chunk, dictionary) == [t for t in triples if t not in taken]
    assert elements(chunk, dictionary) == expected


def decoded(chunk: Chunk, dictionary: Dictionary) -> list[list[str]]:
    text = {-1: "START", -2: "END", -3: "RETRACTS", 0: ""}
    return [
        [text.get(t) or (t and dictionary.decode(t).replace("d1_", "")) or "" for t in row]
        for row in chunk.rows.tolist()
    ]


def plain(chunk: Chunk, dictionary: Dictionary) -> list[tuple[str, ...]]:
    return [
        tuple(row[:3])
        for row in decoded(chunk, dictionary)
        if not row[3] and row[1] not in {"START", "END", "RETRACTS"}
    ]


def elements(chunk: Chunk, dictionary: Dictionary) -> list[tuple[str, set[tuple[str, ...]]]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for s, p, o, g in decoded(chunk, dictionary):
        if g:
            found[g].add((s, p, o))
        elif p == "START":
            found.setdefault(s, set())
    return list(found.items())


def test_an_observation_does_not_hold_again_with_the_next_one(tmp_path: Path) -> None:
    """A blank node with a time is an element of its own, whatever points to it."""
    text = """
    @prefix : <urn:> .
    [] :time 5 ; :result 50 ; :previous [ :time 3 ; :result 10 ; :unit [ :name "C" ] ] .
    """
    found, _ = read(tmp_path, "a.ttl", text)
    names = {"<urn:result>", "<urn:name>"}
    assert {(p, o, at) for (_, p, o), at, _ in found if p in names} == {
        ("<urn:result>", number(50), 5),
        ("<urn:result>", number(10), 3),
        ("<urn:name>", '"C"', 3),
    }


def test_stamps_are_no_terms() -> None:
    assert max(STAMPS.start, STAMPS.end, STAMPS.retracts) < 0


@pytest.mark.parametrize("name", ["a.rdf", "a.ttl"])
def test_other_graph_formats_are_streams_too(name, tmp_path: Path) -> None:
    text = TURTLE
    if name.endswith("rdf"):
        text = (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">'
            '<rdf:Description rdf:about="urn:s"><time rdf:datatype='
            f'"{XSD}integer">4</time></rdf:Description></rdf:RDF>'
        )
    assert read(tmp_path, name, text)[1].counters.elements >= 1


TIMES = """
@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:s a :Sensor ; rdfs:label "s" ; :result 0 .
:a a :Observation ; rdfs:label "a" ; :time 5 ; :result 1 ; :by :s .
"""


@pytest.mark.parametrize(
    ("more", "warned"),
    [
        ("", None),
        (":unit rdfs:label 'metre' ; :factor 1 .", None),
        (":b a :Observation ; :tiem 6 .", "1 subject has no <urn:time>, such as <urn:b>"),
        ("[] a :Observation . :c a :Observation .", "2 subjects have no <urn:time>"),
        (":b :result 2 .", "such as <urn:b>, but a predicate of subjects that have it"),
        (":b a :Setting ; :result 2 .", None),
    ],
)
def test_subjects_that_look_like_elements_but_have_no_time_are_told(
    tmp_path: Path, more: str, warned: str | None
) -> None:
    _, intake = read(tmp_path, "a.ttl", TIMES + more)
    shown = intake.counters.samples.get("DAT305", [])
    assert intake.counters.elements == 1
    assert not intake.counters.bad
    assert len(shown) == (warned is not None)
    if warned is not None:
        assert warned in shown[0].message
        assert shown[0].place == f"{tmp_path / 'a.ttl'}:5"


def test_reading_may_end_between_the_steps_of_ordering() -> None:
    """Each of them takes as long as there are statements."""
    dictionary, options = Dictionary(), StreamOptions(time_predicate=TIME)
    text = f'<urn:s> <{TIME}> "1"^^<{XSD}integer> .\n'

    class Source(io.BytesIO):
        whole = True

    bounds = Mock()
    chunks = LineReader(dictionary, 1, triples=True).chunks(Source(text.encode()))  # type: ignore[arg-type]
    list(elements_by_subject(chunks, dictionary, options.vocabulary(dictionary), "a.nt", bounds))
    assert bounds.check.call_count >= 4
