"""XML in the encoding that it names, as UTF-8; and what stands in files of ontologies besides RDF.

Each reader of XML must know UTF-8 and UTF-16; older files are in ASCII, Latin-1 or a code page. The
parser of RDF/XML reads UTF-8 alone.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from r4.rdf.files import SINGLE_BYTE

_DECLARATION: Final = re.compile(
    r"""(\s*<\?xml\s[^<>?]{0,200}?encoding\s*=\s*)(?:"([\w.:-]{1,40})"|'([\w.:-]{1,40})')""",
    re.ASCII,
)
_HEAD: Final = 300
"""So many bytes at the beginning are looked through for the declaration."""
_NAME_OF_UTF_16: Final = re.compile(r"utf-?16(?:-?[bl]e)?")
_UTF_16: Final = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_OTHERS: Final = (
    (
        # With rdf:about it is a node of RDF/XML, which needs no rdf:RDF around it.
        re.compile(
            rb"<(?:\w{1,40}:)?Ontology[\s>](?![^<>]{0,4000}?\s\w{1,40}:(?:about|ID|nodeID)\s*=)"
        ),
        "OWL/XML",
    ),
    (re.compile(rb"(?:Prefix\s*\(|Ontology\s*\()"), "the functional syntax of OWL"),
    (re.compile(rb"(?:Prefix|Ontology)\s*:\s"), "the Manchester syntax of OWL"),
)
_QUOTED: Final = rb"""(?:"[^"]*+"|'[^']*+')"""
_DOCTYPE: Final = (
    rb"""<!DOCTYPE(?:[^\[\]<>"']|%b)*+(?:\[(?:[^\]<"']|%b|<!--.*?-->|<(?!!--))*+\]\s*+)?+>"""
    % (_QUOTED, _QUOTED)
)
_BEGIN: Final = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|<\?.{0,400}?\?>|<!--.*?-->|%b|#[^\n]{0,400}\n)*+" % _DOCTYPE, re.DOTALL
)
_LOOKED_AT: Final = 1 << 16
"""So many bytes at the beginning are looked through for what it is."""


class UnreadableText(ValueError):
    """A text that is no RDF/XML, or cannot be read in its encoding."""


def as_utf8(text: bytes) -> bytes:
    """An XML text in UTF-8, and its declaration says so; lines stay where they are. O(n).

    Raises:
        UnreadableText: its encoding is not known, it is not in that, or it is in another syntax.
    """
    codec = _UTF_16.get(text[:2], "")
    begin = text[:_LOOKED_AT].decode(codec, "replace").encode() if codec else text
    if other := other_syntax(begin):
        message = f"this is {other}, and no RDF: save it as RDF/XML or Turtle"
        raise UnreadableText(message)
    head = text[:_HEAD].decode(codec or "latin-1", errors="replace")
    declared = _DECLARATION.match(head.removeprefix("\ufeff").removeprefix("ï»¿"))
    name = "" if declared is None else (declared[2] or declared[3]).lower()
    if not codec:
        if name in {"", "utf-8", "utf8"}:
            return text
        if not (SINGLE_BYTE.fullmatch(name) or _NAME_OF_UTF_16.fullmatch(name)):
            message = f"the encoding {name} of this XML is not read: save it in UTF-8"
            raise UnreadableText(message)
        codec = name
    try:
        decoded = text.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        message = f"no {name or codec} in line {line}, though the XML is said to be in that"
        raise UnreadableText(message) from None
    return _DECLARATION.sub(r'\g<1>"UTF-8"', decoded, count=1).encode()


def other_syntax(text: bytes) -> str:
    """The name of another syntax of ontologies that the text is in; "": it looks like none.

    The text is in UTF-8, or in an encoding of single bytes.
    """
    begin = _BEGIN.match(text[:_LOOKED_AT])
    at = 0 if begin is None else begin.end()
    return next((name for looks, name in _OTHERS if looks.match(text, at)), "")
