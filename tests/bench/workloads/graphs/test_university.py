"""The university is what its docstring says, and the same everywhere."""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest
from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse

from bench.workloads.graphs.university import (
    ONTOLOGY,
    graph,
    individuals,
    ontology,
)

OWL = "http://www.w3.org/2002/07/owl#"
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def triples(lines):
    return [quad.triple for quad in parse("".join(lines), format=RdfFormat.N_TRIPLES)]


@pytest.mark.parametrize("more", [False, True])
def test_a_graph_has_as_many_triples_as_asked_for_and_none_twice(more):
    found = triples(graph(5000, more=more))
    assert len(found) == len(set(found)) == 5000


def test_a_larger_graph_begins_with_the_smaller_one():
    assert list(graph(1000)) == list(islice(graph(3000), 1000))


def test_the_university_is_the_same_on_every_machine():
    digest = hashlib.sha256("".join(sorted(graph(4000, more=True))).encode()).hexdigest()
    assert digest[:16] == "bbefa60387d39c66"


def test_no_name_is_left_to_chance():
    terms = {term for found in triples(graph(2000, more=True)) for term in (*found,)}
    assert not any(isinstance(term, BlankNode) for term in terms)


def test_the_ontology_has_some_forty_classes_and_thirty_properties():
    kinds: dict[str, set[str]] = {}
    for found in triples(ontology(more=True)):
        name = getattr(found.subject, "value", "")
        if found.predicate == TYPE and name.startswith(ONTOLOGY):
            kinds.setdefault(str(found.object).strip("<>").removeprefix(OWL), set()).add(name)
    classes = {name for name in kinds["Class"] if "university-" not in name}
    assert 38 <= len(classes) <= 45
    assert 28 <= len(kinds["ObjectProperty"] | kinds["DatatypeProperty"]) <= 36
    assert len(kinds["Restriction"]) == 10


def test_everybody_comes_once_with_all_that_is_said_of_them():
    met = list(islice(individuals(), 3000))
    assert len({iri for iri, _ in met}) == 3000
    assert all(line.startswith(f"{iri} ") for iri, about in met for line in about)


def test_people_are_met_under_two_names():
    found = triples(graph(20_000))
    same = [t for t in found if t.predicate.value == f"{OWL}sameAs"]
    assert 20 < len(same) < 50
    owners: dict[object, set[object]] = {}
    for t in found:
        if t.predicate.value == f"{ONTOLOGY}mailbox":
            owners.setdefault(t.object, set()).add(t.subject)
    shared = [names for names in owners.values() if len(names) > 1]
    assert len(shared) > len(same)
    assert {frozenset((t.subject, t.object)) for t in same} <= set(map(frozenset, shared))
