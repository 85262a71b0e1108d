"""Rule documents and conclusions in either syntax: how the text begins decides which."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rif.checks.document import ParsedDocument
from rif.errors.report import RuleErrors
from rif.errors.syntax import TooManyTokens
from rif.errors.xml import BadEncoding
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.parser import begins_document, parse, parse_formula
from rif.xml.encoding import decode_utf8, is_xml

_NONE: Mapping[str, str] = MappingProxyType({})


def parse_bytes(
    data: bytes,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ParsedDocument:
    """The document that ``data`` holds: presentation syntax in UTF-8, or RIF/XML.

    As `rif.text.parser.parse` and `rif.xml.parser.parse_xml`.

    Raises:
        RuleErrors: it is neither; all its faults.
    """
    if is_xml(data):
        from rif.xml.parser import parse_xml

        return parse_xml(data, name=name, lenient=lenient, check=check, language=language)
    return parse(_text(data, name), name=name, lenient=lenient, check=check, language=language)


def parse_conclusion(
    data: bytes,
    *,
    name: str = "<text>",
    prefixes: Mapping[str, str] = _NONE,
    check: bool = True,
    language: Language = CORE,
) -> ast.Formula | ast.Document:
    """The closed formula, or the document, that ``data`` holds in either syntax.

    ``prefixes`` are those of the premise, which a conclusion in presentation syntax may use; the
    customary ones are known anyway.

    Raises:
        RuleErrors: it is neither; all its faults.
    """
    parsed = parse_either(data, name=name, prefixes=prefixes, check=check, language=language)
    return parsed.document if isinstance(parsed, ParsedDocument) else parsed


def parse_either(  # noqa: PLR0913 - as the parsers
    data: bytes,
    *,
    name: str = "<text>",
    prefixes: Mapping[str, str] = _NONE,
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ast.Formula | ParsedDocument:
    """The formula, or the document with its warnings, that ``data`` holds in either syntax.

    Raises:
        RuleErrors: it is neither; all its faults.
    """
    if is_xml(data):
        from rif.xml.parser import parse_xml_either

        return parse_xml_either(data, name=name, lenient=lenient, check=check, language=language)
    text = _text(data, name)
    if begins_document(text):
        return parse(text, name=name, lenient=lenient, check=check, language=language)
    return parse_formula(
        text, {**CUSTOMARY_PREFIXES, **prefixes}, name=name, check=check, language=language
    )


def _text(data: bytes, name: str) -> str:
    try:
        return decode_utf8(data)
    except (BadEncoding, TooManyTokens) as fault:
        raise RuleErrors([fault], "", name) from None
