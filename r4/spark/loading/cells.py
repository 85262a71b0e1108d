"""Cells: the texts of terms in the columns of a DataFrame."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_IRI: Final = r"<[^<>\s]*>"
_NODE: Final = rf'{_IRI}|_:[^\s<>"#]+'
_LITERAL: Final = rf'"(?:[^"\\\r\n]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^{_IRI})?'
_SHAPES: Final = (_NODE, _IRI, rf"{_NODE}|{_LITERAL}", rf"(?:{_NODE})?")
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
