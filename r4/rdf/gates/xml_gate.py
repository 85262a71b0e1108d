"""The gate before the parser of RDF/XML: how much of a text is harmless, well-formed XML.

The parser recurses over nested elements, expands entities without a bound, and reads markup that is
not well-formed in ways of its own. So expat reads the text first, in linear time and with bounded
memory: nesting, entities, the lengths of a tag and of a text, the number of attributes and the
namespaces that names are looked up among have limits. The parser is given what expat accepts, up to
the first fault, and no more: what follows a fault could hide anything.

A DOCTYPE may declare plain entities, as ontologies do for the beginnings of IRIs, and name a file,
which is not opened, and nothing else; that is checked in its text, which the two parsers read
differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from r4.rdf.gates.input_limits import DEEPEST, EXPANSION, LONGEST

MOST_ATTRIBUTES: Final = 1000
"""Attributes of a tag, namespaces among them: the parser compares each with all others."""
MOST_COMPARED: Final = 1 << 26
"""Namespaces that the parser may look at, beside 64 for each byte: for the name of each element and
attribute it looks at all that are declared around it. 5 ns each."""
LONGEST_MARKUP: Final = 1 << 20
"""Bytes of a tag, comment or DOCTYPE that is surely read; one of twice as many is surely refused.

Expat is given so many bytes at once, and looks at unfinished markup again with each piece. Markup
that a whole piece does not finish is refused, so that it looks at no byte more than twice.
"""
_DOCTYPE: Final = re.compile(
    rb"""<!DOCTYPE [ \t\r\n]+ [^\s<>\[\]"'&%]+
    (?: [ \t\r\n]+ (?:SYSTEM|PUBLIC) (?:[ \t\r\n]+ "[^"<>\[\]&%]*+"){1,2} )? [ \t\r\n]*
    (?: \[ (?: [ \t\r\n]++
             | <!-- [^<>\[\]"'-]*+ -->
             | <!ENTITY [ \t\r\n]+ [^\s<>\[\]"'&%]+ [ \t\r\n]+ "[^"<>\[\]&%]*+" [ \t\r\n]* >
           )*+ \] [ \t\r\n]* )? >""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class WellFormedPrefix:
    """How much of a text may be parsed.

    Attributes:
        end: The bytes before this one.
        line: Where the rest begins, from 1; 0 if nothing is left out.
        fault: Why the rest is left out; "" if nothing is.
        has_literals: Whether there may be XML literals.
    """

    end: int
    line: int = 0
    fault: str = ""
    has_literals: bool = False


def _begins_literal(attribute: tuple[str, str]) -> bool:
    """Whether it may be the rdf:parseType of a literal, which all are but two."""
    name, value = attribute
    return name.rpartition(":")[2] == "parseType" and value not in {"Resource", "Collection"}


class _Refused(Exception):
    """A limit is exceeded."""


def well_formed_prefix(text: bytes) -> WellFormedPrefix:
    """The part of an RDF/XML text that the parser may see: all of it, a beginning, or nothing.

    Nothing if a limit is exceeded or the DOCTYPE is not plain. O(n).
    """
    if not text.strip():
        return WellFormedPrefix(len(text))  # an empty document has no triples
    gate = _Gate(text)
    try:
        gate.read()
    except _Refused as refused:
        return WellFormedPrefix(0, gate.line, str(refused))
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        fault = f"no XML from here on: {message}"
        return WellFormedPrefix(gate.at, error.lineno, fault, gate.has_literals)
    return WellFormedPrefix(len(text), has_literals=gate.has_literals)


class _Gate:
    """Counts what a text is made of while expat reads it."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._depth = 0
        self._expanded = 0
        self._doctype = -1
        self._in_doctype = False
        self._literal = self._tags = 0
        self.has_literals = False
        self._compared = 0
        self._namespaces = [0]  # how many are declared around the open elements, and in each
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._start_doctype
        parser.EndDoctypeDeclHandler = self._end_doctype

    @property
    def at(self) -> int:
        """The byte that expat has come to."""
        return max(self._parser.CurrentByteIndex, 0)

    @property
    def line(self) -> int:
        """Its line, from 1."""
        return self._parser.CurrentLineNumber

    def read(self) -> None:
        """Read all of it; raises `_Refused` where a limit is exceeded."""
        view, at, tags, size = memoryview(self._text), 0, 0, 0
        while at < len(view):
            end = min(at + LONGEST_MARKUP, len(view))
            self._parser.Parse(view[at:end], end == len(view))
            # Of one text, or XML literal, as long as no tag comes outside of literals.
            size, tags = size + end - at if tags == self._tags else 0, self._tags
            if size > LONGEST:
                message = f"a text of more than {LONGEST} bytes is refused"
                raise _Refused(message)
            at = end
            begin = self._doctype if self._in_doctype else self.at
            if at - begin >= LONGEST_MARKUP:
                message = f"markup of more than {LONGEST_MARKUP} bytes is refused"
                raise _Refused(message)

    def _start(self, _: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._tags += not self._literal
        if self._depth > DEEPEST:
            message = "XML nested too deeply"
            raise _Refused(message)
        if len(attributes) > MOST_ATTRIBUTES:
            message = f"a tag of more than {MOST_ATTRIBUTES} attributes is refused"
            raise _Refused(message)
        if self._doctype >= 0 and attributes:
            self._count("".join(attributes.values()))
        declared = sum(name.startswith("xmlns") for name in attributes)
        namespaces = self._namespaces[-1] + declared
        self._namespaces.append(namespaces)
        self._compared += namespaces * (1 + len(attributes))
        if self._compared > 64 * len(self._text) + MOST_COMPARED:
            message = "too many XML namespaces for the number of names"
            raise _Refused(message)
        if not self._literal and attributes and any(map(_begins_literal, attributes.items())):
            self._literal = self._depth
            self.has_literals = True

    def _end(self, _: str) -> None:
        if self._depth == self._literal:
            self._literal = 0
        self._tags += not self._literal
        self._depth -= 1
        self._namespaces.pop()

    def _start_doctype(
        self, _name: str, _system: str | None, _public: str | None, _subset: int
    ) -> None:
        self._doctype = self._text.rfind(b"<!DOCTYPE", 0, self.at)
        self._in_doctype = True
        self._parser.CharacterDataHandler = self._count

    def _end_doctype(self) -> None:
        self._in_doctype = False
        plain = _DOCTYPE.match(self._text, self._doctype)
        if plain is None or plain.end() - 1 != self.at:
            message = "a DOCTYPE with more than plain entities, in double quotes, is refused"
            raise _Refused(message)

    def _count(self, text: str) -> None:
        self._expanded += len(text)
        if self._expanded > len(self._text) + EXPANSION:
            message = f"XML entities of more than {EXPANSION} bytes are refused"
            raise _Refused(message)
