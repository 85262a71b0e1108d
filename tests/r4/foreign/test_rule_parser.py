"""Which language a text is in."""

from __future__ import annotations

import pytest

from r4.foreign.rule_parser import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Document( Group( ) )", None),
        ("(* CONSTRUCT { } *) Document( Group( ) )", None),
        ('<?xml version="1.0"?><Document xmlns="http://www.w3.org/2007/rif#"/>', None),
        ("@prefix ex: <urn:ex:> .\n?x[ex:p -> 1] :- ?x[ex:q -> 1].", None),
        ("PREFIX ex: <urn:ex:>\nex:p(?x) :- ex:q(?x).", None),
        ("@prefix : <#> .\n{ ?a :p ?b } => { ?b :p ?a } .", None),
        ("[?x, :r, ?z] :- [?x, :p, ?y], [?y, :q, ?z] .", None),
        ("@prefix ex: <urn:ex:> .\n[ ex:p ex:q ] ex:r 1 .", None),
        ("hot(X) :- reads(X, V).", None),
        ("", None),
        ("PREFIX ex: <urn:ex:> # of examples\nCONSTRUCT{ ?s ex:p 1 } { ?s ex:q 1 }", "sparql"),
        ("base <urn:x>\nselect distinct ?x where { ?x a ?y }", "sparql"),
        ("SELECT (COUNT(?x) AS ?n) { ?x a ?y }", "sparql"),
        ("\ufeffASK { ?x a ?y }", "sparql"),
        ("DELETE WHERE { ?s ?p ?o }", "sparql"),
        ("REGISTER QUERY q AS SELECT * { ?s ?p ?o }", "sparql"),
        ("[r1: (?a ex:gust ?k) greaterThan(?k, 34) -> (?a ex:alarm ex:Gale)]", "jena"),
        ("@prefix ex: <urn:x:>\n[(?x ex:p ?y) -> (?x ex:q ?y)]", "jena"),
        ("# rules\n// of mine\n[r2: (?x ex:q ?y) <- (?x ex:p ?y)]", "jena"),
        ("(?a ex:p ?b) -> (?b ex:p ?a) .", "jena"),
        ("r: (?a ex:p ?b) (?b ex:p ?c) -> (?a ex:p ?c) .", "jena"),
        ("@include <RDFS>.\n[r: (?x rdf:type ?c), noValue(?x ex:p) -> drop(0)]", "jena"),
        ("[axiom: -> (ex:a ex:p ex:b)]", "jena"),
        ("# axioms\n-> (rdf:nil rdf:type rdf:List).\n[r: (?x ?p ?y) -> (?y ?p ?x)]", "jena"),
        ("-> tableAll().", "jena"),
        ("-> (:a :p :b) .", "jena"),
        ("@prefix : <urn:ex:> .\n[r: (:a :p ?x) -> (:b :p ?x)]", "jena"),
    ],
)
def test_a_text_tells_its_language(text: str, language: str | None) -> None:
    assert language_of(text.encode(), "rules.txt") == language


def test_a_suffix_tells_it_too() -> None:
    assert language_of(b"this is no query", "a.RQ") == "sparql"
    assert language_of(b"Document( )", "a.sparql") == "sparql"
