"""The faults of a document together, and as text for a person: place, message, line, hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from rif.errors.base import MAX_FAULTS, NOWHERE, RuleError, Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_QUOTED = 120
"""Characters of a source line that a report quotes."""
_LONGEST_MESSAGE = 1000
"""Characters of a message, or of a hint, that a report has."""
_LISTED = 20
"""So many errors, and as many warnings, stand in a report: whoever has more mends these first."""
_CONTROLS: Final = (
    *(*range(0x20), *range(0x7F, 0xA0)),  # C0 and C1
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),  # of direction
)
_ESCAPES: Final = {code: f"\\u{code:04X}" for code in _CONTROLS}
"""JSON's escapes of C0, C1 and of what turns the direction of writing."""


def render_errors(faults: Sequence[RuleError], source: str, path: str) -> str:
    """``faults`` as text for a person, without a line end after the last line.

    Linear in the source and the faults together.
    """
    lines = lines_of(source, {fault.span.line for fault in faults})
    return "\n".join("\n".join(_render(fault, lines, path)) for fault in faults)


def lines_of(text: str, wanted: AbstractSet[int]) -> dict[int, str]:
    r"""Lines of a text by number, as editors count them: ended by ``\n``, ``\r\n`` or ``\r`` only.

    A text of many lines is walked up to the last one that is wanted, and not kept in pieces.
    """
    lines: dict[int, str] = {}
    begin = 0
    for number in range(1, max(wanted, default=0) + 1):
        end = _LINE_END.search(text, begin)
        if number in wanted:
            lines[number] = text[begin : end.start() if end else len(text)]
        if end is None:
            break
        begin = end.end()
    return lines


def _render(fault: RuleError, lines: Mapping[int, str], path: str) -> Iterable[str]:
    kind = "warning: " if fault.severity == "warning" else ""
    span = fault.span
    place = path if span == NOWHERE else f"{path}:{span.line}:{span.column}"
    yield f"{place}: {fault.code} {kind}{_message_text(fault.message)}"
    if lines.get(span.line, "").strip():
        yield from _quote(lines[span.line], span)
    if fault.hint:
        yield f"  hint: {_message_text(fault.hint)}"


def _message_text(text: str) -> str:
    return printable(text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…")


def _quote(line: str, span: Span) -> Iterable[str]:
    """The line, cut around the place when it is long, and carets beneath it."""
    first = span.column - 1
    last = span.end_column - 1 if span.end_line == span.line else len(line)
    begin = max(0, min(first - _QUOTED // 3, len(line) - _QUOTED))
    quoted = line[begin : begin + _QUOTED]
    carets = max(1, min(last, begin + len(quoted)) - first)
    left = "…" if begin else ""
    right = "…" if begin + _QUOTED < len(line) else ""
    yield f"  {left}{printable(quoted)}{right}"
    yield f"  {' ' * (len(left) + first - begin)}{'^' * carets}"


def printable(text: str) -> str:
    """``text`` with one visible character for each that would move or hide the cursor."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


def escape_controls(text: str) -> str:
    """``text`` with the escape of JSON for each character that could control a terminal."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def visible(lines: str) -> str:
    """Lines of text, each `printable`."""
    return lines if lines.isprintable() else "\n".join(map(printable, lines.split("\n")))


class RuleErrors(Exception):
    """All faults of one document, errors and warnings, in the order of their places.

    Attributes:
        errors: The faults; at most `MAX_FAULTS` errors and as many warnings.
        more: How many were left out for that.
        source: The text they were found in, for quoting; ``""`` if there is none.
        name: What the text is called in a report.
    """

    def __init__(self, errors: Iterable[RuleError], source: str = "", name: str = "<text>") -> None:
        # A clause that is read again, from another place, has its faults reported once.
        distinct = {(each.code, each.span, each.message, each.severity): each for each in errors}
        ordered = sorted(distinct.values(), key=lambda each: (each.span.line, each.span.column))
        self.errors: tuple[RuleError, ...] = tuple(_first_faults(ordered, MAX_FAULTS))
        self.more = len(ordered) - len(self.errors)
        self.source = source
        self.name = name
        super().__init__(self.errors, source, name)

    def __str__(self) -> str:
        """The report."""
        return self.report()

    def report(self, path: str | None = None) -> str:
        """``file:line:col: CODE message``, the source line with a caret, the hint; per fault.

        The first of the errors, and of the warnings, and how many more there are.
        """
        listed = list(_first_faults(self.errors, _LISTED))
        text = render_errors(listed, self.source, self.name if path is None else path)
        more = self.more + len(self.errors) - len(listed)
        return f"{text}\n{more} more faults are not listed" if more else text


def _first_faults(faults: Iterable[RuleError], most: int) -> Iterable[RuleError]:
    """``faults`` without the errors, and the warnings, beyond the first ``most`` of each."""
    counts = {"error": 0, "warning": 0}
    for fault in faults:
        counts[fault.severity] += 1
        if counts[fault.severity] <= most:
            yield fault


def counted(count: int, word: str) -> str:
    """``2 rules``, ``1 rule``, ``no rules``."""
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


def quantity(number: float, word: str) -> str:
    """``2,000 facts``, ``1 fact``, ``0 facts``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def shorten(text: str, limit: int = 40) -> str:
    """``text``, or its beginning."""
    return text if len(text) <= limit else text[:limit] + "…"
