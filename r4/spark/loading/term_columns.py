"""Canonical texts as kind, lexical form, datatype and language: columns from a column."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from rif.syntax.terms import RDF, XSD, unescape

KINDS: Final = ("", "iri", "blank", "literal")
"""The kinds of terms, by `rete.arrays.term_columns`."""

_LITERAL: Final = (
    r'^"(?s:(?P<lexical>.*))"(?:@(?P<language>[a-z0-9-]+)|\^\^<(?P<datatype>[^<>]*)>)?$'
)
_STRING: Final = f"{XSD}string"
_LANG_STRING: Final = f"{RDF}langString"


def split_terms(texts: pa.Array) -> dict[str, pa.Array]:
    """The columns ``kind``, ``lexical``, ``datatype``, ``language`` of canonical texts.

    The lexical form of an IRI is the IRI, that of a blank node its label ``dN_LABEL``. Every
    literal has a datatype.
    """
    first = pc.utf8_slice_codeunits(texts, 0, 1)
    is_iri, is_blank = pc.equal(first, "<"), pc.equal(first, "_")
    is_literal = pc.equal(first, '"')
    parts = pc.extract_regex(texts, pattern=_LITERAL)
    lexical, language, datatype = (
        parts.field(name) for name in ("lexical", "language", "datatype")
    )
    tagged = pc.greater(pc.binary_length(language), 0)
    typed = pc.greater(pc.binary_length(datatype), 0)
    inner = pc.if_else(
        is_iri, pc.utf8_slice_codeunits(texts, 1, -1), pc.utf8_slice_codeunits(texts, 2)
    )
    return {
        "kind": pc.if_else(is_iri, KINDS[1], pc.if_else(is_blank, KINDS[2], KINDS[3])),
        "lexical": pc.if_else(is_literal, _unescaped(lexical), inner),
        "datatype": pc.if_else(
            is_literal,
            pc.if_else(typed, datatype, pc.if_else(tagged, _LANG_STRING, _STRING)),
            None,
        ),
        "language": pc.if_else(pc.and_(is_literal, tagged), language, None),
    }


def _unescaped(lexical: pa.Array) -> pa.Array:
    """Lexical forms with their escapes resolved: few have any."""
    escaped = pc.fill_null(pc.match_substring(lexical, "\\"), False)  # noqa: FBT003 - pyarrow's
    if not pc.any(escaped).as_py():
        return lexical
    words = list(map(unescape, lexical.filter(escaped).to_pylist()))
    return pc.replace_with_mask(lexical, escaped, pa.array(words, lexical.type))


_IRI: Final = r"<[^<>\s]*>"
_NODE: Final = rf'{_IRI}|_:[^\s<>"#]+'
_ANY_LITERAL: Final = rf'"(?:[^"\\\r\n]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^{_IRI})?'
_SHAPES: Final = (_NODE, _IRI, rf"{_NODE}|{_ANY_LITERAL}", rf"(?:{_NODE})?")
"""Of s, p, o and g: a token each, in which no line can end."""


def are_terms(columns: list[pa.Array]) -> pa.Array:
    """Which rows have a term in each cell, and nothing else: no comment, no second statement.

    ``columns`` are s, p, o and perhaps g, which may be empty.
    """
    fit = pa.repeat(pa.scalar(True), len(columns[0]))  # noqa: FBT003 - pyarrow's
    for column, shape in zip(columns, _SHAPES, strict=False):
        one = pc.match_substring_regex(column, rf"\A(?:{shape})\z")
        fit = pc.and_(fit, pc.fill_null(one, False))  # noqa: FBT003
    return fit
