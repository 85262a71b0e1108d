"""Terms and columns have the names that the rules give them."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.arrays.delta import POS_INF, Cells
from rete.drawing.diagram import diagram
from rete.drawing.names import Names, duration_text, range_text
from rete.drawing.picture.network_picture import as_svg
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.provenance.derivations import parts_of
from tests.rete.drawing.diagrams import (
    HOT,
    SUBCLASS,
    labels,
    network_of,
    parsed,
    random_diagram,
    seeds,
)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("<http://example.org/a>", "ex:a"),
        ("<http://example.org/a/b>", "exa:b"),
        ("<http://example.org/a/>", "exa:"),
        ("<http://example.org/b/c>", "<http://example.org/b/c>"),
        ("<http://www.w3.org/2007/rif-builtin-function#concat>", "func:concat"),
        ('"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "5"),
        ('"five"^^<http://www.w3.org/2001/XMLSchema#integer>', '"five"^^xs:integer'),
        ('"-0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>', "-0.5"),
        ('"a \\"b\\""@en', '"a \\"b\\""@en'),
        ("_:d0_here", "_here"),
        ("_:d1_b0", "_:d1_b0"),
        ('List(<http://example.org/a> List("x"))', 'List(ex:a List("x"))'),
    ],
)
def test_terms_are_as_short_as_the_document_could_write_them(text: str, short: str) -> None:
    prefixes = (("ex", "http://example.org/"), ("exa", "http://example.org/a/"))
    assert Names(prefixes=prefixes).term(text) == short


@given(st.text())
def test_a_prefixed_name_stands_for_its_iri(local: str) -> None:
    names = Names(prefixes=(("ex", "http://example.org/"),))
    short = names.iri("http://example.org/" + local)
    assert short in {f"ex:{local}", f"<http://example.org/{local}>"}
    assert re.fullmatch(r"ex:[\w.-]*|<.*>", short, re.DOTALL)


def test_a_network_without_names_can_be_shown() -> None:
    document = parsed(SUBCLASS, HOT)
    made = diagram(network_of(document))
    assert labels(made, "pattern")[:1] == [
        "?x1[<http://www.w3.org/2000/01/rdf-schema#subClassOf> -> ?x3]"
    ]
    ET.fromstring(as_svg(made))  # noqa: S314 - our own text


@given(seeds)
def test_names_follow_the_values_through_every_operator(seed: int) -> None:
    network, made = random_diagram(seed)
    names = made.names
    for emit in network.emits:
        assert len(names.views[emit]) == emit.source.width
    for node in made.nodes:
        plan = node.plan
        if plan is None:
            continue
        assert len(node.columns) == plan.width
        view = names.views.get(plan, ())
        if isinstance(plan, Join):
            width = plan.left.width
            assert all(view[left] == view[width + right] for left, right in plan.on)
            assert len(set(node.columns)) == len(node.columns)
        if isinstance(plan, Scan):
            assert all(view[place] == text for place, text in plan.constants)
            assert all(view[a] == view[b] for a, b in plan.equal)


@given(seeds)
def test_every_body_has_the_places_of_what_it_joins(seed: int) -> None:
    network, made = random_diagram(seed)
    for emit in network.emits:
        joined = [part for part in parts_of(emit.source) if isinstance(part.plan, Scan)]
        assert sorted(made.names.places[emit.source]) == list(range(len(joined)))


@pytest.mark.parametrize(
    ("ticks", "per_second", "text"),
    [
        (0, 1000, "0 s"),
        (30_000, 1000, "30 s"),
        (30_001, 1000, "30001 ms"),
        (86_400_000, 1000, "1 d"),
        (5_400_000, 1000, "90 m"),
        (5000, 10**6, "5 ms"),
        (5001, 10**9, "5001 ns"),
        (30_001, 0, "30001 ticks"),
    ],
)
def test_a_duration_is_a_whole_number_of_the_largest_unit(
    ticks: int, per_second: int, text: str
) -> None:
    assert duration_text(ticks, per_second) == text


@pytest.mark.parametrize(
    ("rho", "per_second", "text"),
    [
        ((0, 60_001), 1000, "[0 s, 30 s]"),
        ((1, 7_200_000), 1000, "(0 s, 1 h)"),
        ((2, POS_INF), 1000, "[1 ms, inf)"),
        ((1, 60_001), 0, "(0,30000]"),
    ],
)
def test_the_ends_of_a_range_have_units(rho: Cells, per_second: int, text: str) -> None:
    assert range_text(rho, per_second) == text
