"""Format detection: rules or a graph, and its format, by how a document begins.

The suffix decides first. This is for documents without one, for ``.xml``, and for the message when
a document is not what its suffix says.
"""

from __future__ import annotations

import re
from typing import Final

from r4.rdf.documents import Format

HEAD: Final = 4096
"""How many bytes are looked at."""

_BLANK = rb"(?:\xef\xbb\xbf)?\s*"
_XML = re.compile(_BLANK + rb"<(?:\?xml|!DOCTYPE|!--|[^<>]*\sxmlns)")
_JSON = re.compile(_BLANK + rb'[\[{]\s*["{]')
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")
_RIF = b"www.w3.org/2007/rif#"
_RULES = re.compile(_BLANK + rb"(?:\(\*.*?\*\)\s*)*Document\s*\(", re.DOTALL)
_GRAPH = re.compile(
    _BLANK
    + rb"""(?: \# | @(?:prefix|base)\b | PREFIX\s+[^\s:(]*: | BASE\s*< | _: | \[ | \((?!\*) | \{
         | <[^<>\s]*> \s* (?: [<_@{] | [^\W_][\w.-]*:[^\s(\[]*\s | a\s ) )""",
    re.VERBOSE | re.IGNORECASE,
)
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


def is_rules(data: bytes) -> bool:
    """Is it surely a rule document: ``Document(``, or XML that is RIF?"""
    head = _head(data)
    return _RULES.match(head) is not None or (_is_xml(head) and _is_rif(head))


def is_graph(data: bytes) -> bool:
    """Is it surely a graph: RDF/XML, JSON, or as Turtle and its like begin and no formula does?"""
    head = _head(data)
    return not _is_rif(head) if _is_xml(head) else _GRAPH.match(head) is not None


def format_of(data: bytes) -> Format:
    """The format of a graph: RDF/XML, JSON-LD or Turtle."""
    head = _head(data)
    if _is_xml(head):
        return Format.RDF_XML
    return Format.JSON_LD if _JSON.match(head) else Format.TURTLE


def _head(data: bytes) -> bytes:
    head = data[:HEAD]
    return head.decode("utf-16", "ignore").encode() if head[:2] in _WIDE else head


def _is_xml(head: bytes) -> bool:
    return _XML.match(head) is not None


def _is_rif(head: bytes) -> bool:
    """Is it XML whose namespace is that of RIF? Graphs may name it too, in their own root."""
    root = _ROOT.search(head)
    return _RIF in head and (root is None or root[1] != b"RDF")
