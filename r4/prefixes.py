"""Prefixes that need no declaration: in options of the command line, and in files beside rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rete.drawing.names import Names
from rif.syntax.terms import OWL, RDF, XSD

PREFIXES: Final[Mapping[str, str]] = {
    "sosa": "http://www.w3.org/ns/sosa/",
    "ssn": "http://www.w3.org/ns/ssn/",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": OWL,
    "xsd": XSD,
    "time": "http://www.w3.org/2006/time#",
    "qudt": "http://qudt.org/schema/qudt/",
    "schema": "http://schema.org/",
}


def expand(name: str, prefixes: Mapping[str, str]) -> str:
    """``name`` without brackets, or with the namespace in place of its prefix."""
    if name.startswith("<") and name.endswith(">"):
        return name[1:-1]
    prefix, colon, local = name.partition(":")
    if colon and not local.startswith("//") and prefix in prefixes:
        return prefixes[prefix] + local
    return name


def short_iri(iri: str) -> str:
    """The IRI as an option may have it: with a prefix of `PREFIXES`, else in brackets."""
    return Names(prefixes=tuple(PREFIXES.items())).iri(iri)
