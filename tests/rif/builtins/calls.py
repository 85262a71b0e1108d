"""Built-ins called with literals in a short form, ``3^integer``, and what XPath says instead."""

from __future__ import annotations

from typing import Any

from elementpath.xpath31 import XPath31Parser

from rif.builtins import BUILTINS, Builtin
from rif.syntax.terms import FUNC, PRED, RDF, XSD, GroundTerm, Literal

SPACES = {"func": FUNC, "pred": PRED, "xs": XSD, "rdf": RDF, "own": "urn:r4:builtin#"}


def takes(builtin: Builtin, count: int) -> bool:
    """May it have ``count`` arguments?"""
    return builtin.least <= count and (builtin.most is None or count <= builtin.most)


def literal(text: str) -> Literal:
    """``3^integer``, ``<a/>^rdf:XMLLiteral``."""
    lexical, _, datatype = text.rpartition("^")
    prefix, _, name = datatype.rpartition(":")
    return Literal(lexical, SPACES[prefix or "xs"] + name)


def call(name: str, *args: str | GroundTerm) -> str | bool | None:
    """``func:not`` of terms; a literal comes back in the short form."""
    prefix, _, local = name.partition(":")
    builtin = BUILTINS[SPACES[prefix] + local]
    terms = [literal(arg) if isinstance(arg, str) else arg for arg in args]
    assert takes(builtin, len(terms))
    outcome = builtin.evaluate(*terms)
    if isinstance(outcome, Literal):
        space = "rdf:" if outcome.datatype.startswith(RDF) else ""
        return f"{outcome.lexical}^{space}{outcome.datatype.rpartition('#')[2]}"
    assert isinstance(outcome, bool) or outcome is None
    return outcome


def lexical(name: str, *args: str | GroundTerm) -> str:
    """The lexical form of what a function gives."""
    outcome = call(name, *args)
    assert isinstance(outcome, str), (name, args)
    return outcome.rpartition("^")[0]


def xpath(expression: str) -> Any:
    """What another implementation says, in XSD 1.1; it raises `elementpath.ElementPathError`."""
    return XPath31Parser(xsd_version="1.1").parse(expression).evaluate(None)
