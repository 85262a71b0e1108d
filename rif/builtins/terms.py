"""Built-ins of terms of any datatype, and of lists [RIF-DTB 4.3, 4.4, 4.11]."""

from __future__ import annotations

from collections.abc import Iterator

from rif.builtins.strings import string
from rif.builtins.table import Builtin
from rif.datatypes import canonical_literal, same_value, value_of
from rif.iri import is_absolute
from rif.terms import FUNC, IRI, PRED, GroundList, GroundTerm, Literal


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


def _is_list(term: GroundTerm) -> bool:
    return isinstance(term, GroundList)


def _list_contains(items: GroundTerm, item: GroundTerm) -> bool | None:
    if not isinstance(items, GroundList):
        return None
    wanted = value_of(item)
    return any(value_of(member) == wanted for member in items.items)


def _members(items: GroundTerm | None, item: GroundTerm | None) -> Iterator[tuple[GroundTerm, ...]]:
    if isinstance(items, GroundList) and item is None:
        for member in dict.fromkeys(items.items):
            yield items, member


def _make_list(*args: GroundTerm) -> GroundList:
    return GroundList(args)


BUILTINS: tuple[Builtin, ...] = (
    Builtin(PRED + "iri-string", "predicate", 2, 2, _iri_string, ("bu", "ub"), _solve_iri_string),
    Builtin(PRED + "literal-not-identical", "predicate", 2, 2, _not_identical),
    Builtin(PRED + "is-list", "predicate", 1, 1, _is_list),
    Builtin(PRED + "list-contains", "predicate", 2, 2, _list_contains, ("bu",), _members),
    Builtin(FUNC + "make-list", "function", 0, None, _make_list),
)
