"""Canonical texts as kind, lexical form, datatype and language: columns from a column."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from rif.terms import RDF, XSD, unescape

KINDS: Final = ("", "iri", "blank", "literal")
"""The kinds of terms, by `rete.texts`."""

_LITERAL: Final = (
    r'^"(?s:(?P<lexical>.*))"(?:@(?P<language>[a-z0-9-]+)|\^\^<(?P<datatype>[^<>]*)>)?$'
)
_STRING: Final = f"{XSD}string"
_LANG_STRING: Final = f"{RDF}langString"


def worded(texts: pa.Array) -> dict[str, pa.Array]:
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
