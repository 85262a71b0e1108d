"""Built-ins of terms of any datatype [RIF-DTB 4.1, 4.4]."""

from __future__ import annotations

from collections.abc import Iterator

from rif.builtins.strings import string
from rif.builtins.table import Builtin
from rif.datatypes import canonical_literal, same_value
from rif.iri import is_absolute
from rif.terms import IRI, PRED, GroundTerm, Literal


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


BUILTINS: tuple[Builtin, ...] = (
    Builtin(PRED + "iri-string", "predicate", 2, 2, _iri_string, ("bu", "ub"), _solve_iri_string),
    Builtin(PRED + "literal-not-identical", "predicate", 2, 2, _not_identical),
)
