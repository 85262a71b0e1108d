"""RIF/XML, the normative syntax of RIF-Core: bytes to `rif.ast`, with the places of all nodes.

What the text says is judged as in the presentation syntax, with the same codes; what only XML can
get wrong has codes of its own (`rif.xml_errors`). Nothing but the bytes is read: a document that
refers to a DTD or an entity elsewhere is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from rif import ast, wellformed
from rif.collector import collector_paused
from rif.errors import RuleError, RuleErrors, TooLong, TooManyTokens
from rif.parser import Parsed, judged
from rif.xml_bytes import decode_xml, span_of
from rif.xml_doctype import read_doctype
from rif.xml_documents import DocumentReader
from rif.xml_errors import BadEncoding
from rif.xml_tree import Element, Stop, TreeBuilder


def parse_xml(
    data: bytes, *, name: str = "<text>", lenient: bool = False, check: bool = True
) -> Parsed:
    """The document that ``data`` holds; its entities are kept as its prefixes.

    ``lenient`` declares undeclared variables and reads a document without namespace, with warnings;
    ``check=False`` leaves out well-formedness and safeness. Linear in the data.

    Raises:
        RuleErrors: it is no RIF-Core document; all its faults.
    """
    return _document(_read(data, name, lenient=lenient), name, check=check)


def parse_xml_formula(
    data: bytes, *, name: str = "<text>", closed: bool = True, check: bool = True
) -> ast.Formula:
    """The formula that is the root of ``data``, such as the conclusion of an entailment.

    ``closed`` refuses free variables; ``check=False`` leaves out all of well-formedness.

    Raises:
        RuleErrors: it is no formula; all its faults.
    """
    return _formula(_read(data, name, lenient=False), name, closed=closed, check=check)


def parse_xml_either(
    data: bytes, *, name: str = "<text>", lenient: bool = False, check: bool = True
) -> ast.Formula | Parsed:
    """The closed formula, or the document with its warnings, that ``data`` holds.

    Raises:
        RuleErrors: it is neither; all its faults.
    """
    read = _read(data, name, lenient=lenient)
    if read.root is None or read.root.name == "Document":
        return _document(read, name, check=check)
    return _formula(read, name, closed=True, check=check)


_LONGEST = 2**20
_LONG = re.compile(f"<[^<]{{{_LONGEST}}}")


@dataclass(slots=True)
class _Read:
    """What was read of a text: its root, None if there is no more to be said than its faults."""

    text: str
    reader: DocumentReader
    root: Element | None = None
    prefixes: tuple[tuple[str, str], ...] = ()

    @property
    def faults(self) -> list[RuleError]:
        return [*self.reader.faults, *self.reader.warnings]


def _read(data: bytes, name: str, *, lenient: bool) -> _Read:
    """The elements of the text, the rules in it made already.

    Raises:
        RuleErrors: it is no text, or its DOCTYPE is refused.
    """
    try:
        text = decode_xml(data)
    except (BadEncoding, TooManyTokens) as fault:
        raise RuleErrors([fault], "", name) from None
    doctype = read_doctype(text)
    faults = [*doctype.faults, *_too_long(text)]
    if faults:
        raise RuleErrors(faults, text, name)
    reader = DocumentReader(lenient=lenient)
    read = _Read(text, reader, None, doctype.prefixes())
    with collector_paused(), suppress(Stop):
        tree = TreeBuilder(text.encode(), reader.note, reader.sentence, lenient=lenient)
        if tree.read():
            read.root = tree.root
    return read


def _too_long(text: str) -> Iterator[RuleError]:
    """The fault of a tag, comment or text that is longer than any use; it would cost much time."""
    found = _LONG.search(text)
    if found:
        message = f"nothing of more than {_LONGEST} characters is read between two elements"
        yield TooLong(message, span_of(text, found.start(), found.start() + 1))


def _document(read: _Read, name: str, *, check: bool) -> Parsed:
    document = None
    with collector_paused():
        if read.root is not None:
            with suppress(Stop):
                document = read.reader.document(read.root, read.prefixes)
        return judged(document or ast.Document(), read.faults, read.text, name, check=check)


def _formula(read: _Read, name: str, *, closed: bool, check: bool) -> ast.Formula:
    formula = None
    if read.root is not None:
        with suppress(Stop):
            formula = read.reader.conclusion(read.root)
    faults = read.faults
    if check and formula is not None and not read.reader.faults:
        faults += wellformed.check_formula(formula, closed=closed)
    if formula is None or any(fault.severity == "error" for fault in faults):
        raise RuleErrors(faults, read.text, name)
    return formula
