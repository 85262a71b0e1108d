"""Literals by value: where equal values are one term, the text that represents them all.

RIF compares values, RDF compares terms: ``"1"^^xsd:integer`` and ``"1.0"^^xsd:decimal`` are one
constant of RIF, and two terms of RDF [RIF-DTB 2.3]. A dictionary by value maps each text to that
of its value. Plans must do the same with their constants, as these are compared by text; see
`rete.graph.plan.map_constants`.
"""

from __future__ import annotations

import re
from typing import Final

from rif.syntax.terms import XSD, parse_canonical
from rif.values.datatypes import value_of

_STANDS: Final = re.compile(
    rf'"(?:0|-?[1-9][0-9]{{0,17}})"\^\^<{XSD}integer>'
    rf'|"-?(?:0|[1-9][0-9]{{0,17}})\.[0-9]{{0,17}}[1-9]"\^\^<{XSD}decimal>'
)
"""Numbers as mostly written, which represent themselves; with this check reading takes 0.6 of the
time."""


def value_text(text: str) -> str:
    """The canonical text of the term that represents the value of the term ``text``."""
    typed = text.startswith('"') and text.endswith(">") and not _STANDS.fullmatch(text)
    if typed or text.startswith("List("):
        return str(value_of(parse_canonical(text)))
    return text
