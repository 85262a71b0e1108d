"""Comparison of rdf:XMLLiteral by value [RIF-DTB 4.9].

Two literals are the same value if their canonical texts are, by Exclusive XML Canonicalization with
comments: see `rif.fragments`. The domain is the literals that are well-formed.
"""

from __future__ import annotations

from rif.builtins.table import Builtin
from rif.datatypes import canonical_literal
from rif.terms import PRED, RDF, GroundTerm, Literal


def _fragment(term: GroundTerm) -> str | None:
    """The canonical text of an rdf:XMLLiteral; None of any other term."""
    if not isinstance(term, Literal) or term.datatype != RDF + "XMLLiteral":
        return None
    value = canonical_literal(term)
    return None if value is None else value.lexical


def _equal(left: GroundTerm, right: GroundTerm) -> bool | None:
    """Are two rdf:XMLLiterals the same value?"""
    one, two = _fragment(left), _fragment(right)
    return None if one is None or two is None else one == two


def _not_equal(left: GroundTerm, right: GroundTerm) -> bool | None:
    """Are they two values?"""
    one, two = _fragment(left), _fragment(right)
    return None if one is None or two is None else one != two


BUILTINS: tuple[Builtin, ...] = (
    Builtin(PRED + "XMLLiteral-equal", "predicate", 2, 2, _equal),
    Builtin(PRED + "XMLLiteral-not-equal", "predicate", 2, 2, _not_equal),
)
