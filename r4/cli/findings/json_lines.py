"""Faults of rules as JSON, an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from rif.errors.base import NOWHERE, RuleError


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
