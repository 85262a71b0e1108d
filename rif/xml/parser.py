"""RIF/XML, the normative syntax of RIF-Core: bytes to `rif.syntax.ast`, each node with its place.

What a document says is checked as in the presentation syntax, with the same codes; what only XML
can get wrong has codes of its own (`rif.errors.xml`). Nothing but the bytes is read: a document
that refers to a DTD or an entity elsewhere is refused.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from rif.checks import wellformedness
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.errors.syntax import TooLong, TooManyTokens
from rif.errors.xml import BadEncoding
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from rif.xml.doctype import read_doctype
from rif.xml.document_reader import DocumentReader
from rif.xml.encoding import decode_xml, span_of
from rif.xml.tree import Element, TreeBuilder, UnreadableXml


def parse_xml(
    data: bytes,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ParsedDocument:
    """The document that ``data`` holds; its entities are kept as its prefixes.

    ``lenient`` declares undeclared variables and reads a document without namespace, with warnings;
    ``check=False`` leaves out well-formedness and safeness. Linear in the data.

    Raises:
        RuleErrors: it is no RIF-Core document; all its faults.
    """
    return _document(_read(data, name, language, lenient=lenient), name, check=check)


def parse_xml_either(
    data: bytes,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ast.Formula | ParsedDocument:
    """The closed formula, or the document with its warnings, that ``data`` holds.

    Raises:
        RuleErrors: it is neither; all its faults.
    """
    read = _read(data, name, language, lenient=lenient)
    if read.root is None or read.root.name == "Document":
        return _document(read, name, check=check)
    return _formula(read, name, check=check)


_LONGEST = 2**20
_LONG = re.compile(f"<[^<]{{{_LONGEST}}}")


@dataclass(slots=True)
class _ReadDocument:
    """The elements of a text; ``root`` is None if it could not be read to its end."""

    text: str
    reader: DocumentReader
    root: Element | None = None
    prefixes: tuple[tuple[str, str], ...] = ()

    @property
    def faults(self) -> list[RuleError]:
        return [*self.reader.faults, *self.reader.warnings]


def _read(data: bytes, name: str, language: Language, *, lenient: bool) -> _ReadDocument:
    """The elements of the text, its sentences read to rules already.

    Raises:
        RuleErrors: it is no text, or its DOCTYPE is refused.
    """
    try:
        text = decode_xml(data)
    except (BadEncoding, TooManyTokens) as fault:
        raise RuleErrors([fault], "", name) from None
    doctype = read_doctype(text)
    faults = list(doctype.faults)
    if long := _LONG.search(text):  # it would cost much time
        message = f"nothing of more than {_LONGEST} characters is read between two elements"
        faults.append(TooLong(message, span_of(text, long.start(), long.start() + 1)))
    if faults:
        raise RuleErrors(faults, text, name)
    reader = DocumentReader(language, lenient=lenient)
    read = _ReadDocument(text, reader, None, doctype.prefixes())
    with collector_paused(), suppress(UnreadableXml):
        tree = TreeBuilder(text.encode(), reader.note, reader.sentence, lenient=lenient)
        if tree.read():
            read.root = tree.root
    return read


def _document(read: _ReadDocument, name: str, *, check: bool) -> ParsedDocument:
    document = None
    with collector_paused():
        if read.root is not None:
            with suppress(UnreadableXml):
                document = read.reader.document(read.root, read.prefixes)
        return check_parsed(
            document or ast.Document(),
            read.faults,
            read.text,
            name,
            check=check,
            language=read.reader.language,
        )


def _formula(read: _ReadDocument, name: str, *, check: bool) -> ast.Formula:
    formula = None
    if read.root is not None:
        with suppress(UnreadableXml):
            formula = read.reader.formula(read.root)
    faults = read.faults
    if check and formula is not None and not read.reader.faults:
        faults += wellformedness.check_formula(formula, read.reader.language)
    if formula is None or any(fault.severity == "error" for fault in faults):
        raise RuleErrors(faults, read.text, name)
    return formula
