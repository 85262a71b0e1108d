"""Texts that are refused before a parser sees them, because they would exhaust it.

The parsers recurse over nested JSON, nested triple terms and nested XML, and expand XML entities
without a bound: a few kilobytes can end the process. Each function says what is wrong, or nothing.
"""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 500
"""Levels of nesting that are read; the parsers of JSON-LD and RDF/XML need quadratic time in it."""
EXPANSION: Final = 1 << 24
"""Bytes that the entities of an RDF/XML document may add up to."""

_ENTITY = re.compile(rb"""<!ENTITY\s+(\S+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^#;\s&]+);")
_JSON = re.compile(rb'"(?:[^"\\]|\\.)*+"|([\[{])|([\]}])', re.DOTALL)
_XML = re.compile(
    rb"""<!--.*?--> | <!\[CDATA\[.*?\]\]> | <\?.*?\?> | <![^>\[]*(?:\[.*?\]\s*)?>
       | (<[^/!?](?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*+>) | (</)""",
    re.DOTALL | re.VERBOSE,
)
_STRING = re.compile(
    rb""""{3}(?:"{0,2}(?:[^"\\]|\\.))*+"{3}|'{3}(?:'{0,2}(?:[^'\\]|\\.))*+'{3}"""
    rb"""|"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+\'""",
    re.DOTALL,
)


def json_fault(text: bytes) -> str:
    """What is wrong with a JSON text; "" if it can be read."""
    return "JSON nested too deeply" if _depth(_JSON, text) > DEEPEST else ""


def xml_fault(text: bytes) -> str:
    """What is wrong with an XML text; "" if it can be read."""
    values = {found[1]: found[2] or found[3] or b"" for found in _ENTITY.finditer(text)}
    if any(_REFERENCE.search(value) for value in values.values()):
        return "an XML entity within another is refused"
    if values:
        total = sum(len(values.get(found[1], b"")) for found in _REFERENCE.finditer(text))
        if total > EXPANSION:
            return f"XML entities of more than {EXPANSION} bytes are refused"
    return "XML nested too deeply" if _depth(_XML, text) > DEEPEST else ""


def turtle_fault(text: bytes) -> str:
    """What is wrong with a Turtle or TriG statement; "" if it can be read."""
    if text.count(b"<<") <= DEEPEST or _STRING.sub(b"", text).count(b"<<") <= DEEPEST:
        return ""
    return f"more than {DEEPEST} triple terms in one statement"


def _depth(token: re.Pattern[bytes], text: bytes) -> int:
    """Levels that are open at once; group 1 of a token opens one, group 2 closes one."""
    depth = deepest = 0
    for found in token.finditer(text):
        if found[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif found[2]:
            depth -= 1
    return deepest
