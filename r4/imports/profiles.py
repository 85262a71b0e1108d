"""The profiles that an import of a graph may have, and which of several holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

STREAM: Final = "urn:r4:profile#stream"
"""The profile, of this system, that makes what is imported a stream of the document."""


class Profile(Enum):
    """What the triples of a graph mean to the rules that import it [RIF-RDF-OWL 5.1]."""

    GENERIC = "Generic"
    SIMPLE = "Simple"
    RDF = "RDF"
    RDFS = "RDFS"
    D = "D"
    OWL_DIRECT = "OWL-Direct"
    OWL_RDF_BASED = "OWL-RDF-Based"

    @property
    def regime(self) -> str | None:
        """The background rules that carry it out; None: it needs none, or leaves them open.

        Generic lets the receiver choose: ``--entailment`` does. Both profiles of OWL are carried
        out by the rules of OWL 2 RL, which are sound, and complete for what they cover; OWL Direct
        by those of `r4.imports.owl_direct.separation` too.
        """
        return _REGIMES.get(self)

    def covers(self, other: Profile) -> bool:
        """Is it the same or higher? Simple < RDF < RDFS < D < OWL RDF-Based > OWL Direct.

        Generic, which commits to nothing, is below all [RIF-RDF-OWL 5.1].
        """
        if other in {self, Profile.GENERIC} or self is Profile.OWL_RDF_BASED:
            return True
        return self in _CHAIN and other in _CHAIN[: _CHAIN.index(self)]


_CHAIN: Final = (Profile.SIMPLE, Profile.RDF, Profile.RDFS, Profile.D)
_REGIMES: Final[Mapping[Profile, str]] = {
    Profile.RDF: "rdf",
    Profile.RDFS: "rdfs",
    Profile.D: "d",
    Profile.OWL_DIRECT: "owl-rl",
    Profile.OWL_RDF_BASED: "owl-rl",
}
_ENTAILMENT: Final = "http://www.w3.org/ns/entailment/"
_DRAFTS: Final = "http://www.w3.org/2007/rif-import-profile#"
"""The namespace of Generic; in drafts of the Recommendation that of all profiles."""
_OLD_NAMES: Final = {"OWL-DL": Profile.OWL_DIRECT, "OWL-Full": Profile.OWL_RDF_BASED}
_BY_IRI: Final[Mapping[str, Profile]] = {
    **{_ENTAILMENT + each.value: each for each in Profile if each is not Profile.GENERIC},
    **{_DRAFTS + each.value: each for each in Profile},
    **{_DRAFTS + name: each for name, each in _OLD_NAMES.items()},
}


def profile_of(iri: str) -> Profile | None:
    """The profile that an IRI names; None if it is not supported."""
    return _BY_IRI.get(iri)


def highest(profiles: Iterable[Profile]) -> Profile | None:
    """The one that covers all of ``profiles`` and so holds for all [RIF-RDF-OWL 5.2].

    None: there is no such one, and what imports them is to be rejected; or there are no profiles.
    """
    given = set(profiles)
    return next((each for each in given if all(map(each.covers, given))), None)
