"""The rule texts of RDF and RDFS, run by the engine, against the semantics of RDF."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r4.program.regimes import regime, select
from rif.builtins.signatures import CASTS
from rif.syntax.terms import IRI, RDF, XSD, Literal
from tests.generators.ontologies.axioms import DATATYPES, EX
from tests.generators.ontologies.graphs import schemas
from tests.oracles.rdf.rdfs import rules
from tests.oracles.rdf.rule_tables import NAMES, Triple, closure
from tests.simulation.closure import close

A, B, P = (IRI(EX + name) for name in "abp")
SOME = st.sets(st.sampled_from([datatype.value for datatype in DATATYPES])).map(frozenset)


@settings(max_examples=settings().max_examples // 2)
@given(schemas(), SOME, st.sampled_from(["rdf", "rdfs"]))
def test_the_rules_close_a_graph_as_the_entailment_patterns_do(
    triples: list[Triple], recognised: frozenset[str], name: str
) -> None:
    assert close(triples, regime(name, recognised)) == closure(triples, rules(name, recognised))


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("integer", "string", True),
        ("integer", "decimal", False),
        ("negativeInteger", "unsignedByte", True),
        ("negativeInteger", "long", False),
        ("nonPositiveInteger", "nonNegativeInteger", False),
        ("positiveInteger", "nonPositiveInteger", True),
        ("float", "double", True),
        ("NCName", "language", False),
        ("dateTimeStamp", "dateTime", False),
        ("date", "dateTime", True),
        ("dayTimeDuration", "yearMonthDuration", False),
        ("anyURI", "string", True),
    ],
)
def test_nothing_is_of_two_datatypes_that_share_no_value(one: str, other: str, clash: bool) -> None:
    triples: list[Triple] = [(A, NAMES["type"], IRI(XSD + name)) for name in (one, other)]
    assert close(triples, regime("d")).inconsistent == clash


@pytest.mark.parametrize(
    ("text", "datatype", "known", "clash"),
    [
        ("300", "integer", "byte", True),
        ("30", "integer", "byte", False),
        ("1.5", "decimal", "integer", True),
        ("a b", "string", "Name", True),
        ("2020-01-01", "date", "dateTime", True),
    ],
)
def test_a_literal_is_of_no_datatype_that_has_not_its_value(
    text: str, datatype: str, known: str, clash: bool
) -> None:
    triples: list[Triple] = [
        (P, NAMES["range"], IRI(XSD + known)),
        (A, P, Literal(text, XSD + datatype)),
    ]
    assert close(triples, regime("d")).inconsistent == clash
    assert not close(triples, regime("rdfs")).inconsistent


@pytest.mark.parametrize("datatype", sorted(CASTS))
def test_every_datatype_of_rif_refuses_the_values_of_another(datatype: str) -> None:
    alien = Literal("a") if datatype == XSD + "boolean" else Literal("true", XSD + "boolean")
    rule = select(regime("d"), {"outside"})
    for other in (XSD + "boolean", datatype):
        triples: list[Triple] = [(A, P, alien), (alien, NAMES["type"], IRI(other))]
        assert close(triples, rule).inconsistent == (alien.datatype != other)


def test_an_ill_typed_literal_is_a_contradiction_only_where_its_datatype_is_recognised() -> None:
    triples = [(A, P, Literal("one", XSD + "integer"))]
    assert not close(triples, regime("rdfs")).inconsistent
    assert not close(triples, regime("rdfs", frozenset([XSD + "decimal"]))).inconsistent
    assert close(triples, regime("rdfs", frozenset([XSD + "integer"]))).inconsistent


def test_a_container_property_that_is_only_mentioned_has_its_axioms() -> None:
    closed = close([(A, P, IRI(RDF + "_12")), (A, P, IRI(RDF + "_012"))], regime("rdfs"))
    members = {
        s for s, p, o in closed.triples if (p, o) == (NAMES["subPropertyOf"], NAMES["member"])
    }
    assert members == {IRI(RDF + "_12"), IRI(RDF + "_1"), NAMES["member"]}


def test_the_simple_regime_adds_nothing() -> None:
    triples: list[Triple] = [(A, NAMES["type"], B)]
    assert close(triples, regime("simple")) == (frozenset(triples), False)
