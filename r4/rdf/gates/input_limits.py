"""Limits of texts that would exhaust a parser, and the gate before that of Turtle and TriG.

The parsers recurse over nested JSON, nested triple terms and nested XML, and expand XML entities
without a bound: a few kilobytes could end the process.
"""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 500
"""Levels of nesting that are read; the parsers of JSON-LD and RDF/XML need quadratic time in it."""
LONGEST: Final = 64 << 20
"""Bytes of the longest line, or statement of Turtle, that is read; it is held in memory."""
EXPANSION: Final = 1 << 24
"""Bytes that the entities of an RDF/XML document may add up to."""
REPETITION: Final = 16
"""How many times longer than the document the start tags of its XML literals may be, as these
declare namespaces again, and `EXPANSION` characters more."""
LONGEST_WHOLE: Final = 1 << 30
"""Bytes of the longest RDF/XML or JSON-LD document, as these are held in memory."""
FREE_EXPANSION: Final = 64 << 20
"""Bytes that a compressed document may always have once it is decompressed."""
MOST_EXPANDED: Final = 200
"""How many times longer than its file a longer one may be."""

_TOKEN = re.compile(
    rb"""(<<)|<[^<>\r\n]*+>|#[^\r\n]*+|\\."""
    rb"""|"{3}(?:"{0,2}(?:[^"\\]|\\.))*+"{0,3}|'{3}(?:'{0,2}(?:[^'\\]|\\.))*+'{0,3}"""
    rb"""|"(?:[^"\\\r\n]|\\.)*+"?|'(?:[^'\\\r\n]|\\.)*+'?""",
    re.DOTALL,
)
"""Where a triple term begins, and what may hold its characters, or begin what does not: an IRI, a
comment, an escape in a name, a string with an end or without one. Each byte is looked at once."""


def turtle_fault(text: bytes) -> str:
    """What is wrong with a Turtle or TriG statement; "" if it can be read."""
    if text.count(b"<<") <= DEEPEST:
        return ""
    if sum(each.lastindex is not None for each in _TOKEN.finditer(text)) <= DEEPEST:
        return ""
    return f"more than {DEEPEST} triple terms in one statement"
