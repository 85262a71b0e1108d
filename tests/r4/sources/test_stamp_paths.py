"""Paths to the stamps of elements: in each format, as the definition has it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import numpy as np
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph, Literal
from rdflib.term import Node

from r4.errors import Flaw
from r4.rdf.documents import RdfDocument
from r4.sources.formats import RdfSource
from r4.stream.elements.segmentation import path_ends
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, NO_END
from rete.terms.dictionary import Dictionary

XSD = "http://www.w3.org/2001/XMLSchema#"
FORMATS = {
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".ttl": ox.RdfFormat.TURTLE,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
}
GRAPHS = {".nq", ".trig"}
PATHS = {
    "one": (("t",), ("u",)),
    "two": (("p", "t"), ("p", "u")),
    "three": (("p", "q", "t"), ("p", "q", "u")),
    "same": (("p", "t", "t"), ("p", "u", "u")),
    "apart": (("t",), ("p", "q", "u")),
    "inverse": (("^p", "t"), ("^p", "u")),
    "there and back": (("p", "^q", "t"), ("p", "^q", "u")),
}
Triple = tuple[object, str, object]
Held = dict[str, tuple[int | None, int | None]]


def number(value: int) -> ox.Literal:
    return ox.Literal(str(value), datatype=ox.NamedNode(XSD + "integer"))


def chain(
    subject: object, path: tuple[str, ...], value: object, kind: str, tag: str
) -> list[Triple]:
    """The triples of a path from ``subject`` to ``value`` through nodes of a ``kind``."""
    triples: list[Triple] = []
    for place, step in enumerate(path[:-1]):
        name = f"{tag}{'.'.join(path[: place + 1])}".replace("^", "i")
        node = (
            ox.BlankNode(f"b{name}".replace(".", ""))
            if kind == "blank"
            else ox.NamedNode(f"urn:{name}")
        )
        triples.append((node, step[1:], subject) if step[0] == "^" else (subject, step, node))
        subject = node
    return [*triples, (subject, path[-1], value)]


def written(observations: list[list[Triple]], suffix: str, folder: Path) -> Path:
    """A file of observations, each in a graph of its own if the format has graphs."""
    quads: list[ox.Quad] = []
    for place, triples in enumerate(observations):
        graph = ox.NamedNode(f"urn:g{place}") if suffix in GRAPHS else ox.DefaultGraph()
        quads += [ox.Quad(s, ox.NamedNode(f"urn:{p}"), o, graph) for s, p, o in triples]  # type: ignore[arg-type]
    path = folder / f"a{suffix}"
    path.write_bytes(ox.serialize(quads, format=FORMATS[suffix]) or b"")
    return path


def held(path: Path, options: StreamOptions) -> tuple[Held, Intake]:
    """When each value of ``urn:v`` holds: from, None being always, and to, None being never."""
    dictionary = Dictionary()
    document = RdfDocument.of(str(path), 1)
    source = RdfSource(document, time_predicate=options.time_predicate)
    intake = Intake([source], dictionary, options)
    found: Held = {}
    for batch in intake:
        terms = dictionary.decode_many(batch.rows.ravel())
        for place, (start, end) in enumerate(
            zip(batch.start.tolist(), batch.end.tolist(), strict=True)
        ):
            _, predicate, value = terms[3 * place : 3 * place + 3]
            if predicate == "<urn:v>":
                times = None if start == NEG_INF else start, None if end >= NO_END else end
                found[value.split('"')[1]] = times
    intake.close()
    return found, intake


def options_of(start: tuple[str, ...], end: tuple[str, ...] = ()) -> StreamOptions:
    starts, ends = (
        "/".join(f"{'^' * (step[0] == '^')}<urn:{step.lstrip('^')}>" for step in path) or None
        for path in (start, end)
    )
    return StreamOptions(time_predicate=starts, end_predicate=ends, delay=100)


@pytest.mark.parametrize("order", ["stamp first", "stamp last", "mixed"])
@pytest.mark.parametrize("kind", ["blank", "named"])
@pytest.mark.parametrize("paths", PATHS)
@pytest.mark.parametrize("suffix", FORMATS)
def test_paths_lead_to_begin_and_end(
    suffix: str, paths: str, kind: str, order: str, tmp_path: Path
) -> None:
    start_path, end_path = PATHS[paths]
    observations: list[list[Triple]] = []
    expected: Held = {}
    for place, (start, end) in enumerate([(7, 9), (3, None), (5, 50)]):
        subject = ox.NamedNode(f"urn:o{place}")
        stamps = chain(subject, start_path, number(start), kind, f"n{place}")
        if end is not None:
            stamps += chain(subject, end_path, number(end), kind, f"n{place}")
        value: list[Triple] = [(subject, "v", number(place)), (subject, "r", number(99))]
        triples = [*stamps, *value] if order == "stamp first" else [*value, *stamps]
        triples = list(dict.fromkeys(triples))
        if order == "mixed":
            random.Random(place).shuffle(triples)  # noqa: S311 - the same each time
        observations.append(triples)
        expected[str(place)] = (start, end)
    path = written(observations, suffix, tmp_path)
    found, intake = held(path, options_of(start_path, end_path))
    assert found == expected
    assert not intake.counters.bad
    assert intake.counters.elements == 3


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("values", "flaw"),
    [
        ([number(3), number(4)], Flaw.STAMPS_DIFFER),
        ([number(3), ox.Literal("x")], Flaw.NOT_A_STAMP),
        ([number(3), ox.Literal("03", datatype=ox.NamedNode(XSD + "int"))], None),
        ([number(n) for n in (5, 3, 4, 5, 3, 9)], Flaw.STAMPS_DIFFER),
        ([ox.NamedNode("urn:x")], Flaw.NOT_A_STAMP),
    ],
)
def test_several_values_behind_a_path(
    suffix: str, values: list[object], flaw: Flaw | None, tmp_path: Path
) -> None:
    subject = ox.NamedNode("urn:o")
    triples: list[Triple] = [(subject, "v", number(1))]
    for place, value in enumerate(values):
        triples += chain(subject, ("p", "t"), value, "blank", f"n{place}")
    found, intake = held(written([triples], suffix, tmp_path), options_of(("p", "t")))
    assert dict(intake.counters.bad) == ({} if flaw is None else {flaw.code: 1})
    assert found == ({} if flaw else {"1": (3, None)})


@pytest.mark.parametrize("suffix", sorted(GRAPHS))
def test_a_path_that_stops_on_its_way_is_no_stamp(suffix: str, tmp_path: Path) -> None:
    subject = ox.NamedNode("urn:o")
    whole = [*chain(subject, ("p", "t"), number(1), "blank", "a"), (subject, "v", number(1))]
    others: list[list[Triple]] = [
        [(subject, "t", number(2)), (subject, "v", number(2))],
        [*chain(subject, ("p", "q"), number(2), "blank", "b"), (subject, "v", number(3))],
        [*chain(subject, ("q", "t"), number(2), "blank", "c"), (subject, "v", number(4))],
        [(subject, "p", ox.BlankNode("ba_p")), (subject, "v", number(5))],
    ]
    found, intake = held(written([whole, *others], suffix, tmp_path), options_of(("p", "t")))
    assert found == {"1": (1, None)}
    assert dict(intake.counters.bad) == {Flaw.NO_STAMP.code: 4}


def test_in_a_graph_subjects_without_the_whole_path_hold_always(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text(
        "@prefix : <urn:> . :a :p [ :t 5 ] ; :v 1 . :b :p [ :q 6 ] ; :v 2 . :c :t 7 ; :v 3 ."
    )
    found, intake = held(path, options_of(("p", "t")))
    assert found == {"1": (5, None), "2": (None, None), "3": (None, None)}
    assert intake.counters.elements == 1


def test_an_instant_that_many_share_is_the_time_of_each_and_stays_a_static_fact(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("@prefix : <urn:> . :a :p :i ; :v 1 . :b :p :i ; :v 2 . :i :t 5 ; :v 3 .")
    found, intake = held(path, options_of(("p", "t")))
    assert found == {"1": (5, None), "2": (5, None), "3": (None, None)}
    assert intake.counters.static == 2


def test_the_default_graph_has_the_usual_stamp_where_a_path_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.trig"
    path.write_text(
        "@prefix : <urn:> . @prefix prov: <http://www.w3.org/ns/prov#> ."
        ":g prov:generatedAtTime 4 ; prov:invalidatedAtTime 6 . :g { :a :v 1 }"
        ":h { :b :p [ :t 5 ; :u 8 ] ; :v 2 }"
    )
    found, intake = held(path, options_of(("p", "t"), ("p", "u")))
    assert found == {"1": (4, 6), "2": (5, 8)}
    assert not intake.counters.bad


def test_nodes_that_all_share_cost_no_more_than_others(tmp_path: Path) -> None:
    """A thousand observations of one node with a thousand times: not a million stamps."""
    path = tmp_path / "a.nt"
    lines = [f"<urn:o{n}> <urn:p> <urn:i> .\n" for n in range(1000)]
    lines += [f'<urn:i> <urn:t> "{n}"^^<{XSD}integer> .\n' for n in range(1000)]
    path.write_text("".join(lines))
    _, intake = held(path, options_of(("p", "t")))
    assert dict(intake.counters.bad) == {Flaw.STAMPS_DIFFER.code: 1000}


NODES = ["<urn:a>", "<urn:b>", "_:x", "_:y"]
STEPS = ["p", "q", "t"]
VALUES = [f'"{n}"^^<{XSD}integer>' for n in range(4)]


@given(
    triples=st.lists(
        st.tuples(st.sampled_from(NODES), st.sampled_from(STEPS), st.sampled_from(NODES + VALUES)),
        max_size=20,
        unique=True,
    ),
    leads=st.lists(st.sampled_from([*STEPS, *(f"^{step}" for step in STEPS)]), max_size=2),
    last=st.sampled_from(STEPS),
)
def test_the_elements_of_a_graph_are_the_subjects_from_which_the_path_leads(
    triples: list[tuple[str, str, str]],
    leads: list[str],
    last: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """As SPARQL of rdflib has it; one subject has a time at any rate, else the graph is refused."""
    lines = [f"{s} <urn:{p}> {o} .\n" for s, p, o in triples]
    subject = ox.NamedNode("urn:z")
    file = written(
        [[(subject, "v", number(0)), *chain(subject, (*leads, last), number(0), "named", "z")]],
        ".nt",
        tmp_path_factory.mktemp("paths"),
    )
    file.write_text(file.read_text() + "".join(lines))
    graph = Graph().parse(data=file.read_text().replace("_:x", "<urn:x>").replace("_:y", "<urn:y>"))
    steps = (f"{'^' * (step[0] == '^')}<urn:{step.lstrip('^')}>" for step in (*leads, last))
    behind: dict[Node, set[Node]] = {}
    found = graph.query(f"SELECT DISTINCT ?s ?o {{ ?s {'/'.join(steps)} ?o }}")
    for node, end in cast("Iterable[tuple[Node, Node]]", found):
        behind.setdefault(node, set()).add(end)
    counts = [
        len(ends) if all(isinstance(end, Literal) for end in ends) else -1
        for node, ends in behind.items()
        if node in set(graph.subjects())
    ]
    _, intake = held(file, options_of((*leads, last)))
    assert intake.counters.elements == counts.count(1)
    wrong = {
        Flaw.STAMPS_DIFFER.code: sum(each > 1 for each in counts),
        Flaw.NOT_A_STAMP.code: counts.count(-1),
    }
    assert dict(intake.counters.bad) == {code: count for code, count in wrong.items() if count}


ROWS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(5, 7), st.integers(1, 4), st.integers(0, 2)),
    max_size=16,
)


@given(
    rows=ROWS,
    leads=st.lists(st.sampled_from([5, 6, 7, -5, -6, -7]), max_size=2),
    last=st.integers(5, 7),
    data=st.data(),
)
def test_path_ends_are_those_of_the_definition(rows, leads, last, data) -> None:
    """A negative step is an inverse one."""
    path = [*leads, last]
    chosen = [data.draw(st.booleans()) for _ in rows]
    graph = [row if taken else None for row, taken in zip(rows, chosen, strict=True)]

    def ends(place: int, steps: list[int]) -> bool:
        """Whether a row ends a path of ``steps``, backwards."""
        row = graph[place]
        if row is None or row[1] != abs(steps[-1]):
            return False
        begin = row[0] if steps[-1] > 0 else row[2]
        before = [
            n
            for n, each in enumerate(graph)
            if each and len(steps) > 1 and each[3] == row[3]
            if begin == (each[2] if steps[-2] > 0 else each[0])
        ]
        return len(steps) == 1 or any(ends(each, steps[:-1]) for each in before)

    array = np.array(rows, np.int64).reshape(-1, 4)
    found = path_ends(array, array[:, 3], np.array(chosen, np.bool_), path)
    assert found.tolist() == [place for place in range(len(rows)) if ends(place, path)]
