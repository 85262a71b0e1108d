"""RDF/XML whose XML literals are text, in canonical form.

``<e:p rdf:parseType="Literal"><br/></e:p>`` becomes ``<e:p rdf:datatype="…#XMLLiteral">`` with the
text ``<br></br>``. The parser alone would leave out comments, declare all namespaces that are in
scope in each element, and refuse an empty literal.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from r4.rdf.gates.input_limits import EXPANSION, REPETITION
from r4.rdf.gates.xml_gate import LONGEST_MARKUP
from rif.syntax.terms import RDF
from rif.values.canonical_xml import CanonicalWriter, name_parts, namespace_parser

_TAG: Final = re.compile(rb"""<([^\s/>]++)((?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>""")
_ATTRIBUTE: Final = re.compile(rb"""\s([^\s=]++)\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")
_KEPT: Final = frozenset({"ID", "RDF", "li", "aboutEach", "aboutEachPrefix"})
"""Of RDF's attributes the one that a literal may have, and those that the parser refuses."""


class LiteralsAsText(NamedTuple):
    """A document with its XML literals as text.

    Attributes:
        text: As much of it as can be read; nothing if a limit is exceeded.
        line: Where the rest begins, from 1; 0 if nothing is left out.
        fault: Why the rest is left out; "" if nothing is.
    """

    text: bytes
    line: int = 0
    fault: str = ""


class _Refused(Exception):
    """A limit is exceeded."""


def literals_as_text(text: bytes) -> LiteralsAsText:
    """The RDF/XML ``text``, which has passed the gate, with its XML literals as text. O(n)."""
    replacement = _Replacement(text)
    try:
        replacement.read()
    except _Refused as refused:
        return LiteralsAsText(b"", replacement.line, str(refused))
    except expat.ExpatError as error:
        fault = f"no XML from here on: {expat.ErrorString(error.code)}"
        return LiteralsAsText(replacement.before(replacement.at), error.lineno, fault)
    return LiteralsAsText(replacement.before(len(text)))


class _Literal(NamedTuple):
    """A literal while it is read.

    Attributes:
        begin, tag_end: Where the start tag of its property begins and ends.
        name: The name of that.
        written: What replaces the start tag, and then what was read.
        writer: Has read what follows.
    """

    begin: int
    tag_end: int
    name: bytes
    written: list[bytes]
    writer: CanonicalWriter

    def write(self) -> None:
        """Take from the writer what it has read."""
        self.written.append(escape("".join(self.writer.out)).encode())
        self.writer.out.clear()


class _Replacement:
    """Replaces the literals of a document while expat reads it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._pieces: list[bytes] = []
        self._copied = 0
        # Around all, and of each open element: are the elements within it properties of a node?
        self._has_properties = [False]
        self._literal: _Literal | None = None
        self._declared = 0
        self._parser = namespace_parser()
        self._leave_literal()

    @property
    def at(self) -> int:
        """The byte that expat has come to."""
        return self._parser.CurrentByteIndex

    @property
    def line(self) -> int:
        """Its line, from 1."""
        return self._parser.CurrentLineNumber

    def read(self) -> None:
        """Read all of it; raises `_Refused` where a limit is exceeded."""
        view = memoryview(self._text)
        for at in range(0, len(view), LONGEST_MARKUP):
            end = at + LONGEST_MARKUP
            self._parser.Parse(view[at:end], end >= len(view))
            if self._literal is not None:
                self._literal.write()  # its pieces take some 30 bytes for each that was read

    def before(self, end: int) -> bytes:
        """What comes of the bytes before ``end``, or before a literal that is not finished."""
        end = self._literal.begin if self._literal else end
        return b"".join([*self._pieces, self._text[self._copied : end]])

    def _start(self, name: str, attributes: list[str]) -> None:
        if not self._has_properties[-1]:
            is_root = len(self._has_properties) == 1
            is_rdf = is_root and name_parts(name)[:2] == (RDF, "RDF")
            self._has_properties.append(not is_rdf)
            return
        names = map(name_parts, attributes[::2])
        of_rdf = {
            local: (prefix, value)
            for (space, local, prefix), value in zip(names, attributes[1::2], strict=True)
            if space == RDF
        }
        rdf, parse_type = of_rdf.get("parseType", ("", None))
        if parse_type is None or parse_type in {"Resource", "Collection"}:
            self._has_properties.append(parse_type == "Resource")
        else:
            kept = {f"{of_rdf[each][0]}:{each}".encode() for each in _KEPT & of_rdf.keys()}
            self._enter_literal(rdf, kept)

    def _end(self, _: str) -> None:
        self._has_properties.pop()

    def _enter_literal(self, rdf: str, kept: AbstractSet[bytes]) -> None:
        """Begin the literal of a property; ``rdf`` is a prefix of RDF, ``kept`` are attributes."""
        tag = _TAG.match(self._text, self.at)
        assert tag is not None
        attributes = [
            found[0]
            for found in _ATTRIBUTE.finditer(tag[2])
            if found[1].startswith((b"xmlns", b"xml:")) or found[1] in kept
        ]
        datatype = f' {rdf}:datatype="{RDF}XMLLiteral">'.encode()
        start_tag = b"".join([b"<", tag[1], *attributes, datatype])
        writer = CanonicalWriter()
        writer.start("", [])
        writer.listen(self._parser)
        self._parser.StartElementHandler = self._start_within
        self._parser.EndElementHandler = self._end_within
        self._literal = _Literal(tag.start(), tag.end(), tag[1], [start_tag], writer)

    def _leave_literal(self) -> None:
        """Hear of the tags outside of literals alone."""
        self._literal = None
        parser = self._parser
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = parser.CommentHandler = None
        parser.ProcessingInstructionHandler = None

    def _start_within(self, name: str, attributes: list[str]) -> None:
        assert self._literal is not None
        out = self._literal.writer.out
        size = len(out)
        self._literal.writer.start(name, attributes)
        if len(out) == size + 1:  # nothing but a name
            return
        self._declared += sum(map(len, out[size:]))
        if self._declared > REPETITION * len(self._text) + EXPANSION:
            message = "XML literals whose namespaces, declared where they are used, are too long"
            raise _Refused(message)

    def _end_within(self, name: str) -> None:
        literal = self._literal
        assert literal is not None
        literal.writer.end(name)
        if literal.writer.is_within:
            return
        literal.write()
        before, end_tag = self._text[self._copied : literal.begin], b"</" + literal.name + b">"
        self._pieces += [before, *literal.written, end_tag]
        is_empty = self._text.endswith(b"/>", 0, literal.tag_end)
        self._copied = literal.tag_end if is_empty else self._text.index(b">", self.at) + 1
        self._leave_literal()
