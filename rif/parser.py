"""The presentation syntax of RIF-Core: text to `rif.ast`, by recursive descent.

Beside the standard it reads the dialect of the papers this system follows: ``If … Then …``,
``Window(5 s)`` or a bare ``5 s`` between the imports and the group; in lenient mode undeclared
variables and bare words too. All faults of a text are found at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from rif import ast, safety, wellformed
from rif.collector import collector_paused
from rif.cursor import Abandoned
from rif.errors import RuleError, RuleErrors, UnexpectedToken
from rif.lexer import END
from rif.parse_constants import CUSTOMARY
from rif.parse_documents import DocumentParser
from rif.report import report


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document that may be used, and what there is to say about it all the same."""

    document: ast.Document
    warnings: tuple[RuleError, ...] = ()
    source: str = field(default="", repr=False, compare=False)

    def report(self, path: str) -> str:
        """The warnings as text for a person."""
        return report(self.warnings, self.source, path)


def parse(text: str, *, name: str = "<text>", lenient: bool = False, check: bool = True) -> Parsed:
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
    prefixes: Mapping[str, str] = CUSTOMARY,
    *,
    name: str = "<text>",
    lenient: bool = False,
    check: bool = True,
) -> Parsed:
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
    text: str, prefixes: Mapping[str, str] = CUSTOMARY, *, lenient: bool = False, check: bool = True
) -> ast.Rule:
    """The one rule or fact that ``text`` holds.

    Raises:
        RuleErrors: as `parse`, or ``text`` is not one rule.
    """
    parsed = parse_rules(text, prefixes, lenient=lenient, check=check)
    items = parsed.document.group.items if parsed.document.group else ()
    if len(items) != 1 or isinstance(items[0], ast.Group):
        fault = UnexpectedToken(f"expected one rule, found {len(items)}", ast.Span(1, 1, 1, 2))
        raise RuleErrors([fault], text)
    return items[0]


def parse_formula(  # noqa: PLR0913 - the last four have a default that is right
    text: str,
    prefixes: Mapping[str, str] = CUSTOMARY,
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
        faults = wellformed.check_formula(formula, closed=closed)
    if faults or formula is None:
        raise RuleErrors(faults, text, name)
    return formula


def begins_document(text: str) -> bool:
    """Does ``text`` begin as a document or a part of one, annotations aside, and no formula?"""
    parser = DocumentParser(text, {}, None, lenient=False)
    with suppress(Abandoned):
        while parser.kind == "(*":
            parser.skip_meta()
    return parser.kind == "name" and parser.values[parser.at] in _OF_DOCUMENTS


_OF_DOCUMENTS = frozenset(
    ("Document", "Base", "Prefix", "Import", "Window", "Group", "Forall", "If")
)


def judged(
    document: ast.Document, faults: Sequence[RuleError], source: str, name: str, *, check: bool
) -> Parsed:
    """What reading and, with ``check``, the checks of the readable rules say together.

    Raises:
        RuleErrors: there are errors.
    """
    found = [*faults, *(safety.check(document) if check else ())]
    if any(fault.severity == "error" for fault in found):
        raise RuleErrors(found, source, name)
    return Parsed(document, tuple(RuleErrors(found).errors), source)


def _judged(parser: DocumentParser, document: ast.Document, name: str, *, check: bool) -> Parsed:
    faults = [*parser.faults, *parser.warnings]
    return judged(document, faults, parser.tokens.text, name, check=check)
