"""Names of blank nodes: generated ones are numbered as they are written, labels are kept."""

from __future__ import annotations

import pyoxigraph as ox

from r4.rdf.blank_nodes import BlankNodeNames, absent_from
from tests.r4.rdf.static_documents import RDF


def named(text: str) -> list[str]:
    data = text.encode()
    quads = ox.serialize(ox.parse(data, ox.RdfFormat.TRIG), format=ox.RdfFormat.N_QUADS)
    assert quads is not None
    return BlankNodeNames().rename(quads, absent_from(data)).decode().splitlines()


def test_generated_nodes_are_numbered_as_they_are_written() -> None:
    assert set(named("[] <urn:p> [ <urn:q> [] ; <urn:r> ( [] 2 ) ] . [] <urn:p> [] .")) == {
        "_:g1 <urn:p> _:g2 .",
        "_:g2 <urn:q> _:g3 .",
        "_:g2 <urn:r> _:g4 .",
        f"_:g4 <{RDF}first> _:g5 .",
        f"_:g4 <{RDF}rest> _:g6 .",
        f'_:g6 <{RDF}first> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .',
        f"_:g6 <{RDF}rest> <{RDF}nil> .",
        "_:g7 <urn:p> _:g8 .",
    }
    assert named("[] { [] <urn:p> [] }") == ["_:g2 <urn:p> _:g3 _:g1 ."]


def test_labels_are_kept_and_never_meet_a_generated_name() -> None:
    assert named("_:g1 <urn:p> [] . [] <urn:p> _:g2 . _:g1 <urn:p> _:g3, '_:g2 .' .") == [
        "_:g1 <urn:p> _:g2 .",
        "_:g3 <urn:p> _:g2-1 .",
        "_:g1 <urn:p> _:g3-1 .",
        '_:g1 <urn:p> "_:g2 ." .',
    ]


def test_a_label_that_looks_random_is_kept() -> None:
    label = "abcdef0123456789abcdef0123456789"
    assert named(f"_:{label} <urn:p> '_:{label} .', [] .") == [
        f'_:{label} <urn:p> "_:{label} ." .',
        f"_:{label} <urn:p> _:g1 .",
    ]


def test_deep_nests_are_numbered_without_recursion() -> None:
    depth = 5000
    lines = named("<urn:s> <urn:p> " + "[ <urn:p> " * depth + "1" + " ]" * depth + " .")
    assert lines[-1] == "<urn:s> <urn:p> _:g1 ."
    assert lines[0].startswith(f"_:g{depth} ")
