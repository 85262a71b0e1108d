"""Rule addition: reading rules for a running engine, and checking them against its rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from r4.foreign.rule_parser import parse_rules
from r4.imports.constant_scopes import ConstantUse, role_clashes
from r4.imports.errors import ImportHere, WindowIgnored
from r4.imports.import_closure import Closure
from r4.program.errors import LooksBackTooFar
from r4.program.program import Program, Ticks
from rif.checks import wellformedness
from rif.checks.document import ParsedDocument
from rif.errors.base import NOWHERE, RuleError
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax.ast import Document
from rif.syntax.terms import GroundTerm


def lookback_error(
    program: Program, kept: Ticks, hint: str | None = None
) -> LooksBackTooFar | None:
    """The error of a compiled program that is added where facts are ``kept`` so many ticks.

    ``hint`` says what to do; None: that of an engine.
    """
    back = program.reach.back
    if back <= kept:
        return None
    far = "without end" if math.isinf(back) else f"{back} ticks"
    message = (
        f"with these the rules look back {far}; facts are kept for {kept} ticks after they ended"
    )
    return LooksBackTooFar(message, program.places[0].span if program.places else NOWHERE, hint)


def not_followed(document: Document) -> Sequence[RuleError]:
    """An error for each import of a document that must not have any."""
    return [ImportHere("this import is not followed", each.span) for each in document.imports]


class ConstantRoles:
    """The context in which each constant of running rules is used [RIF-Core 2.2].

    Attributes:
        language: what all of them are written in.
    """

    def __init__(self, rules: Document | Closure, language: Language) -> None:
        self.language = language
        self._known: dict[GroundTerm, ConstantUse] = {}
        if isinstance(rules, Closure):
            names = [source.name for source in rules.sources]
            self._waiting = list(zip(rules.documents, names, strict=True))
        else:
            self._waiting = [(rules, "<text>")]

    def admit(self, document: Document, name: str) -> Sequence[RuleError]:
        """The constants of ``document`` that clash with the others; if none do, they are kept.

        Linear in all running rules.
        """
        for running, known_as in self._waiting:
            role_clashes(wellformedness.roles(running, self.language), known_as, self._known)
        self._waiting = []
        trial = dict(self._known)
        faults = role_clashes(wellformedness.roles(document, self.language), name, trial)
        if not faults:
            self._known = trial
        return faults


def read_added_rules(
    rules: object, name: str, roles: ConstantRoles
) -> tuple[Document, Sequence[RuleError]]:
    """The document to be added to rules with these ``roles``, without its window, and warnings.

    Raises:
        RuleErrors: it cannot be read, has imports, or uses a constant in another context.
        TypeError: it is no rules.
    """
    match rules:
        case str():
            parsed = parse_rules(rules.encode(), name=name, language=roles.language)
        case Path():
            name = str(rules)
            parsed = parse_rules(rules.read_bytes(), name=name, language=roles.language)
        case Document():
            parsed = ParsedDocument(rules)
        case _:
            message = (
                f"rules are a text, a Path or a Document, not {type(rules).__name__}; triples join "
                "by add or add_static"
            )
            raise TypeError(message)
    document = parsed.document
    faults = not_followed(document) or roles.admit(document, name)
    if faults:
        raise RuleErrors(faults, parsed.source, name)
    warnings = list(parsed.warnings)
    if document.window is not None:
        hint = "the window of the engine counts for all"
        warnings.append(WindowIgnored("this window is not used", document.window.span, hint))
    return replace(document, window=None), warnings
