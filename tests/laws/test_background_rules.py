"""A regime as background: the rules of the user see what they would if it were among them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r4.imports import Profile
from r4.program.regimes.background import background_of
from rif.syntax.terms import IRI, OWL, RDF
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.ontologies.axioms import EX
from tests.generators.ontologies.rules_above import (
    Layered,
    layered,
)
from tests.seeds import parts
from tests.simulation.background_rules import disagreement
from tests.simulation.closure import close

pytestmark = pytest.mark.compared

TOLD = IRI("urn:told")
PART = 10


@st.composite
def cases(draw: st.DrawFn) -> Layered:
    return layered(from_hypothesis(draw))


@settings(max_examples=settings().max_examples // 3)
@given(cases())
def test_a_background_means_what_its_rules_mean_among_those_of_the_user(case: Layered) -> None:
    assert disagreement(case, forget=False) is None


@pytest.mark.parametrize("first", parts(PART, check=0, pure=0, test=1, soak=12))
def test_so_it_is_in_many_cases_where_terms_are_forgotten(first: int) -> None:
    for seed in range(first, first + PART):
        assert disagreement(layered(from_seed(seed)), forget=True) is None


def test_a_word_of_rdf_is_still_told_by_its_text_where_it_is_the_same_as_another() -> None:
    background = background_of("none", Profile.OWL_RDF_BASED)
    assert background is not None
    member, thing = IRI(RDF + "_2"), IRI(EX + "a")
    triples = [(thing, IRI(OWL + "sameAs"), member), (thing, IRI(EX + "p"), IRI(EX + "b"))]
    found = close(triples, background)
    assert (member, IRI(RDF + "type"), IRI(RDF + "Property")) in found.triples
    assert found == close(triples, background, united=False)
