"""Guards, and other predicates of terms of any datatype [RIF-DTB 4.1 to 4.4].

A guard asks whether a term is a literal of a datatype, a negative guard whether it is one of other
datatypes only [RIF-DTB 4.2, 4.3]. Values decide, not how the literal is typed: see
`rif.values.value_spaces`. What has no value in a datatype of RIF-DTB (IRIs, local constants, blank
nodes, lists, literals of unknown datatypes or outside their lexical space) is neither of a datatype
nor not of it: both guards are false.
"""

from __future__ import annotations

from collections.abc import Iterator

from rif.builtins.signatures import DATATYPES, Builtin
from rif.builtins.strings import string
from rif.syntax.iri import is_absolute
from rif.syntax.terms import IRI, PRED, RDF, XSD, GroundTerm, Literal
from rif.values.datatypes import canonical_literal, same_value
from rif.values.value_spaces import PLAIN_LITERAL, datatypes_of


def _guard(name: str, datatype: str, *, belongs: bool) -> Builtin:
    def evaluate(term: GroundTerm) -> bool:
        spaces = datatypes_of(term) if isinstance(term, Literal) else frozenset()
        return bool(spaces) and (datatype in spaces) == belongs

    return Builtin(PRED + name, "predicate", 1, 1, evaluate, by_class=True)


_IRIS = {name: XSD + name for name in DATATYPES} | {
    "PlainLiteral": PLAIN_LITERAL,
    "XMLLiteral": RDF + "XMLLiteral",
}

_GUARDS: tuple[Builtin, ...] = (
    *(_guard(f"is-literal-{name}", iri, belongs=True) for name, iri in _IRIS.items()),
    *(_guard(f"is-literal-not-{name}", iri, belongs=False) for name, iri in _IRIS.items()),
)


def _iri_string(iri: GroundTerm, text: GroundTerm) -> bool | None:
    """Is ``text`` the text of the IRI?"""
    characters = string(text)
    return None if characters is None else isinstance(iri, IRI) and iri.value == characters


def _solve_iri_string(
    iri: GroundTerm | None, text: GroundTerm | None
) -> Iterator[tuple[GroundTerm, ...]]:
    if isinstance(iri, IRI) and text is None:
        yield iri, Literal(iri.value)
    elif text is not None and iri is None:
        characters = string(text)
        if characters is not None and is_absolute(characters):
            yield IRI(characters), text


def _not_identical(left: GroundTerm, right: GroundTerm) -> bool:
    """Are both datatype values, and different?"""
    return _is_value(left) and _is_value(right) and not same_value(left, right)


def _is_value(term: GroundTerm) -> bool:
    return isinstance(term, Literal) and canonical_literal(term) is not None


_OF_TERMS: tuple[Builtin, ...] = (
    Builtin(PRED + "iri-string", "predicate", 2, 2, _iri_string, ("bu", "ub"), _solve_iri_string),
    Builtin(PRED + "literal-not-identical", "predicate", 2, 2, _not_identical),
)

BUILTINS: tuple[Builtin, ...] = (*_GUARDS, *_OF_TERMS)
