"""An RDF graph as a conclusion: its blank nodes are variables [RIF-RDF-OWL 3; RDF11-MT 5]."""

from __future__ import annotations

from rete.dictionary import Dictionary
from rete.texts import Rows
from rif import ast
from rif.terms import IRI, OWL, RDF_TYPE, BlankNode, GroundTerm, Variable, parse_canonical

_HEADER = (IRI(RDF_TYPE), IRI(OWL + "Ontology"))


def as_formula(rows: Rows, terms: Dictionary, *, headers: bool) -> ast.Formula:
    """The condition that the triples (n, 3) state.

    Args:
        rows: ids of ``terms``.
        terms: their dictionary.
        headers: whether ``x rdf:type owl:Ontology`` is asked for; that a document is an ontology
            says nothing about what it describes.
    """
    variables: dict[GroundTerm, Variable] = {}
    frames: list[ast.Formula] = []
    texts = iter(terms.decode_many(rows.ravel()))
    for triple in zip(texts, texts, texts, strict=True):
        terms_of = tuple(map(parse_canonical, triple))
        if headers or terms_of[1:] != _HEADER:
            s, p, o = (_term(each, variables) for each in terms_of)
            frames.append(ast.Frame(s, ((p, o),)))
    body = ast.And(tuple(frames))
    return ast.Exists(tuple(variables.values()), body) if variables else body


def _term(term: GroundTerm, variables: dict[GroundTerm, Variable]) -> ast.Term:
    if not isinstance(term, BlankNode):
        return ast.Constant(term)
    number = len(variables) + 1
    return ast.Var(variables.setdefault(term, Variable(f"b{number}")))
