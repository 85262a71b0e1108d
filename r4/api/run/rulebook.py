"""The rules of an engine: read from files and texts, compiled, and added later."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Final
from warnings import warn

from r4.api.values.term_texts import DATA
from r4.foreign.rule_parser import parse_rules
from r4.imports import Closure, Locations, load
from r4.imports.constant_scopes import with_locals_of
from r4.imports.errors import Unreadable
from r4.language import LANGUAGE, language_with
from r4.options.engine_options import EngineOptions
from r4.program.compiler import compile_document
from r4.program.program import Program, Ticks
from r4.program.regimes.background import background_of, regime_limits, regimes_of
from r4.program.rule_addition import (
    ConstantRoles,
    lookback_error,
    not_followed,
    read_added_rules,
)
from r4.time.ticks import TimeScale
from rete.drawing.names import Names
from rif.checks.document import ParsedDocument
from rif.errors.base import RuleError
from rif.errors.checks import NotStronglySafe
from rif.errors.dialect import NegationAsFailure
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from r4.checkpoint import Resumption


class RuleWarning(UserWarning):
    """The warning of `r4.api.Engine` about a rule that is not refused; `Engine.warnings` has it."""


def warn_of_rules(found: Sequence[RuleError]) -> None:
    """Warn of each, as of the line outside of R4 that called it; not that Naf is not RIF-Core."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "r4":
        level, frame = level + 1, frame.f_back
    for each in found:
        if isinstance(each, NegationAsFailure):
            continue
        hint = f"; {each.hint}" if each.hint else ""
        warn(RuleWarning(f"{each}{hint}"), stacklevel=level)


class Rulebook:
    """All rules that an engine has read so far.

    Attributes:
        program: the rules that it began with, compiled.
        documents: the documents that it began with, the main one first.
        warnings: those about all rules.
    """

    def __init__(
        self,
        rules: Document | Closure,
        options: EngineOptions,
        scale: TimeScale,
        warnings: tuple[RuleError, ...] = (),
    ) -> None:
        """Compile ``rules``; raises as `r4.api.Engine`."""
        self.warnings = warnings
        self._options = options
        self._scale = scale
        closure = rules if isinstance(rules, Closure) else None
        main, *imported = rules.documents if isinstance(rules, Closure) else (_alone(rules),)
        profile = None if closure is None else closure.profile
        language = LANGUAGE if closure is None else closure.language
        language = language_with(options.functions, language)
        language = language.with_numbers(by_value=options.numbers_by_value)
        self._regimes = regimes_of(options.entailment, profile)
        self.warnings += self._limits([main, *imported])
        self.program = compile_document(
            main,
            scale,
            imported=imported,
            background=background_of(options.entailment, profile),
            instances=options.instances,
            literals_by_value=options.by_value,
            windows=options.windows_of(scale, dict(main.prefixes)),
            language=language,
        )
        self.documents = (main, *imported)
        self._documents_read = [main, *imported]
        self._roles = ConstantRoles(rules, language)
        self._next_number = DATA + 1 if closure is None else closure.next_number

    def compile_added(
        self, rules: str | Path | Document, name: str, running: Program, kept: Ticks = math.inf
    ) -> Program:
        """Compile rules and facts that are added to ``running``; messages call a text ``name``.

        Facts are ``kept`` for so many ticks after they ended, for the rules to look back on.

        Raises:
            RuleErrors: they cannot be run, or not with those that run.
        """
        document, warnings = read_added_rules(rules, name, self._roles)
        document = with_locals_of(document, self._next_number)
        program = compile_document(
            document,
            self._scale,
            running=running,
            instances=self._options.instances,
            literals_by_value=self._options.by_value,
        )
        if fault := lookback_error(program, kept):
            raise RuleErrors([fault], name=name)
        self._next_number += 1
        self.warnings += (*warnings, *self._limits([document]))
        self._documents_read.append(document)
        return program

    def _limits(self, documents: Sequence[Document]) -> tuple[RuleError, ...]:
        """What the regimes do not reach by rules of ``documents``, which is not reported yet."""
        found = regime_limits(self._regimes, documents, by_value=self._options.by_value)
        known = {each.code for each in self.warnings}
        return tuple(each for part in found for each in part if each.code not in known)

    @property
    def may_not_end(self) -> bool:
        """Whether rules may derive for ever, by the warnings about them."""
        return any(isinstance(each, NotStronglySafe) for each in self.warnings)

    def names(self, running: Program) -> Names:
        """The names that the rules give to things: prefixes, variables, labels."""
        from r4.explain.rendering.names import collect_names  # noqa: PLC0415 - few ask why

        return collect_names(self._documents_read, running, self._scale)


def check_type(value: object, kind: type | UnionType, due: str) -> None:
    """Raise `TypeError` for an argument of another type; the message begins with ``due``."""
    if not isinstance(value, kind):
        message = f"{due}; given was a {type(value).__name__}"
        raise TypeError(message)


def _alone(document: Document) -> Document:
    """``document``, which has to be a document, and to import nothing."""
    due = "rules are a Document or a Closure here; Engine.from_text and Engine.from_file read them"
    check_type(document, Document, due)
    if faults := not_followed(document):
        raise RuleErrors(faults)
    return document


_FILE_NAME: Final = re.compile(r"[^\s()<>]+\.(?:rif|xml|rifps|txt)")
"""A text that is no rules but the name of a file."""


@dataclass(frozen=True, slots=True)
class ReadRules:
    """Rules as an engine begins with them.

    Attributes:
        rules: a document without imports, or one with all that it imports.
        warnings: the warnings of reading them.
        resumes: the saved state that the engine goes on from; None: there is none.
    """

    rules: Document | Closure
    warnings: tuple[RuleError, ...] = ()
    resumes: Resumption | None = None


def read_rule_file(
    path: str | Path, imports: object, language: Language, *, lenient: bool
) -> ReadRules:
    """The rules in a file, RIF/XML or presentation syntax; imports are looked for in its folder.

    Raises:
        RuleErrors: the rules, or what they import, cannot be read.
        OSError: there is no such file.
    """
    parsed = parse_rules(
        Path(path).read_bytes(), name=str(path), lenient=lenient, language=language
    )
    return _with_imports(parsed, str(path), imports, lenient=lenient)


def read_rule_text(
    text: str, name: str, imports: object, language: Language, *, lenient: bool
) -> ReadRules:
    """The rules in a text, which messages call ``name``; it has no folder.

    Raises:
        RuleErrors: the rules, or what they import, cannot be read, or it is the name of a file.
    """
    check_type(text, str, "rules are a text here, and Engine.from_file reads a file")
    if _FILE_NAME.fullmatch(text):
        fault = Unreadable(
            f"{text} is the name of a file, no rules", hint="Engine.from_file reads a file"
        )
        raise RuleErrors([fault], name=name)
    parsed = parse_rules(text.encode(), name=name, lenient=lenient, language=language)
    return _with_imports(parsed, None, imports, lenient=lenient)


def _with_imports(
    parsed: ParsedDocument, path: str | None, imports: object, *, lenient: bool
) -> ReadRules:
    check_type(imports, Locations | None, "imports= is an r4.imports.Locations(root, catalogue)")
    where = imports if isinstance(imports, Locations) else Locations()
    closure = load(parsed, path, where, DATA + 1, lenient=lenient)
    imported = tuple(each for part in closure.warnings for each in part.errors)
    return ReadRules(closure, parsed.warnings + imported)
