"""Terms of rdflib as terms of RIF."""

from __future__ import annotations

from typing import Final

import rdflib

from r4.foreign.formulas import variable
from rif.syntax import ast
from rif.syntax.terms import IRI, RDF_LANG_STRING, XSD, XSD_STRING, Literal

BLANK: Final = "_blank"
"""How the names of variables begin that stand for blank nodes of a pattern."""


def term_of(node: object) -> ast.Term:
    """The term of a node of a pattern: a blank node is a variable."""
    match node:
        case rdflib.Variable():
            return variable(str(node))
        case rdflib.BNode():
            return variable(f"{BLANK}{node}")
        case rdflib.Literal():
            return ast.Constant(literal_of(node))
        case rdflib.URIRef():
            return ast.Constant(IRI(str(node)))
    message = f"{node!r} is no term"
    raise TypeError(message)


def literal_of(node: rdflib.Literal) -> Literal:
    """A literal, as it is written."""
    if node.language:
        return Literal(str(node), RDF_LANG_STRING, node.language.lower())
    return Literal(str(node), str(node.datatype or XSD_STRING))


def number(value: int) -> ast.Constant:
    """An integer."""
    return ast.Constant(Literal(str(value), XSD + "integer"))


def boolean(*, value: bool) -> ast.Constant:
    """A boolean."""
    return ast.Constant(Literal("true" if value else "false", XSD + "boolean"))
