"""The streams are what their docstrings say, and the same everywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice

import pytest
from pyoxigraph import BlankNode, DefaultGraph, Literal, Quad, RdfFormat, parse

from bench.workloads import observations, offers
from bench.workloads.catalogue import STATIC, STREAMS
from bench.workloads.stream_terms import instant, stamp

STAMP = "http://www.w3.org/ns/prov#generatedAtTime"
RETRACTS = "urn:r4:retracts"
FIRST_400 = {
    "offers": "cafdfa9c42134b7f",
    "offers-shuffled": "63f2b9733d671c71",
    "offers-retracted": "43036f8a55c0e165",
    "observations": "ecc08626a8d79fd0",
    "gales": "738887b8088cc909",
}


def quads(element: str) -> list[Quad]:
    return list(parse(element, format=RdfFormat.N_QUADS))


@pytest.mark.parametrize("name", STREAMS)
def test_the_first_elements_are_the_same_however_many_are_asked_for(name):
    assert list(STREAMS[name](50)) == list(islice(STREAMS[name](2000), 50))


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_the_same_on_every_machine(name):
    digest = hashlib.sha256("".join(STREAMS[name](400)).encode()).hexdigest()
    assert digest[:16] == FIRST_400[name]


@pytest.mark.parametrize("name", STREAMS)
def test_an_element_is_a_stamp_and_a_graph_of_11_triples(name):
    for number, element in enumerate(STREAMS[name](150)):
        about, *graph = (one for one in quads(element) if one.predicate.value != RETRACTS)
        assert about.graph_name == DefaultGraph()
        assert about.predicate.value == STAMP
        assert isinstance(about.object, Literal)
        assert about.object.value == stamp(10 * number)
        assert {quad.graph_name for quad in graph} == {about.subject}
        assert len(set(graph)) == 11


def test_shuffling_changes_nothing_but_the_order_within_a_graph():
    plain, shuffled = list(offers.stream(200)), list(offers.stream(200, shuffled=True))
    assert list(map(sorted, map(quads_text, plain))) == list(map(sorted, map(quads_text, shuffled)))
    assert sum(one != other for one, other in zip(plain, shuffled, strict=True)) > 190
    assert [one.split("\n")[0] for one in plain] == [one.split("\n")[0] for one in shuffled]


def quads_text(element: str) -> list[str]:
    return element.splitlines()


@pytest.mark.parametrize("name", STATIC)
def test_static_files_are_n_triples_without_repetition(name):
    triples = list(parse("".join(STATIC[name]()), format=RdfFormat.N_TRIPLES))
    assert len(triples) == len(set(triples))


def test_product_types_are_a_hierarchy_of_four_levels():
    parents = offers.type_parents()
    depth = {1: 1}
    for number in sorted(parents):
        depth[number] = depth[parents[number]] + 1
    assert Counter(depth.values()) == {1: 1, 2: 8, 3: 64, 4: 256}
    assert len(depth) == 329
    assert set(Counter(parents.values()).values()) == {8, 4}
    types = offers.product_types()
    assert len(types) == 5000
    assert {depth[number] for number in types.values()} == {4}


def test_some_offers_repeat_product_and_price_of_one_before():
    seen: dict[tuple[int, int], int] = {}
    distances = []
    for offer in offers.offers(5000):
        if (offer.product, offer.cents) in seen:
            distances.append(offer.number - seen[offer.product, offer.cents])
        seen[offer.product, offer.cents] = offer.number
    assert 0.015 < len(distances) / 5000 < 0.025
    assert min(distances) < 100
    assert 900 < max(distances) <= offers.MEMORY


def test_two_thirds_of_the_hurricanes_are_hurricanes_only_through_the_hierarchy():
    above = observations.superclasses()
    steps: Counter[int | None] = Counter()
    for kind, _ in observations.storms().values():
        path = [kind]
        while path[-1] in above:
            path.append(above[path[-1]])
        steps[path.index(observations.HURRICANE) if observations.HURRICANE in path else None] += 1
    assert steps == {0: 7, 1: 7, 2: 6, None: 5}


def test_an_observation_has_three_blank_nodes_and_half_of_them_are_wind_speeds():
    for element in observations.stream(20):
        graph = quads(element)[1:]
        nodes = {term for quad in graph for term in (quad.subject, quad.object)}
        assert sum(isinstance(node, BlankNode) for node in nodes) == 3
    winds = sum(seen.wind for seen in observations.observations(4000))
    assert 0.47 < winds / 4000 < 0.53


@pytest.mark.parametrize(
    ("milliseconds", "stream", "answer"),
    [
        (0, "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00Z"),
        (10, "2024-01-01T00:00:00.010Z", "2024-01-01T00:00:00.01Z"),
        (100_500, "2024-01-01T00:01:40.500Z", "2024-01-01T00:01:40.5Z"),
        (86_400_001, "2024-01-02T00:00:00.001Z", "2024-01-02T00:00:00.001Z"),
    ],
)
def test_time_has_three_decimals_in_streams_and_no_trailing_zeros_in_answers(
    milliseconds, stream, answer
):
    assert stamp(milliseconds) == stream
    assert instant(milliseconds) == answer
