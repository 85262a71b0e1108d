"""An XML document as elements with their places, as far as RIF/XML needs it.

The standard library's expat reads it; nothing is opened, whatever the document says. A `sentence`
is handed over when it ends and its elements are forgotten, so that a long document takes the memory
of its rules, not of its tags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.parsers import expat

from rif.errors.base import Note, Span
from rif.errors.report import shorten
from rif.errors.syntax import BadIri, TooDeep, TooLong
from rif.errors.xml import NotRif, NotWellFormed
from rif.syntax import ast
from rif.syntax.formula_kinds import R4_RIF
from rif.syntax.iri import is_absolute, resolve
from rif.syntax.lexical import MAX_DEPTH, MAX_TOKEN
from rif.syntax.terms import RIF

XML: Final = "{http://www.w3.org/XML/1998/namespace}"
"""What the names of ``xml:base`` and ``xml:lang`` begin with."""

SPACE: Final = " \t\r\n"
"""The characters of white space in XML."""

_SEPARATOR = "\x01"  # no character of XML
_LEVELS = frozenset(
    ("Document", "Group", "Forall", "And", "Or", "Exists", "External", "Atom", "Expr", "List")
).union(("id", "meta"))
"""Elements that are a bracket in the presentation syntax: the depth is counted alike."""
_DEEPEST = 5 * MAX_DEPTH
_PIECE = 1 << 16
_LONGEST_PIECE = 1 << 22
_HINTS = {
    "undefined entity": 'declare it: <!DOCTYPE Document [ <!ENTITY name "…"> ]>',
    "not well-formed (invalid token)": "write & as &amp; and < as &lt;",
    "unbound prefix": 'declare it: xmlns:prefix="…"',
    "mismatched tag": "an element is closed before the ones around it",
    "no element found": "the text ends before its elements do",
    "junk after document element": "a document has one element at its top",
}


_NO_ATTRIBUTES: Mapping[str, str] = {}


class UnreadableXml(Exception):
    """No more can be read; the fault is noted. Never leaves the reader."""


class Element:
    """An element of the document.

    Attributes:
        name: ``Atom`` in the namespace of RIF, else ``{namespace}name``.
        attributes: Those without namespace by their name, others as ``{namespace}name``.
        base: What relative IRIs in it are resolved against.
        children: The elements in it.
        text: The characters behind the last of them.
        stray: Do others than white space stand before one of them?
        level: How deep it stands, in brackets of the presentation syntax.
        rule: The rule or group of a sentence, once it is read.
    """

    __slots__ = (
        "attributes", "base", "children", "column", "end_column", "end_line", "level", "line",
        "name", "rule", "stray", "text",
    )  # fmt: skip

    def __init__(self, name: str, line: int, column: int) -> None:
        self.name = name
        self.attributes = _NO_ATTRIBUTES
        self.base: str | None = None
        self.children: list[Element] | tuple[()] = ()
        self.text = ""
        self.stray = False
        self.level = 0
        self.line = self.end_line = line
        self.column = self.end_column = column
        self.rule: ast.Rule | ast.Group | None = None

    @property
    def span(self) -> Span:
        """From its first tag to its last."""
        return Span(self.line, self.column, self.end_line, self.end_column)


class TreeBuilder:
    """Reads one document.

    Attributes:
        root: Its outermost element; None if there is none.
    """

    def __init__(
        self, data: bytes, note: Note, on_sentence: Callable[[Element], None], *, lenient: bool
    ) -> None:
        """Prepare to read ``data``, which is UTF-8 and has a DOCTYPE that was checked.

        ``on_sentence`` is given each ``sentence`` of a group when it ends; its children are
        forgotten then. ``lenient`` takes a document without namespace for RIF.
        """
        self._data = data
        self._note = note
        self._on_sentence = on_sentence
        self._stack: list[Element] = []
        self._names: dict[str, str] = {}
        self.root: Element | None = None
        self._lenient = lenient
        self._lacks_namespace = False
        parser = expat.ParserCreate("utf-8", _SEPARATOR)
        parser.buffer_text = True
        parser.buffer_size = _PIECE
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        self._parser = parser

    def read(self) -> bool:
        """Read it all; False: it is no XML from some place on, which is noted.

        Raises:
            UnreadableXml: a limit is reached, or what ``note`` raises.
        """
        view = memoryview(self._data)
        at, piece = 0, _PIECE
        try:
            # In pieces, as expat goes on to the end of one when a handler has raised; they grow, as
            # it looks at a tag or comment anew with each piece.
            while at < len(view):
                self._parser.Parse(view[at : at + piece], False)  # noqa: FBT003 - its signature
                at += piece
                piece = min(2 * piece, _LONGEST_PIECE)
            self._parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            line, column = error.lineno, error.offset + 1
            place = Span(line, column, line, column + 1)
            self._note(NotWellFormed(f"no XML: {message}", place, _HINTS.get(message)))
            return False
        return True

    # what expat calls

    def _start(self, written: str, attributes: dict[str, str]) -> None:
        parser, stack = self._parser, self._stack
        name = self._names.get(written) or self._name(written)
        element = Element(name, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if stack:
            parent = stack[-1]
            if parent.text:
                parent.stray = parent.stray or not parent.text.isspace()
                parent.text = ""
            if parent.children:
                parent.children.append(element)
            else:
                parent.children = [element]
            element.base = parent.base
            element.level = parent.level
        else:
            self.root = element
            self._check_root(element)
        element.level += name in _LEVELS
        if element.level > MAX_DEPTH or len(stack) > _DEEPEST:
            self._stop(TooDeep(f"nested more than {MAX_DEPTH} levels deep", element.span))
        if attributes:
            self._attributes(element, attributes)
        stack.append(element)

    def _end(self, _: str) -> None:
        parser = self._parser
        element = self._stack.pop()
        at = parser.CurrentByteIndex
        element.end_line = parser.CurrentLineNumber
        element.end_column = parser.CurrentColumnNumber + 1
        # An element of one tag ends behind it, and one of an entity where that is used.
        single = self._data[at - 2 : at] == b"/>" and not (element.children or element.text)
        if self._data.startswith(b"</", at) and not single:
            element.end_column += self._data.index(b">", at) + 1 - at
        if element.name == "sentence" and self._stack and self._stack[-1].name == "Group":
            self._on_sentence(element)
            element.children = ()

    def _characters(self, text: str) -> None:
        element = self._stack[-1]
        if len(element.text) + len(text) > MAX_TOKEN:
            if element.name in {"Const", "Var"} or not (element.text.isspace() or text.isspace()):
                message = f"a text of more than {MAX_TOKEN} characters is not read"
                self._stop(TooLong(message, element.span))
            element.text = ""
        element.text += text

    # parts of elements

    def _stop(self, fault: TooDeep | TooLong | NotRif) -> None:
        self._note(fault)
        raise UnreadableXml

    def _name(self, written: str) -> str:
        """The name of an element as RIF has it, from expat's."""
        namespace, _, local = written.rpartition(_SEPARATOR)
        known = namespace == RIF or (not namespace and self._lacks_namespace)
        name = local if known else f"{{{namespace}}}{local}"
        self._names[written] = name
        return name

    def _check_root(self, root: Element) -> None:
        """Take a document without namespace for RIF; note it, and stop at any other."""
        if not root.name.startswith("{"):
            return
        namespace, _, local = root.name[1:].partition("}")
        if namespace == R4_RIF:
            return
        if namespace:
            message = f"{shorten(local)} of <{shorten(namespace)}> is not of RIF"
            self._stop(NotRif(message, root.span))
        self._lacks_namespace = True
        self._names.clear()
        root.name = local
        hint = f"{NotRif.default_hint}; the lenient mode reads it as it is"
        fault = NotRif(f"{shorten(local)} has no namespace", root.span, hint)
        self._note(fault.as_warning() if self._lenient else fault)

    def _attributes(self, element: Element, attributes: Mapping[str, str]) -> None:
        named: dict[str, str] = {}
        for written, value in attributes.items():
            namespace, _, local = written.rpartition(_SEPARATOR)
            if len(value) > MAX_TOKEN:
                message = f"an attribute of more than {MAX_TOKEN} characters is not read"
                self._stop(TooLong(message, element.span))
            named[f"{{{namespace}}}{local}" if namespace else local] = value
        element.attributes = named
        base = named.get(f"{XML}base")
        if base is not None:
            base = base.strip(SPACE)
            if element.base is not None:
                base = resolve(base, element.base)
            if is_absolute(base):
                element.base = base
            else:
                self._note(BadIri(f"xml:base {shorten(base)!a} is no absolute IRI", element.span))
