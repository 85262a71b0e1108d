"""R4's extensions: built-ins that RIF-DTB does not have, in a namespace of their own.

Rule sets for RDF and OWL need them: the standard has no guard for "any literal", no way to ask
which datatypes a value belongs to, and none to tell two terms apart that may well be equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rif.builtins.signatures import Builtin
from rif.syntax.terms import IRI, RDF, GroundTerm, Literal
from rif.values.datatypes import is_lexical
from rif.values.value_spaces import datatypes_of

R4_BUILTIN: Final = "urn:r4:builtin#"
"""The namespace."""


_MEMBERSHIP_PROPERTY = re.compile(re.escape(RDF) + "_[1-9][0-9]*")


def _is_literal(term: GroundTerm) -> bool:
    """Is it a literal, of whatever datatype, ill-typed ones too?"""
    return isinstance(term, Literal)


def _not_same_term(left: GroundTerm, right: GroundTerm) -> bool:
    """Are they two terms? Two IRIs are, although they may stand for the same thing."""
    return left != right


def _datatype(literal: GroundTerm, datatype: GroundTerm) -> bool:
    """Has the datatype the value of the literal? False of what has no value."""
    return (
        isinstance(literal, Literal)
        and isinstance(datatype, IRI)
        and datatype.value in datatypes_of(literal)
    )


def _solve_datatype(
    literal: GroundTerm | None, datatype: GroundTerm | None
) -> Iterator[tuple[GroundTerm, ...]]:
    if isinstance(literal, Literal) and datatype is None:
        for iri in sorted(datatypes_of(literal)):
            yield literal, IRI(iri)


def _ill_typed(term: GroundTerm) -> bool:
    """Is it a literal of a known datatype whose text is not in the lexical space?"""
    return isinstance(term, Literal) and not is_lexical(term.lexical, term.datatype)


def _declared(literal: GroundTerm, datatype: GroundTerm) -> bool:
    """Is the literal written with the datatype?"""
    return isinstance(literal, Literal) and datatype == IRI(literal.datatype)


def _solve_written(
    literal: GroundTerm | None, datatype: GroundTerm | None
) -> Iterator[tuple[GroundTerm, ...]]:
    if isinstance(literal, Literal) and datatype is None:
        yield literal, IRI(literal.datatype)


def is_membership_property(term: GroundTerm) -> bool:
    """Is it a container membership property, ``rdf:_1`` and so on?"""
    return isinstance(term, IRI) and _MEMBERSHIP_PROPERTY.fullmatch(term.value) is not None


_UNARY = {
    "is-literal": _is_literal,
    "is-container-membership-property": is_membership_property,
    "ill-typed": _ill_typed,
}

BUILTINS: tuple[Builtin, ...] = (
    *(
        Builtin(R4_BUILTIN + name, "predicate", 1, 1, evaluate, by_class=True)
        for name, evaluate in _UNARY.items()
    ),
    Builtin(R4_BUILTIN + "not-same-term", "predicate", 2, 2, _not_same_term),
    Builtin(
        *(R4_BUILTIN + "datatype", "predicate", 2, 2, _datatype, ("bu",), _solve_datatype),
        by_class=True,
    ),
    Builtin(
        R4_BUILTIN + "declared-datatype", "predicate", 2, 2, _declared, ("bu",), _solve_written
    ),
)
