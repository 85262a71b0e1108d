"""The faults of a text: those that ``r4 check`` finds without reading its imports."""

from __future__ import annotations

from typing import Final

from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.program.windows_under_operators import window_warnings
from r4.time.ticks import TimeScale
from rif.checks.document import ParsedDocument
from rif.errors.base import RuleError
from rif.errors.dialect import NegationAsFailure
from rif.errors.report import RuleErrors
from rif.parser import parse_bytes
from rif.text.parser import parse
from rif.xml.encoding import is_xml

_LOOK_AHEAD: Final = 4_096


def faults(text: str, name: str = "<text>") -> RuleErrors:
    """Errors and warnings, perhaps none; that negation is not RIF-Core is left out.

    Rules are compiled if the text has no errors; what they import is not read.
    """
    try:
        parsed = _parsed(text, name)
    except RuleErrors as errors:
        return errors
    found: list[RuleError] = [
        each for each in parsed.warnings if not isinstance(each, NegationAsFailure)
    ]
    try:
        compile_document(parsed.document, TimeScale(), language=parsed.language)
        found += window_warnings(parsed.document)
    except RuleErrors as errors:
        found += errors.errors
    return RuleErrors(found, text, name)


def _parsed(text: str, name: str) -> ParsedDocument:
    if is_text_of_xml(text):
        return parse_bytes(text.encode("utf-8", "surrogatepass"), name=name, language=LANGUAGE)
    return parse(text, name=name, language=LANGUAGE)


def is_text_of_xml(text: str) -> bool:
    """Does the text begin as RIF/XML does?"""
    return is_xml(text[:_LOOK_AHEAD].encode("utf-8", "surrogatepass"))
