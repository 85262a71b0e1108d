"""Profiles: their names, their order, and the highest of several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.imports.profiles import Profile, highest, profile_of
from r4.program.regimes import REGIMES

S, R, RS, D = Profile.SIMPLE, Profile.RDF, Profile.RDFS, Profile.D
DIRECT, BASED, GENERIC = Profile.OWL_DIRECT, Profile.OWL_RDF_BASED, Profile.GENERIC

LOWER = {(S, R), (R, RS), (RS, D), (D, BASED), (DIRECT, BASED)}
"""The order of the Recommendation, as it is printed there."""


def reaches(low: Profile, high: Profile) -> bool:
    return low is high or any(one is low and reaches(two, high) for one, two in LOWER)


@pytest.mark.parametrize(
    ("iri", "profile"),
    [
        ("http://www.w3.org/ns/entailment/Simple", S),
        ("http://www.w3.org/ns/entailment/RDF", R),
        ("http://www.w3.org/ns/entailment/RDFS", RS),
        ("http://www.w3.org/ns/entailment/D", D),
        ("http://www.w3.org/ns/entailment/OWL-Direct", DIRECT),
        ("http://www.w3.org/ns/entailment/OWL-RDF-Based", BASED),
        ("http://www.w3.org/2007/rif-import-profile#Generic", GENERIC),
        ("http://www.w3.org/2007/rif-import-profile#RDFS", RS),
        ("http://www.w3.org/2007/rif-import-profile#OWL-DL", DIRECT),
        ("http://www.w3.org/2007/rif-import-profile#OWL-Full", BASED),
        ("http://www.w3.org/ns/entailment/Generic", None),
        ("http://www.w3.org/ns/entailment/simple", None),
        ("http://www.w3.org/ns/owl-profile/RL", None),
        ("", None),
    ],
)
def test_profiles_are_known_by_their_iris(iri, profile) -> None:
    assert profile_of(iri) is profile


@given(st.lists(st.sampled_from(Profile)))
def test_the_highest_is_above_all_others_in_the_printed_order(profiles) -> None:
    specific = [each for each in profiles if each is not GENERIC]
    above_all = [each for each in specific if all(reaches(other, each) for other in specific)]
    found = highest(profiles)
    if above_all:
        assert found is above_all[0]
    else:
        assert found is (GENERIC if profiles and not specific else None)


@pytest.mark.parametrize("low", [S, R, RS, D])
def test_owl_direct_goes_with_owl_only(low) -> None:
    assert highest([low, DIRECT]) is None
    assert highest([low, DIRECT, BASED]) is BASED


def test_every_profile_is_carried_out_by_rules_that_there_are() -> None:
    assert {profile.regime for profile in Profile} - {None} <= set(REGIMES)
    assert S.regime is None
    assert GENERIC.regime is None
