"""Prefixes that need no declaration: in options of the command line, and in files beside rules."""

from __future__ import annotations

import shlex
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


COMMON_NAMES: Final = Names(prefixes=tuple(PREFIXES.items()))
"""How IRIs are written where no rules are read: with `PREFIXES`."""


def option_value(iri: str, names: Names) -> str:
    """The IRI as an option has it on the command line of a shell, which takes ``<`` for itself.

    With a prefix of ``names``, else as it is, unless that would be read with a prefix.
    """
    prefixes = dict(names.prefixes)
    short, bracketed = names.iri(iri), f"<{iri}>"
    texts = (iri if short == bracketed else short, iri, bracketed)
    return shlex.quote(next(text for text in texts if expand(text, prefixes) == iri))
