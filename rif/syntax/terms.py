r"""RDF and RIF terms as values, and their canonical text.

The canonical text of a term is its canonical N-Triples form: characters as themselves, only the
escapes of RDF 1.2 (``\t \b \n \r \f \" \\``, other controls ``\uXXXX``), no ``^^xsd:string``,
language tags in lower case. Two terms are the same term iff their canonical texts are equal, so
the text is what dictionaries, files and answers use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
OWL = "http://www.w3.org/2002/07/owl#"
RIF = "http://www.w3.org/2007/rif#"
FUNC = "http://www.w3.org/2007/rif-builtin-function#"
PRED = "http://www.w3.org/2007/rif-builtin-predicate#"

XSD_STRING = XSD + "string"
RDF_LANG_STRING = RDF + "langString"
RDF_TYPE = RDF + "type"

_ESCAPES = {
    "\t": "\\t",
    "\b": "\\b",
    "\n": "\\n",
    "\r": "\\r",
    "\f": "\\f",
    '"': '\\"',
    "\\": "\\\\",
}
NEEDS_ESCAPE = re.compile(r'[\x00-\x1f"\\\x7f]')
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
ESCAPED_CHARACTERS = {escape[1]: char for char, escape in _ESCAPES.items()} | {"'": "'"}
"""Letter after the backslash to the character that the escape stands for [SPARQL, ECHAR]."""

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?\Z', re.DOTALL)
_LIST = "List("
_ITEM = re.compile(
    r' ?(<[^>]*>|_:[^ ()]+|"(?:[^"\\]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?|List\(|\))', re.DOTALL
)
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LABEL = re.compile(r"(?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?\Z")


@dataclass(frozen=True, slots=True)
class IRI:
    """An absolute IRI; in rules a constant of symbol space ``rif:iri``."""

    value: str

    def __str__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True)
class BlankNode:
    """A blank node; ``label`` is unique in the run (``d1_b0``: node ``b0`` of document 1)."""

    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Local:
    """A constant of symbol space ``rif:local``: private to its document, never a blank node.

    It prints as blank nodes of document 0 do; streams begin at document 1, so they never meet.
    Characters that a blank node label cannot have stand as their hexadecimal code between dots.
    """

    name: str
    document: int = 0

    def __str__(self) -> str:
        name = self.name
        if not _LABEL.match(name):
            name = "".join(char if _is_plain(char) else f"·{ord(char):X}·" for char in name)
        return f"_:d{self.document}_{name}"


@dataclass(frozen=True, slots=True)
class Literal:
    """An RDF literal: lexical form as written, datatype, language tag in lower case or ``""``."""

    lexical: str
    datatype: str = XSD_STRING
    language: str = ""

    def __str__(self) -> str:
        quoted = f'"{escape(self.lexical)}"'
        if self.language:
            return f"{quoted}@{self.language}"
        return quoted if self.datatype == XSD_STRING else f"{quoted}^^<{self.datatype}>"


@dataclass(frozen=True, slots=True)
class GroundList:
    """A closed RIF list of ground terms."""

    items: tuple[GroundTerm, ...] = ()

    def __str__(self) -> str:
        return list_text(map(str, self.items))


@dataclass(frozen=True, slots=True)
class Variable:
    """A rule variable; ``name`` is without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


GroundTerm: TypeAlias = IRI | BlankNode | Local | Literal | GroundList
"""What a fact is made of; ``str`` of it is the canonical text."""


def list_text(items: Iterable[str]) -> str:
    """The canonical text of the list of terms, by theirs."""
    return f"{_LIST}{' '.join(items)})"


def escape(text: str) -> str:
    """``text`` as it stands between the quotes of a canonical literal."""
    return NEEDS_ESCAPE.sub(lambda match: _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}", text)


def unescape(text: str) -> str:
    """The characters that the text between the quotes of an N-Triples literal stands for.

    Raises:
        ValueError: a backslash is followed by what is no escape.
    """
    return _ESCAPE.sub(_unescape_one, text) if "\\" in text else text


def _unescape_one(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape in ESCAPED_CHARACTERS:
        return ESCAPED_CHARACTERS[escape]
    message = f"no escape: {match[0]!r}"
    raise ValueError(message)


def _is_plain(char: str) -> bool:
    """May the character stand anywhere in the label of a blank node?"""
    return char in _PLAIN or (char.isalpha() and char >= "\u00c0")


def parse_canonical(text: str) -> GroundTerm:
    """The term whose canonical text is ``text``; the inverse of ``str``.

    A local constant comes back as a blank node of the same label: outside its document it is one.

    Raises:
        ValueError: ``text`` is not the canonical text of a term.
    """
    return _list(text) if text.startswith(_LIST) else _single(text)


def _single(text: str) -> GroundTerm:
    if text.startswith("<") and text.endswith(">"):
        return IRI(text[1:-1])
    if text.startswith("_:"):
        return BlankNode(text[2:])
    if match := _LITERAL.match(text):
        lexical, language, datatype = match.groups()
        if language:
            return Literal(unescape(lexical), RDF_LANG_STRING, language)
        return Literal(unescape(lexical), datatype or XSD_STRING)
    message = f"not the canonical text of a term: {text!r}"
    raise ValueError(message)


def _list(text: str) -> GroundList:
    """A list, nested to any depth; without recursion."""
    stack: list[list[GroundTerm]] = [[]]
    at = 0
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None or (match[1] == ")" and len(stack) == 1):
            break
        at = match.end()
        if match[1] == _LIST:
            stack.append([])
        elif match[1] == ")":
            items = stack.pop()
            stack[-1].append(GroundList(tuple(items)))
        else:
            stack[-1].append(_single(match[1]))
    match stack:
        case [[GroundList() as whole]] if at == len(text):
            return whole
    message = f"not the canonical text of a list: {text!r}"
    raise ValueError(message)


CUSTOMARY_PREFIXES: Mapping[str, str] = {
    "rif": RIF,
    "xs": XSD,
    "rdf": RDF,
    "func": FUNC,
    "pred": PRED,
}
"""Prefixes by custom: a document that uses one without declaring it is read with a warning."""

BUILTIN_PREFIXES: Mapping[str, str] = {"func": FUNC, "pred": PRED}
"""Prefixes of built-ins, which readable rules need not declare."""

R4_AGGREGATE = "urn:r4:aggregate#"
"""How the names of aggregates begin where those of built-ins are IRIs; messages have the rest."""

_SHORT = {iri: f"{name}:" for name, iri in CUSTOMARY_PREFIXES.items() if name != "rif"}
_SHORT[R4_AGGREGATE] = ""

LONGEST_NAME = 100
"""Characters of a name that a message has."""


def display_name(constant: GroundTerm) -> str:
    """A constant for a message: built-ins and datatypes with their customary prefixes."""
    if isinstance(constant, IRI):
        for namespace, prefix in _SHORT.items():
            if constant.value.startswith(namespace):
                return prefix + constant.value.removeprefix(namespace)[:LONGEST_NAME]
    if isinstance(constant, Local):
        return f"_{constant.name[:LONGEST_NAME]}"
    text = str(constant)
    return text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "…"
