"""The edge to rdflib and pyoxigraph: texts in Turtle as ids, and canonical texts as nodes."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from rdflib import URIRef

from r4.api.values.graph_terms import ntriples, read_ntriples, statement_texts, to_node
from rete.terms.dictionary import Dictionary


@pytest.mark.parametrize("by_value", [True, False])
def test_a_text_has_the_terms_of_its_statements(by_value: bool) -> None:
    text = """ex:a ex:p 1, 01, 1.50, true, "1"^^<urn:ex:type>, "a\\u00e9\\n\\"", 'c', ( ) ;
      ex:q "b"@EN-gb ; a ex:Thing . <urn:ex:\\u00e9> ex:p "no blank node" ."""
    statements = list(ox.parse("@prefix ex: <urn:ex:> .\n" + text, ox.RdfFormat.TURTLE))
    plain = ntriples(text, [("ex", "urn:ex:"), ("no", "urn:no:")])
    assert plain is not None
    terms = Dictionary(by_value=by_value)
    ids = read_ntriples(plain, terms).ravel()
    assert ids.tolist() == terms.encode_many(statement_texts(statements)).tolist()


@pytest.mark.parametrize("by_value", [True, False])
def test_a_prefixed_name_may_stand_for_what_is_no_iri(by_value: bool) -> None:
    text, prefixes = "ex:a ex:p ex:\U000e0001, 01 .", [("ex", "urn:ex:")]
    terms = Dictionary(by_value=by_value)
    plain = ntriples(text, prefixes)
    assert plain is not None
    ids = read_ntriples(plain, terms).ravel()
    assert ids.tolist() == terms.encode_many(statement_texts(text, prefixes)).tolist()


def test_the_labels_of_blank_nodes_are_made_from_the_text() -> None:
    assert ntriples("<urn:ex:a> <urn:ex:p> [] .") is None


def test_what_is_no_canonical_text_is_no_node() -> None:
    for text in ("", "a", "<", '"', "<a", '"a">'):
        with pytest.raises(ValueError, match="not the canonical text"):
            to_node(text)
    assert to_node("List(<urn:a>)") is None
    assert to_node("<urn:a>") == URIRef("urn:a")
