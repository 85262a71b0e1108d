"""Faults of rules for programs: as JSON, and as a log of SARIF 2.1.0 [SARIF].

The latter is what editors and code hosts read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from inspect import getdoc
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import quote

from r4 import __version__
from rif.errors.base import NOWHERE, RuleError
from rif.errors.report import RuleErrors


@dataclass(slots=True)
class FaultCollection:
    """Faults in the order in which they are found.

    Attributes:
        found: the file and the fault; of a closure files differ.
        more: how many were left out, as a file had more than `rif.errors.base.MAX_FAULTS`.
    """

    found: list[tuple[str, RuleError]] = field(default_factory=list)
    more: int = 0

    def add(self, errors: RuleErrors) -> None:
        """Add the faults of a document, or of an import closure."""
        from r4.imports.errors import ImportErrors

        parts = errors.parts if isinstance(errors, ImportErrors) else (errors,)
        self.found += [(part.name, fault) for part in parts for fault in part.errors]
        self.more += errors.more


SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_Json: TypeAlias = "dict[str, _Json | list[_Json] | str | int]"


def sarif(found: Iterable[tuple[str, RuleError]]) -> str:
    """One run of one tool, a result for each fault and its file, a rule for each code.

    The hint is the second line of a message. Columns count characters, not UTF-16 units.
    """
    faults = list(found)
    kinds = {fault.code: type(fault) for _, fault in faults}
    numbers = {code: number for number, code in enumerate(sorted(kinds))}
    rules = [_rule(kinds[code]) for code in numbers]
    driver: _Json = {"name": "r4", "version": __version__, "rules": rules}
    run: _Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(file, fault, numbers[fault.code]) for file, fault in faults],
    }
    log: _Json = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1)


def _rule(kind: type[RuleError]) -> _Json:
    rule: _Json = {"id": kind.code, "name": kind.__name__}
    if text := getdoc(kind):
        rule["shortDescription"] = {"text": text.partition("\n")[0]}
    page = f"docs/errors.md#{kind.code.lower()}"
    rule["help"] = {"text": "\n".join(filter(None, (kind.default_hint, page)))}
    rule["defaultConfiguration"] = {"level": kind.default_severity}
    return rule


def _result(file: str, fault: RuleError, number: int) -> _Json:
    place: _Json = {"artifactLocation": {"uri": _uri(file)}}
    if fault.span != NOWHERE:
        place["region"] = {
            "startLine": fault.span.line,
            "startColumn": fault.span.column,
            "endLine": fault.span.end_line,
            "endColumn": fault.span.end_column,
        }
    hint = f"\nhint: {fault.hint}" if fault.hint else ""
    return {
        "ruleId": fault.code,
        "ruleIndex": number,
        "level": fault.severity,
        "message": {"text": fault.message + hint},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """A path as a reference to a URI: relative as it is given, so that it holds elsewhere, too."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def json_lines(found: Iterable[tuple[str, RuleError]]) -> Iterator[str]:
    """A line for each fault and its file, without a line end; no place is a null line and column.

    Lines and columns count from 1, columns in characters. The text is ASCII: neither a terminal
    nor its encoding changes it.
    """
    for file, fault in found:
        has_place = fault.span != NOWHERE
        values = {
            "file": file,
            "line": fault.span.line if has_place else None,
            "column": fault.span.column if has_place else None,
            "code": fault.code,
            "severity": fault.severity,
            "message": fault.message,
            "hint": fault.hint or None,
        }
        yield json.dumps(values)
