"""The presentation syntax of RIF-Core: text to `rif.syntax.ast`, by recursive descent.

Beside the standard it reads the dialect of the papers this system follows: ``If … Then …``,
``Window(5 s)`` or a bare ``5 s`` between the imports and the group; in lenient mode undeclared
variables and bare words too. All faults of a text are found at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from rif.checks import wellformedness
from rif.checks.document import ParsedDocument, check_parsed
from rif.errors.base import RuleError
from rif.errors.dialect import RulesOfAnotherLanguage
from rif.errors.report import RuleErrors
from rif.errors.syntax import GraphInstead, UnexpectedToken
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.garbage_collection import collector_paused
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.cursor import UnreadableClause
from rif.text.document_parser import DocumentParser
from rif.text.other_languages import other_language


def parse(
    text: str,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> ParsedDocument:
    """The document that ``text`` holds.

    ``check=False`` leaves out well-formedness and safeness. Linear in the text, some 0.2 ms a rule.

    Raises:
        RuleErrors: the text is no RIF-Core document; all its faults.
    """
    return parse_with_tokens(text, name=name, lenient=lenient, check=check, language=language)[0]


def parse_with_tokens(
    text: str,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
    language: Language = CORE,
) -> tuple[ParsedDocument, DocumentParser]:
    """The document that ``text`` holds, and its parser, which knows of what tokens it is.

    Raises:
        RuleErrors: as `parse`.
    """
    with collector_paused():
        parser = DocumentParser(text, {}, None, language, lenient=lenient)
        document = parser.read_all(parser.document)
        faults = [*parser.faults, *parser.warnings]
        if parser.faults and (instead := _instead_of_rules(parser, text)) is not None:
            raise RuleErrors([instead], text, name)
        is_none = "Document" not in text and not (parser.is_clauses or parser.strict)
        if parser.faults and is_none:  # the other faults follow from that
            missing = [each for each in parser.faults if isinstance(each, UnexpectedToken)]
            if missing:
                raise RuleErrors(missing[:1], text, name)
        parsed = check_parsed(
            document or ast.Document(), faults, text, name, check=check, language=language
        )
        return parsed, parser


def _instead_of_rules(parser: DocumentParser, text: str) -> RuleError | None:
    """The fault of a text that is in another language; None: it looks like none that is known."""
    if "Document" not in text and (other := other_language(text)) is not None:
        found, begin, end = other
        message = f"these are rules of another language, {found.name}"
        place = parser.tokens.span_between(begin, end)
        return RulesOfAnotherLanguage(message, place, found.hint)
    if not {":-", "->"} & {*parser.kinds} and (graph := _GRAPH.match(text)):
        message = "this is a graph, in Turtle or a language like it, and no rules"
        return GraphInstead(message, parser.tokens.span_between(graph.start(1), graph.end(1)))
    return None


def parse_formula(  # noqa: PLR0913 - the last five have a default that is right
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY_PREFIXES,
    *,
    base: str | None = None,
    name: str = "<text>",
    closed: bool = True,
    check: bool = True,
    language: Language = CORE,
) -> ast.Formula:
    """A condition, such as the conclusion of an entailment.

    ``closed`` refuses free variables; ``check=False`` leaves out all of well-formedness.

    Raises:
        RuleErrors: ``text`` is no formula; all its faults.
    """
    parser = DocumentParser(text, prefixes, base, language, lenient=False)
    formula = parser.read_all(parser.formula)
    faults = parser.faults
    if check and formula is not None and not faults:
        faults = wellformedness.check_formula(formula, language, closed=closed)
    if faults or formula is None:
        raise RuleErrors(faults, text, name)
    return formula


def begins_document(text: str) -> bool:
    """Does ``text`` begin as a document or a part of one, annotations aside, and no formula?"""
    if _BEGIN.match(text):  # most do, and need not be split into tokens for that
        return True
    parser = DocumentParser(text, {}, None, CORE, lenient=False)
    with suppress(UnreadableClause):
        while parser.kind == "(*":
            parser.skip_meta()
    word = parser.values[parser.at]
    if parser.kind in {"name", "lang"} and word in _OF_DOCUMENTS:
        return True
    return not {":-", "."}.isdisjoint(parser.kinds)  # a clause is no formula


_GRAPH: Final = re.compile(
    r"(?:#[^\n]*+\n|\s++)*+"
    r"(@prefix\b|@base\b|(?:PREFIX|prefix)\s++[\w.-]*+:\s*+<|(?:BASE|base)\s++<"
    r"|(?:<[^<>\"\s]*+>|_:\w++)\s++(?:<|a\s|[\w.-]*+:))"
)
"""How Turtle, TriG, N-Triples and N-Quads begin, comments aside."""
_BEGIN: Final = re.compile(r"\s*+(?:Document|Base|Prefix|Import|Window|Group)\s*+\(")
"""How a document, or a part of one, begins without annotations."""
_OF_DOCUMENTS = frozenset(
    (
        *("Document", "Base", "Prefix", "Import", "Window", "Group", "Forall", "If"),
        *("@prefix", "@base", "@import", "@window", "PREFIX", "BASE", "prefix", "base"),
    )
)
