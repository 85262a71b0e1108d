"""XML fragments and their canonical text: the values of rdf:XMLLiteral.

A fragment is the content of an element: text, elements, comments and processing instructions,
well-formed and with its own namespaces, without a document type and so without entities. Its
canonical text is Exclusive XML Canonicalization with comments, the canonical mapping that RDF has
for the datatype [RDF11, 5.3; Boyer02]: attributes in order, double quotes, empty elements as
two tags, CDATA and character references as characters, of the namespaces only those in use. Two
fragments are the same value iff their canonical texts are equal.
"""

from __future__ import annotations

from typing import Final
from xml.parsers import expat

_SEPARATOR: Final = "\x01"  # stands in no XML, so that it cannot be part of a name
_XML: Final = "xml"


def canonical_fragment(text: str) -> str | None:
    """The canonical text of the fragment ``text``; None if it is none.

    Linear in the text, without recursion.
    """
    parser = namespace_parser()
    writer = CanonicalWriter()
    writer.listen(parser)
    try:
        parser.Parse(f"<x>{text}</x>".encode(), True)  # noqa: FBT003 - expat's own signature
    except (expat.ExpatError, UnicodeEncodeError):
        return None
    return "".join(writer.out)


def namespace_parser() -> expat.XMLParserType:
    """A parser of UTF-8 whose events a `CanonicalWriter` can write."""
    parser = expat.ParserCreate("utf-8", _SEPARATOR)
    parser.namespace_prefixes = True
    parser.buffer_text = True
    parser.ordered_attributes = True
    return parser


class CanonicalWriter:
    """Writes what expat reads, without the element around it.

    Attributes:
        out: The pieces of the canonical text.
    """

    __slots__ = ("_open", "_visible", "out")

    def __init__(self) -> None:
        self.out: list[str] = []
        # Prefix to namespace as declared by the open tags that are written; per open element its
        # name as written, and the declarations that it hides.
        self._visible: dict[str, str] = {"": ""}
        self._open: list[tuple[str, dict[str, str | None]]] = []

    @property
    def is_within(self) -> bool:
        """Whether the element around it is open."""
        return bool(self._open)

    def listen(self, parser: expat.XMLParserType) -> None:
        """Have a `namespace_parser` call it."""
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.CommentHandler = self.comment
        parser.ProcessingInstructionHandler = self.instruction

    def start(self, name: str, attributes: list[str]) -> None:
        """A start tag; ``attributes`` are names and values in turn."""
        if not self._open:
            self._open.append(("", {}))
            return
        namespace, local, prefix = name_parts(name)
        written = f"{prefix}:{local}" if prefix else local
        if not attributes and self._visible.get(prefix) == namespace:
            self.out.append(f"<{written}>")
            self._open.append((written, {}))
            return
        used = {prefix: namespace}
        ordered = []
        for at in range(0, len(attributes), 2):
            space, short, before = name_parts(attributes[at])
            if before:
                used[before] = space
            ordered.append((space, short, before, attributes[at + 1]))
        self.out.append(f"<{written}")
        hidden = self._declare_visible(used)
        for _, short, before, value in sorted(ordered):
            full = f"{before}:{short}" if before else short
            self.out.append(f' {full}="{_escape_attribute(value)}"')
        self.out.append(">")
        self._open.append((written, hidden))

    def _declare_visible(self, used: dict[str, str]) -> dict[str, str | None]:
        """Declares the prefixes that no open tag declares alike; returns what that hides."""
        hidden: dict[str, str | None] = {}
        for prefix, namespace in sorted(used.items()):
            if prefix == _XML or self._visible.get(prefix) == namespace:
                continue
            hidden[prefix] = self._visible.get(prefix)
            self._visible[prefix] = namespace
            name = f"xmlns:{prefix}" if prefix else "xmlns"
            self.out.append(f' {name}="{_escape_attribute(namespace)}"')
        return hidden

    def end(self, _name: str) -> None:
        """An end tag."""
        written, hidden = self._open.pop()
        if not self._open:
            return
        self.out.append(f"</{written}>")
        for prefix, namespace in hidden.items():
            if namespace is None:
                del self._visible[prefix]
            else:
                self._visible[prefix] = namespace

    def characters(self, text: str) -> None:
        """Text between tags."""
        self.out.append(_escape(text).replace(">", "&gt;"))

    def comment(self, text: str) -> None:
        """A comment."""
        self.out.append(f"<!--{text}-->")

    def instruction(self, target: str, data: str) -> None:
        """A processing instruction."""
        self.out.append(f"<?{target} {data}?>" if data else f"<?{target}?>")


def name_parts(name: str) -> tuple[str, str, str]:
    """Namespace, local name and prefix of a name as expat gives it; ``""`` where there is none."""
    namespace, found, rest = name.partition(_SEPARATOR)
    if not found:
        return "", name, ""
    local, _, prefix = rest.partition(_SEPARATOR)
    return namespace, local, prefix


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#xD;")


def _escape_attribute(value: str) -> str:
    escaped = _escape(value).replace('"', "&quot;")
    return escaped.replace("\t", "&#x9;").replace("\n", "&#xA;")
