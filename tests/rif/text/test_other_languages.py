"""Rules of other languages are told by name, and what is wrong in RIF is told as ever."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.text.other_languages import LANGUAGES
from rif.text.parser import parse

TEXTS = {
    "SHACL": [
        "@prefix sh: <http://www.w3.org/ns/shacl#> .\nex:S a sh:NodeShape ; sh:targetClass ex:C .",
        "ex:S a sh:NodeShape ; sh:rule [ a sh:TripleRule ; sh:subject sh:this ] .",
        "PREFIX sh: <http://www.w3.org/ns/shacl#>\nex:P a sh:PropertyShape .",
    ],
    "SWRL": [
        "Person(?p) ^ hasAge(?p, ?a) ^ swrlb:greaterThan(?a, 17) -> Adult(?p)",
        "Implies(Antecedent(hasParent(I-variable(x) I-variable(y)))) :a a swrl:Imp .",
        "hasParent(?x, ?y) ∧ hasBrother(?y, ?z) → hasUncle(?x, ?z)",
    ],
    "RDFox's Datalog": [
        "[?x, :hasUncle, ?z] :- [?x, :hasParent, ?y], [?y, :hasBrother, ?z] .",
        "@prefix : <urn:x:> .\n[?x, a, :Adult] :- [?x, :age, ?a], FILTER(?a > 17) .",
    ],
    "N3": [
        "@prefix : <urn:x:> .\n{ ?a :gust ?k } => { ?a :alarm :Gale } .",
        "{ ?a :gust ?k . ?k math:greaterThan 34 }\n=>\n{ ?a :alarm :Gale } .",
        "@prefix : <#>. { :a :b ?c } <= { ?c :d :e } .",
        "{ ?a :gust ?k . ?k math:greaterThan 99 } => false .",
        "@prefix : <#>.\ntrue <= { :a :b :c }.",
        "{ ?a :p ?b } log:implies { ?b :p ?a } .",
        "{?a :p ?b}=>{}.",
    ],
    "Jena": [
        "[r1: (?a ex:gust ?k) greaterThan(?k, 34) -> (?a ex:alarm ex:Gale)]",
        "@prefix ex: <urn:x:>\n[(?x ex:p ?y) -> (?x ex:q ?y)]",
        "[r2: (?x ex:q ?y) <- (?x ex:p ?y)]",
        "(?a ex:p ?b) -> (?b ex:p ?a) .",
        "@include <RDFS>.\n[r: (?x rdf:type ?c), noValue(?x ex:p) -> drop(0)]",
    ],
    "SPARQL": [
        "PREFIX ex: <urn:x:>\nCONSTRUCT { ?a ex:b ?c } WHERE { ?a ex:d ?c FILTER(?c > 34) }",
        "select ?x where { ?x a ex:C }",
        "SELECT DISTINCT ?x WHERE { ?x ?p ?o }",
        "INSERT { ?a ex:b ?c } WHERE { ?a ex:d ?c }",
        "REGISTER STREAM s AS CONSTRUCT { ?a ex:b ?c } FROM STREAM <s> [RANGE 10s] WHERE { }",
    ],
    "Datalog": ["hot(X) :- reads(X, V).", "Boxed(X) :- Boxminus[0,5] p(X) .\nq(X, y) :- r(X)."],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in TEXTS for text in TEXTS[name]])
def test_the_language_is_named_with_a_hint(name: str, text: str) -> None:
    with pytest.raises(RuleErrors) as caught:
        parse(text)
    (fault,) = caught.value.errors
    assert (fault.code, fault.message) == ("RIF162", f"these are rules of another language, {name}")
    assert "how-do-i-say-it" in fault.hint
    assert fault.span.line >= 1


def test_all_languages_have_texts() -> None:
    assert {each.name for each in LANGUAGES} == set(TEXTS)


@pytest.mark.parametrize(
    "text",
    [
        "Document( Group( Forall ?x ( ?x[ex:p -> ?y] ^ ) ) )",
        "Document( (* SELECT ?x *) Group( ) ",
        "@prefix ex: <urn:ex:> .\nex:a ex:on ex:b .",
        "ex:p(?x) :- ex:q(?x)",
        "?x[ex:p -> ?y] :- ?x[ex:q -> ?y]",
        "Forall ?x ( ?x # ex:C :- External(ex:f(?x)) )",
    ],
)
def test_what_is_none_of_them_has_its_own_fault(text: str) -> None:
    with pytest.raises(RuleErrors) as caught:
        parse(text)
    assert "RIF162" not in [fault.code for fault in caught.value.errors]
