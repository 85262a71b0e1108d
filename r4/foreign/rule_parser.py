"""Rule documents in any language that R4 reads: how a text begins decides which."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from rif import parser as rif_parser
from rif.checks.document import ParsedDocument
from rif.errors.report import RuleErrors
from rif.errors.syntax import TooManyTokens
from rif.errors.xml import BadEncoding
from rif.language import CORE, Language
from rif.syntax import ast
from rif.xml.encoding import decode_utf8, is_xml

SPARQL_FILES: Final = frozenset((".rq", ".sparql", ".rspql", ".csparql"))

_NONE: Mapping[str, str] = MappingProxyType({})
_LONGEST: Final = 100_000
"""So many characters of a text are looked at."""
_PROLOGUE: Final = r"(?:\s++|\#[^\n]*+|(?:PREFIX\s++[^\s:]*+:|BASE)\s*+<[^<>\s]*+>)*+"
_SPARQL: Final = re.compile(
    _PROLOGUE + r"(?:CONSTRUCT\s*+(?:[{]|WHERE\b|FROM\b|[RID]STREAM\b)"
    r"|SELECT\s*+(?:[?$*]|DISTINCT\b|REDUCED\b|\(\s*+[?$\w<(])"
    r"|ASK\s*+(?:[{]|WHERE\b|FROM\b)|DESCRIBE\s*+[<?$*\w]|REGISTER\s++(?:QUERY|[RID]?STREAM)\b"
    r"|(?:INSERT|DELETE)\s*+(?:[{]|WHERE\b|DATA\b)|WITH\s*+<)",
    re.IGNORECASE,
)

_JENA: Final = re.compile(
    r"(?:\s++|(?:\#|//)[^\n]*+|@(?:prefix\s++[^\s:]*+:|include)\s*+<[^<>\s]*+>\s*+\.?)*+"
    r"(?:\[\s*+(?:[\w.-]++\s*+:\s*+)?(?:\(\s*+[?<\w:]|->|[A-Za-z]\w*+\()"
    r"|->\s*+(?:\(\s*+[<\w:]|\w++\()"
    r"|(?:\w++:\s*+)?\((?!\*)\s*+[?<\w:][^()]*+\)\s*+(?:,|\(|->|\w++\())",
    re.IGNORECASE,
)
_ARROW: Final = re.compile(r"->|<-")

Foreign: TypeAlias = Literal["sparql", "jena"]

LANGUAGES: Final[Mapping[Foreign, str]] = {"sparql": "SPARQL", "jena": "Jena"}
"""What people call them."""


def language_of(data: bytes, name: str) -> Foreign | None:
    """The language of rules other than RIF that a document is in; None: RIF, or one not read.

    The suffix of the ``name`` decides, then how the text begins.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in SPARQL_FILES:
        return "sparql"
    if is_xml(data):
        return None
    text = data[:_LONGEST].decode("utf-8", "replace").removeprefix("\ufeff")
    if _SPARQL.match(text):
        return "sparql"
    return "jena" if _JENA.match(text) and _ARROW.search(text) else None


def parse_rules(
    data: bytes,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ParsedDocument:
    """The rules that ``data`` hold: RIF in either syntax, or another language that is read.

    Raises:
        RuleErrors: they cannot be read, or say what R4 cannot; all faults that were found.
    """
    foreign = language_of(data, name)
    if foreign is None:
        return rif_parser.parse_bytes(
            data, name=name, lenient=lenient, check=check, language=language
        )
    return _parse_foreign(foreign, data, name, check=check, language=language)


def parse_rules_or_formula(  # noqa: PLR0913 - as the parsers
    data: bytes,
    *,
    name: str = "<text>",
    prefixes: Mapping[str, str] = _NONE,
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ast.Formula | ParsedDocument:
    """As `parse_rules`; or the formula of RIF that ``data`` hold."""
    foreign = language_of(data, name)
    if foreign is None:
        return rif_parser.parse_either(
            data, name=name, prefixes=prefixes, lenient=lenient, check=check, language=language
        )
    return _parse_foreign(foreign, data, name, check=check, language=language)


def _parse_foreign(
    foreign: Foreign, data: bytes, name: str, *, check: bool, language: Language
) -> ParsedDocument:
    try:
        text = decode_utf8(data)
    except (BadEncoding, TooManyTokens) as fault:
        raise RuleErrors([fault], "", name) from None
    if foreign == "jena":
        from r4.foreign.jena.documents import parse_jena  # noqa: PLC0415 - most rules are RIF

        return parse_jena(text, name=name, check=check, language=language)
    from r4.foreign.sparql.documents import parse_sparql  # noqa: PLC0415 - rdflib is slow to load

    return parse_sparql(text, name=name, check=check, language=language)
