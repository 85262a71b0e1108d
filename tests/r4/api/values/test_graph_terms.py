"""The edge to rdflib and pyoxigraph: texts in Turtle as ids, and canonical texts as nodes."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from rdflib import XSD, Literal, URIRef

from r4 import Engine
from r4.api.values.graph_terms import ntriples, read_ntriples, statement_texts
from r4.api.values.rdflib_terms import to_node
from r4.run.run_bounds import MemoryFull
from rete.terms.dictionary import Dictionary

RULES = "Document(Window(5) Group(Forall ?x (?x[<urn:q> -> 1] :- ?x[<urn:p> -> 1])))"


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


class Ended(Exception):
    """Somebody ends the reading of a text."""


@pytest.mark.parametrize("objects", ["1, 2, 3, 4, 5", "1, [], 3, 4, 5"])
def test_the_reading_of_a_long_text_may_end_within_it(
    objects: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also within one statement; a short text is read without a look."""

    def end() -> None:
        raise Ended

    def read(text: str) -> None:
        plain = ntriples(text)
        if plain is None:
            statement_texts(text, look=end)
        else:
            ntriples(text, look=end)
            read_ntriples(plain, Dictionary(), end)

    text = f"<urn:s> <urn:p> {objects} ."
    read(text)
    with monkeypatch.context() as patch:
        patch.setattr("r4.api.values.graph_terms._AT_ONCE", 1)
        if plain := ntriples(text):
            with pytest.raises(Ended):
                read_ntriples(plain, Dictionary(), end)
            assert len(read_ntriples(plain, Dictionary())) == 5
    for module in ("r4.api.values.graph_terms", "r4.rdf.parser_output"):
        monkeypatch.setattr(f"{module}._QUADS_AT_ONCE", 2)
    with pytest.raises(Ended):
        read(text)


def test_a_text_for_which_memory_is_short_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine.from_text(RULES, memory="1MB")
    monkeypatch.setattr("r4.rdf.parser_output._QUADS_AT_ONCE", 2)
    with pytest.raises(MemoryFull):
        engine.add_static("<urn:s> <urn:p> 1, 2, 3, 4, 5 .")
    assert engine.counters.static == 0
    monkeypatch.setattr("r4.rdf.parser_output._QUADS_AT_ONCE", 1 << 12)
    engine.add_static("<urn:s> <urn:p> 1, 2, 3, 4, 5 .")
    assert engine.counters.static == 5


def test_a_literal_that_says_that_it_is_a_string_is_one_without_a_datatype() -> None:
    string = Literal("x", datatype=XSD.string)
    said = statement_texts([(URIRef("urn:a"), URIRef("urn:p"), string)])
    assert said == ["<urn:a>", "<urn:p>", '"x"']
