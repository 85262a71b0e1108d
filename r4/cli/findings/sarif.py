"""Faults of rules as a log of SARIF 2.1.0 [SARIF], which editors and code hosts read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from inspect import getdoc
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import quote

from r4 import __version__
from rif.errors.base import NOWHERE, RuleError, Span

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
    driver: _Json = {
        "name": "r4",
        "version": __version__,
        "rules": [_rule(kinds[code]) for code in numbers],
    }
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
        place["region"] = _region(fault.span)
    hint = f"\nhint: {fault.hint}" if fault.hint else ""
    return {
        "ruleId": fault.code,
        "ruleIndex": number,
        "level": fault.severity,
        "message": {"text": fault.message + hint},
        "locations": [{"physicalLocation": place}],
    }


def _region(span: Span) -> _Json:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(file: str) -> str:
    """A path as a reference to a URI: relative as it is given, so that it holds elsewhere, too."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
