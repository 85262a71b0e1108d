"""Rules in files and texts, read with all that they import."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from r4.api.run.rulebook import check_type
from r4.api.values.graph_terms import DATA
from r4.imports import Closure, Locations, load
from r4.imports.errors import Unreadable
from rif.checks.document import ParsedDocument
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.parser import parse_bytes
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from r4.checkpoint import Resumption

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
        TypeError: ``imports`` is of another type than `Locations`.
        OSError: there is no such file.
    """
    parsed = parse_bytes(
        Path(path).read_bytes(), name=str(path), lenient=lenient, language=language
    )
    return _with_imports(parsed, str(path), imports, lenient=lenient)


def read_rule_text(
    text: str, name: str, imports: object, language: Language, *, lenient: bool
) -> ReadRules:
    """The rules in a text, which messages call ``name``; it has no folder.

    Raises:
        RuleErrors: the rules, or what they import, cannot be read, or it is the name of a file.
        TypeError: ``text`` is no text, or ``imports`` is of another type than `Locations`.
    """
    check_type(text, str, "rules are a text here, and Engine.from_file reads a file")
    if _FILE_NAME.fullmatch(text):
        fault = Unreadable(
            f"{text} is the name of a file, no rules", hint="Engine.from_file reads a file"
        )
        raise RuleErrors([fault], name=name)
    parsed = parse_bytes(text.encode(), name=name, lenient=lenient, language=language)
    return _with_imports(parsed, None, imports, lenient=lenient)


def _with_imports(
    parsed: ParsedDocument, path: str | None, imports: object, *, lenient: bool
) -> ReadRules:
    check_type(imports, Locations | None, "imports= is an r4.imports.Locations(root, catalogue)")
    where = imports if isinstance(imports, Locations) else Locations()
    closure = load(parsed, path, where, DATA + 1, lenient=lenient)
    imported = tuple(each for part in closure.warnings for each in part.errors)
    return ReadRules(closure, parsed.warnings + imported)
