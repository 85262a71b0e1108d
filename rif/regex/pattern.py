"""A compiled regular expression."""

from __future__ import annotations

from typing import Final

from rif.regex.faults import BadPattern, Inexpressible
from rif.regex.parser import parse
from rif.regex.program import Found, Program, original, program, subject
from rif.regex.replacement import Template, template

MAX_CAPTURED: Final = 100
"""Groups that a replacement may refer to: an automaton pays for each in every state."""

MAX_RESULT: Final = 1 << 24
"""Characters of a text in which matches were replaced: it may be as long as the two multiplied."""


class Pattern:
    """A regular expression that searches, and replaces what it finds."""

    __slots__ = ("_expression", "_last", "_literal", "_searching")

    def __init__(self, pattern: str, flags: str) -> None:
        """See `rif.regex.cache.compile_pattern`, which keeps what it has compiled."""
        self._expression = parse(pattern, flags)
        self._literal = "q" in flags
        self._searching = program(self._expression)
        self._last: tuple[str, Template, Program] | None = None

    def search(self, text: str) -> bool:
        """Does any part of ``text`` match [XPath-Functions, fn:matches]? Linear in the text."""
        data, end = subject(text, lines=self._expression.lines)
        return self._searching.search(data, 0, end) is not None

    def replacing(self, replacement: str) -> tuple[Template, Program]:
        """What stands in place of a match, and the automaton that captures the groups of it.

        The last is kept: rules replace by constants.

        Raises:
            BadReplacement: it has a stray ``$`` or backslash.
            BadPattern: the pattern matches the empty text, so that nothing can be replaced.
            Inexpressible: it refers to more than `MAX_CAPTURED` groups.
        """
        if self._last is None or self._last[0] != replacement:
            self._last = (replacement, *self._prepared(replacement))
        return self._last[1:]

    def _prepared(self, replacement: str) -> tuple[Template, Program]:
        if self.search(""):
            message = "a pattern that is replaced does not match the empty string"
            raise BadPattern(message)
        if self._literal:
            return (replacement,), self._searching
        parts = template(replacement, self._expression.groups)
        captured = sorted({part for part in parts if isinstance(part, int) and part})
        if len(captured) > MAX_CAPTURED:
            message = f"a replacement refers to at most {MAX_CAPTURED} groups"
            raise Inexpressible(message)
        if not captured:
            return parts, self._searching
        # Only these groups capture, so they are counted from 1 in their order.
        numbers = {number: at for at, number in enumerate(captured, 1)} | {0: 0}
        renumbered = (numbers[part] if isinstance(part, int) else part for part in parts)
        return tuple(renumbered), program(self._expression, captured)

    def replace(self, text: str, replacement: str) -> str:
        """``text`` with each match replaced, from the left [XPath-Functions, fn:replace].

        Each match takes time linear in what is left of the text at worst, and mostly in what it
        matches.

        Raises:
            RegexFault: as `replacing` does; Inexpressible also where the result would be longer
                than `MAX_RESULT`.
        """
        parts, searching = self.replacing(replacement)
        lines = self._expression.lines
        data, end = subject(text, lines=lines)
        pieces: list[str] = []
        at = size = 0
        for found in searching.finditer(data, 0, end):
            start, stop = found.span()
            pieces.append(original(data[at:start], lines=lines))
            for part in parts:
                piece = part if isinstance(part, str) else _captured(data, found, part, lines=lines)
                pieces.append(piece)
                size += len(piece)
            if size > MAX_RESULT:
                message = f"the result is longer than {MAX_RESULT:,} characters"
                raise Inexpressible(message)
            at = stop
        pieces.append(original(data[at:end], lines=lines))
        return "".join(pieces)


def _captured(data: bytes, found: Found, group: int, *, lines: bool) -> str:
    start, stop = found.span(group)
    return original(data[start:stop], lines=lines) if start >= 0 else ""
