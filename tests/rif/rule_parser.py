"""Rules and facts without the frame of a document around them."""

from __future__ import annotations

from collections.abc import Mapping

from r4.language import LANGUAGE
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import Span
from rif.errors.report import RuleErrors
from rif.errors.syntax import UnexpectedToken
from rif.language import Language
from rif.syntax import ast
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.document_parser import DocumentParser
from rif.text.lexer import END


def parse_rules(
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    strict: bool = False,
    language: Language = LANGUAGE,
) -> ParsedDocument:
    """The rules and facts of ``text``, as a document.

    Raises:
        RuleErrors: as `rif.text.parser.parse`.
    """
    language = language.with_syntax(strict=strict)
    parser = DocumentParser(text, prefixes, None, language, lenient=lenient)
    items = parser.read_all(lambda: parser.group_items(END))
    group = ast.Group(tuple(items or ()))
    document = ast.Document(None, tuple(parser.prefixes.items()), group=group)
    faults = [*parser.faults, *parser.warnings]
    return check_parsed(document, faults, text, name, check=check, language=language)


def parse_rule(
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    lenient: bool = False,
    check: bool = True,
    strict: bool = False,
    language: Language = LANGUAGE,
) -> ast.Rule:
    """The one rule or fact that ``text`` holds.

    Raises:
        RuleErrors: as `rif.text.parser.parse`, or ``text`` is not one rule.
    """
    parsed = parse_rules(
        text, prefixes, lenient=lenient, check=check, strict=strict, language=language
    )
    items = parsed.document.group.items if parsed.document.group else ()
    if len(items) != 1 or isinstance(items[0], ast.Group):
        fault = UnexpectedToken(f"expected one rule, found {len(items)}", Span(1, 1, 1, 2))
        raise RuleErrors([fault], text)
    return items[0]
