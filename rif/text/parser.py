"""The presentation syntax of RIF-Core: text to `rif.syntax.ast`, by recursive descent.

Beside the standard it reads the dialect of the papers this system follows: ``If … Then …``,
``Window(5 s)`` or a bare ``5 s`` between the imports and the group; in lenient mode undeclared
variables and bare words too. All faults of a text are found at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from rif.checks import wellformedness
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import Span
from rif.errors.report import RuleErrors
from rif.errors.syntax import UnexpectedToken
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.cursor import UnreadableClause
from rif.text.document_parser import DocumentParser
from rif.text.lexer import END


def parse(
    text: str, *, name: str = "<text>", lenient: bool = False, check: bool = True
) -> ParsedDocument:
    """The document that ``text`` holds.

    ``check=False`` leaves out well-formedness and safeness. Linear in the text, some 0.2 ms a rule.

    Raises:
        RuleErrors: the text is no RIF-Core document; all its faults.
    """
    with collector_paused():
        parser = DocumentParser(text, {}, None, lenient=lenient)
        document = parser.whole(parser.document)
        return _judged(parser, document or ast.Document(), name, check=check)


def parse_rules(
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
) -> ParsedDocument:
    """Rules and facts without the frame of a document around them, as a document.

    Raises:
        RuleErrors: as `parse`.
    """
    with collector_paused():
        parser = DocumentParser(text, prefixes, None, lenient=lenient)
        items = parser.whole(lambda: parser.group_items(END))
        group = ast.Group(tuple(items or ()))
        document = ast.Document(None, tuple(parser.prefixes.items()), group=group)
        return _judged(parser, document, name, check=check)


def parse_rule(
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    lenient: bool = False,
    check: bool = True,
) -> ast.Rule:
    """The one rule or fact that ``text`` holds.

    Raises:
        RuleErrors: as `parse`, or ``text`` is not one rule.
    """
    parsed = parse_rules(text, prefixes, lenient=lenient, check=check)
    items = parsed.document.group.items if parsed.document.group else ()
    if len(items) != 1 or isinstance(items[0], ast.Group):
        fault = UnexpectedToken(f"expected one rule, found {len(items)}", Span(1, 1, 1, 2))
        raise RuleErrors([fault], text)
    return items[0]


def parse_formula(  # noqa: PLR0913 - the last four have a default that is right
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    base: str | None = None,
    name: str = "<text>",
    closed: bool = True,
    check: bool = True,
) -> ast.Formula:
    """A condition, such as the conclusion of an entailment.

    ``closed`` refuses free variables; ``check=False`` leaves out all of well-formedness.

    Raises:
        RuleErrors: ``text`` is no formula; all its faults.
    """
    parser = DocumentParser(text, prefixes, base, lenient=False)
    formula = parser.whole(parser.formula)
    faults = parser.faults
    if check and formula is not None and not faults:
        faults = wellformedness.check_formula(formula, closed=closed)
    if faults or formula is None:
        raise RuleErrors(faults, text, name)
    return formula


def begins_document(text: str) -> bool:
    """Does ``text`` begin as a document or a part of one, annotations aside, and no formula?"""
    parser = DocumentParser(text, {}, None, lenient=False)
    with suppress(UnreadableClause):
        while parser.kind == "(*":
            parser.skip_meta()
    return parser.kind == "name" and parser.values[parser.at] in _OF_DOCUMENTS


_OF_DOCUMENTS = frozenset(
    ("Document", "Base", "Prefix", "Import", "Window", "Group", "Forall", "If")
)


def _judged(
    parser: DocumentParser, document: ast.Document, name: str, *, check: bool
) -> ParsedDocument:
    faults = [*parser.faults, *parser.warnings]
    return check_parsed(document, faults, parser.tokens.text, name, check=check)
