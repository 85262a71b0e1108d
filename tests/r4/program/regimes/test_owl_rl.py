"""The rule text of OWL 2 RL, run by the engine, against the tables of the Recommendation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r4.language import LANGUAGE
from r4.program.regimes import regime, select
from rif.builtins import BUILTINS
from rif.syntax.terms import IRI, PRED, RDF_LANG_STRING, XSD, BlankNode, Literal
from tests.generators.draw import from_seed
from tests.generators.ontologies.axioms import (
    CLASSES,
    EX,
    INDIVIDUALS,
    PROPERTIES,
    RESTRICTIONS,
    AxiomWriter,
)
from tests.generators.ontologies.graphs import OWL_AXIOMS, graph_of, ontologies
from tests.oracles.rdf.owl import RULES, TABLE, every_pair
from tests.oracles.rdf.rule_tables import NAMES, Triple, bodies_of, closure
from tests.simulation.closure import close

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rif.builtins import Outcome
    from rif.syntax.terms import GroundTerm

WORDS = NAMES | {
    '"1"': Literal("1", XSD + "integer"),
    '"300"': Literal("300", XSD + "integer"),
    '"one"': Literal("one", XSD + "integer"),
    '"x"@en': Literal("x", RDF_LANG_STRING, "en"),
    "xsd:byte": IRI(XSD + "byte"),
}
LISTS = {
    "eq-diff2": "n type AllDifferent, n members ( a b c ), a sameAs c",
    "eq-diff3": "n type AllDifferent, n distinctMembers ( a b ), a sameAs b",
    "prp-spo2": "p propertyChainAxiom ( q r s ), a q b, b r c, c s d",
    "prp-adp": "n type AllDisjointProperties, n members ( p q r ), a p b, a r b",
    "prp-key": "C hasKey ( p q ), a type C, b type C, a p c, b p c, a q d, b q d",
    "cls-int1": "C intersectionOf ( D E F ), a type D, a type E, a type F, b type D, b type E",
    "cls-int2": "C intersectionOf ( D E ), a type C",
    "cls-uni": "C unionOf ( D E ), a type E",
    "cls-oo": "C oneOf ( a b )",
    "cax-adc": "n type AllDisjointClasses, n members ( C D E ), a type C, a type E",
    "scm-int": "C intersectionOf ( D E )",
    "scm-uni": "C unionOf ( D E )",
}
DATA = {
    "dt-type1": "",
    "dt-type2": 'a p "300", a p "x"@en',
    "dt-eq": 'a p "300"',
    "dt-diff": 'a p "300", "1" sameAs "300"',
    "dt-not-type": 'a p "300", "300" type xsd:byte',
}
ROWS = {name: ", ".join(body) for name, body in bodies_of(TABLE).items()} | LISTS | DATA
"""Rules and the smallest graphs they speak of: triples, with ``( … )`` for a list."""


def word(name: str) -> GroundTerm:
    return WORDS.get(name) or IRI(EX + name.strip("?"))


def graph(text: str) -> list[Triple]:
    to = AxiomWriter(from_seed(0))
    for s, p, *o in map(str.split, filter(None, text.split(","))):
        to.add(word(s), word(p), to.list([*map(word, o[1:-1])]) if o[0] == "(" else word(*o))
    return to.triples


def others(triples: Iterable[Triple]) -> set[Triple]:
    """Without what eq-ref says, which some rules of the tables repeat."""
    return {(s, p, o) for s, p, o in triples if p != NAMES["sameAs"] or s != o}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_alone_derives_what_its_row_says(rule: str) -> None:
    triples = graph(ROWS[rule])
    expected, inconsistent = closure(triples, [RULES[rule]])
    assert inconsistent or expected != frozenset(triples)
    found = close(triples, select(regime("owl-rl"), {rule}), united=False)
    kept = set if rule in {"eq-ref", "dt-eq"} else others
    assert kept(found.triples) == kept(expected)
    assert found.inconsistent == inconsistent


@pytest.mark.parametrize("rule", sorted(LISTS))
def test_a_list_that_is_not_complete_is_no_list(rule: str) -> None:
    triples = [triple for triple in graph(ROWS[rule]) if triple[2] != NAMES["nil"]]
    found = close(triples, select(regime("owl-rl"), {rule}), united=False)
    assert found == (frozenset(triples), False)


def test_two_places_of_a_list_may_have_the_same_member() -> None:
    """A property twice in a list is disjoint with itself, whoever else is its neighbour."""
    triples = graph("n type AllDisjointProperties, n members ( p q p ), a p b")
    assert close(triples, select(regime("owl-rl"), {"prp-adp"}), united=False).inconsistent
    triples = graph("n type AllDisjointProperties, n members ( p q ), a p b")
    assert not close(triples, select(regime("owl-rl"), {"prp-adp"}), united=False).inconsistent


def test_keys_agree_place_by_place() -> None:
    """Values are compared as sequences: the same ones of other properties are no agreement."""
    key = "C hasKey ( p q r ), a type C, b type C,"
    closed = close(
        graph(key + "a p c, a q c, a r d, b p c, b q d, b r d"),
        select(regime("owl-rl"), {"prp-key"}),
        united=False,
    )
    assert others(closed.triples) == closed.triples
    assert not any(p == NAMES["sameAs"] for _, p, _ in closed.triples)


def test_a_list_with_a_cycle_comes_to_an_end() -> None:
    """Its way to rdf:nil gives lists; the way round gives ever longer ones of the same cells."""
    triples = graph("C hasKey ( p ), C intersectionOf ( D ), q propertyChainAxiom ( p )")
    triples += [(s, NAMES["rest"], s) for s, p, _ in triples if p == NAMES["rest"]]
    triples += graph("a type C, b type C, a p c, b p c")
    expected, _ = closure(triples, RULES.values())
    assert close(triples, regime("owl-rl"), united=False).triples == expected


LESS = settings(max_examples=settings().max_examples // 2)


@LESS
@given(ontologies(), st.sets(st.sampled_from(sorted(RULES)), min_size=5))
def test_some_rules_close_a_graph_as_their_rows_do(triples: list[Triple], names: set[str]) -> None:
    names.add("eq-ref")  # some rows say that a term is itself, the text never does
    expected = closure(triples, [RULES[name] for name in names])
    assert close(triples, select(regime("owl-rl"), names), united=False) == expected


@LESS
@given(ontologies())
def test_the_rules_close_a_graph_as_the_tables_do(triples: list[Triple]) -> None:
    assert close(triples, regime("owl-rl"), united=False) == closure(triples, RULES.values())


@LESS
@given(ontologies())
def test_representatives_change_nothing(triples: list[Triple]) -> None:
    expected, inconsistent = closure(triples, RULES.values())
    assert close(triples, regime("owl-rl")) == (expected, inconsistent)


@pytest.mark.slow
@given(ontologies())
def test_other_pairs_of_different_literals_contradict_nothing(triples: list[Triple]) -> None:
    """So dt-diff may leave them out."""
    rules = [RULES[name] for name in RULES if name != "dt-diff"]
    _, inconsistent = closure(triples, RULES.values())
    assert closure(triples, [*rules, every_pair])[1] == inconsistent


def test_dt_diff_compares_no_term_with_itself() -> None:
    """Everything is the same as itself, so that there is a comparison for each term else."""
    name = PRED + "literal-not-identical"
    asked: list[tuple[GroundTerm, ...]] = []

    def evaluate(*args: GroundTerm) -> Outcome:
        asked.append(args)
        return BUILTINS[name].evaluate(*args)

    counted = replace(BUILTINS[name], evaluate=evaluate)
    language = replace(LANGUAGE, builtins={**BUILTINS, name: counted})
    rules = select(regime("owl-rl"), {"eq-ref", "dt-diff"})
    given = graph('a p "300", b p "x"@en, c q d, a sameAs b')
    found = close(given, rules, united=False, language=language)
    assert len(found.triples) > 10
    assert asked == [(word("a"), word("b"))]


@pytest.mark.slow
def test_owlrl_says_the_same_of_individuals() -> None:
    """A spot check against an implementation by others.

    Left out is what owlrl 7 does in ways of its own: inconsistency (some are not looked for), the
    schema (it sees some equivalences a round late), more datatypes, and the types of literals (it
    gives only those it can tell from the declared one).
    """
    rdflib = pytest.importorskip("rdflib")
    owlrl = pytest.importorskip("owlrl")

    def node(term: GroundTerm) -> object:
        if isinstance(term, IRI):
            return rdflib.URIRef(term.value)
        if isinstance(term, BlankNode):
            return rdflib.BNode(term.label)
        assert isinstance(term, Literal)
        if term.language:
            return rdflib.Literal(term.lexical, lang=term.language)
        return rdflib.Literal(term.lexical, datatype=rdflib.URIRef(term.datatype))

    things = {node(term) for term in INDIVIDUALS}
    words = {node(term) for term in (*CLASSES, *PROPERTIES, *RESTRICTIONS)}

    def compared(triples: Iterable[tuple[object, ...]]) -> set[tuple[object, ...]]:
        return {t for t in triples if t[0] in things and words.intersection(t[1:])}

    agreed = 0
    for seed in range(24):
        triples = graph_of(from_seed(seed), OWL_AXIOMS)
        closed = close(triples, regime("owl-rl"), united=False)
        if closed.inconsistent:
            continue
        theirs = rdflib.Graph()
        for triple in triples:
            theirs.add(tuple(map(node, triple)))
        owlrl.OWLRL_Semantics(theirs, axioms=False, daxioms=False, rdfs=False).closure()
        ours = [tuple(map(node, triple)) for triple in closed.triples]
        assert compared(theirs) == compared(ours), seed
        agreed += 1
    assert agreed > 8
