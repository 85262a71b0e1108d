"""Faults as text for a person: where, what, the line itself, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from rif.ast import NOWHERE, Span

if TYPE_CHECKING:
    from rif.errors import RuleError

_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED = 120
"""Characters of a source line that a report quotes."""
_SAID = 1000
"""Characters of a message, or of a hint, that it has."""


def report(faults: Sequence[RuleError], source: str, path: str) -> str:
    """``faults`` as text for a person, without a line end after the last line.

    Linear in the source and the faults together.
    """
    lines = lines_of(source, {fault.span.line for fault in faults})
    return "\n".join("\n".join(_render(fault, lines, path)) for fault in faults)


def lines_of(text: str, wanted: AbstractSet[int]) -> dict[int, str]:
    r"""Lines of a text by number, as editors count them: ended by ``\n``, ``\r\n`` or ``\r`` only.

    A text of many lines is walked up to the last one that is wanted, and not kept in pieces.
    """
    found: dict[int, str] = {}
    begin = 0
    for number in range(1, max(wanted, default=0) + 1):
        end = _LINE_END.search(text, begin)
        if number in wanted:
            found[number] = text[begin : end.start() if end else len(text)]
        if end is None:
            break
        begin = end.end()
    return found


def _render(fault: RuleError, lines: Mapping[int, str], path: str) -> Iterable[str]:
    kind = "warning: " if fault.severity == "warning" else ""
    span = fault.span
    if span == NOWHERE:
        yield f"{path}: {fault.code} {kind}{_said(fault.message)}"
    else:
        place = f"{path}:{span.line}:{span.column}"
        yield f"{place}: {fault.code} {kind}{_said(fault.message)}"
        if lines.get(span.line, "").strip():
            yield from _quote(lines[span.line], span)
    if fault.hint:
        yield f"  hint: {_said(fault.hint)}"


def _said(text: str) -> str:
    return printable(text if len(text) <= _SAID else text[:_SAID] + "…")


def _quote(line: str, span: Span) -> Iterable[str]:
    """The line, cut around the place when it is long, and carets beneath it."""
    first = span.column - 1
    last = span.end_column - 1 if span.end_line == span.line else len(line)
    begin = max(0, min(first - _QUOTED // 3, len(line) - _QUOTED))
    shown = line[begin : begin + _QUOTED]
    carets = max(1, min(last, begin + len(shown)) - first)
    left = "…" if begin else ""
    right = "…" if begin + _QUOTED < len(line) else ""
    yield f"  {left}{printable(shown)}{right}"
    yield f"  {' ' * (len(left) + first - begin)}{'^' * carets}"


def printable(text: str) -> str:
    """``text`` with one visible character for each that would move or hide the cursor."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )
